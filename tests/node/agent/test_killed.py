"""A sample of `scenarios.node.kill_matrix`: SIGKILL at moments of the work on a claim, in a process of its own."""

import pytest

from scenarios.node.kill_matrix import killed

pytestmark = [pytest.mark.enable_socket, pytest.mark.timeout(300)]


@pytest.mark.parametrize(("kind", "first"), [("MIG on demand", 9), ("MPS", 14)])
def test_nothing_is_lost_and_nothing_leaks(kind: str, first: int) -> None:
    tally = killed(kind, every=17, first=first)
    assert tally.moments >= 2
    assert tally.wrong == []
