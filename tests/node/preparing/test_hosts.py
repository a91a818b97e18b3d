"""Hosts that fail: lost GPUs, faults in the middle, GPUs held by programs; several configurations in a claim."""

import pytest

from aliquot.cdi.machine.files import load_file
from aliquot.devices.hosts.simulated.shape import Fault
from aliquot.node.claims.refusal import Refusal
from aliquot.node.preparing.answers import Prepared
from scenarios.deaths.killed import state_of
from scenarios.deaths.machine import WHOLE, Json, Machine, opaque

INSTANCE = "gpu-0-mig-1g5gb-19-4"


def test_a_lost_gpu_holds_up_no_pod_that_ends(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    ref = node.api.allocate("c-aaaa", INSTANCE, config=opaque("MPS", mig=True))
    assert isinstance(agent.prepare(ref), Prepared)
    node.host.inject(Fault(gpu=0, lost=True))
    assert agent.unprepare(ref) is None
    assert len(agent.entries()) == 1  # what is still to be undone isn't forgotten
    node.api.delete("c-aaaa")
    node.reboot()
    agent = node.agent()
    agent.start()
    assert agent.entries() == ()


def test_a_lost_gpu_is_named(node: Machine) -> None:
    node.host.inject(Fault(gpu=1, lost=True))
    agent = node.agent()
    agent.start()
    answer = agent.prepare(node.api.allocate("c-aaaa", "gpu-1"))
    assert isinstance(answer, Refusal)
    assert answer.retry
    assert answer.message.startswith("gpu-1 doesn't answer: gpu 1 (0000:11:00.0): the GPU is lost")
    answer = agent.prepare(node.api.allocate("c-bbbb", "gpu-9"))
    assert isinstance(answer, Refusal)
    answer = agent.prepare(node.api.allocate("c-cccc", "gpu-3-mig-9g900gb-77-0"))
    assert answer == Refusal("gpu-3-mig-9g900gb-77-0: gpu-3 has no such MIG profile")


@pytest.mark.parametrize("call", ["createInstance", "startMps"])
@pytest.mark.parametrize("slow", [False, True])
def test_a_step_that_fails_undoes_those_before(node: Machine, call: str, slow: bool) -> None:
    before = state_of(node)
    limited = node.limited(0.01 if slow else 10)
    limited.inject(Fault(gpu=0, call=call, slow_ms=50) if slow else Fault(gpu=0, call=call, refused="in use"))
    ref = node.api.allocate("c-aaaa", INSTANCE, config=opaque("MPS", mig=True))
    agent = node.agent(host=limited)
    agent.start()
    answer = agent.prepare(ref)
    assert isinstance(answer, Refusal)
    assert answer.retry
    limited.release()
    agent = node.agent()
    agent.start()
    assert state_of(node) == before
    assert agent.entries() == ()
    assert isinstance(agent.prepare(ref), Prepared)


def test_what_can_t_be_undone_is_told_and_tried_again(node: Machine) -> None:
    before = state_of(node)
    agent = node.agent()
    agent.start()
    ref = node.api.allocate("c-aaaa", INSTANCE)
    assert isinstance(agent.prepare(ref), Prepared)
    node.host.inject(Fault(gpu=0, call="destroyInstance", nth=1, refused="in use"))
    refused = agent.unprepare(ref)
    assert isinstance(refused, Refusal)
    assert refused.message.startswith("claim ml/c-aaaa (c-aaaa) can't be undone yet: destroy 1g.5gb at 4 on GPU-0000")
    assert agent.unprepare(ref) is None
    assert state_of(node) == before


def test_every_request_has_its_own_daemon_on_mig(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    names = (INSTANCE, "gpu-0-mig-1g5gb-19-5")
    ref = node.api.allocate("c-aaaa", *names, config=opaque("MPS", mig=True))
    assert isinstance(agent.prepare(ref), Prepared)
    assert [each.pipe for each in node.host.mps_daemons()] == [
        "/run/aliquot/mps/c-aaaa/pipe",
        "/run/aliquot/mps/c-aaaa-1/pipe",
    ]
    spec = load_file(node.cdi / node.spec_of("c-aaaa"))
    sources = [{mount.host_path for mount in device.edits.mounts} for device in spec.devices]
    assert ["/run/aliquot/mps/c-aaaa/pipe" in each for each in sources] == [True, False]
    assert ["/run/aliquot/mps/c-aaaa-1/pipe" in each for each in sources] == [False, True]


def test_a_claim_with_several_configurations(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    configs: list[Json] = [
        {**opaque("MPS"), "requests": ["r0"]},
        {**opaque("TimeSlicing", more={"timeSlicingConfig": {"interval": "Short"}}), "requests": ["r1"]},
    ]
    ref = node.api.allocate("c-aaaa", "gpu-1", "gpu-2", "gpu-3", config=configs)
    assert isinstance(agent.prepare(ref), Prepared)
    gpus = node.host.survey().gpus
    assert [gpu.compute_mode for gpu in gpus[1:]] == ["exclusive-process", "default", "default"]
    assert [gpu.time_slice for gpu in gpus[1:]] == [None, "short", None]
    assert agent.unprepare(ref) is None


def test_a_claim_that_was_allocated_anew_leaves_what_it_had(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    ref = node.api.allocate("c-aaaa", INSTANCE)
    assert isinstance(agent.prepare(ref), Prepared)
    node.api.allocate("c-aaaa", "gpu-1")
    assert isinstance(agent.prepare(ref), Prepared)
    assert list(agent.held()) == [("n1", "gpu-1")]
    assert [str(each.placement) for each in node.host.survey().gpus[0].instances] == ["3g.20gb at 0"]
    assert agent.entries()[0].devices[0].gpu == WHOLE
