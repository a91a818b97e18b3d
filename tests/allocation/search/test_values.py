"""Attribute values as atoms: scalars are equal or not, lists share elements, what can't be compared stays alone."""

import pytest

from aliquot.allocation.search.attribute_values import UNSET, Values, values_of
from aliquot.dra.device import Attribute

ONE = Attribute("int", 1)
TRUE = Attribute("bool", True)
TEXT = Attribute("string", "1")
VERSION = Attribute("version", "1")
LIST = Attribute("ints", (1, 2))
OTHER_LIST = Attribute("ints", (2, 3))
UNKNOWN = Attribute("unset", None)


def settled(values: Values, *devices: int) -> int:
    value = UNSET
    for device in devices:
        value = values.atoms[device] if value == UNSET else value & values.atoms[device]
    return values.matching(value)


def test_scalars_match_by_kind_and_value() -> None:
    values = values_of([ONE, Attribute("int", 1), TRUE, TEXT, VERSION, None], lists=False)
    assert values.matching(UNSET) == 0b011111
    assert settled(values, 0) == 0b000011
    assert settled(values, 2) == 0b000100
    assert settled(values, 3) == 0b001000


@pytest.mark.parametrize("alone", [LIST, UNKNOWN])
def test_without_lists_what_cannot_be_compared_may_only_come_first(alone: Attribute) -> None:
    values = values_of([alone, alone, ONE], lists=False)
    assert values.matching(UNSET) == 0b111
    assert settled(values, 0) == 0
    assert values.differing(0) == 0b111
    assert values.differing(values.atoms[0]) == 0b100
    assert values.differing(values.atoms[2]) == 0


def test_lists_match_while_something_is_common_to_all() -> None:
    values = values_of([LIST, OTHER_LIST, ONE, Attribute("strings", ("1",))], lists=True)
    assert settled(values, 0) == 0b0111
    assert settled(values, 0, 1) == 0b0011
    assert settled(values, 0, 2) == 0b0101
    assert settled(values, 3) == 0b1000


def test_lists_differ_if_nothing_is_common() -> None:
    values = values_of([LIST, OTHER_LIST, ONE, Attribute("int", 3), UNKNOWN], lists=True)
    assert values.differing(values.atoms[0]) == 0b01000
    assert values.differing(values.atoms[2]) == 0b01010
    assert values.matching(UNSET) == 0b01111
    assert values.having == 0b11111
