"""Attribute values as atoms: scalars are equal or not, lists share elements, what can't be compared stays alone."""

from aliquot.allocation.search.attribute_values import UNSET, Values, values_of

ONE = (("int", 1),)
LIST = (("int", 1), ("int", 2))
OTHER_LIST = (("int", 2), ("int", 3))
INCOMPARABLE = ()


def settled(values: Values, *devices: int) -> int:
    value = UNSET
    for device in devices:
        value = values.atoms[device] if value == UNSET else value & values.atoms[device]
    return values.matching(value)


def test_scalars_match_by_kind_and_value() -> None:
    kinds = ((("bool", True),), (("string", "1"),), (("version", "1"),))
    values = values_of([ONE, ONE, *kinds, None], lone_first=True)
    assert values.matching(UNSET) == 0b011111
    assert settled(values, 0) == 0b000011
    assert settled(values, 2) == 0b000100
    assert settled(values, 3) == 0b001000


def test_what_cannot_be_compared_may_only_come_first() -> None:
    values = values_of([INCOMPARABLE, INCOMPARABLE, ONE], lone_first=True)
    assert values.matching(UNSET) == 0b111
    assert settled(values, 0) == 0
    assert values.differing(0) == 0b111
    assert values.differing(values.atoms[0]) == 0b100
    assert values.differing(values.atoms[2]) == 0


def test_it_need_not_even_come_first() -> None:
    assert values_of([INCOMPARABLE, ONE], lone_first=False).matching(UNSET) == 0b10


def test_a_value_that_equals_nothing_is_no_key_of_the_callers() -> None:
    values = values_of([INCOMPARABLE, (("alone", 0),)], lone_first=True)
    assert settled(values, 1) == 0b10


def test_lists_match_while_something_is_common_to_all() -> None:
    values = values_of([LIST, OTHER_LIST, ONE, (("string", "1"),)], lone_first=False)
    assert settled(values, 0) == 0b0111
    assert settled(values, 0, 1) == 0b0011
    assert settled(values, 0, 2) == 0b0101
    assert settled(values, 3) == 0b1000


def test_lists_differ_if_nothing_is_common() -> None:
    values = values_of([LIST, OTHER_LIST, ONE, (("int", 3),), INCOMPARABLE], lone_first=False)
    assert values.differing(values.atoms[0]) == 0b01000
    assert values.differing(values.atoms[2]) == 0b01010
    assert values.matching(UNSET) == 0b01111
    assert values.having == 0b11111
