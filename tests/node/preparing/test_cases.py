"""Cases T1-T4, T9 and T10 of the blueprint's facts, on a simulated host with its state file and real folders."""

import json
from typing import Any

import pytest

from aliquot.cdi.machine.files import load_file
from aliquot.devices.gpu import ComputeMode
from aliquot.devices.hosts.simulated.shape import Fault
from aliquot.devices.mig import Placement
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.entry import State
from aliquot.node.claims.envelope import checksum
from aliquot.node.claims.refusal import Refusal
from aliquot.node.preparing.answers import Prepared
from scenarios.deaths.machine import DIVIDED, GPU, WHOLE, Machine, opaque

INSTANCE = "gpu-0-mig-1g5gb-19-4"


def prepared(answer: Prepared | Refusal) -> Prepared:
    assert isinstance(answer, Prepared), answer
    return answer


def refused(answer: Prepared | Refusal | None) -> str:
    assert isinstance(answer, Refusal), answer
    return str(answer)


def instances(node: Machine, gpu: int = 0) -> list[str]:
    return [str(each.placement) for each in node.host.survey().gpus[gpu].instances]


# --- T1: what a reboot leaves -----------------------------------------------------------------------------------------
def test_after_a_reboot_a_claim_is_prepared_anew(node: Machine) -> None:
    ref = node.api.allocate("c-aaaa", INSTANCE, name="train")
    agent = node.agent()
    agent.start()
    prepared(agent.prepare(ref))
    old = node.host.survey().gpus[0].instances[1].uuid
    node.reboot()
    assert node.host.survey().gpus[0].instances == ()

    agent = node.agent()
    (found,) = agent.start()
    assert str(found) == "claim ml/train (c-aaaa) was prepared before the machine was started again"
    (entry,) = agent.entries()
    assert (entry.state, entry.devices[0].instance) == (State.WAITING, None)
    assert node.specs() == []

    prepared(agent.prepare(ref))
    (entry,) = agent.entries()
    now = node.host.survey().gpus[0].instances[0]
    assert (now.placement, entry.boot, entry.state) == (Placement(4, "1g.5gb"), "boot-2", State.COMPLETED)
    assert entry.devices[0].instance == now.uuid != old
    assert node.specs() == ["k8s.gpu.nvidia.com-claim_c-aaaa.json"]
    assert agent.unprepare(ref) is None
    assert instances(node) == []


def test_after_a_reboot_a_deleted_claim_is_dropped_and_what_others_made_there_stays(node: Machine) -> None:
    ref = node.api.allocate("c-aaaa", INSTANCE, name="train")
    agent = node.agent()
    agent.start()
    prepared(agent.prepare(ref))
    node.reboot()
    node.api.delete("train")
    node.host.create_instance(DIVIDED, Placement(4, "1g.5gb"))  # at the very same place
    agent = node.agent()
    (found,) = agent.start()
    assert str(found) == "claim ml/train (c-aaaa) was deleted: it's unprepared"
    assert agent.entries() == ()
    assert instances(node) == ["1g.5gb at 4"]


def test_the_checkpoint_of_the_case_as_it_stands(node: Machine) -> None:
    payload = {"claims": {"c-aaaa": {
        "namespace": "ml", "name": "train", "boot": "boot-0", "state": "completed",
        "devices": [{"driver": GPU, "pool": "n1", "device": INSTANCE, "requests": ["r0"], "instance": "MIG-old"}],
    }}}  # fmt: skip
    raw = json.dumps(payload, indent=1)
    node.state.parent.mkdir()
    head = f'{{"version": 1, "readableFrom": 1, "checksum": "{checksum(raw.encode())}", "payload": '
    node.state.write_text(f"{head}{raw}}}", encoding="utf-8")
    ref = node.api.allocate("c-aaaa", INSTANCE, name="train")
    agent = node.agent()
    assert [found.what for found in agent.start()] == ["reboot"]
    prepared(agent.prepare(ref))
    (entry,) = agent.entries()
    assert entry.devices[0].instance not in {None, "MIG-old"}


# --- T2: a spec is lost -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("restarted", [False, True])
def test_a_lost_spec_is_written_again(node: Machine, restarted: bool) -> None:
    ref = node.api.allocate("c-aaaa", INSTANCE, config=opaque("MPS", mig=True))
    agent = node.agent()
    agent.start()
    first = prepared(agent.prepare(ref))
    assert first.devices[0].cdi_ids == (f"k8s.gpu.nvidia.com/claim=c-aaaa-{INSTANCE}",)
    (name,) = node.specs()
    content, host, checkpoint = (node.cdi / name).read_bytes(), node.host.survey(), node.state.read_bytes()
    (node.cdi / name).unlink()
    if restarted:
        agent = node.agent()
        assert agent.start() == ()
        assert (node.cdi / name).read_bytes() == content  # without being asked
        (node.cdi / name).unlink()
    assert [agent.prepare(ref), agent.prepare(ref)] == [first, first]
    assert (node.cdi / name).read_bytes() == content
    assert (node.cdi / name).stat().st_mode & 0o777 == 0o644
    assert node.state.stat().st_mode & 0o777 == 0o600
    assert node.host.survey() == host
    assert node.state.read_bytes() == checkpoint


# --- T3: unprepare at the edges ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("then", ["another", "none", "unallocated", "unreserved"])
def test_unprepared_twice_then_prepared_late(node: Machine, then: str) -> None:
    ref = node.api.allocate("c-aaaa", "gpu-1", name="train")
    agent = node.agent()
    agent.start()
    prepared(agent.prepare(ref))
    assert agent.unprepare(ClaimRef("ml", "gone", "c-zzzz")) is None
    assert agent.unprepare(ref) is None
    assert agent.unprepare(ref) is None
    status: dict[str, Any] = node.api.claims["ml", "train"]["status"]
    if then == "another":
        node.api.allocate("c-bbbb", "gpu-1", name="train")
    elif then == "none":
        node.api.delete("train")
    elif then == "unallocated":
        del status["allocation"]
    else:
        status["reservedFor"] = []
    said = {
        "another": "claim ml/train has the UID c-bbbb, not c-aaaa: it was deleted and made anew",
        "none": "there is no claim ml/train (c-aaaa): it was deleted",
        "unallocated": "claim ml/train (c-aaaa) isn't allocated",
        "unreserved": "claim ml/train (c-aaaa) is reserved for no pod: nobody may use it now",
    }
    assert refused(agent.prepare(ref)) == f"{said[then]}; it was unprepared before"
    assert agent.entries() == ()
    assert node.specs() == []


def test_a_claim_that_a_new_pod_uses_is_prepared_again(node: Machine) -> None:
    ref = node.api.allocate("c-aaaa", "gpu-1")
    agent = node.agent()
    agent.start()
    prepared(agent.prepare(ref))
    assert agent.unprepare(ref) is None
    prepared(agent.prepare(ref))
    assert "tombstones" not in node.state.read_text(encoding="utf-8")


# --- T4: a device is held already -------------------------------------------------------------------------------------
def test_a_held_device_is_refused_by_its_holder(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    prepared(agent.prepare(node.api.allocate("c-aaaa", "gpu-1", name="train")))
    other = node.api.allocate("c-bbbb", "gpu-1")
    before = node.host.survey()
    assert refused(agent.prepare(other)) == ("gpu-1 is held by claim ml/train (c-aaaa) (retry when it's unprepared)")
    on_it = node.api.allocate("c-cccc", "gpu-1-mig-1g5gb-19-0")
    assert refused(agent.prepare(on_it)).startswith("gpu-1-mig-1g5gb-19-0 is held by claim ml/train (c-aaaa) as gpu-1")
    assert node.host.survey() == before
    assert len(agent.entries()) == len(node.specs()) == 1


def test_admin_access_looks_at_a_held_device_and_changes_nothing(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    prepared(agent.prepare(node.api.allocate("c-aaaa", "gpu-1", config=opaque("MPS"))))
    before = node.host.survey(), node.host.mps_daemons()
    admin = node.api.allocate("c-bbbb", {"device": "gpu-1", "adminAccess": True}, config=opaque("TimeSlicing"))
    answer = prepared(agent.prepare(admin))
    assert answer.notes == ("admin access changes nothing on the devices",)
    assert (node.host.survey(), node.host.mps_daemons()) == before
    assert [str(each) for each in agent.held()["n1", "gpu-1"]] == ["ml/c-aaaa (c-aaaa)"]
    spec = load_file(node.cdi / "k8s.gpu.nvidia.com-claim_c-bbbb.json")
    assert "CUDA_MPS_PIPE_DIRECTORY=/tmp/nvidia-mps" not in spec.edits.env
    assert agent.unprepare(admin) is None
    assert (node.host.survey(), node.host.mps_daemons()) == before


def test_a_holder_that_was_deleted_is_unprepared_first(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    prepared(agent.prepare(node.api.allocate("c-aaaa", "gpu-1", name="train", config=opaque("MPS"))))
    node.api.delete("train")
    other = node.api.allocate("c-bbbb", "gpu-1")
    prepared(agent.prepare(other))
    assert [entry.claim for entry in agent.entries()] == [other]
    assert node.specs() == ["k8s.gpu.nvidia.com-claim_c-bbbb.json"]
    assert node.host.mps_daemons() == ()
    assert node.host.survey().gpus[1].compute_mode is ComputeMode.DEFAULT


def test_a_holder_isn_t_cleared_away_while_the_api_server_is_down(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    first = node.api.allocate("c-aaaa", "gpu-1", name="train")
    prepared(agent.prepare(first))
    node.api.down = True
    assert refused(agent.prepare(ClaimRef("ml", "c-bbbb", "c-bbbb"))) == (
        "claim ml/c-bbbb (c-bbbb) can't be read: no route to host (retry)"
    )
    prepared(agent.prepare(first))  # what is prepared stays so
    assert agent.unprepare(first) is None


def test_shares_of_one_gpu(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    ids = [f"0000000{number}-0000-0000-0000-000000000000" for number in (1, 2, 3)]
    answers = [
        prepared(agent.prepare(node.api.allocate(uid, {
            "device": "gpu-1", "shareID": share, "consumedCapacity": {"memory": "10Gi"}})))
        for uid, share in zip(("c-aaaa", "c-bbbb"), ids, strict=False)
    ]  # fmt: skip
    assert [answer.devices[0].share_id for answer in answers] == ids[:2]
    assert len(agent.held()["n1", "gpu-1"]) == 2
    assert agent.entries()[0].devices[0].consumed == {"memory": "10Gi"}
    alone = node.api.allocate("c-cccc", {"device": "gpu-1", "shareID": ids[2]}, config=opaque("MPS"))
    assert "MPS takes the GPU for its own clients" in refused(agent.prepare(alone))


# --- T9: MPS ----------------------------------------------------------------------------------------------------------
WRONG = {
    "timeSlicingConfig": {"interval": "Long"},
    "mpsConfig": {
        "defaultActiveThreadPercentage": 150,
        "defaultPinnedDeviceMemoryLimit": "512Ki",
        "defaultPerDevicePinnedMemoryLimit": {"3": "8Gi"},
        "unknownField": 1,
    },
}


def test_every_fault_of_a_configuration_at_once(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    config = opaque("MPS", more=WRONG)
    text = refused(agent.prepare(node.api.allocate("c-aaaa", "gpu-1", "gpu-2", config=config)))
    for part in (
        "the claim's configuration: ",
        "sharing.timeSlicingConfig",
        "sharing.mpsConfig.defaultActiveThreadPercentage: 150 is no percentage",
        "sharing.mpsConfig.defaultPinnedDeviceMemoryLimit",
        "sharing.mpsConfig.unknownField",
    ):
        assert part in text
    limited = opaque("MPS", more={"mpsConfig": {"defaultPerDevicePinnedMemoryLimit": {"3": "8Gi"}}})
    text = refused(agent.prepare(node.api.allocate("c-bbbb", "gpu-1", "gpu-2", config=limited)))
    assert "sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit.3: the configuration has no device 3" in text


def test_a_field_that_a_newer_version_wrote_is_passed_over_in_the_checkpoint(node: Machine) -> None:
    ref = node.api.allocate(
        "c-aaaa", "gpu-1", config=opaque("MPS", more={"mpsConfig": {"defaultActiveThreadPercentage": 50}})
    )
    agent = node.agent()
    agent.start()
    prepared(agent.prepare(ref))
    envelope = json.loads(node.state.read_text(encoding="utf-8"))
    envelope["payload"]["claims"]["c-aaaa"]["devices"][0]["sharing"]["mpsConfig"]["unknownField"] = 1
    raw = json.dumps(envelope["payload"])
    envelope["checksum"] = checksum(raw.encode())
    del envelope["payload"]
    node.state.write_text(json.dumps(envelope)[:-1] + f', "payload": {raw}}}', encoding="utf-8")
    again = node.agent()
    assert again.start() == ()
    assert again.entries() == agent.entries()


def test_mps_limits_and_its_end(node: Machine) -> None:
    node.host.set_compute_mode(WHOLE, ComputeMode.EXCLUSIVE_PROCESS)  # what somebody left
    mps = {"defaultPinnedDeviceMemoryLimit": "10Gi"}
    ref = node.api.allocate("c-aaaa", "gpu-1", "gpu-2", config=opaque("MPS", more={"mpsConfig": mps}))
    agent = node.agent()
    agent.start()
    prepared(agent.prepare(ref))
    (daemon,) = node.host.mps_daemons()
    assert daemon.memory == ("10240M", "10240M")
    modes = [gpu.compute_mode for gpu in node.host.survey().gpus]
    assert modes[1:3] == [ComputeMode.EXCLUSIVE_PROCESS] * 2
    spec = load_file(node.cdi / "k8s.gpu.nvidia.com-claim_c-aaaa.json")
    assert "CUDA_MPS_PIPE_DIRECTORY=/tmp/nvidia-mps" in spec.edits.env  # once, for a container with both
    assert [mount.host_path for mount in spec.edits.mounts][:2] == ["/dev/shm", "/run/aliquot/mps/c-aaaa/pipe"]
    assert agent.unprepare(ref) is None
    assert {gpu.compute_mode for gpu in node.host.survey().gpus} == {ComputeMode.DEFAULT}
    assert node.host.mps_daemons() == ()


def test_a_daemon_that_doesn_t_start_leaves_nothing(node: Machine) -> None:
    before = node.host.survey()
    node.host.inject(Fault(gpu=0, call="startMps", refused="refused"))
    ref = node.api.allocate("c-aaaa", INSTANCE, config=opaque("MPS", mig=True))
    agent = node.agent()
    agent.start()
    text = refused(agent.prepare(ref))
    assert text == "start MPS daemon c-aaaa for 1g.5gb at 4 of " + DIVIDED + ": as the host's file says (retry)"
    assert node.host.survey() == before
    assert agent.entries() == ()


# --- T10: a machine that was just started -----------------------------------------------------------------------------
@pytest.mark.parametrize("path", ["/dev/nvidia-uvm", "/dev/nvidia1", "/dev/nvidiactl"])
def test_a_node_of_the_driver_that_isn_t_there_yet(node: Machine, path: str) -> None:
    node.files.missing.add(path)
    ref = node.api.allocate("c-aaaa", "gpu-1", config=opaque("MPS"))
    agent = node.agent()
    agent.start()
    answer = agent.prepare(ref)
    assert isinstance(answer, Refusal)
    assert answer.retry
    assert "retry" in answer.hint
    assert node.specs() == []
    assert agent.entries() == ()
    assert node.host.mps_daemons() == ()
    node.files.missing.clear()
    prepared(agent.prepare(ref))
