"""The legal MIG layouts, counted and checked against the rule."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.devices.mig import Geometry, all_geometries, geometry
from aliquot.devices.mig.legal_layouts import (
    Placement,
    legal_states,
    maximal_states,
    multisets,
    uniform_layouts,
    violations,
)


def known(key: str) -> Geometry:
    found = geometry(key)
    assert found is not None
    return found


SEVEN = [g for g in all_geometries() if g.compute_units == 7]
FOUR = [g for g in all_geometries() if g.compute_units == 4]


# facts/planner.md, section 1.2
@pytest.mark.parametrize(
    ("gpu", "double_memory", "counts"),
    [
        *((gpu, False, (298, 19, 38, 14)) for gpu in SEVEN),
        *((gpu, True, (723, 78, 78, 38)) for gpu in SEVEN),
        *((gpu, False, (26, 5, 10, 4)) for gpu in FOUR),
    ],
    ids=lambda value: value.key if isinstance(value, Geometry) else str(value),
)
def test_how_many_there_are(gpu: Geometry, double_memory: bool, counts: tuple[int, int, int, int]) -> None:
    profiles = gpu.plain_profiles(double_memory=double_memory)
    states, maximal = legal_states(gpu, profiles), maximal_states(gpu, profiles)
    assert (len(states), len(maximal), len(multisets(states)), len(multisets(maximal))) == counts


def test_enumeration_and_rule_agree_on_every_set_of_placements() -> None:
    a30 = known("A30")
    choices = [Placement(start, p.name) for p in a30.profiles for start in p.starts]
    legal = set(legal_states(a30, a30.profiles))
    for picks in product([False, True], repeat=len(choices)):
        state = tuple(sorted(c for c, pick in zip(choices, picks, strict=True) if pick))
        assert (state in legal) == (not violations(a30, state))


@pytest.mark.law
@given(st.data())
def test_a_legal_state_less_one_instance_is_legal(data: st.DataObject) -> None:
    gpu = known("H100-80GB")
    states = legal_states(gpu, gpu.plain_profiles())
    state = data.draw(st.sampled_from(states[1:]))
    gone = data.draw(st.sampled_from(state))
    assert violations(gpu, state) == ()
    assert tuple(p for p in state if p != gone) in states


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ([Placement(0, "3g.20gb"), Placement(4, "3g.20gb")], []),
        (
            [Placement(0, "4g.20gb"), Placement(3, "1g.5gb")],
            ["1g.5gb at 3 and 4g.20gb at 0 overlap in memory slice 3"],
        ),
        ([Placement(2, "3g.20gb")], ["3g.20gb at 2: 3g.20gb may start at 0, 4 only"]),
        (
            [Placement(0, "4g.20gb"), Placement(4, "4g.20gb")],
            [
                "4g.20gb at 4: 4g.20gb may start at 0 only",
                "8 compute slices are wanted of 7",
                "2 of 4g.20gb are wanted, at most 1 may be",
            ],
        ),
        (
            [Placement(0, "1g.5gb+me"), Placement(1, "1g.5gb+me")],
            [
                "2 of 1g.5gb+me are wanted, at most 1 may be",
                "more than one instance wants the media extension (+me)",
            ],
        ),
    ],
)
def test_violations_in_words(state: list[Placement], words: list[str]) -> None:
    assert list(violations(known("A100-40GB"), state)) == words


def test_uniform_layouts() -> None:
    layouts = uniform_layouts(known("A100-40GB"))
    assert [(layout.name, layout.count) for layout in layouts] == [
        ("all-1g.5gb", 7),
        ("all-1g.10gb", 4),
        ("all-2g.10gb", 3),
        ("all-3g.20gb", 2),
        ("all-1g.5gb.me", 1),
        ("all-4g.20gb", 1),
        ("all-7g.40gb", 1),
    ]


@pytest.mark.parametrize("gpu", all_geometries(), ids=lambda gpu: gpu.key)
def test_a_uniform_layout_holds_as_many_as_the_table_says(gpu: Geometry) -> None:
    assert all(layout.count == layout.profile.max_instances for layout in uniform_layouts(gpu))


def test_where_placements_are_not_known() -> None:
    unknown = known("RTX-PRO-5000")
    assert uniform_layouts(unknown) == ()
    with pytest.raises(ValueError, match="read it from the node"):
        violations(unknown, [Placement(0, "1g.24gb")])


def test_a_profile_of_another_gpu() -> None:
    with pytest.raises(ValueError, match=r"A100-40GB has no MIG profile 1g\.18gb; it has 1g\.5gb, "):
        violations(known("A100-40GB"), [Placement(0, "1g.18gb")])
