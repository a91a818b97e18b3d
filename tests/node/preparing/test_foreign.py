"""What others have made on the host is theirs; what a crash left of ours isn't taken for theirs."""

from collections.abc import Callable
from dataclasses import replace

import msgspec
import pytest

from aliquot.devices.gpu import ComputeMode
from aliquot.devices.hosts.protocol import MpsSettings
from aliquot.devices.hosts.simulated.state import HostState
from aliquot.devices.mig import Placement
from aliquot.node.claims.refusal import Refusal
from aliquot.node.preparing.answers import Prepared
from scenarios.deaths.deadly import DeadlyDisk, DeadlyHost, Death, Killed
from scenarios.deaths.kinds import share
from scenarios.deaths.machine import DIVIDED, H100, WHOLE, Machine, opaque

INSTANCE, PLACE = "gpu-0-mig-1g5gb-19-4", Placement(4, "1g.5gb")


def change(node: Machine, edit: Callable[[HostState], HostState]) -> None:
    """Change the machine behind everybody's back."""
    path = node.folder / "host.state"
    node.host.set_compute_mode(WHOLE, ComputeMode.DEFAULT)  # the file is made at the first change
    path.write_bytes(msgspec.json.encode(edit(msgspec.json.decode(path.read_bytes(), type=HostState))))


def halve(node: Machine, gpu: str, place: Placement) -> None:
    """Take the compute instance of a MIG instance away."""

    def edit(state: HostState) -> HostState:
        there = state.gpus[gpu]
        instances = tuple(replace(each, compute=()) if each.placement == place else each for each in there.instances)
        return msgspec.structs.replace(state, gpus={**state.gpus, gpu: there.replaced(instances=instances)})

    change(node, edit)


def places(node: Machine) -> list[str]:
    return [str(each.placement) for each in node.host.survey().gpus[0].instances]


def test_an_instance_that_stood_there_stays(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    ref = node.api.allocate("c-aaaa", "gpu-0-mig-3g20gb-9-0")
    assert isinstance(agent.prepare(ref), Prepared)
    assert agent.own(node.host.survey()) == {}
    assert agent.unprepare(ref) is None
    assert places(node) == ["3g.20gb at 0"]


def test_an_instance_that_others_put_in_the_place_of_ours_stays(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    ref = node.api.allocate("c-aaaa", INSTANCE)
    assert isinstance(agent.prepare(ref), Prepared)
    ours = node.host.survey().gpus[0].instances[1]
    node.host.destroy_instance(DIVIDED, ours.id)
    node.host.create_instance(DIVIDED, PLACE)
    assert agent.unprepare(ref) is None
    assert places(node) == ["3g.20gb at 0", "1g.5gb at 4"]


def test_it_stays_also_where_the_claim_was_prepared_once_more(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    ref = node.api.allocate("c-aaaa", INSTANCE)
    assert isinstance(agent.prepare(ref), Prepared)
    node.host.destroy_instance(DIVIDED, node.host.survey().gpus[0].instances[1].id)
    node.host.create_instance(DIVIDED, PLACE)
    assert isinstance(agent.prepare(ref), Prepared)
    assert agent.own(node.host.survey()) == {}
    assert agent.unprepare(ref) is None
    assert places(node) == ["3g.20gb at 0", "1g.5gb at 4"]


def test_an_instance_of_ours_that_others_removed_is_made_again(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    ref = node.api.allocate("c-aaaa", INSTANCE)
    assert isinstance(agent.prepare(ref), Prepared)
    node.host.destroy_instance(DIVIDED, node.host.survey().gpus[0].instances[1].id)
    assert isinstance(agent.prepare(ref), Prepared)
    assert places(node) == ["3g.20gb at 0", "1g.5gb at 4"]
    assert agent.unprepare(ref) is None
    assert places(node) == ["3g.20gb at 0"]


def test_half_an_instance_of_ours_is_made_whole(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    ref = node.api.allocate("c-aaaa", INSTANCE, config=opaque("MPS", mig=True))
    assert isinstance(agent.prepare(ref), Prepared)
    halve(node, DIVIDED, PLACE)
    assert isinstance(agent.prepare(ref), Prepared)
    assert node.host.survey().gpus[0].instances[1].uuid is not None
    assert agent.unprepare(ref) is None
    assert places(node) == ["3g.20gb at 0"]


def test_half_an_instance_that_a_crash_left_is_swept(node: Machine) -> None:
    """The agent dies when it has made a GPU instance, and not yet the compute instance in it."""
    ref = node.api.allocate("c-aaaa", INSTANCE)
    where = _dies_after(node, ref, "create_instance")
    assert where == "after create_instance"
    halve(node, DIVIDED, PLACE)
    agent = node.agent()
    assert [found.what for found in agent.start()] == ["half-done"]
    assert places(node) == ["3g.20gb at 0"]
    assert isinstance(agent.prepare(ref), Prepared)


def _dies_after(node: Machine, ref: object, call: str) -> str:
    for moment in range(100):
        death = Death(moment)
        agent = node.agent(disk=DeadlyDisk(death), host=DeadlyHost(node.host, death))
        try:
            agent.start()
            agent.prepare(ref)  # type: ignore[arg-type]
        except Killed as killed:
            if str(killed) == f"after {call}":
                return str(killed)
        node.agent().unprepare(ref)  # type: ignore[arg-type]
    raise AssertionError(f"no {call}")


def test_half_an_instance_of_others_is_refused_and_left(node: Machine) -> None:
    node.host.create_instance(DIVIDED, PLACE)
    halve(node, DIVIDED, PLACE)
    agent = node.agent()
    assert agent.start() == ()
    answer = agent.prepare(node.api.allocate("c-aaaa", INSTANCE))
    assert isinstance(answer, Refusal)
    assert answer.message == (f"{INSTANCE}: a GPU instance without a compute instance lies there, and isn't ours")
    assert places(node) == ["3g.20gb at 0", "1g.5gb at 4"]


def test_mig_that_was_switched_on_for_a_claim_goes_with_the_last_one(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    first = node.api.allocate("c-aaaa", "gpu-3-mig-1g10gb-19-0")
    second = node.api.allocate("c-bbbb", "gpu-3-mig-1g10gb-19-1")
    assert isinstance(agent.prepare(first), Prepared)
    assert isinstance(agent.prepare(second), Prepared)
    assert agent.unprepare(first) is None
    assert node.host.survey().gpus[3].mig_enabled
    assert agent.unprepare(second) is None
    assert not node.host.survey().gpus[3].mig_enabled


def test_mig_stays_on_where_others_have_an_instance(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    ref = node.api.allocate("c-aaaa", "gpu-3-mig-1g10gb-19-0")
    assert isinstance(agent.prepare(ref), Prepared)
    node.host.create_instance(H100, Placement(4, "3g.40gb"))
    assert agent.unprepare(ref) is None
    gpu = node.host.survey().gpus[3]
    assert (gpu.mig_enabled, [str(each.placement) for each in gpu.instances]) == (True, ["3g.40gb at 4"])


def test_a_gpu_in_mig_mode_without_instances_is_given_whole_and_comes_back_divided(node: Machine) -> None:
    node.host.set_mig_mode(H100, enabled=True)
    agent = node.agent()
    agent.start()
    ref = node.api.allocate("c-aaaa", "gpu-3")
    assert isinstance(agent.prepare(ref), Prepared)
    assert not node.host.survey().gpus[3].mig_enabled
    assert agent.unprepare(ref) is None
    assert node.host.survey().gpus[3].mig_enabled


def test_daemons_of_no_claim_are_ended_and_their_gpus_opened(node: Machine) -> None:
    node.host.set_compute_mode(WHOLE, ComputeMode.EXCLUSIVE_PROCESS)
    node.host.start_mps(
        MpsSettings(devices=(WHOLE,), pipe="/run/aliquot/mps/c-old/pipe", log="/run/aliquot/mps/c-old/log")
    )
    theirs = MpsSettings(devices=(WHOLE,), pipe="/run/nvidia/mps/pipe", log="/run/nvidia/mps/log")
    node.host.start_mps(theirs)
    agent = node.agent()
    assert [found.what for found in agent.start()] == ["daemon", "compute mode"]
    assert node.host.mps_daemons() == (theirs,)
    assert node.host.survey().gpus[1].compute_mode is ComputeMode.DEFAULT
    assert agent.reconcile() == ()


def test_an_exclusive_gpu_without_a_daemon_of_ours_is_somebodys(node: Machine) -> None:
    node.host.set_compute_mode(WHOLE, ComputeMode.EXCLUSIVE_PROCESS)
    assert node.agent().start() == ()
    assert node.host.survey().gpus[1].compute_mode is ComputeMode.EXCLUSIVE_PROCESS


@pytest.mark.parametrize("name", ["k8s.gpu.nvidia.com-claim_c-old.yaml", "nvidia.com-gpu.json", "notes.txt"])
def test_specs_of_others_stay_and_stale_ones_of_ours_go(node: Machine, name: str) -> None:
    node.cdi.mkdir()
    for each in ("k8s.gpu.nvidia.com-claim_c-old.json", ".aliquot-draft-k8s.gpu.nvidia.com-claim_c-x.json", name):
        (node.cdi / each).write_text("{}", encoding="utf-8")
    (found,) = node.agent().start()
    assert str(found) == "the CDI spec of claim c-old, which isn't prepared here, is removed"
    assert node.specs() == [name]


def test_a_claim_that_nvidias_driver_prepared_is_left_to_it(node: Machine) -> None:
    node.cdi.mkdir()
    (node.cdi / "k8s.gpu.nvidia.com-claim_c-aaaa.yaml").write_text("{}", encoding="utf-8")
    agent = node.agent()
    agent.start()
    answer = agent.prepare(node.api.allocate("c-aaaa", "gpu-1"))
    assert isinstance(answer, Refusal)
    assert answer.message.startswith("another driver has prepared claim ml/c-aaaa (c-aaaa): ")
    assert agent.entries() == ()


def test_an_instance_that_was_made_again_for_another_share_is_still_ours(node: Machine) -> None:
    """Its first maker inherits it from the one that made it again, and knows it when it goes."""
    agent = node.agent()
    agent.start()
    first, second = (node.api.allocate(uid, share(INSTANCE, number)) for number, uid in enumerate(("c-aaaa", "c-bbbb")))
    assert isinstance(agent.prepare(first), Prepared)
    node.host.destroy_instance(DIVIDED, node.host.survey().gpus[0].instances[1].id)
    assert isinstance(agent.prepare(second), Prepared)
    assert agent.unprepare(second) is None
    assert places(node) == ["3g.20gb at 0", "1g.5gb at 4"]
    assert agent.unprepare(first) is None
    assert places(node) == ["3g.20gb at 0"]
