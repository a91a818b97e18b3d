"""Every legal state is reached by create calls on a simulated GPU, and there every create call is answered rightly."""

import pytest

from aliquot.devices.hosts.protocol import Refused, Why
from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.instances import Instance
from aliquot.devices.mig import Geometry, Placement, State, geometry, legal_states, maximal_states


def known(key: str) -> Geometry:
    found = geometry(key)
    assert found is not None
    return found


def walk(host: SimulatedHost, gpu: str, places: list[Placement]) -> dict[State, set[Placement]]:
    """Every state that create calls reach, and the places where one more was created."""
    reached: dict[State, set[Placement]] = {}

    def visit(state: State) -> None:
        if state in reached:
            return
        reached[state] = set()
        for place in places:
            answer = host.create_instance(gpu, place)
            if isinstance(answer, Refused):
                assert (answer.why, answer.code) == (Why.NO_ROOM, 23), (state, place, answer)
                continue
            assert isinstance(answer, Instance)
            assert answer.placement == place
            reached[state].add(place)
            visit(tuple(sorted((*state, place))))
            assert host.destroy_instance(gpu, answer.id) is None

    visit(())
    return reached


@pytest.mark.parametrize(
    ("model", "key", "double_memory", "states", "maximal"),
    [
        ("A100-40GB", "A100-40GB", False, 298, 19),
        ("A100-40GB", "A100-40GB", True, 723, 78),
        ("H100-SXM-80GB", "H100-80GB", True, 723, 78),
        ("A30", "A30", False, 26, 5),
        ("RTX-PRO-6000-Server", "RTX-PRO-6000", False, 26, 5),
    ],
)
def test_every_state_and_every_create_call(
    model: str, key: str, double_memory: bool, states: int, maximal: int
) -> None:
    host = SimulatedHost(read_host(f"gpus: [{{model: {model}, mig: true}}]", "test"))
    gpu = host.survey().gpus[0].uuid
    profiles = known(key).plain_profiles(double_memory=double_memory)
    places = [Placement(start, profile.name) for profile in profiles for start in profile.starts]
    reached = walk(host, gpu, places)
    legal = legal_states(known(key), profiles)
    assert len(reached) == states
    assert set(reached) == set(legal)
    full = [state for state, more in reached.items() if not more]
    assert len(full) == maximal
    assert set(full) == set(maximal_states(known(key), profiles))
    for state, more in reached.items():
        assert more == {place for place in places if tuple(sorted((*state, place))) in reached}


def test_every_place_that_is_none() -> None:
    host = SimulatedHost(read_host("gpus: [{model: A100-40GB, mig: true}]", "test"))
    gpu = host.survey().gpus[0].uuid
    for profile in known("A100-40GB").profiles:
        for start in range(-1, 9):
            if start not in profile.starts:
                answer = host.create_instance(gpu, Placement(start, profile.name))
                assert isinstance(answer, Refused)
                assert (answer.why, answer.code) == (Why.BAD_PLACEMENT, 2)
    assert host.survey().gpus[0].instances == ()
