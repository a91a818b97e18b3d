"""A generator of scenarios that are hard to answer: about as much is asked for as there is.

Ordinary random scenarios hardly ever make a search turn back. These do: counts at or just beyond what is free,
constraints that overlap, picky requests behind undemanding ones, partitions that just fit or just don't.
Scenarios have the format of ../shared/cases/allocator; the same seed gives the same scenario.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

Row = dict[str, Any]

GPU: Final = "gpu.nvidia.com"
NIC: Final = "nic.example.com"
ROOT: Final = "resource.kubernetes.io/pcieRoot"
FEATURES: Final = {
    "adminAccess": True,
    "consumableCapacity": True,
    "deviceBindingAndStatus": True,
    "deviceTaints": True,
    "partitionableDevices": True,
    "prioritizedList": True,
}
PROFILES: Final[Mapping[str, tuple[int, int, tuple[int, ...]]]] = {
    "1g": (1, 1, (0, 1, 2, 3, 4, 5, 6)),
    "2g": (2, 2, (0, 2, 4)),
    "3g": (3, 4, (0, 4)),
    "4g": (4, 4, (0,)),
    "7g": (7, 8, (0,)),
}
"""Profile -> compute slices, memory slices, where it may start (as on an A100)."""

CLASSES: Final = (
    {
        "metadata": {"name": "gpu"},
        "spec": {
            "selectors": [
                {"cel": {"expression": f"device.driver == '{GPU}' && device.attributes['{GPU}'].type == 'gpu'"}}
            ]
        },
    },
    {
        "metadata": {"name": "mig"},
        "spec": {
            "selectors": [
                {"cel": {"expression": f"device.driver == '{GPU}' && device.attributes['{GPU}'].type == 'mig'"}}
            ]
        },
    },
    {"metadata": {"name": "nic"}, "spec": {"selectors": [{"cel": {"expression": f"device.driver == '{NIC}'"}}]}},
    {"metadata": {"name": "any"}, "spec": {}},
)


def scenario(family: str, seed: int, *, large: bool = False) -> Row:
    """Make the scenario of a family (a key of FAMILIES) and a seed."""
    draw = Random(f"{family}/{seed}/{large}")
    slices, claims, extra = FAMILIES[family](draw, large)
    taken = extra.pop("taken", 0.0)
    allocated = [
        {"driver": one["spec"]["driver"], "pool": "n", "device": device["name"]}
        for one in slices
        for device in one["spec"].get("devices", ())
        if not device.get("allowMultipleAllocations") and draw.random() < taken
    ]
    return {
        "name": f"tight-{family}-{seed}{'-large' if large else ''}",
        "features": FEATURES,
        "nodes": [{"metadata": {"name": "n", "labels": {"kubernetes.io/hostname": "n"}}}],
        "classes": list(CLASSES),
        "slices": slices,
        "claims": claims,
        "allocatedDevices": allocated,
        "node": "n",
        **extra,
    }


# --- devices ---------------------------------------------------------------------------------------------------------


def gpu(number: int, per_root: int = 1, per_numa: int = 4, **fields: Any) -> Row:
    return {
        "name": f"gpu-{number}",
        "attributes": {
            "type": {"string": "gpu"},
            "index": {"int": number},
            "numa": {"int": number // per_numa},
            "half": {"bool": number % 2 == 0},
            ROOT: {"string": f"pci0000:{number // per_root:02x}"},
        },
        "capacity": {"memory": {"value": "80Gi"}},
        **fields,
    }


def nic(number: int, root: int, per_numa: int = 4, **fields: Any) -> Row:
    return {
        "name": f"nic-{number}",
        "attributes": {
            ROOT: {"string": f"pci0000:{root:02x}"},
            f"{GPU}/numa": {"int": root // per_numa},
            "port": {"int": number % 2},
        },
        **fields,
    }


def partitioned(
    number: int, profiles: Mapping[str, tuple[int, int, tuple[int, ...]]], per_numa: int
) -> tuple[list[Row], Row]:
    """A GPU with its partitions, and the counter set that they draw on."""
    name = f"gpu-{number}-counters"

    def use(compute: int, start: int, memory: int) -> list[Row]:
        slices = {f"slice-{place}": {"value": "1"} for place in range(start, min(start + memory, 8))}
        return [{"counterSet": name, "counters": {"compute": {"value": str(compute)}, **slices}}]

    devices = [gpu(number, per_numa=per_numa, consumesCounters=use(7, 0, 8))]
    for profile, (compute, memory, starts) in profiles.items():
        devices.extend(
            {
                "name": f"gpu-{number}-{profile}-{start}",
                "attributes": {
                    "type": {"string": "mig"},
                    "profile": {"string": profile},
                    "index": {"int": number},
                    "numa": {"int": number // per_numa},
                    ROOT: {"string": f"pci0000:{number:02x}"},
                },
                "consumesCounters": use(compute, start, memory),
            }
            for start in starts
        )
    counters = {"compute": {"value": "7"}, **{f"slice-{place}": {"value": "1"} for place in range(8)}}
    return devices, {"name": name, "counters": counters}


def pool(driver: str, devices: list[Row], sets: list[Row] | None = None) -> list[Row]:
    """A pool's slices: at most 128 devices or 8 counter sets each."""
    parts: list[Row] = [{"devices": devices[at : at + 128]} for at in range(0, len(devices), 128)]
    parts += [{"sharedCounters": (sets or [])[at : at + 8]} for at in range(0, len(sets or []), 8)]
    return [
        {
            "metadata": {"name": f"{driver}-{place:02}"},
            "spec": {
                "driver": driver,
                "pool": {"name": "n", "generation": 1, "resourceSliceCount": len(parts)},
                "nodeName": "n",
                **part,
            },
        }
        for place, part in enumerate(parts)
    ]


# --- claims ----------------------------------------------------------------------------------------------------------


def recipe(class_name: str, count: int = 1, selector: str = "", **fields: Any) -> Row:
    made: Row = {"deviceClassName": class_name, "allocationMode": "ExactCount", "count": count, **fields}
    if selector:
        made["selectors"] = [{"cel": {"expression": selector}}]
    return made


def request(name: str, *args: Any, **fields: Any) -> Row:
    return {"name": name, "exactly": recipe(*args, **fields)}


def first_of(name: str, *recipes: Row) -> Row:
    return {"name": name, "firstAvailable": [{"name": f"s{place}", **each} for place, each in enumerate(recipes)]}


def claim(number: int, requests: list[Row], constraints: list[Row] | None = None) -> Row:
    devices: Row = {"requests": requests}
    if constraints:
        devices["constraints"] = constraints
    return {"metadata": {"name": f"c{number}", "namespace": "default"}, "spec": {"devices": devices}}


def match(attribute: str, *requests: str) -> Row:
    return {"matchAttribute": attribute, "requests": list(requests)}


def distinct(attribute: str, *requests: str) -> Row:
    return {"distinctAttribute": attribute, "requests": list(requests)}


def of_profile(profile: str) -> str:
    return f"device.attributes['{GPU}'].profile == '{profile}'"


def index(comparison: str) -> str:
    return f"device.attributes['{GPU}'].index {comparison}"


# --- families --------------------------------------------------------------------------------------------------------


def _split(draw: Random, requests: list[Row]) -> list[Row]:
    """Requests dealt to one or several claims."""
    if draw.random() < 0.5:
        return [claim(0, requests[:31])]
    size = draw.randint(1, 4)
    return [claim(at // size, requests[at : at + size]) for at in range(0, len(requests), size)]


def _mig(draw: Random, large: bool) -> tuple[list[Row], list[Row], Row]:
    count = draw.randint(2, 8) if large else draw.randint(1, 2)
    profiles = dict(draw.sample(sorted(PROFILES.items()), draw.randint(2, 4)))
    devices: list[Row] = []
    sets: list[Row] = []
    for number in range(count):
        made, counters = partitioned(number, profiles, draw.choice((2, 4)))
        devices += made
        sets.append(counters)
    room = count * 7 + draw.randint(-2, 1)
    requests: list[Row] = []
    while room > 0 and len(requests) < (20 if large else 7):
        profile = draw.choice(list(profiles))
        wanted = 1 if draw.random() < 0.7 else draw.randint(1, 3)
        room -= profiles[profile][0] * wanted
        requests.append(request(f"r{len(requests)}", "mig", wanted, of_profile(profile)))
    if draw.random() < 0.3:
        requests.insert(draw.randint(0, len(requests)), request("whole", "gpu"))
    return pool(GPU, devices, sets), _split(draw, requests), {"taken": draw.choice((0.0, 0.0, 0.1))}


def _pairs(draw: Random, large: bool) -> tuple[list[Row], list[Row], Row]:
    count = draw.randint(6, 16) if large else draw.randint(2, 5)
    per_root = draw.choice((1, 1, 2))
    gpus = [gpu(number, per_root) for number in range(count)]
    nics = [nic(number, draw.randrange(count // per_root + 1)) for number in range(max(count + draw.randint(-1, 1), 1))]
    claims: list[Row] = []
    for number in range(max(count // per_root + draw.randint(-1, 1), 1)):
        wanted = draw.choice((1, 1, 1, 2))
        order = [request("g", "gpu", wanted), request("k", "nic")]
        claims.append(claim(number, order if draw.random() < 0.7 else order[::-1], [match(ROOT)]))
    singles = [request(f"r{place}", "gpu") for place in range(draw.randint(0, 3))]
    if singles:
        claims.insert(draw.choice((0, len(claims))), claim(len(claims), singles))
    return pool(GPU, gpus) + pool(NIC, nics), claims, {"taken": draw.choice((0.0, 0.1))}


def _alternatives(draw: Random, large: bool) -> tuple[list[Row], list[Row], Row]:
    count = draw.randint(8, 24) if large else draw.randint(3, 6)
    requests: list[Row] = []
    total = 0
    while total < count + draw.randint(0, 2) and len(requests) < 16:
        sizes = sorted({draw.randint(1, 3) for _ in range(draw.randint(1, 3))}, reverse=draw.random() < 0.8)
        recipes = [recipe("gpu", size, draw.choice(("", "", index(f"< {draw.randint(1, count)}")))) for size in sizes]
        if draw.random() < 0.2:
            recipes.append(recipe("nic"))
        requests.append(
            first_of(f"r{len(requests)}", *recipes) if draw.random() < 0.8 else request(f"r{len(requests)}", "gpu")
        )
        total += min(sizes)
    requests.append(request("last", "gpu", 1, index(f"== {draw.randrange(count)}")))
    constraints = [match(f"{GPU}/numa", "r0", "last")] if draw.random() < 0.3 else []
    devices = pool(GPU, [gpu(number, per_numa=draw.choice((2, 4))) for number in range(count)])
    nics = pool(NIC, [nic(0, 0)]) if draw.random() < 0.5 else []
    if constraints:
        return devices + nics, [claim(0, requests, constraints)], {"taken": 0.0}
    return devices + nics, _split(draw, requests), {"taken": draw.choice((0.0, 0.1))}


def _overlapping(draw: Random, large: bool) -> tuple[list[Row], list[Row], Row]:
    count = draw.randint(8, 20) if large else draw.randint(3, 7)
    per_root = draw.choice((1, 2, 3))
    gpus = [gpu(number, per_root, draw.choice((2, 3, 4))) for number in range(count)]
    nics = [nic(number, draw.randrange(count // per_root + 1), 2) for number in range(draw.randint(1, count))]
    claims: list[Row] = []
    total = 0
    while total < count - draw.randint(-1, 2) and len(claims) < 8:
        names = [f"r{place}" for place in range(draw.randint(1, 4))]
        requests = [
            request(
                name,
                draw.choice(("gpu", "gpu", "nic", "any")),
                draw.choice((1, 1, 2)),
                draw.choice(("", "", "", f"device.driver == '{GPU}'")),
            )
            for name in names
        ]
        total += sum(each["exactly"]["count"] for each in requests)
        constraints = [
            draw.choice((match, match, distinct))(
                draw.choice((ROOT, f"{GPU}/numa", f"{GPU}/half", f"{GPU}/index")),
                *draw.sample(names, draw.randint(1, len(names))),
            )
            for _ in range(draw.randint(0, 3))
        ]
        claims.append(claim(len(claims), requests, constraints))
    return pool(GPU, gpus) + pool(NIC, nics), claims, {"taken": draw.choice((0.0, 0.15))}


def _coarse(draw: Random, large: bool) -> tuple[list[Row], list[Row], Row]:
    """Partitions, pairs and a coarse attribute (the numa node) together."""
    count = draw.choice((4, 8)) if large else 2
    profiles = dict(draw.sample(sorted(PROFILES.items()), 2))
    devices: list[Row] = []
    sets: list[Row] = []
    for number in range(count):
        made, counters = partitioned(number, profiles, max(count // 2, 1))
        devices += made
        sets.append(counters)
    nics = [nic(number, draw.randrange(count), max(count // 2, 1)) for number in range(draw.randint(1, count))]
    claims: list[Row] = []
    for number in range(draw.randint(2, 2 * count if large else 3)):
        kind = draw.random()
        profile = draw.choice(list(profiles))
        if kind < 0.4:
            requests = [request("m", "mig", draw.randint(1, 3), of_profile(profile))]
            claims.append(claim(number, requests, [match(f"{GPU}/numa")] if draw.random() < 0.6 else None))
        elif kind < 0.8:
            requests = [request("m", "mig", 1, of_profile(profile)), request("k", "nic")]
            claims.append(claim(number, requests, [match(draw.choice((ROOT, f"{GPU}/numa")))]))
        else:
            claims.append(claim(number, [request("g", "gpu")]))
    return pool(GPU, devices, sets) + pool(NIC, nics), claims, {"taken": draw.choice((0.0, 0.05))}


def _shares(draw: Random, large: bool) -> tuple[list[Row], list[Row], Row]:
    """Shareable devices, admin access, taints."""
    count = draw.randint(4, 8) if large else draw.randint(1, 4)
    policy = draw.choice(
        (
            None,
            {"default": "1Gi", "validRange": {"min": "1Gi", "step": "1Gi", "max": "8Gi"}},
            {"default": "2Gi", "validValues": ["2Gi", "4Gi", "8Gi"]},
        )
    )
    devices: list[Row] = []
    for number in range(count):
        memory: Row = {"value": draw.choice(("8Gi", "10Gi"))}
        if policy:
            memory["requestPolicy"] = policy
        shareable = draw.random() < 0.6
        device = gpu(number, capacity={"memory": memory}, **({"allowMultipleAllocations": True} if shareable else {}))
        if draw.random() < 0.25:
            device["taints"] = [{"key": "t", "effect": draw.choice(("NoSchedule", "NoExecute", "None"))}]
        devices.append(device)
    claims: list[Row] = []
    for number in range(draw.randint(1, 4)):
        requests: list[Row] = []
        for place in range(draw.randint(1, 3)):
            fields: Row = {}
            if draw.random() < 0.6:
                fields["capacity"] = {"requests": {"memory": draw.choice(("1Gi", "2Gi", "2560Mi", "4Gi", "5Gi"))}}
            if draw.random() < 0.3:
                fields["tolerations"] = [{"key": "t", "operator": "Exists"}]
            if draw.random() < 0.2:
                fields["adminAccess"] = True
            if draw.random() < 0.15:
                fields["allocationMode"] = "All"
            wanted = 0 if fields.get("allocationMode") else draw.choice((1, 2, 2, 3))
            made = request(f"r{place}", "gpu", wanted, draw.choice(("", "", index("!= 1"))), **fields)
            if not wanted:
                del made["exactly"]["count"]
            requests.append(made)
        constraints = [match(f"{GPU}/numa")] if draw.random() < 0.2 else []
        claims.append(claim(number, requests, constraints))
    return pool(GPU, devices), claims, {"taken": draw.choice((0.0, 0.2))}


def _errors(draw: Random, large: bool) -> tuple[list[Row], list[Row], Row]:
    """Selectors without a verdict on some device, and mode All under constraints."""
    slices, claims, extra = FAMILIES[draw.choice(("pairs", "alternatives", "overlapping"))](draw, large)
    for each in claims:
        for one in each["spec"]["devices"]["requests"]:
            for made in one.get("firstAvailable", [one.get("exactly")]):
                if draw.random() < 0.15:
                    made["selectors"] = [{"cel": {"expression": index(f">= {draw.randint(0, 3)}")}}]
                if draw.random() < 0.1:
                    made["allocationMode"] = "All"
                    made.pop("count", None)
    return slices, claims, extra


Family = Callable[[Random, bool], tuple[list[Row], list[Row], Row]]
FAMILIES: Final[dict[str, Family]] = {
    "mig": _mig,
    "pairs": _pairs,
    "alternatives": _alternatives,
    "overlapping": _overlapping,
    "coarse": _coarse,
    "shares": _shares,
    "errors": _errors,
}
HARD: Final = ("mig", "pairs", "alternatives", "overlapping", "coarse")
"""The families that make a plain search explode."""
