"""The counters of a GPU let through exactly the layouts that it takes, on every geometry that is known."""

import pytest

from aliquot.devices.mig import Placement, all_geometries, geometry, legal_states
from aliquot.sharing.publish.amounts import Counters

KNOWN = [one.key for one in all_geometries() if one.known]


def admitted(counters: Counters, places: list[Placement]) -> set[frozenset[Placement]]:
    """Every set of places that the counters admit."""
    left = {name: amount.nanos for name, amount in counters.total.items()}
    takes = [{name: amount.nanos for name, amount in counters.taken_by(place).items()} for place in places]
    found: set[frozenset[Placement]] = set()

    def go_on(first: int, left: dict[str, int], chosen: frozenset[Placement]) -> None:
        found.add(chosen)
        for number in range(first, len(places)):
            if all(left[name] >= amount for name, amount in takes[number].items()):
                rest = {name: amount - takes[number].get(name, 0) for name, amount in left.items()}
                go_on(number + 1, rest, chosen | {places[number]})

    go_on(0, left, frozenset())
    return found


@pytest.mark.parametrize("key", KNOWN)
def test_exactly_the_legal_layouts_are_admitted(key: str) -> None:
    cut = geometry(key)
    assert cut is not None
    places = [Placement(start, profile.name) for profile in cut.profiles for start in profile.starts]
    legal = {frozenset(state) for state in legal_states(cut, cut.profiles)}
    assert admitted(Counters(cut), places) == legal


def test_the_counters_of_an_a100_are_nvidias() -> None:
    cut = geometry("A100-40GB")
    assert cut is not None
    told = {name: str(amount) for name, amount in Counters(cut).total.items()}
    slices = {f"memory-slice-{number}": "1" for number in range(8)}
    engines = {"multiprocessors": "98", "copy-engines": "7", "decoders": "5", "encoders": "0"}
    engines |= {"jpeg-engines": "1", "ofa-engines": "1"}
    assert told == {**engines, "memory": "40192Mi", **slices}


@pytest.mark.parametrize("key", ["A100-40GB", "RTX-PRO-6000"])
def test_what_standing_instances_leave_admits_exactly_what_fits_beside_them(key: str) -> None:
    cut = geometry(key)
    assert cut is not None
    places = [Placement(start, profile.name) for profile in cut.profiles for start in profile.starts]
    legal = {frozenset(state) for state in legal_states(cut, cut.profiles)}
    counters = Counters(cut)
    for standing in legal_states(cut, cut.profiles)[::97]:
        left = counters.beside(standing)
        for place in places:
            fits = place not in standing and frozenset({*standing, place}) in legal
            takes = counters.taken_by(place)
            assert (takes.keys() <= left.keys() and all(left[name] >= takes[name] for name in takes)) == fits
