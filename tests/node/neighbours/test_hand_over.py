"""NVIDIA's checkpoint, read; what becomes of its claims; the steps of a hand-over, both ways."""

import json
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.cli.entry import run
from aliquot.dra.device import DeviceId
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.neighbours.checkpoint import NvidiaCheckpoint, Unreadable, read_checkpoint
from aliquot.node.neighbours.found import InCluster, OnMachine
from aliquot.node.neighbours.judge import judge
from aliquot.node.neighbours.spec_files import nvidia_specs
from aliquot.node.neighbours.steps import to_nvidia, to_us
from aliquot.node.neighbours.taking_over import take_over, with_names
from tests.node.machine import BOOT, GPU, Machine

Json = dict[str, Any]
POOL = "gpu-node-1"


def device(name: str, uid: str) -> Json:
    return {
        "Requests": ["r0"],
        "PoolName": POOL,
        "DeviceName": name,
        "CDIDeviceIDs": [f"k8s.gpu.nvidia.com/claim={uid}-{name}"],
    }


def whole(uid: str, name: str = "gpu-0") -> Json:
    return {"gpu": {"info": {"uuid": f"GPU-{name}"}, "device": device(name, uid)}, "mig": None}


def instance(uid: str, name: str = "gpu-1-mig-1g10gb-19-0") -> Json:
    live = {"parentMinor": 1, "giId": 7, "ciId": 0, "migUUID": "MIG-1", "parentUUID": "GPU-gpu-1"}
    return {"gpu": None, "mig": {"concrete": live, "device": device(name, uid)}}


def vfio(uid: str, name: str = "gpu-vfio-2") -> Json:
    info = {"uuid": "GPU-2", "pciBusID": "0000:65:00.0"}
    return {"gpu": None, "mig": None, "vfio": {"info": info, "device": device(name, uid)}}


def claim(name: str, *devices: Json, state: str = "PrepareCompleted", mps: str = "", admin: bool = False) -> Json:
    results = [
        {"driver": driver, "pool": POOL, "device": held["device"]["DeviceName"], "request": "r0"}
        | ({"adminAccess": True} if admin else {})
        for one in devices
        for held in one.values()
        if held is not None
        for driver in (GPU,)
    ]
    return {
        "checkpointState": state,
        "status": {"allocation": {"devices": {"results": [*results, {"driver": "nic.aliquot.dev", "device": "x"}]}}},
        "preparedDevices": [{"devices": list(devices), "configState": {"mpsControlDaemonID": mps}}]
        if devices
        else None,
        "name": name,
        "namespace": "ml",
    }


def checkpoint(claims: Json, boot: str = BOOT) -> Json:
    """As the driver writes it: the older version beside the newer one."""
    old = {uid: {key: one[key] for key in ("status", "preparedDevices")} for uid, one in claims.items()}
    return {
        "version": "v2",
        "checksum": 1729384756,
        "v1": {"preparedClaims": old},
        "v2": {"checksum": 987654321, "preparedClaims": claims, "nodeBootID": boot},
        "v3": {"of": "a release to come"},
    }


ALL = {
    "c-whole": claim("train", whole("c-whole"), whole("c-whole", "gpu-3")),
    "c-mig": claim("small", instance("c-mig")),
    "c-mps": claim("served", whole("c-mps", "gpu-4"), mps="c-mps-1a2b3"),
    "c-vm": claim("vm", vfio("c-vm")),
    "c-eyes": claim("monitor", whole("c-eyes", "gpu-4"), admin=True),
    "c-begun": claim("late", state="PrepareStarted"),
}


def read(content: Json) -> NvidiaCheckpoint:
    found = read_checkpoint(json.dumps(content).encode())
    assert isinstance(found, NvidiaCheckpoint), found
    return found


def test_the_newer_version_counts() -> None:
    found = read(checkpoint(ALL))
    assert (found.version, found.boot) == ("v2", BOOT)
    by_uid = {one.claim.uid: one for one in found.claims}
    assert by_uid["c-whole"].claim == ClaimRef("ml", "train", "c-whole")
    assert [one.uuid for one in by_uid["c-whole"].devices] == ["GPU-gpu-0", "GPU-gpu-3"]
    assert by_uid["c-whole"].devices[0].cdi_ids == ("k8s.gpu.nvidia.com/claim=c-whole-gpu-0",)
    assert by_uid["c-whole"].allocated == tuple(DeviceId(GPU, POOL, name) for name in ("gpu-0", "gpu-3"))
    [mig] = by_uid["c-mig"].devices
    assert (mig.kind, mig.uuid, mig.parent, mig.instance) == ("mig", "MIG-1", "GPU-gpu-1", 7)
    assert not by_uid["c-begun"].completed


def test_the_older_version_alone() -> None:
    content = checkpoint({"c-whole": ALL["c-whole"]})
    found = read({"checksum": 1, "v1": content["v1"]})
    [one] = found.claims
    assert (found.version, found.boot, one.completed) == ("v1", None, True)
    assert one.claim == ClaimRef("", "", "c-whole"), "it knows no names"
    named = with_names(found, [ClaimRef("ml", "train", "c-whole"), ClaimRef("ml", "other", "c-other")])
    assert named.claims[0].claim == ClaimRef("ml", "train", "c-whole")
    assert with_names(found, []) == found
    assert take_over(found, "any boot").adopted == found.claims, "it may be of this one"


def test_the_spelling_of_2025() -> None:
    told = {"request_names": ["r0"], "pool_name": POOL, "device_name": "gpu-0-mig-0-1-1", "cdi_device_ids": ["k8s/x=y"]}
    old = {"mig": {"info": {"uuid": "MIG-9", "parentUUID": "GPU-0", "giId": 1}, "device": told}}
    found = read(
        {"checksum": 1, "v1": {"preparedClaims": {"c": {"status": {}, "preparedDevices": [{"devices": [old]}]}}}}
    )
    [one] = found.claims[0].devices
    assert (one.device.device, one.requests, one.cdi_ids) == ("gpu-0-mig-0-1-1", ("r0",), ("k8s/x=y",))
    assert (one.uuid, one.parent, one.instance) == ("MIG-9", "GPU-0", 1)


def test_no_claims() -> None:
    assert read({"checksum": 1, "v1": {}}).claims == ()
    assert read({"checksum": 1, "v2": {"checksum": 1, "preparedClaims": None}}).claims == ()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "truncated"),
        ('{"v2": {"preparedClaims": {"c-aa', "truncated"),
        ("[]", "Expected `object`, got `array`"),
        ('{"v2": 3}', "$.v2"),
        ('{"checksum": 1, "version": "v9", "v9": {}}', "it has neither v1 nor v2: its version is v9"),
        (
            '{"v1": {"preparedClaims": {"c": {"preparedDevices": [{"devices": [{}]}]}}}}',
            "isn't one of gpu, mig and vfio",
        ),
        (
            '{"v1": {"preparedClaims": {"c": {"preparedDevices": [{"devices": [{"gpu": {"device": {}}}]}]}}}}',
            "claim c in v1 has a device without a name",
        ),
    ],
)
def test_what_cant_be_read_says_why(content: str, why: str) -> None:
    found = read_checkpoint(content.encode())
    assert isinstance(found, Unreadable)
    assert why in found.why


@given(
    st.binary()
    | st.recursive(
        st.none() | st.text() | st.integers(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(
                    ["v1", "v2", "preparedClaims", "preparedDevices", "devices", "gpu", "device", "DeviceName"]
                ),
                inner,
            )
        ),
    ).map(lambda value: json.dumps(value).encode())
)
def test_nothing_in_it_breaks_us(data: bytes) -> None:
    assert isinstance(read_checkpoint(data), NvidiaCheckpoint | Unreadable)


def test_what_becomes_of_each_claim() -> None:
    taken = take_over(read(checkpoint(ALL)), BOOT)
    assert [one.claim.name for one in taken.adopted] == ["monitor", "train"]
    assert [one.claim.claim.name for one in taken.left] == ["small", "served", "vm"]
    assert [one.claim.name for one in taken.again] == ["late"]
    assert taken.stale == ()
    held = {device.device: tuple(one.name for one in holders) for device, holders in taken.held.items()}
    assert held == {
        "gpu-0": ("train",),
        "gpu-3": ("train",),
        "gpu-1-mig-1g10gb-19-0": ("small",),
        "gpu-4": ("served",),
        "gpu-vfio-2": ("vm",),
    }, "looking on holds nothing"


def test_after_a_reboot_nothing_is_held() -> None:
    taken = take_over(read(checkpoint(ALL, boot="another")), BOOT)
    assert len(taken.stale) == len(ALL)
    assert taken.held == {}


def test_an_mps_daemon_is_left_with_what_ends_it() -> None:
    taken = take_over(read(checkpoint({"c-mps": ALL["c-mps"]})), BOOT)
    [left] = taken.left
    assert str(left) == (
        "claim ml/served (c-mps): gpu-4 is shared by the MPS daemon c-mps-1a2b3, a Deployment of NVIDIA's driver"
    )
    assert left.afterwards == (
        "kubectl delete deployment mps-control-daemon-c-mps-1a2b3 -n NAMESPACE   # the driver's",
        "nvidia-smi -c DEFAULT -i GPU-gpu-4",
    )


def test_a_mig_instance_is_left_with_what_destroys_it() -> None:
    [left] = take_over(read(checkpoint({"c-mig": ALL["c-mig"]})), BOOT).left
    which = "-i GPU-gpu-1 -gi 7"
    destroy = f"nvidia-smi mig -dci {which}; nvidia-smi mig -dgi {which}   # unless it was there before the claim"
    assert left.afterwards == (destroy,)


def test_the_steps_to_us() -> None:
    pods = [
        {
            "metadata": {
                "name": "plugin-x",
                "namespace": "nvidia",
                "labels": {"dra-driver-nvidia-gpu-component": "kubelet-plugin"},
                "ownerReferences": [{"kind": "DaemonSet", "name": "dra-driver-nvidia-gpu-kubelet-plugin"}],
            },
            "spec": {"nodeName": POOL, "containers": [{"name": "gpus"}]},
        }
    ]
    verdict = judge(OnMachine(), InCluster(POOL, pods))
    taken = take_over(read(checkpoint(ALL)), BOOT)
    steps = to_us(verdict.in_the_way, PurePosixPath("/var/lib/kubelet"), taken, POOL)
    assert steps[0] == f"kubectl cordon {POOL}   # nothing new starts meanwhile"
    assert steps[1] == (
        f"kubectl edit -n nvidia daemonset/dra-driver-nvidia-gpu-kubelet-plugin   # else: keep it off {POOL} by node "
        f"affinity (kubernetes.io/hostname NotIn {POOL})"
    )
    assert "Nothing to do for the claims that aliquot takes over: ml/monitor (c-eyes), ml/train (c-whole)" in steps
    assert any(step.startswith("Its devices stay held until its pods have ended: claim ml/vm (c-vm)") for step in steps)
    assert "Then: bind gpu-vfio-2 to the nvidia driver again" in steps
    file = f"/var/lib/kubelet/plugins/{GPU}/checkpoint.json"
    assert any(step.startswith(f"mv {file} {file}.before-aliquot") for step in steps)
    assert steps[-1] == f"kubectl uncordon {POOL}"


def test_the_steps_back() -> None:
    steps = to_nvidia(PurePosixPath("/var/lib/kubelet"), ["claim ml/small (c-mig)"], POOL)
    assert steps[1].startswith("End the pods of claim ml/small (c-mig) first")
    assert any("k8s.gpu.nvidia.com-claim_*.json" in step for step in steps)
    assert steps[-1].startswith(f"kubectl uncordon {POOL}")


def test_its_cdi_files_are_known_by_their_names() -> None:
    names = [
        "k8s.gpu.nvidia.com-claim_c-whole.yaml",
        "k8s.gpu.nvidia.com-claim_c-whole.json",
        "k8s.gpu.nvidia.com-device_base.yaml",
        "k8s.compute-domain.nvidia.com-claim_c-imex.yaml",
        "k8s.device-plugin.nvidia.com-gpu.json",
        "nvidia.com-gpu.yaml",
    ]
    found = nvidia_specs(names)
    assert found.claims == (("c-whole", "k8s.gpu.nvidia.com-claim_c-whole.yaml"),), "ours ends in .json"
    assert found.of("c-whole") == "k8s.gpu.nvidia.com-claim_c-whole.yaml"
    assert found.of("c-other") is None
    assert found.base == ("k8s.gpu.nvidia.com-device_base.yaml",)
    assert found.domains == ("k8s.compute-domain.nvidia.com-claim_c-imex.yaml",)
    assert found.device_plugin == ("k8s.device-plugin.nvidia.com-gpu.json",)


def test_doctor_tells_of_the_claims(machine: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    machine.nvidias_driver()
    machine.nvidias_checkpoint(checkpoint({uid: ALL[uid] for uid in ("c-whole", "c-mig")}))
    machine.file(
        "run/cdi/k8s.gpu.nvidia.com-claim_c-whole.yaml",
        "cdiVersion: 0.6.0\nkind: k8s.gpu.nvidia.com/claim\n"
        "devices: [{name: c-whole-gpu-0, containerEdits: {env: [A=b]}}]\n",
    )
    assert run(["node", "doctor", "--root", str(machine.root), "--host", "preset:mixed", "-o", "json"]) == 1
    rows = {row["name"]: row for row in json.loads(capfd.readouterr().out)["checks"]}
    row = rows["claims of NVIDIA's DRA driver"]
    assert row["status"] == "warn"
    assert "taken over: ml/train (c-whole); left until its pods end: claim ml/small (c-mig): gpu-1-mig-" in row["found"]
    assert any("nvidia-smi mig -dgi" in line for line in row["fix"])
    assert rows["CDI files"]["found"] == "1 file with 1 device (1 of claims of NVIDIA's DRA driver)"
    fix = rows["others that serve GPUs"]["fix"]
    assert any(line.startswith(f"mv /var/lib/kubelet/plugins/{GPU}/checkpoint.json ") for line in fix)
