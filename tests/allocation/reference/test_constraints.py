"""Constraints one device after the other, and on the way back."""

import pytest

from aliquot.allocation.allocator_features import Features
from aliquot.allocation.behaviour import REPAIRED, V1_36, Behaviour
from aliquot.allocation.reference.constraints import ConstraintState, constraint_state
from aliquot.allocation.rules.constraints import attribute_of, value_set
from aliquot.dra.claim import Constraint
from aliquot.dra.device import Attribute, Device
from scenarios.nouns.supplies import DRIVER, Value, attribute, device, distinct, match

X = f"{DRIVER}/x"
LISTS = Features(list_attributes=True)


def rule(constraint: Constraint, behaviour: Behaviour = V1_36, features: Features | None = None) -> ConstraintState:
    found = constraint_state(constraint, features or Features(), behaviour, "experimental")
    assert found is not None
    return found


def run(one: ConstraintState, values: list[Value | Attribute | None], request: str = "r") -> list[bool]:
    return [one.add(request, "", having(value), DRIVER) for value in values]


def having(value: Value | Attribute | None) -> Device:
    if value is None:
        return device("d")
    return Device("d", {"x": value if isinstance(value, Attribute) else attribute(value)})


UNSET = Attribute("unset", None)
VERSION = Attribute("version", "1.0.0")


@pytest.mark.parametrize(
    ("values", "accepted"),
    [
        (["a", "a", "b"], [True, True, False]),
        ([1, True, "1", 1], [True, False, False, True]),
        ([VERSION, "1.0.0", VERSION], [True, False, True]),
        ([None, "a"], [False, True]),
        ([UNSET, UNSET], [True, False]),
        ([("a", "b"), ("a", "b")], [True, False]),
    ],
)
def test_match_compares_with_the_first(values: list[Value | Attribute | None], accepted: list[bool]) -> None:
    assert run(rule(match(X)), values) == accepted


@pytest.mark.parametrize(
    ("values", "accepted"),
    [
        ([("a", "b"), ("b", "c"), "a", "b"], [True, True, False, True]),
        ([(1, 2), ("1", "2")], [True, False]),
        ([UNSET, Attribute("strings", ()), "a"], [False, False, True]),
        ([None, "a"], [False, True]),
    ],
)
def test_match_of_lists_keeps_a_common_value(values: list[Value | Attribute | None], accepted: list[bool]) -> None:
    assert run(rule(match(X), features=LISTS), values) == accepted


@pytest.mark.parametrize(("behaviour", "accepted"), [(V1_36, False), (REPAIRED, True)])
def test_going_back_widens_again_but_in_1_36(behaviour: Behaviour, *, accepted: bool) -> None:
    one = rule(match(X), behaviour, LISTS)
    assert run(one, [("a", "b"), "b"]) == [True, True]
    one.remove("r", "")
    assert run(one, ["a"]) == [accepted]


@pytest.mark.parametrize(
    ("behaviour", "values", "accepted"),
    [
        (REPAIRED, ["a", "b", "a"], [True, True, False]),
        (V1_36, ["a", "b", "a"], [True, True, True]),
        (V1_36, ["a", "a", None], [True, False, False]),
        (V1_36, [UNSET, UNSET], [True, False]),
        (REPAIRED, [UNSET, UNSET, None], [True, False, False]),
    ],
)
def test_distinct(behaviour: Behaviour, values: list[Value | Attribute | None], accepted: list[bool]) -> None:
    assert run(rule(distinct(X), behaviour), values) == accepted


@pytest.mark.parametrize("behaviour", [V1_36, REPAIRED])
def test_distinct_lists_share_nothing(behaviour: Behaviour) -> None:
    one = rule(distinct(X), behaviour, LISTS)
    values: list[Value] = [("a", "b"), ("b", "c"), "c"]
    accepted = [one.add(f"r{number}", "", having(value), DRIVER) for number, value in enumerate(values)]
    assert accepted == [True, False, True]
    assert not one.add("r9", "", having(UNSET), DRIVER)


@pytest.mark.parametrize("constraint", [match(X, "r", "p/s"), distinct(X, "r", "p/s")])
@pytest.mark.parametrize("behaviour", [V1_36, REPAIRED])
@pytest.mark.parametrize("features", [Features(), LISTS])
def test_a_constraint_covers_the_requests_it_names(
    constraint: Constraint, behaviour: Behaviour, features: Features
) -> None:
    one = rule(constraint, behaviour, features)
    start = one.fingerprint()
    assert one.add("q", "", having(None), DRIVER)
    assert one.add("p", "t", having(None), DRIVER)
    one.remove("q", "")
    assert one.fingerprint() == start
    assert not one.add("r", "", having(None), DRIVER)
    assert one.add("p", "s", having("a"), DRIVER)
    assert one.fingerprint() != start
    one.remove("p", "s")
    assert one.fingerprint() == start


def test_names_of_attributes() -> None:
    here = Device("d", {"x": attribute(1), "other.example.com/y": attribute(2)})
    assert attribute_of(here, DRIVER, X) == attribute(1)
    assert attribute_of(here, "other.example.com", X) is None
    assert attribute_of(here, DRIVER, "other.example.com/y") == attribute(2)
    assert attribute_of(here, DRIVER, "x") == attribute(1)
    assert attribute_of(here, DRIVER, "z") is None
    assert value_set(attribute((1, 1))) == ("int", frozenset({1}))


def test_stable_knows_no_distinct_attribute() -> None:
    assert constraint_state(distinct(X), Features(), V1_36, "stable") is None
    assert constraint_state(Constraint(), Features(), V1_36, "experimental") is None
