"""Set up, then undone in reverse, a host stands as before: from any state, whichever call fails, after a kill too."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.devices.gpu import TimeSlice
from aliquot.devices.hosts.simulated.file import CALLS, read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.hosts.simulated.shape import Fault
from aliquot.devices.mig import Geometry, Placement, State, geometry, legal_states
from aliquot.sharing.claim_configs.values import ClaimConfig, Mps, Sharing, TimeSlicing
from aliquot.sharing.setup.carry_out import Done, Failed, carry_out, retry, undo
from aliquot.sharing.setup.plan import CannotSetUp, Request, SetUp, plan
from aliquot.sharing.setup.steps import SetMigMode, Step, Target

CHANGING = ("setMigMode", "createInstance", "destroyInstance", "setComputeMode", "setTimeSlice", "startMps", "stopMps")
GPU_0, GPU_1, GPU_2 = (f"GPU-{number}0000000-0000-0000-0000-000000000000" for number in range(3))


def known(key: str) -> Geometry:
    found = geometry(key)
    assert found is not None
    return found


A100 = known("A100-40GB")
STATES = legal_states(A100, A100.plain_profiles())
PLACES = [Placement(start, profile.name) for profile in A100.profiles for start in profile.starts]


def host_with(
    state: Sequence[Placement], *, mig: bool, mode: str = "default", model: str = "A100-40GB", clients: str = "[]"
) -> SimulatedHost:
    """Three GPUs: the one with the state, and two whole ones; the last has no MIG."""
    instances = ", ".join(f"{place.profile}@{place.start}" for place in state)
    text = f"""
name: undo
clients: {clients}
gpus:
  - {{model: {model}, uuid: {GPU_0}, mig: {str(mig).lower()}, instances: [{instances}]}}
  - {{model: {model}, uuid: {GPU_1}, computeMode: {mode}}}
  - {{model: T4, uuid: {GPU_2}, computeMode: {mode}}}
"""
    return SimulatedHost(read_host(text, "undo"), limit_s=0.001)


def standing(host: SimulatedHost) -> object:
    """Everything that set-up could have changed. A time-slice that nobody set is the default one."""
    survey = host.survey()
    gpus = [replace(gpu, time_slice=gpu.time_slice or TimeSlice.DEFAULT) for gpu in survey.gpus]
    return gpus, survey.unreadable, host.mps_daemons()


def planned(host: SimulatedHost, targets: Sequence[Target], sharing: Sharing | None) -> SetUp | CannotSetUp:
    config = ClaimConfig(for_mig=targets[0].place is not None, sharing=sharing)
    return plan(Request(name="c-aaaa", targets=tuple(targets), config=config), host.survey())


sharings = st.sampled_from([None, TimeSlicing(), TimeSlicing(TimeSlice.LONG), Mps(), Mps(percent=50, memory_mib=10240)])
whole_targets = st.sampled_from([[GPU_1], [GPU_2], [GPU_1, GPU_2]]).map(lambda uuids: [Target(uuid) for uuid in uuids])


@st.composite
def on_mig(draw: st.DrawFn) -> tuple[State, list[Target]]:
    """A legal state, and instances that fit beside it or are there."""
    state = draw(st.sampled_from(STATES))
    wanted: list[Placement] = []
    for place in draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=3, unique=True)):
        if place in state or tuple(sorted((*state, *wanted, place))) in ALL:
            wanted.append(place)
    return state, [Target(GPU_0, place) for place in wanted]


ALL = frozenset(legal_states(A100, A100.profiles))
SMALL = frozenset(legal_states(A100, A100.plain_profiles(double_memory=False)))


@pytest.mark.law
@given(on_mig(), sharings, st.booleans())
def test_undone_in_reverse_on_any_layout(case: tuple[State, list[Target]], sharing: Sharing | None, off: bool) -> None:
    state, targets = case
    if not targets:
        return
    host = host_with(state, mig=bool(state) or not off)
    there_and_back(host, targets if not isinstance(sharing, Mps) else targets[:1], sharing)


@pytest.mark.law
@given(whole_targets, sharings, st.sampled_from(["default", "exclusive-process"]))
def test_undone_in_reverse_on_whole_gpus(targets: list[Target], sharing: Sharing | None, mode: str) -> None:
    there_and_back(host_with((), mig=False, mode=mode), targets, sharing)


@pytest.mark.law
@given(sharings)
def test_undone_in_reverse_on_a_whole_gpu_whose_mig_was_on(sharing: Sharing | None) -> None:
    """A part that needs no reset for it: MIG is off while the claim has the whole GPU."""
    there_and_back(host_with((), mig=True, model="H100-SXM-80GB"), [Target(GPU_0)], sharing)


def there_and_back(host: SimulatedHost, targets: list[Target], sharing: Sharing | None) -> None:
    before = standing(host)
    setup = planned(host, targets, sharing)
    assert isinstance(setup, SetUp), setup
    assert standing(host) == before  # planning touches nothing
    assert carry_out(setup.steps, host, host) == Done()
    done = standing(host)
    assert setup.steps or done == before
    assert carry_out(setup.steps, host, host) == Done()  # again, without harm
    assert standing(host) == done
    assert undo(setup.steps, host, host) == ()
    assert standing(host) == before
    assert undo(setup.steps, host, host) == ()
    assert standing(host) == before


def test_from_every_state_of_the_seven_slice_part() -> None:
    """Every legal state, and there every place where one more instance fits."""
    reached: set[State] = set()
    for state in SMALL:
        host = host_with(state, mig=True)
        before = standing(host)
        for place in {place for each in SMALL for place in each}:
            if tuple(sorted((*state, place))) in SMALL:
                setup = planned(host, [Target(GPU_0, place)], None)
                assert isinstance(setup, SetUp)
                assert carry_out(setup.steps, host, host) == Done()
                assert undo(setup.steps, host, host) == ()
                assert standing(host) == before
                reached.add(tuple(sorted((*state, place))))
            elif place not in state:
                assert isinstance(planned(host, [Target(GPU_0, place)], None), CannotSetUp)
    assert reached == SMALL - {()}


CASES = {
    "an instance, MIG switched on for it": ([Target(GPU_1, Placement(0, "3g.20gb"))], None),
    "two instances, whose programs take turns": (
        [Target(GPU_0, Placement(4, "2g.10gb")), Target(GPU_0, Placement(6, "1g.5gb"))],
        TimeSlicing(),
    ),
    "MPS on an instance": ([Target(GPU_0, Placement(4, "3g.20gb"))], Mps(percent=20)),
    "MPS on two GPUs": ([Target(GPU_1), Target(GPU_2)], Mps(memory_mib=4096)),
    "turns on two GPUs": ([Target(GPU_1), Target(GPU_2)], TimeSlicing(TimeSlice.SHORT)),
}
MODES = {"turns on two GPUs": "exclusive-process"}


def case(name: str) -> tuple[SimulatedHost, tuple[Step, ...]]:
    targets, sharing = CASES[name]
    host = host_with((Placement(0, "3g.20gb"),), mig=True, mode=MODES.get(name, "default"))
    setup = planned(host, targets, sharing)
    assert isinstance(setup, SetUp), setup
    return host, setup.steps


@pytest.mark.parametrize("call", CHANGING)
@pytest.mark.parametrize("fault", [{"refused": "in use"}, {"slow_ms": 5}], ids=["refused", "hangs"])
@pytest.mark.parametrize("name", CASES)
def test_whichever_call_fails(name: str, fault: dict[str, object], call: str) -> None:
    for nth in range(1, 6):
        host, steps = case(name)
        before = standing(host)
        host.inject(Fault(call=call, nth=nth, **fault))  # type: ignore[arg-type]
        answer = carry_out(steps, host, host)
        if isinstance(answer, Failed):
            host.release()  # a GPU that hung is asked again
            assert retry(answer.left, host, host) == ()
        else:
            left = undo(steps, host, host)
            host.release()
            assert retry(left, host, host) == ()
        assert standing(host) == before, (nth, answer)


@pytest.mark.parametrize("name", CASES)
def test_every_case_meets_its_faults(name: str) -> None:
    """So that the test above doesn't pass because nothing failed: each step fails once, and says so."""
    _, steps = case(name)
    kinds = {"SetMigMode": "setMigMode", "CreateInstance": "createInstance", "SetComputeMode": "setComputeMode",
             "SetTimeSlice": "setTimeSlice", "StartMps": "startMps"}  # fmt: skip
    for number, step in enumerate(steps):
        host, _ = case(name)
        call = kinds[type(step).__name__]
        nth = 1 + sum(type(each) is type(step) for each in steps[:number])
        host.inject(Fault(call=call, nth=nth, refused="no permission"))
        answer = carry_out(steps, host, host)
        assert isinstance(answer, Failed)
        assert (answer.step, answer.why.message, answer.left) == (step, "as the host's file says", ())
        assert str(answer) == f"{step}: as the host's file says"


# facts of DRA, the end of T9: the compute mode too is what it was
@pytest.mark.parametrize("name", CASES)
def test_killed_between_any_two_steps(name: str) -> None:
    for count in range(len(case(name)[1]) + 1):
        host, steps = case(name)
        before = standing(host)
        assert carry_out(steps[:count], host, host) == Done()
        assert undo(steps, host, host) == ()
        assert standing(host) == before


def test_a_gpu_whose_time_slice_cannot_be_set_has_the_default_one() -> None:
    host, steps = case("turns on two GPUs")
    host.inject(Fault(call="setTimeSlice", refused="not supported"))
    answer = carry_out(steps, host, host)
    assert isinstance(answer, Failed)
    assert str(answer.step) == f"set time-slice short on {GPU_1}"
    assert answer.left == ()
    default = planned(host, [Target(GPU_1), Target(GPU_2)], TimeSlicing())
    assert isinstance(default, SetUp)
    assert carry_out(default.steps, host, host) == Done()


def test_what_cannot_be_undone_is_told_and_can_be_tried_again() -> None:
    host, steps = case("MPS on two GPUs")
    before = standing(host)
    assert carry_out(steps, host, host) == Done()
    host.inject(Fault(call="setComputeMode", gpu=1, refused="no permission"))
    left = undo(steps, host, host)
    assert [str(step) for step in left] == [f"set compute mode default on {GPU_1}"]
    host._faults.clear()
    assert retry(left, host, host) == ()
    assert standing(host) == before


def test_a_lost_gpu_leaves_the_others_as_they_were() -> None:
    host, steps = case("MPS on two GPUs")
    host.inject(Fault(gpu=1, lost=True))
    answer = carry_out(steps, host, host)
    assert isinstance(answer, Failed)
    assert "the GPU is lost" in str(answer)
    assert [str(step) for step in answer.left] == [f"set compute mode default on {GPU_1}"]
    assert host.mps_daemons() == ()
    assert [gpu.compute_mode for gpu in host.survey().gpus] == ["default", "default"]


def test_a_mode_that_only_becomes_pending_is_taken_back() -> None:
    """Ampere, and a daemon holds the GPU: the refusal has changed what comes after the next reset."""
    host = host_with((), mig=False, clients="[nvidia-persistenced]")
    before = standing(host)
    setup = planned(host, [Target(GPU_1, Placement(0, "7g.40gb"))], None)
    assert isinstance(setup, SetUp)
    answer = carry_out(setup.steps, host, host)
    assert isinstance(answer, Failed)
    assert "pending until the GPU is reset" in str(answer)
    assert standing(host) == before


def test_mig_stays_on_for_who_came_later() -> None:
    host = host_with((), mig=False)
    first = planned(host, [Target(GPU_1, Placement(0, "3g.20gb"))], None)
    assert isinstance(first, SetUp)
    assert SetMigMode(GPU_1, enabled=True) in first.steps
    assert carry_out(first.steps, host, host) == Done()
    second = planned(host, [Target(GPU_1, Placement(4, "3g.20gb"))], None)
    assert isinstance(second, SetUp)
    assert carry_out(second.steps, host, host) == Done()
    assert undo(first.steps, host, host) == ()
    left = host.survey().gpu(GPU_1)
    assert left is not None
    assert left.mig_enabled
    assert [each.placement for each in left.instances] == [Placement(4, "3g.20gb")]


def test_an_instance_that_went_away_gets_no_daemon() -> None:
    host, steps = case("MPS on an instance")
    answer = carry_out(steps[1:], host, host)
    assert isinstance(answer, Failed)
    assert "a MIG instance of the daemon isn't there" in str(answer)
    unknown = carry_out([SetMigMode("GPU-x", enabled=False)], host, host)
    assert isinstance(unknown, Failed)
    assert "no such GPU on this host" in str(unknown)


@pytest.mark.parametrize("call", CHANGING)
def test_the_calls_that_change_something_are_known_to_host_files(call: str) -> None:
    assert call in CALLS
