"""Random devices, pools and slices for allocation scenarios, as resource.k8s.io/v1 JSON."""

import random
from collections.abc import Sequence
from typing import Any, Final

GPU: Final = "gpu.nvidia.com"
NIC: Final = "nic.example.com"
Json = dict[str, Any]

MODELS: Final = (
    ("NVIDIA H100 80GB HBM3", "80Gi", "9.0.0"),
    ("NVIDIA A100-SXM4-40GB", "40Gi", "8.0.0"),
    ("NVIDIA L4", "24Gi", "8.9.0"),
    ("Tesla T4", "16Gi", "7.5.0"),
)

PROFILES: Final = (
    ("1g.5gb", 14, 5, 1, range(7)),
    ("1g.10gb", 14, 10, 2, range(0, 7, 2)),
    ("2g.10gb", 28, 10, 2, range(0, 6, 2)),
    ("3g.20gb", 42, 20, 4, range(0, 5, 4)),
    ("4g.20gb", 56, 20, 4, range(1)),
    ("7g.40gb", 98, 40, 8, range(1)),
)
"""MIG profiles of an A100 of 40 GB: name, multiprocessors, Gi of memory, memory slices, first slices."""


def gpu(dice: random.Random, index: int, model: tuple[str, str, str], *, roots: int = 2) -> Json:
    """A whole GPU; a few lack an attribute, so that constraints on it can't hold."""
    product, memory, capability = model
    device: Json = {
        "name": f"gpu-{index}",
        "attributes": {
            "type": {"string": "gpu"},
            "uuid": {"string": f"GPU-{index:04}"},
            "productName": {"string": product},
            "cudaComputeCapability": {"version": capability},
            "driverVersion": {"version": "560.35.3"},
            "index": {"int": index},
            "numa": {"int": index % 2},
            "resource.kubernetes.io/pcieRoot": {"string": f"pci0000:{index % roots:02}"},
        },
        "capacity": {"memory": {"value": memory}},
    }
    if dice.random() < 0.1:
        del device["attributes"][dice.choice(("numa", "resource.kubernetes.io/pcieRoot", "productName"))]
    if dice.random() < 0.2:
        device["attributes"]["healthy"] = {"bool": dice.random() < 0.7}
    return device


def nic(dice: random.Random, index: int, *, roots: int = 2) -> Json:
    """A network card on one of the PCIe roots."""
    device: Json = {
        "name": f"nic-{index}",
        "attributes": {
            "kind": {"string": "nic"},
            "index": {"int": index},
            "rdma": {"bool": dice.random() < 0.7},
            "numa": {"int": index % 2},
            "resource.kubernetes.io/pcieRoot": {"string": f"pci0000:{dice.randrange(roots):02}"},
        },
        "capacity": {"bandwidth": {"value": dice.choice(("100G", "200G"))}},
    }
    if dice.random() < 0.1:
        device["attributes"]["resource.kubernetes.io/pcieRoot"] = {"int": 0}
    return device


def slices_of_memory(first: int, count: int) -> Json:
    """The counters of memory slices ``first`` and the following."""
    return {f"memory-slice-{number}": {"value": "1"} for number in range(first, first + count)}


def mig(index: int, counter_set: str, profile: str, processors: int, memory: int, start: int, length: int) -> Json:
    """One placement of a MIG profile on GPU number ``index``."""
    return {
        "name": f"gpu-{index}-mig-{profile.replace('.', '-')}-{start}",
        "attributes": {
            "type": {"string": "mig"},
            "profile": {"string": profile},
            "parentUUID": {"string": f"GPU-{index:04}"},
            "index": {"int": index},
            "numa": {"int": index % 2},
            "resource.kubernetes.io/pcieRoot": {"string": f"pci0000:{index % 2:02}"},
        },
        "capacity": {"memory": {"value": f"{memory}Gi"}},
        "consumesCounters": [
            {
                "counterSet": counter_set,
                "counters": {"multiprocessors": {"value": str(processors)}, "memory": {"value": f"{memory}Gi"}}
                | slices_of_memory(start, length),
            },
        ],
    }


def partitioned(dice: random.Random, count: int) -> tuple[list[Json], list[Json]]:
    """GPUs with their MIG devices: (counter sets, devices). Each GPU offers some of the profiles."""
    sets: list[Json] = []
    devices: list[Json] = []
    for index in range(count):
        counter_set = f"gpu-{index}-counters"
        sets.append(
            {
                "name": counter_set,
                "counters": {"multiprocessors": {"value": "98"}, "memory": {"value": "40Gi"}} | slices_of_memory(0, 8),
            },
        )
        if dice.random() < 0.7:
            whole = gpu(dice, index, MODELS[1])
            whole["consumesCounters"] = [{"counterSet": counter_set, "counters": sets[-1]["counters"]}]
            devices.append(whole)
        for name, processors, memory, length, starts in dice.sample(PROFILES, dice.choice((1, 2, 3))):
            devices += [mig(index, counter_set, name, processors, memory, start, length) for start in starts]
    return sets, devices


POLICIES: Final[tuple[Json | None, ...]] = (
    None,
    None,
    {"default": "10Gi", "validValues": ["5Gi", "10Gi", "20Gi", "40Gi"]},
    {"default": "4Gi", "validRange": {"min": "2Gi"}},
    {"default": "4Gi", "validRange": {"min": "2Gi", "max": "20Gi", "step": "2Gi"}},
    {"default": "1Gi", "validRange": {"min": "1Gi", "step": "3Gi"}},
    {"default": "8Gi"},
    {"default": "3Gi", "validValues": ["10Gi"]},
)


def share(dice: random.Random, device: Json) -> None:
    """Make a device shareable: several claims take parts of its capacity."""
    device["allowMultipleAllocations"] = dice.random() < 0.9
    for capacity in device["capacity"].values():
        policy = dice.choice(POLICIES)
        if policy:
            capacity["requestPolicy"] = policy
    if dice.random() < 0.2:
        device["capacity"]["slots"] = {"value": dice.choice(("1", "4", "10"))}
    if dice.random() < 0.1:
        device["capacity"] = {}


def taint(dice: random.Random, device: Json) -> None:
    """Put one or two taints on a device."""
    device["taints"] = [
        {
            "key": dice.choice(("health", "maintenance", "example.com/x")),
            "effect": dice.choice(("NoSchedule", "NoExecute", "NoSchedule", "None", "Future")),
        }
        | ({"value": dice.choice(("bad", "soon", ""))} if dice.random() < 0.7 else {})
        for _ in range(dice.choice((1, 1, 2)))
    ]


def bind(dice: random.Random, device: Json) -> None:
    """Make a device one that is bound late."""
    device["bindingConditions"] = ["ready"]
    device["bindingFailureConditions"] = ["failed"]
    if dice.random() < 0.5:
        device["bindsToNode"] = True


def list_attributes(dice: random.Random, device: Json) -> None:
    """Give a device attributes that are lists; sometimes a scalar, an empty list or another type under the name."""
    device["attributes"]["links"] = dice.choice(
        (
            {"strings": dice.sample(("a", "b", "c", "d"), dice.choice((1, 2, 3)))},
            {"strings": dice.sample(("a", "b", "c", "d"), 2)},
            {"string": dice.choice(("a", "b"))},
            {"ints": [1]},
        ),
    )
    device["attributes"]["numas"] = {"ints": dice.sample((0, 1, 2), dice.choice((1, 2)))}
    if dice.random() < 0.2:
        device["attributes"]["vers"] = {"versions": dice.sample(("1.0.0", "1.1.0", "2.0.0"), 2)}


def selector_of_nodes(dice: random.Random) -> Json:
    """A node selector: mostly one that matches node-a."""
    term = dice.choice(
        (
            {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["z1"]}]},
            {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["z2", "z1"]}]},
            {"matchExpressions": [{"key": "gpus", "operator": "Gt", "values": ["3"]}]},
            {
                "matchExpressions": [
                    {"key": "zone", "operator": "NotIn", "values": ["z2"]},
                    {"key": "gpus", "operator": "Exists"},
                ]
            },
            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-a"]}]},
            {"matchExpressions": [{"key": "nope", "operator": "DoesNotExist"}]},
            {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["z9"]}]},
        ),
    )
    terms = [term]
    if dice.random() < 0.05:
        terms.append({"matchExpressions": [{"key": "zone", "operator": "Exists"}]})
    return {"nodeSelectorTerms": terms}


def place(dice: random.Random, *, varied: bool, devices: Sequence[Json] = ()) -> Json:
    """Where a slice's devices can be used: on node-a, or (``varied``) in any of the ways that the API knows."""
    if not varied:
        return {"nodeName": "node-a"}
    match dice.randrange(6):
        case 0 | 1:
            return {"nodeName": dice.choice(("node-a", "node-a", "node-b"))}
        case 2:
            return {"allNodes": True}
        case 3 | 4:
            return {"nodeSelector": selector_of_nodes(dice)}
        case _:
            if dice.random() < 0.1:
                return {}
            for device in devices:
                device.update(
                    place(dice, varied=False)
                    if dice.random() < 0.3
                    else dice.choice(
                        (
                            {"allNodes": True},
                            {"nodeName": "node-b"},
                            {"nodeName": "node-a"},
                            {"nodeSelector": selector_of_nodes(dice)},
                        ),
                    )
                )
            return {"perDeviceNodeSelection": True}


def pool(
    dice: random.Random,
    driver: str,
    name: str,
    devices: Sequence[Json],
    *,
    counter_sets: Sequence[Json] = (),
    odd: bool = False,
    varied: bool = False,
) -> list[Json]:
    """The slices of a pool, split at random; ``odd`` ones now and then are incomplete, outdated, invalid, too many."""
    parts: list[Json] = [{"sharedCounters": list(counter_sets)}] if counter_sets else []
    cuts = sorted(dice.sample(range(1, len(devices)), min(dice.choice((0, 0, 1, 2)), max(len(devices) - 1, 0))))
    for start, end in zip([0, *cuts], [*cuts, len(devices)], strict=True):
        parts.append({"devices": list(devices[start:end])})
    where = place(dice, varied=varied, devices=devices)
    count, generation = len(parts), dice.choice((1, 1, 3))
    made: list[Json] = []
    for number, part in enumerate(parts):
        label = dice.choice(("s", "sl-", "z")) if odd else "s"
        made.append(
            {
                "metadata": {"name": f"{label}{name}-{number}"},
                "spec": {
                    "driver": driver,
                    "pool": {"name": name, "generation": generation, "resourceSliceCount": count},
                }
                | where
                | part,
            },
        )
    if odd:
        disturb(dice, made)
    dice.shuffle(made)
    return made


def disturb(dice: random.Random, slices: list[Json]) -> None:
    """One of the ways in which a pool isn't in order."""
    spec = dice.choice(slices)["spec"]
    match dice.randrange(8):
        case 0:
            spec["pool"]["generation"] += 1
        case 1:
            spec["pool"]["resourceSliceCount"] += 1
            for each in slices:
                each["spec"]["pool"]["resourceSliceCount"] = spec["pool"]["resourceSliceCount"]
        case 2:
            if len(slices) > 1:
                slices.remove(dice.choice(slices))
        case 3 if spec.get("devices"):
            spec["devices"].append(dict(spec["devices"][0]))
        case 4 if spec.get("sharedCounters"):
            spec["sharedCounters"].append(dict(spec["sharedCounters"][0]))
        case 5:
            users = [
                device
                for each in slices
                for device in each["spec"].get("devices", ())
                if device.get("consumesCounters")
            ]
            if users:
                use = dice.choice(users)["consumesCounters"][0]
                if dice.random() < 0.5:
                    use["counterSet"] = "unknown"
                else:
                    use["counters"] = {"unknown": {"value": "1"}}
        case 6:
            for each in slices:
                each["spec"]["pool"]["resourceSliceCount"] = 1
        case _:
            spec["pool"]["generation"] = 2
