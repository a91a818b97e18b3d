"""Ask for less CPU and memory: what a node has left."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from aliquot.advisor import changes
from aliquot.advisor.amounts import show
from aliquot.advisor.case import Case, Spot, is_extended, on_pod
from aliquot.advisor.remedies.requests.containers import own_containers, with_requests
from aliquot.advisor.wayout import Candidate, Risk
from aliquot.kube.pod import Container
from aliquot.snapshot.effective import starting_first

LEAST_SHARE = 4
"""A request is lowered to no less than a quarter of what was asked: below that it's another workload."""
MOST_KEPT = 8
"""The system, and pods that are everywhere, have no more than one part in so many."""
MIB = 1 << 20
LOWERED = ("cpu", "memory", "ephemeral-storage")


def lower(case: Case, spot: Spot) -> Iterator[Candidate]:
    """What the largest container asks for, where a quarter or more of it is left."""
    pod, own = case.pod, own_containers(case)
    lowered: dict[str, dict[str, int]] = {}
    said: list[str] = []
    for name, short in spot.short_of().items():
        if name not in LOWERED:
            continue
        candidates = [one for one in pod.containers if one.name in own]
        most = max(candidates, key=lambda one: one.requests.get(name, 0), default=None)
        if most is None or (asked := most.requests.get(name, 0)) == 0:
            return
        rest = asked - short.missing
        if name != "cpu" and rest > MIB:
            rest -= rest % MIB
        if rest * LEAST_SHARE < asked:
            return
        lowered.setdefault(most.name, {})[name] = rest
        said.append(f"{show(name, rest)} of {name} instead of {show(name, asked)}")
    if not lowered:
        return
    patch = [
        {"name": name, "resources": {"requests": {key: show(key, amount) for key, amount in amounts.items()}}}
        for name, amounts in lowered.items()
    ]
    only_cpu = all(set(amounts) == {"cpu"} for amounts in lowered.values())
    yield Candidate(
        kind="change-request",
        target="pod",
        title=f"Ask for {', '.join(said)} (what {spot.node.name} has left)",
        changes=changes.pod_spec(case.owner, case.pod.name, {"containers": patch}),
        apply=on_pod(lambda trial: replace(trial, containers=with_requests(trial, lowered))),
        risk=Risk("low", "the container may run slower under load")
        if only_cpu
        else Risk("low", "it asked for all that the machine has, of which the system keeps a part for itself")
        if _nominal(spot, lowered)
        else Risk("medium", "a container that uses more memory than the node has is killed"),
        rank=18,
        node=spot.node.name,
        cures="NodeResourcesFit",
    )


def _nominal(spot: Spot, lowered: Mapping[str, Mapping[str, int]]) -> bool:
    """Whether it asks for no more than the machine has, and for more than any pod gets there; nearly all is left."""
    short = spot.short_of()
    return all(
        short[name].total < short[name].asked <= spot.node.capacity.get(name, 0)
        and short[name].missing * MOST_KEPT <= short[name].asked
        for amounts in lowered.values()
        for name in amounts
    )


def lower_first(case: Case, spot: Spot) -> Iterator[Candidate]:
    """What init containers ask for, where the containers after them ask for less: as much as the node has left."""
    own = own_containers(case)
    first = starting_first(case.pod)
    short = {name: one for name, one in spot.short_of().items() if name != "pods"}
    if not short or not all(name in first and first[name][1] <= one.free for name, one in short.items()):
        return
    lowered: dict[str, dict[str, int]] = {}
    said: list[str] = []
    for name, one in short.items():
        for init in case.pod.init_containers:
            asked = init.requests.get(name, 0)
            if asked <= one.free:
                continue
            if one.free <= 0 or init.name not in own or init.sidecar:
                return
            lowered.setdefault(init.name, {})[name] = one.free
            said.append(f"{show(name, one.free)} {name} instead of {show(name, asked)} in init container {init.name}")
    if not lowered:
        return

    def with_less(one: Container) -> Container:
        less = lowered.get(one.name, {})
        limits = {name: min(amount, less.get(name, amount)) for name, amount in one.limits.items()}
        return replace(one, requests={**one.requests, **less}, limits=limits)

    def patch(one: Container) -> dict[str, object]:
        less = {name: show(name, amount) for name, amount in lowered[one.name].items()}
        limits = {name: amount for name, amount in less.items() if name in one.limits}
        return {"name": one.name, "resources": {"requests": less, **({"limits": limits} if limits else {})}}

    devices = [name for name in short if is_extended(name)]
    yield Candidate(
        kind="fewer-devices" if devices else "change-request",
        target="pod",
        title=f"Ask for {', '.join(said)}",
        changes=changes.pod_spec(
            case.owner,
            case.pod.name,
            {"initContainers": [patch(one) for one in case.pod.init_containers if one.name in lowered]},
        ),
        apply=on_pod(lambda pod: replace(pod, init_containers=tuple(map(with_less, pod.init_containers)))),
        risk=Risk(
            "medium", f"{' and '.join(lowered)} must be able to do with less; what runs afterwards keeps all of it"
        ),
        rank=17,
        node=spot.node.name,
        cures=devices[0] if len(short) == len(devices) == 1 else "NodeResourcesFit",
    )
