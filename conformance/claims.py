"""Random classes and claims for allocation scenarios, as resource.k8s.io/v1 JSON."""

import random
from collections.abc import Sequence
from typing import Any, Final

from conformance.hardware import GPU, NIC

Json = dict[str, Any]
Themes = frozenset[str]

SELECTORS: Final = {
    "gpu": (
        "device.attributes['gpu.nvidia.com'].index >= 1",
        "device.attributes['gpu.nvidia.com'].index in [0, 2]",
        "device.attributes['gpu.nvidia.com'].numa == 0",
        "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('40Gi')) >= 0",
        "device.attributes['gpu.nvidia.com'].?productName.orValue('').lowerAscii().matches('^.*(a100|h100).*$')",
        "device.attributes['gpu.nvidia.com'].cudaComputeCapability.isGreaterThan(semver('8.5.0'))",
        "has(device.attributes['gpu.nvidia.com'].numa) && device.attributes['gpu.nvidia.com'].numa == 1",
        "device.attributes['gpu.nvidia.com'].index == 0",
        "'healthy' in device.attributes['gpu.nvidia.com'] && device.attributes['gpu.nvidia.com'].healthy",
    ),
    "mig": (
        "device.attributes['gpu.nvidia.com'].profile == '1g.5gb'",
        "device.attributes['gpu.nvidia.com'].profile == '2g.10gb'",
        "device.attributes['gpu.nvidia.com'].profile == '3g.20gb'",
        "device.attributes[device.driver].profile.startsWith('1g.') && device.attributes['gpu.nvidia.com'].index == 0",
        "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('10Gi')) >= 0",
    ),
    "nic": (
        "device.attributes['nic.example.com'].rdma",
        "device.capacity['nic.example.com'].bandwidth.isGreaterThan(quantity('100G'))",
        "device.attributes['nic.example.com'].numa == 0",
    ),
    "list": (
        "device.attributes['gpu.nvidia.com'].links.includes('a')",
        "device.attributes['gpu.nvidia.com'].numas.exists(n, n == 1)",
        "size(device.attributes['gpu.nvidia.com'].numas) > 1",
    ),
    "broken": (
        "device.attributes['gpu.nvidia.com'].nope == 1",
        "device.attributes['gpu.nvidia.com'].index / 0 == 1",
        "device.attributes['gpu.nvidia.com'].index ==",
        "device.attributes['gpu.nvidia.com'].productName",
        "device.attributes['gpu.nvidia.com'].index == '1'",
        "device.attributes['gpu.nvidia.com'].nope == 1 || device.attributes['gpu.nvidia.com'].index == 1",
        "device.attributes['gpu.nvidia.com'].healthy",
        "1 == 1.0",
        "device.capacity['gpu.nvidia.com'].memory > quantity('1Gi')",
    ),
}

CLASSES: Final = {
    "gpu": (GPU, "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'"),
    "mig": ("mig.nvidia.com", "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'mig'"),
    "nic": (NIC, "device.driver == 'nic.example.com'"),
}

ATTRIBUTES: Final = (
    "resource.kubernetes.io/pcieRoot",
    "resource.kubernetes.io/pcieRoot",
    "gpu.nvidia.com/numa",
    "gpu.nvidia.com/productName",
    "gpu.nvidia.com/index",
    "nic.example.com/numa",
    "gpu.nvidia.com/cudaComputeCapability",
    "gpu.nvidia.com/parentUUID",
    "nope.example.com/x",
)


def opaque(dice: random.Random, label: str) -> Json:
    """A configuration for one of the drivers."""
    return {"opaque": {"driver": dice.choice((GPU, NIC)), "parameters": {"kind": "Config", "label": label}}}


def classes(dice: random.Random, themes: Themes) -> list[Json]:
    """The device classes of a scenario: one a kind of device, one that takes everything, one that is broken."""
    made: list[Json] = [
        {"metadata": {"name": name}, "spec": {"selectors": [{"cel": {"expression": expression}}]}}
        for name, expression in CLASSES.values()
    ]
    made.append({"metadata": {"name": "any"}, "spec": {}})
    if "cel" in themes:
        broken = dice.choice(SELECTORS["broken"])
        made.append({"metadata": {"name": "broken"}, "spec": {"selectors": [{"cel": {"expression": broken}}]}})
    if "config" in themes:
        for each in made:
            if dice.random() < 0.6:
                each["spec"]["config"] = [opaque(dice, f"class-{n}") for n in range(dice.choice((1, 2)))]
    return made


def tolerations(dice: random.Random) -> list[Json]:
    """What a request puts up with; one of three tolerates everything."""
    return [
        dice.choice(
            (
                {"operator": "Exists"},
                {"key": "health", "operator": "Exists"},
                {"key": "health", "operator": "Equal", "value": "bad"},
                {"key": "maintenance", "value": "soon", "effect": "NoSchedule"},
                {"key": "example.com/x", "operator": "Exists", "effect": "NoExecute"},
                {"key": "health", "operator": "Weird", "value": "bad"},
            ),
        )
        for _ in range(dice.choice((1, 1, 2)))
    ]


def capacity(dice: random.Random) -> Json:
    """A request for parts of a shareable device."""
    amounts = (
        "1Gi",
        "2Gi",
        "3Gi",
        "5Gi",
        "7Gi",
        "10Gi",
        "12Gi",
        "20Gi",
        "39Gi",
        "40Gi",
        "0",
        "80Gi",
        "500Mi",
        "2560Mi",
    )
    wanted: Json = {}
    if dice.random() < 0.9:
        wanted["memory"] = dice.choice(amounts)
    if dice.random() < 0.15:
        wanted["slots"] = dice.choice(("1", "2", "5"))
    if dice.random() < 0.03:
        wanted["gpu.nvidia.com/memory"] = "1Gi"
    return {"requests": wanted}


def recipe(dice: random.Random, themes: Themes, kinds: Sequence[str]) -> Json:
    """What a request (or an alternative of one) asks for."""
    kind = dice.choice(kinds)
    made: Json = {"deviceClassName": CLASSES[kind][0]}
    roll = dice.random()
    if roll < 0.1:
        made["deviceClassName"] = "any"
    elif "cel" in themes and roll < 0.2:
        made["deviceClassName"] = dice.choice(("broken", "missing", ""))
    pools = [SELECTORS[kind]]
    if "lists" in themes and kind == "gpu":
        pools = [SELECTORS[kind], SELECTORS["list"], SELECTORS["list"]]
    if "cel" in themes:
        pools.append(SELECTORS["broken"])
    chosen = [dice.choice(dice.choice(pools)) for _ in range(dice.choice((0, 0, 1, 1, 1, 2)))]
    if kind == "mig" and not chosen and dice.random() < 0.7:
        chosen = [dice.choice(SELECTORS["mig"])]
    if chosen:
        made["selectors"] = [{"cel": {"expression": expression}} for expression in chosen]
    if "cel" in themes and dice.random() < 0.02:
        made.setdefault("selectors", []).append({})
    if "all" in themes and dice.random() < 0.4:
        made["allocationMode"] = "All"
    else:
        made["allocationMode"] = "ExactCount"
        made["count"] = dice.choices((1, 2, 3, 4, 0, 33), (70, 20, 5, 2, 1, 1 if "cel" in themes else 0))[0]
    if "cel" in themes and dice.random() < 0.02:
        made["allocationMode"] = "Weird"
    if "taints" in themes and dice.random() < 0.5:
        made["tolerations"] = tolerations(dice)
    if "shared" in themes and dice.random() < 0.7:
        made["capacity"] = capacity(dice)
    return made


def request(dice: random.Random, number: int, themes: Themes, kinds: Sequence[str]) -> Json:
    """A request: one recipe, or alternatives."""
    name = f"r{number}"
    if "alternatives" in themes and dice.random() < 0.6:
        several = dice.choice((2, 2, 3))
        return {
            "name": name,
            "firstAvailable": [{"name": f"s{n}"} | recipe(dice, themes, kinds) for n in range(several)],
        }
    made = recipe(dice, themes, kinds)
    if "admin" in themes and dice.random() < 0.5:
        made["adminAccess"] = dice.random() < 0.9
    return {"name": name, "exactly": made}


def constraint(dice: random.Random, themes: Themes, requests: Sequence[Json]) -> Json:
    """A constraint over some of a claim's requests; none named: all of them."""
    names = [each["name"] for each in requests]
    names += [f"{each['name']}/{sub['name']}" for each in requests for sub in each.get("firstAvailable", ())]
    made: Json = {}
    if dice.random() < 0.7:
        made["requests"] = dice.sample(names, dice.randint(1, min(3, len(names))))
    attributes = (
        (*ATTRIBUTES, "gpu.nvidia.com/links", "gpu.nvidia.com/links", "gpu.nvidia.com/numas")
        if "lists" in themes
        else ATTRIBUTES
    )
    distinct = "distinct" in themes and dice.random() < 0.6
    made["distinctAttribute" if distinct else "matchAttribute"] = dice.choice(attributes)
    return made


def claim(dice: random.Random, number: int, themes: Themes, kinds: Sequence[str]) -> Json:
    """A claim of one to four requests, perhaps with constraints and configuration."""
    requests = [request(dice, n, themes, kinds) for n in range(dice.choices((0, 1, 2, 3, 4), (1, 45, 34, 15, 5))[0])]
    devices: Json = {"requests": requests}
    if requests and dice.random() < (0.75 if themes & {"match", "distinct"} else 0.15):
        devices["constraints"] = [constraint(dice, themes, requests) for _ in range(dice.choice((1, 1, 2)))]
        if "cel" in themes and dice.random() < 0.03:
            devices["constraints"].append({"requests": []})
    if "config" in themes:
        names = [each["name"] for each in requests]
        names += [f"{each['name']}/{sub['name']}" for each in requests for sub in each.get("firstAvailable", ())]
        devices["config"] = [
            opaque(dice, f"claim-{n}")
            | ({"requests": dice.sample(names, dice.randint(1, len(names)))} if names and dice.random() < 0.7 else {})
            for n in range(dice.choice((0, 1, 1, 2)))
        ]
    return {
        "metadata": {"name": f"c{number}", "namespace": "default", "uid": f"uid-{number}"},
        "spec": {"devices": devices},
    }
