"""`aliquot explain node/N` and `claim/C`: what a node's devices do and who holds them, what a claim has or lacks."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from aliquot.cli.entry import run

CASES = Path(__file__).parents[2] / "cases"
TAKEN = str(CASES / "dumps" / "counted-gpu-taken" / "dump.yaml")
SCHEMA = json.loads(files("aliquot.advisor").joinpath("about.schema.json").read_text("utf-8"))
READY = [{"type": "Ready", "status": "True"}]


def kind(name: str, what: str, api: str = "v1", namespace: str = "", **fields: Any) -> dict[str, Any]:
    """An object of the API."""
    meta = {"name": name, "uid": f"uid-{name}", **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": api, "kind": what, "metadata": meta, **fields}


def pod(name: str, node: str = "", claim: str = "", gpus: int = 0, phase: str = "") -> dict[str, Any]:
    """A pod of namespace ml."""
    limits = {"limits": {"nvidia.com/gpu": str(gpus)}} if gpus else {}
    spec: dict[str, Any] = {"containers": [{"name": "main", "resources": limits}]}
    if node:
        spec["nodeName"] = node
    if claim:
        spec["resourceClaims"] = [{"name": "gpu", "resourceClaimName": claim}]
    return kind(name, "Pod", namespace="ml", spec=spec, status={"phase": phase or ("Running" if node else "Pending")})


def claim(name: str, device: str = "", users: tuple[str, ...] = (), class_name: str = "mig") -> dict[str, Any]:
    """A claim of namespace ml for one device of a class."""
    spec = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": class_name}}]}}
    result = {"request": "r", "driver": "gpu.nvidia.com", "pool": "n1", "device": device}
    reserved = [{"resource": "pods", "name": user, "uid": f"uid-{user}"} for user in users]
    status = {"allocation": {"devices": {"results": [result]}}, "reservedFor": reserved} if device else {}
    return kind(name, "ResourceClaim", "resource.k8s.io/v1", "ml", spec=spec, status=status)


def mig(name: str, profile: str, first: int, length: int) -> dict[str, Any]:
    """A MIG device on gpu-0's memory slices."""
    counters = {f"memory-slice-{nth}": {"value": "1"} for nth in range(first, first + length)}
    return {
        "name": name,
        "attributes": {"productName": {"string": "A100"}, "profile": {"string": profile}},
        "consumesCounters": [{"counterSet": "gpu-0", "counters": counters}],
    }


def cluster() -> list[dict[str, Any]]:
    """One node with counted GPUs (one unhealthy), one cordoned with MIG through DRA, one whose pool is incomplete."""
    sizes = {"cpu": "8", "memory": "8Gi", "pods": "20"}
    pool = {"name": "n1", "generation": 1, "resourceSliceCount": 2}
    slices = {f"memory-slice-{nth}": {"value": "1"} for nth in range(8)}
    devices = [mig("big", "3g.20gb", 0, 4), mig("small", "2g.10gb", 4, 2), mig("whole", "7g.40gb", 0, 8)]
    tainted = {**mig("last", "1g.5gb", 6, 1), "taints": [{"key": "xid", "value": "79", "effect": "NoSchedule"}]}
    driver = {"driver": "gpu.nvidia.com", "nodeName": "n1"}
    resource = "resource.k8s.io/v1"
    half = {"driver": "gpu.nvidia.com", "nodeName": "n2", "pool": {**pool, "name": "n2"}, "devices": [{"name": "a"}]}
    version = {"nodeInfo": {"kubeletVersion": "v1.36.2"}, "conditions": READY}
    gpus = {
        "capacity": {**sizes, "nvidia.com/gpu": "4"},
        "allocatable": {**sizes, "nvidia.com/gpu": "3"},
    }
    return [
        kind("n0", "Node", spec={}, status={**gpus, **version}),
        kind("n1", "Node", spec={"unschedulable": True}, status={"allocatable": sizes, **version}),
        kind("n2", "Node", spec={}, status={"allocatable": sizes, **version}),
        kind("mig", "DeviceClass", resource, spec={}),
        kind("n1-a", "ResourceSlice", resource, spec={**driver, "pool": pool, "devices": [*devices, tainted]}),
        kind(
            "n1-b",
            "ResourceSlice",
            resource,
            spec={**driver, "pool": pool, "sharedCounters": [{"name": "gpu-0", "counters": slices}]},
        ),
        kind("n2", "ResourceSlice", resource, spec=half),
        claim("first", "big", ("trainer",)),
        claim("stale", "small", ("finished", "vanished")),
        claim("third"),
        claim("wrong", class_name="migg"),
        claim("unused"),
        pod("trainer", "n1", "first"),
        pod("finished", "n1", "stale", phase="Succeeded"),
        pod("waiter", claim="third"),
        pod("misled", claim="wrong"),
        pod("holder", "n0", gpus=2),
        pod("wide", gpus=3),
        pod("narrow", gpus=1),
    ]


@pytest.fixture(name="dump")
def written(tmp_path: Path) -> Path:
    path = tmp_path / "dump.yaml"
    path.write_text(yaml.safe_dump_all(cluster()), "utf-8")
    return path


def told(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> Any:
    """The document, which keeps its contract."""
    assert run(["explain", *arguments, "-o", "json"]) == status
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, SCHEMA)
    return document


def shown(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    """The text, on one line."""
    assert run(["explain", *arguments]) == status
    return " ".join(capsys.readouterr().out.split())


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_counted_devices_of_a_node(dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = told(capsys, "node/n0", "-f", str(dump))
    (gpu,) = (one for one in document["resources"] if one["resource"] == "nvidia.com/gpu")
    assert [gpu[name] for name in ("capacity", "allocatable", "held", "free", "withheld")] == [4, 3, 2, 1, 1]
    assert gpu["holders"] == [{"owner": "pod ml/holder", "amount": 2, "pods": ["ml/holder"]}]
    fits = {one["pods"][0]: one["fits"] for one in document["waiting"]}
    assert fits == {"ml/wide": False, "ml/narrow": True}
    text = shown(capsys, "node", "n0", "-f", str(dump))
    assert "1 of 3 nvidia.com/gpu free; 1 of 4 nvidia.com/gpu not given" in text
    assert "2 held by ml/holder" in text
    assert "ml/wide (asks for 3 nvidia.com/gpu): nvidia.com/gpu: 1 free of 3, 3 asked" in text
    # not with one GPU: ml/narrow goes first and takes the free one
    assert "what would (tried): Give it PriorityClass gpu-high (100000): it preempts ml/holder" in text
    assert "$ kubectl patch" in text or "$ kubectl get" in text
    assert "$ kubectl" not in shown(capsys, "node/n0", "-f", str(dump), "--ways", "0")


def test_mig_slices_of_a_node(dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "no/n1", "-f", str(dump)]) == 0
    raw = capsys.readouterr().out
    text = " ".join(raw.split())
    assert "gpu-0: 6 of 8 memory slices are held by ml/first and ml/stale" in text
    assert "[3g.20gb-" in raw
    assert "cordoned: no new pod is placed here" in text
    assert "1 device by ml/trainer" in text
    assert "1 device by claim ml/stale, which no running pod in the input has reserved" in text
    document = told(capsys, "node/n1", "-f", str(dump))
    devices = {one["name"]: one for one in document["pools"][0]["devices"]}
    assert devices["big"]["claims"] == ["ml/first"]
    assert devices["whole"]["shortOf"]
    assert devices["last"]["taints"] == ["xid=79:NoSchedule"]
    assert not any(one["free"] for one in devices.values())


def test_an_incomplete_pool_supplies_nothing(dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "pool gpu.nvidia.com/n2 supplies nothing: it's incomplete (1 of 2 slices)" in shown(
        capsys, "node/n2", "-f", str(dump)
    )


@pytest.mark.parametrize(
    ("name", "status", "sentence"),
    [
        ("first", 0, "Claim ml/first has 1 device, reserved for pod ml/trainer."),
        ("stale", 0, "reserved for pod ml/finished and pod ml/vanished"),
        ("third", 3, "Claim ml/third has no devices: ml/waiter waits."),
        ("wrong", 3, "request r asks for DeviceClass migg, which isn't there; nearest: mig"),
        ("unused", 3, "no pod in the input uses it"),
    ],
)
def test_a_claim(name: str, status: int, sentence: str, dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for target in ([f"claim/{name}", "-n", "ml"], [f"claim/ml/{name}"], [f"resourceclaim/{name}"], ["claim", name]):
        assert sentence in shown(capsys, *target, "-f", str(dump), status=status)
    document = told(capsys, f"claim/ml/{name}", "-f", str(dump), status=status)
    assert (document["state"] == "pending") == (status == 3)


def test_who_keeps_a_claim_and_whether_it_still_needs_it(dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = {one["name"]: one["state"] for one in told(capsys, "claim/stale", "-f", str(dump))["reservedFor"]}
    assert found == {"finished": "ended (Succeeded), and still holds the reservation", "vanished": "not in the input"}


@pytest.mark.parametrize("kinds", [("Node", "ResourceSlice"), ("Node", "ResourceSlice", "ResourceClaim")])
def test_what_the_input_lacks_is_unknown(
    kinds: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "part.yaml"
    path.write_text(yaml.safe_dump_all([one for one in cluster() if one["kind"] in kinds]), "utf-8")
    document = told(capsys, "node/n0", "-f", str(path))
    assert {one["held"] for one in document["resources"]} == {None}
    assert "The input has no pods: who holds what, and who waits, is unknown." in document["unknown"]
    if "ResourceClaim" in kinds:
        assert "why is unknown, since the input has no pods" in shown(capsys, "claim/third", "-f", str(path), status=3)
    else:
        free = {one["free"] for one in told(capsys, "node/n1", "-f", str(path))["pools"][0]["devices"]}
        assert free == {None, False}
        assert "4 devices of gpu.nvidia.com/n1 (which are held is unknown)" in shown(capsys, "node/n1", "-f", str(path))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["node/n00"], "there's no node n00 in the input\nhint: nearest: n0"),
        (["claim/thrid", "-n", "ml"], "there's no claim thrid in namespace ml in the input\nhint: nearest: ml/third"),
        (["claim/ml/third", "-n", "other"], "names namespace ml, and -n other"),
        (["node/n0", "-o", "html"], "there's no HTML page of a node"),
        (["node/n0", "--cause", "held"], "--node and --cause choose among pods"),
        (["node/n0", "--watch"], "--watch follows pods, not nodes"),
        (["claim/third", "--kubernetes", "one"], "error:"),
    ],
)
def test_mistakes(arguments: list[str], message: str, dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", *arguments, "-f", str(dump)]) == 2
    assert message in capsys.readouterr().err


def changed(name: str, what: str, **parts: Any) -> list[dict[str, Any]]:
    """The cluster with parts of one object merged in."""
    found = cluster()
    for one in found:
        if (one["metadata"]["name"], one["kind"]) == (name, what):
            for part, fields in parts.items():
                one[part] = {**one.get(part, {}), **fields}
    return found


def sized(name: str, node: str, **requests: str) -> dict[str, Any]:
    """A bound pod that asks for no device."""
    containers = [{"name": "main", "resources": {"requests": requests}}]
    return kind(name, "Pod", namespace="ml", spec={"nodeName": node, "containers": containers}, status={})


GONE = {"deletionTimestamp": "2026-11-30T18:37:13Z", "finalizers": ["resource.kubernetes.io/delete-protection"]}
OTHERS = [{"resource": "pods", "name": "holder", "uid": "older"}, {"resource": "boxes", "name": "b", "uid": "1"}]
MOUNTS = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "absent"}}]}
UNREADY = {
    "driver": "gpu.nvidia.com",
    "pool": "n1",
    "device": "big",
    "conditions": [{"type": "Ready", "status": "False"}],
}
LAST = {"taints": [{"key": "k", "effect": "PreferNoSchedule"}]}


@pytest.mark.parametrize(
    ("objects", "target", "status", "sentences"),
    [
        (
            changed("first", "ResourceClaim", metadata=GONE),
            "claim/first",
            0,
            ["being deleted since 2026-11-30", "kept"],
        ),
        (changed("third", "ResourceClaim", metadata=GONE), "claim/third", 3, ["has no devices and is being deleted"]),
        (changed("first", "ResourceClaim", status={"reservedFor": []}), "claim/first", 0, ["is reserved for nobody"]),
        (
            changed("first", "ResourceClaim", status={"reservedFor": []}),
            "node/n1",
            0,
            ["2 devices by claims ml/first and ml/stale, which no running pod in the input has reserved"],
        ),
        (
            changed("first", "ResourceClaim", status={"reservedFor": OTHERS}),
            "claim/first",
            0,
            ["the pod of this name that's there now is another one", "boxes b, which isn't a pod"],
        ),
        (changed("waiter", "Pod", spec={"nodeName": "n2"}), "claim/third", 3, ["no pod that waits uses it"]),
        (
            changed("trainer", "Pod", metadata=GONE),
            "claim/first",
            0,
            ["trainer: being deleted, on n1: it holds until it's gone"],
        ),
        (
            [one for one in cluster() if one["kind"] not in ("Node", "DeviceClass", "ResourceSlice")],
            "claim/third",
            3,
            ["why is unknown, since the input has no nodes", "has no ResourceSlices", "has no DeviceClasses"],
        ),
        (
            changed("n2", "Node", status={"conditions": [{"type": "Ready", "status": "False"}]}, spec=LAST),
            "node/n2",
            0,
            ["! not ready", "taint k:PreferNoSchedule: pods that don't tolerate it are placed here last"],
        ),
        (
            [
                *changed("n0", "Node", status={"allocatable": {"memory": "2Ti", "nvidia.com/gpu": "1"}}, spec={}),
                sized("heavy", "n0", memory="32Gi", cpu="1500m"),
            ],
            "node/n0",
            0,
            ["memory 8Gi 2048Gi 32Gi 2016Gi", "cpu 8 0 1500m -1500m"],
        ),
        (
            changed("narrow", "Pod", spec={"schedulerName": "volcano"}),
            "node/n0",
            0,
            [
                (
                    "◌ ml/narrow (asks for 1 nvidia.com/gpu): the node has room for it, which isn't enough: It's the "
                    "scheduler volcano's to place, not kube-scheduler's"
                )
            ],
        ),
        (
            changed("narrow", "Pod", spec={"schedulingGates": [{"name": "queue"}]}),
            "node/n0",
            0,
            ["◌ ml/narrow (asks for 1 nvidia.com/gpu): held back by its scheduling gates; the node has room for it"],
        ),
        (
            [*changed("narrow", "Pod", spec=MOUNTS), kind("other", "PersistentVolumeClaim", namespace="ml", spec={})],
            "node/n0",
            0,
            ["✘ ml/narrow (asks for 1 nvidia.com/gpu): persistentvolumeclaim"],
        ),
        (
            changed("first", "ResourceClaim", status={"devices": [UNREADY]}),
            "node/n1",
            0,
            ["held by ml/first, Ready is False"],
        ),
        (
            changed("n0", "Node", status={"allocatable": {"nvidia.com/gpu": "1"}}),
            "node/n0",
            0,
            ["1 nvidia.com/gpu more are asked for by its pods than the 1 it gives"],
        ),
    ],
)
def test_states_of_nodes_and_claims(
    objects: list[Any],
    target: str,
    status: int,
    sentences: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "dump.yaml"
    path.write_text(yaml.safe_dump_all(objects), "utf-8")
    text = shown(capsys, target, "-f", str(path), status=status)
    assert [one for one in sentences if one not in text] == []


@pytest.mark.parametrize(
    ("share", "state", "free", "short"),
    [
        ("4Gi", "1 device shared by ml/first: one", True, []),
        ("10Gi", "1 device shared by ml/first, used up: memory: one", False, ["memory"]),
    ],
)
def test_a_device_that_claims_share(
    share: str, state: str, free: bool, short: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool = {"name": "n1", "generation": 1, "resourceSliceCount": 1}
    device = {"name": "one", "allowMultipleAllocations": True, "capacity": {"memory": {"value": "10Gi"}}}
    spec = {"driver": "gpu.nvidia.com", "nodeName": "n1", "pool": pool, "devices": [device]}
    given = claim("first", "one", ("trainer",))
    given["status"]["allocation"]["devices"]["results"][0] |= {"consumedCapacity": {"memory": share}, "shareID": "s"}
    objects = [one for one in cluster() if one["kind"] != "ResourceSlice" and one["metadata"]["name"] != "first"]
    objects += [kind("n1-a", "ResourceSlice", "resource.k8s.io/v1", spec=spec), given]
    path = tmp_path / "dump.yaml"
    path.write_text(yaml.safe_dump_all(objects), "utf-8")
    assert state in shown(capsys, "node/n1", "-f", str(path))
    (found,) = told(capsys, "node/n1", "-f", str(path))["pools"][0]["devices"]
    assert (found["free"], found["shortOf"], found["claims"]) == (free, short, ["ml/first"])
