"""Tight scenarios: demand that meets supply exactly, or misses it by one, where a depth-first search has to backtrack.

Ordinary random scenarios hardly ever make an allocator search; these do (the families of facts/exact-allocator.md,
section 7). With ``large=True`` many of them take the reference longer than anyone waits; the default size ends in
milliseconds.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any, Final

from conformance.hardware import GPU, NIC, PROFILES, slices_of_memory

Json = dict[str, Any]
Case = tuple[list[Json], list[Json], Json]
"""Slices, claims, and more members of the scenario (what is allocated)."""

ANY: Final = "any"


def slice_of(
    driver: str, pool: str, devices: Sequence[Json], *, part: int = 0, parts: int = 1, sets: Sequence[Json] = ()
) -> Json:
    """One slice of a pool on node-a; the counter sets of a pool fill a slice of their own."""
    return {
        "metadata": {"name": f"{pool}-{part}"},
        "spec": {
            "driver": driver,
            "pool": {"name": pool, "generation": 1, "resourceSliceCount": parts},
            "nodeName": "node-a",
        }
        | ({"sharedCounters": list(sets)} if sets else {"devices": list(devices)}),
    }


def device(name: str, **attributes: int | str | bool) -> Json:
    """A device with plain attributes."""
    kinds = {bool: "bool", int: "int", str: "string"}
    return {"name": name, "attributes": {key: {kinds[type(value)]: value} for key, value in attributes.items()}}


def wanted(name: str, *selectors: str, count: int = 1, device_class: str = ANY, **more: object) -> Json:
    """A request for exactly ``count`` devices."""
    return {"name": name, "exactly": exactly(*selectors, count=count, device_class=device_class) | more}


def exactly(*selectors: str, count: int = 1, device_class: str = ANY) -> Json:
    """What a request or an alternative asks for."""
    made: Json = {"deviceClassName": device_class, "allocationMode": "ExactCount", "count": count}
    if selectors:
        made["selectors"] = [{"cel": {"expression": selector}} for selector in selectors]
    return made


def claims_of(dice: random.Random, requests: Sequence[Json], constraints: Sequence[Json] = ()) -> list[Json]:
    """The requests in one claim, or (without constraints) sometimes one claim each."""
    apart = not constraints and dice.random() < 0.25
    groups = [[request] for request in requests] if apart else [list(requests)]
    return [
        {
            "metadata": {"name": f"c{number}", "namespace": "default"},
            "spec": {"devices": {"requests": group} | ({"constraints": list(constraints)} if constraints else {})},
        }
        for number, group in enumerate(groups)
    ]


def attribute(name: str) -> str:
    """An attribute of a GPU in a selector."""
    return f"device.attributes['{GPU}'].{name}"


def mig_mix(dice: random.Random, scale: int) -> Case:
    """Profiles that fill some GPUs to the last memory slice, or one slice too much."""
    count = dice.randint(1, max(1, scale - 1))
    sets = [
        {"name": f"g{n}", "counters": {"processors": {"value": "98"}} | slices_of_memory(0, 8)} for n in range(count)
    ]
    offered = dice.sample(PROFILES, dice.choice((2, 3, 4)))
    devices: list[Json] = []
    for n in range(count):
        for name, processors, _, length, starts in offered:
            for start in starts:
                made = device(f"g{n}-{name.replace('.', '-')}-{start}", profile=name, gpu=n, half=n % 2)
                made["consumesCounters"] = [
                    {
                        "counterSet": f"g{n}",
                        "counters": {"processors": {"value": str(processors)}} | slices_of_memory(start, length),
                    },
                ]
                devices.append(made)
    slots = 8 * count + dice.choice((-1, 0, 0, 1))
    requests: list[Json] = []
    while slots > 0 and len(requests) < 3 + 3 * scale:
        name, _, _, length, _ = dice.choice(offered)
        requests.append(
            wanted(f"r{len(requests)}", f"{attribute('profile')} == '{name}'", count=dice.choice((1, 1, 2)))
        )
        slots -= length * requests[-1]["exactly"]["count"]
    constraints = []
    if dice.random() < 0.3 and len(requests) > 1:
        members = dice.sample([each["name"] for each in requests], 2)
        constraints = [{"requests": members, "matchAttribute": f"{GPU}/{dice.choice(('gpu', 'half'))}"}]
    slices = [slice_of(GPU, "m", (), parts=2, sets=sets), slice_of(GPU, "m", devices, part=1, parts=2)]
    return slices, claims_of(dice, requests, constraints), {}


def overlapping(dice: random.Random, scale: int) -> Case:
    """Requests whose candidates overlap, with constraints that share members: Hall's theorem by trial."""
    count = 2 + dice.randint(2, 1 + 2 * scale)
    devices = [
        device(f"d{n}", index=n, a=dice.randrange(3), b=dice.randrange(2), c=dice.choice("xyz")) for n in range(count)
    ]
    requests: list[Json] = []
    left = count + dice.choice((-1, 0, 0, 1))
    while left > 0:
        take = min(left, dice.choice((1, 1, 1, 2)))
        some = sorted(dice.sample(range(count), dice.randint(take, count)))
        selectors = () if dice.random() < 0.3 else (f"{attribute('index')} in {some}",)
        requests.append(wanted(f"r{len(requests)}", *selectors, count=take))
        left -= take
    constraints: list[Json] = []
    for _ in range(dice.choice((0, 1, 2))):
        members = dice.sample([each["name"] for each in requests], min(len(requests), dice.choice((2, 2, 3))))
        kind = "matchAttribute" if dice.random() < 0.7 else "distinctAttribute"
        constraints.append({"requests": members, kind: f"{GPU}/{dice.choice('abc')}"})
    return [slice_of(GPU, "p", devices)], claims_of(dice, requests, constraints), {}


def alternatives(dice: random.Random, scale: int) -> Case:
    """Several requests that would rather have two devices than one, on too few of them."""
    count = 2 + dice.randint(1, 2 * scale)
    devices = [device(f"d{n}", index=n, a=n % 2, b=n % 3) for n in range(count)]
    requests: list[Json] = []
    for n in range(max(1, count + dice.choice((-1, 0, 0, 1)) - dice.randrange(2))):
        options = (
            [exactly(count=2), exactly()]
            if dice.random() < 0.6
            else [
                exactly(f"{attribute('a')} == {dice.randrange(2)}", count=dice.choice((1, 2))),
                exactly(f"{attribute('b')} == {dice.randrange(3)}"),
                exactly(),
            ][: dice.choice((2, 3))]
        )
        requests.append(
            {"name": f"r{n}", "firstAvailable": [{"name": f"s{i}"} | option for i, option in enumerate(options)]}
        )
    constraints: list[Json] = []
    if dice.random() < 0.3 and len(requests) > 1:
        members = dice.sample([each["name"] for each in requests], 2)
        constraints = [{"requests": members, "matchAttribute": f"{GPU}/{dice.choice('ab')}"}]
    return [slice_of(GPU, "p", devices)], claims_of(dice, requests, constraints), {}


def pairs(dice: random.Random, scale: int) -> Case:
    """GPU and NIC on one PCIe root, several times, where a root may lack one of the two."""
    count = 1 + dice.randint(1, scale + 1)
    root = "resource.kubernetes.io/pcieRoot"
    gpus = [device(f"g{n}", index=n) for n in range(count)]
    nics = [device(f"n{n}", index=n) for n in range(count)]
    for n, (one, other) in enumerate(zip(gpus, nics, strict=True)):
        one["attributes"][root] = {"string": f"r{n if dice.random() < 0.8 else dice.randrange(count)}"}
        other["attributes"][root] = {"string": f"r{n if dice.random() < 0.9 else dice.randrange(count)}"}
    if dice.random() < 0.4:
        nics.pop(dice.randrange(len(nics)))
    requests: list[Json] = []
    constraints: list[Json] = []
    for n in range(max(1, count - dice.choice((0, 0, 1)))):
        requests += [wanted(f"g{n}", device_class="gpu"), wanted(f"n{n}", device_class="nic")]
        constraints.append({"requests": [f"g{n}", f"n{n}"], "matchAttribute": root})
    slices = [slice_of(GPU, "gpus", gpus)] + ([slice_of(NIC, "nics", nics)] if nics else [])
    return slices, claims_of(dice, requests, constraints), {}


def picky_last(dice: random.Random, scale: int) -> Case:
    """Requests that take anything, then some that want a particular device: first fit picks wrong every time."""
    count = 2 + dice.randint(1, 2 * scale)
    devices = [device(f"d{n}", index=n, a=n % 2) for n in range(count)]
    picky = dice.choice((1, 1, 2))
    requests = [wanted(f"r{n}") for n in range(max(count - picky + dice.choice((-1, 0, 0)), 0))]
    for n in range(picky):
        target = dice.choice((f"{attribute('index')} == {n}", f"{attribute('index')} <= {n}", f"{attribute('a')} == 0"))
        requests.append(wanted(f"p{n}", target))
    return [slice_of(GPU, "p", devices)], claims_of(dice, requests), {}


def shares(dice: random.Random, scale: int) -> Case:
    """Shared capacity, admin access and taints on the same few devices, with counters under some."""
    count = 1 + dice.randint(1, scale)
    counted = dice.random() < 0.4
    devices: list[Json] = []
    for n in range(count):
        made = device(f"d{n}", index=n, a=n % 2)
        made["capacity"] = {
            "memory": {"value": "10"} | ({"requestPolicy": {"default": "2"}} if dice.random() < 0.5 else {})
        }
        made["allowMultipleAllocations"] = dice.random() < 0.8
        if dice.random() < 0.3:
            made["taints"] = [{"key": "t", "value": "v", "effect": "NoSchedule"}]
        if counted and dice.random() < 0.7:
            made["consumesCounters"] = [{"counterSet": "s", "counters": {"c": {"value": str(dice.choice((1, 2, 3)))}}}]
        devices.append(made)
    requests: list[Json] = []
    for n in range(count + dice.randint(1, 2 * scale)):
        more: Json = {}
        if dice.random() < 0.7:
            more["capacity"] = {"requests": {"memory": str(dice.choice((1, 2, 3, 4, 5, 6, 10)))}}
        elif dice.random() < 0.4:
            more["adminAccess"] = True
        if dice.random() < 0.5:
            more["tolerations"] = [{"operator": "Exists"}]
        requests.append(wanted(f"r{n}", **more))
    constraints: list[Json] = []
    if dice.random() < 0.3:
        members = dice.sample([each["name"] for each in requests], 2)
        kind = dice.choice(("matchAttribute", "distinctAttribute"))
        constraints = [{"requests": members, kind: f"{GPU}/{dice.choice(('a', 'index'))}"}]
    if not counted:
        return [slice_of(GPU, "p", devices)], claims_of(dice, requests, constraints), {}
    sets = [{"name": "s", "counters": {"c": {"value": str(dice.randint(1, 2 * count))}}}]
    slices = [slice_of(GPU, "p", (), parts=2, sets=sets), slice_of(GPU, "p", devices, part=1, parts=2)]
    return slices, claims_of(dice, requests, constraints), {}


FAMILIES: Final[tuple[Callable[[random.Random, int], Case], ...]] = (
    mig_mix,
    overlapping,
    alternatives,
    pairs,
    picky_last,
    shares,
)

CLASSES: Final = (
    {"metadata": {"name": ANY}, "spec": {}},
    {"metadata": {"name": "gpu"}, "spec": {"selectors": [{"cel": {"expression": f"device.driver == '{GPU}'"}}]}},
    {"metadata": {"name": "nic"}, "spec": {"selectors": [{"cel": {"expression": f"device.driver == '{NIC}'"}}]}},
)


def scenario(seed: int, number: int, kubernetes: str | None = None, *, large: bool = False) -> Json:
    """The tight scenario that this seed and number always give; the families take turns."""
    dice = random.Random(f"{seed}/tight/{number}/{large}")
    family = FAMILIES[number % len(FAMILIES)]
    slices, claims, more = family(dice, dice.randint(3, 6) if large else dice.choice((1, 2, 2)))
    places = [
        {"driver": each["spec"]["driver"], "pool": each["spec"]["pool"]["name"], "device": made["name"]}
        for each in slices
        for made in each["spec"].get("devices", ())
    ]
    if dice.random() < 0.2:
        more = {"allocatedDevices": [dice.choice(places)]}
    if dice.random() < 0.07:
        spoilt = dice.choice(dice.choice(claims)["spec"]["devices"]["requests"])
        for asked in spoilt.get("firstAvailable") or [spoilt["exactly"]]:
            asked["selectors"] = [
                *asked.get("selectors", ()),
                {"cel": {"expression": f"{attribute('index')} < 2 || {attribute('nope')}"}},
            ]
    made = {
        "name": f"tight-{family.__name__}-{seed}-{number}",
        "features": {
            "adminAccess": True,
            "consumableCapacity": True,
            "deviceTaints": True,
            "partitionableDevices": True,
            "prioritizedList": True,
        },
        "nodes": [{"metadata": {"name": "node-a", "labels": {"kubernetes.io/hostname": "node-a"}}}],
        "node": "any",
        "slices": slices,
        "classes": list(CLASSES),
        "claims": claims,
    } | more
    return made | ({"kubernetes": kubernetes} if kubernetes else {})
