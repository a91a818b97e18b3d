"""The agent dies before and after its changes of host and disk; what comes after it loses and leaks nothing.

A sample of the moments; `python -m scenarios.deaths` has it die at all of them.
"""

from pathlib import Path

import pytest

from scenarios.deaths.killed import WORKS, Then, Work, killed
from scenarios.deaths.kinds import KINDS


@pytest.mark.parametrize(("work", "then"), WORKS)
@pytest.mark.parametrize("kind", KINDS)
def test_killed(folder: Path, kind: str, work: Work, then: Then) -> None:
    tally = killed(folder, KINDS[kind], work, then, every=1 if (work, then) == ("prepare", "prepare") else 5)
    assert tally.wrong == []
    assert tally.moments >= 3
