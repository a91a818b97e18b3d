"""Sets of nodes as bits, and what is known of them."""

from hypothesis import given
from hypothesis import strategies as st

from aliquot.scheduling.placing.node_answers import NodeAnswers, ascending, bits_of, merged


@given(st.lists(st.booleans()))
def test_flags_to_bits_and_back(flags: list[bool]) -> None:
    positions = [position for position, flag in enumerate(flags) if flag]
    assert list(ascending(bits_of(flags))) == positions
    assert merged(positions) == bits_of(flags)


def test_an_answer_holds_until_its_node_changes() -> None:
    known = NodeAnswers(about=0b1011, open=0b1011)
    known.learn(0b0001, answer=True)
    known.learn(0b0010, answer=False)
    assert (known.yes, known.open, known.possible) == (0b0001, 0b1000, 0b1001)
    known.forget(0b0111, seen=3)
    assert (known.yes, known.open, known.seen) == (0, 0b1011, 3)
