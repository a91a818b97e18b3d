"""Wanted MIG instances find their places, or the refusal says what is in the way and what would help."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.devices.mig import Geometry, all_geometries, geometry, memory_of
from aliquot.devices.mig.fitting import Fit, fits, still_fit
from aliquot.devices.mig.legal_layouts import Placement, legal_states, violations
from aliquot.devices.mig.refusal import NoRoom, Shortage


def known(key: str) -> Geometry:
    found = geometry(key)
    assert found is not None
    return found


H100 = known("H100-80GB")
STATES = legal_states(H100, H100.plain_profiles())
NAMES = [profile.name for profile in H100.profiles]


# facts/planner.md, worked case 3
def test_4_x_1g_and_a_3g_fit_in_one_way_only() -> None:
    assert fits(H100, [], ["1g.10gb"] * 4 + ["3g.40gb"]) == Fit(
        (
            Placement(0, "1g.10gb"),
            Placement(1, "1g.10gb"),
            Placement(2, "1g.10gb"),
            Placement(3, "1g.10gb"),
            Placement(4, "3g.40gb"),
        )
    )


def test_4_x_1g_do_not_fit_beside_a_3g_at_0() -> None:
    answer = fits(H100, [Placement(0, "3g.40gb")], ["1g.10gb"] * 4)
    assert isinstance(answer, NoRoom)
    assert answer.placed == (Placement(4, "1g.10gb"), Placement(5, "1g.10gb"), Placement(6, "1g.10gb"))
    assert answer.short_of is Shortage.MEMORY
    assert answer.reason == (
        "1g.10gb has no start left: memory slices 0-3 held by 3g.40gb at 0 (starts 0, 1, 2, 3); "
        "memory slice 4 held by 1g.10gb at 4 (start 4); memory slice 5 held by 1g.10gb at 5 (start 5); "
        "memory slice 6 held by 1g.10gb at 6 (start 6); memory slice 7 free, 1 compute slice free"
    )
    assert answer.advice == "move 3g.40gb from 0 to 4"


# worked case 4
def test_two_3g_leave_no_memory_slice_for_a_1g() -> None:
    answer = fits(H100, [Placement(0, "3g.40gb"), Placement(4, "3g.40gb")], ["1g.10gb"])
    assert isinstance(answer, NoRoom)
    assert (answer.short_of, answer.compute_free, answer.memory_free) == (Shortage.MEMORY, 1, ())
    assert answer.reason == (
        "1g.10gb has no start left: memory slices 0-3 held by 3g.40gb at 0 (starts 0, 1, 2, 3); "
        "memory slices 4-7 held by 3g.40gb at 4 (starts 4, 5, 6); no memory slice free, 1 compute slice free"
    )
    assert answer.advice is None


def test_a_4g_waits_for_a_3g_to_move() -> None:
    answer = fits(H100, [Placement(0, "3g.40gb")], ["4g.40gb"])
    assert isinstance(answer, NoRoom)
    assert answer.compute_free == 4
    assert answer.advice == "move 3g.40gb from 0 to 4"


@pytest.mark.parametrize(
    ("existing", "wanted", "advice"),
    [
        (["2g.20gb at 0", "2g.20gb at 4"], ["3g.40gb"], "move 2g.20gb from 4 to 2"),
        (["1g.10gb at 2", "1g.10gb at 4"], ["3g.40gb", "2g.20gb"], "move 1g.10gb from 4 to 3"),
        (["1g.10gb at 0", "1g.10gb at 2"], ["4g.40gb"], "move 1g.10gb from 0 to 4 and move 1g.10gb from 2 to 5"),
        (["1g.10gb at 1", "1g.10gb at 5"], ["3g.40gb", "2g.20gb"], "move 1g.10gb from 5 to 0"),
    ],
)
def test_moves(existing: list[str], wanted: list[str], advice: str) -> None:
    state = [Placement(int(text[-1]), text.split()[0]) for text in existing]
    answer = fits(H100, state, wanted)
    assert isinstance(answer, NoRoom)
    assert answer.advice == advice


@pytest.mark.parametrize(
    ("existing", "wanted", "short_of", "reason"),
    [
        ([], ["1g.10gb"] * 8, Shortage.COMPUTE, "1g.10gb needs 1 compute slice, 0 compute slices free"),
        ([], ["2g.20gb"] * 4, Shortage.COMPUTE, "2g.20gb needs 2 compute slices, 1 compute slice free"),
        (
            [],
            ["1g.10gb+me"] * 2,
            Shortage.MEDIA,
            "1g.10gb+me: the GPU gives its media extension to one instance only, and it's given",
        ),
        (
            [Placement(0, "1g.20gb"), Placement(2, "1g.20gb"), Placement(4, "1g.20gb")],
            ["3g.40gb"],
            Shortage.MEMORY,
            (
                "3g.40gb has no start left: memory slices 0-1 held by 1g.20gb at 0 and memory slices 2-3 held by "
                "1g.20gb at 2 (start 0); memory slices 4-5 held by 1g.20gb at 4 (start 4); "
                "memory slices 6, 7 free, 4 compute slices free"
            ),
        ),
    ],
)
def test_what_is_short(existing: list[Placement], wanted: list[str], short_of: Shortage, reason: str) -> None:
    answer = fits(H100, existing, wanted)
    assert isinstance(answer, NoRoom)
    assert (answer.short_of, answer.reason) == (short_of, reason)


def test_a_profile_may_be_limited_below_its_starts() -> None:
    few = replace(H100, profiles=tuple(replace(p, max_instances=2) for p in H100.profiles))
    answer = fits(few, [], ["1g.10gb"] * 3)
    assert isinstance(answer, NoRoom)
    assert answer.short_of is Shortage.COUNT
    assert answer.reason == "1g.10gb: the GPU already holds as many as it may"


def test_nothing_wanted_fits_anywhere() -> None:
    assert fits(H100, STATES[-1], []) == Fit(())


@pytest.mark.parametrize(
    ("wanted", "start"), [("1g.10gb", 6), ("2g.20gb", 4), ("3g.40gb", 4), ("1g.20gb", 6), ("7g.80gb", 0)]
)
def test_a_first_instance_leaves_the_most_room(wanted: str, start: int) -> None:
    assert fits(H100, [], [wanted]) == Fit((Placement(start, wanted),))


def test_a_profile_of_another_gpu() -> None:
    with pytest.raises(ValueError, match="has no MIG profile"):
        fits(H100, [], ["1g.5gb"])


wanted_lists = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4)


@pytest.mark.law
@given(st.sampled_from(STATES), wanted_lists)
def test_the_answer_agrees_with_the_enumeration(state: tuple[Placement, ...], wanted: list[str]) -> None:
    every = legal_states(H100, H100.profiles)
    target = sorted([p.profile for p in state] + wanted)
    possible = any(sorted(p.profile for p in other) == target and set(state) <= set(other) for other in every)
    answer = fits(H100, state, wanted)
    assert isinstance(answer, Fit) == possible
    if isinstance(answer, Fit):
        assert violations(H100, (*state, *answer.placements)) == ()
        assert sorted(p.profile for p in answer.placements) == sorted(wanted)


@pytest.mark.law
@given(st.sampled_from(STATES), wanted_lists)
def test_after_the_moves_it_fits(state: tuple[Placement, ...], wanted: list[str]) -> None:
    answer = fits(H100, state, wanted)
    if isinstance(answer, Fit):
        return
    assert violations(H100, (*state, *answer.placed)) == ()
    every = legal_states(H100, H100.profiles)
    target = sorted([p.profile for p in state] + wanted)
    assert bool(answer.moves) == any(sorted(p.profile for p in other) == target for other in every)
    if answer.moves:
        moved = {move.instance for move in answer.moves}
        after = [p for p in state if p not in moved]
        after += [Placement(move.to, move.instance.profile) for move in answer.moves]
        assert violations(H100, after) == ()
        assert isinstance(fits(H100, after, wanted), Fit)


A100 = known("A100-40GB")


# facts of the planner, worked case 1
def test_seven_1g_fit_an_empty_gpu_and_an_eighth_does_not() -> None:
    assert isinstance(fits(A100, [], ["1g.5gb"] * 7), Fit)
    assert isinstance(fits(A100, [], ["1g.5gb"] * 8), NoRoom)
    assert memory_of(A100.plain_profiles()[0]).mib == 4864


def test_a_4g_is_kept_out_by_memory_though_4_compute_slices_are_free() -> None:
    answer = fits(A100, [Placement(0, "3g.20gb")], ["4g.20gb"])
    assert isinstance(answer, NoRoom)
    assert (answer.short_of, answer.compute_free, answer.advice) == (Shortage.MEMORY, 4, "move 3g.20gb from 0 to 4")
    assert "memory slices 0-3 held by 3g.20gb at 0 (start 0)" in answer.reason


def test_a_3g_fits_beside_a_3g_but_then_no_1g() -> None:
    assert fits(A100, [Placement(0, "3g.20gb")], ["3g.20gb"]) == Fit((Placement(4, "3g.20gb"),))
    answer = fits(A100, [Placement(0, "3g.20gb"), Placement(4, "3g.20gb")], ["1g.5gb"])
    assert isinstance(answer, NoRoom)
    assert (answer.compute_free, answer.memory_free) == (1, ())


def test_a_1g_in_the_free_half_blocks_a_3g() -> None:
    assert still_fit(A100, [Placement(0, "3g.20gb")])["1g.5gb"] == (4, 5, 6)
    for start in (4, 5, 6):
        assert still_fit(A100, [Placement(0, "3g.20gb"), Placement(start, "1g.5gb")])["3g.20gb"] == ()


def test_what_still_fits() -> None:
    assert still_fit(H100, [Placement(0, "3g.40gb"), Placement(4, "1g.10gb")]) == {
        "1g.10gb": (5, 6),
        "1g.10gb+me": (5, 6),
        "1g.20gb": (6,),
        "2g.20gb": (),
        "3g.40gb": (),
        "4g.40gb": (),
        "7g.80gb": (),
    }


def test_a_profile_by_another_drivers_name() -> None:
    a100 = known("A100-80GB")
    assert still_fit(a100, [Placement(0, "3g.39gb")]) == still_fit(a100, [Placement(0, "3g.40gb")])


@pytest.mark.parametrize("gpu", [g for g in all_geometries() if g.known], ids=lambda gpu: gpu.key)
def test_free_places_are_those_that_keep_every_state_legal(gpu: Geometry) -> None:
    every = legal_states(gpu, gpu.profiles)
    after: dict[tuple[Placement, ...], set[Placement]] = {state: set() for state in every}
    for state in every:
        for place in state:
            after[tuple(p for p in state if p != place)].add(place)
    for state in every:
        free = {Placement(start, name) for name, starts in still_fit(gpu, state).items() for start in starts}
        assert free == after[state], state
