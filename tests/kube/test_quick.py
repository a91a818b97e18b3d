"""Values made quickly are those that the class makes."""

from dataclasses import FrozenInstanceError, dataclass, replace

import pytest

from aliquot.kube.reading.quick import quick


@dataclass(frozen=True, slots=True)
class Noun:
    name: str
    labels: tuple[str, ...] = ()


def test_made_quickly_it_is_the_same_frozen_value() -> None:
    made, usual = quick(Noun)("a", ("x",)), Noun("a", ("x",))
    assert type(made) is Noun
    assert (made, hash(made), repr(made)) == (usual, hash(usual), repr(usual))
    assert replace(made, name="b") == Noun("b", ("x",))
    with pytest.raises(FrozenInstanceError):
        made.name = "c"  # type: ignore[misc] # that it can't be assigned is the point


def test_a_field_that_is_not_given_is_an_error() -> None:
    with pytest.raises(TypeError):
        quick(Noun)("a")
