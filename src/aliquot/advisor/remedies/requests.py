"""Ways past a shortage by asking for less, or for something else that's there."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import log2

from aliquot.advisor import changes
from aliquot.advisor.amounts import show
from aliquot.advisor.case import Case, Spot, is_extended, on_pod
from aliquot.advisor.gpus import isolation_of_resource, nominal_mib, resource_size
from aliquot.advisor.nearest import is_near_resource
from aliquot.advisor.wayout import Candidate, Risk, Trial
from aliquot.kube.pod import Container, Pod
from aliquot.kube.selectors import Affinity, TopologySpread

LEAST_SHARE = 4
"""A request is lowered to no less than a quarter of what was asked: below that it's another workload."""
MIB = 1 << 20
SLICES = re.compile(r"nvidia\.com/mig-(\d+)g\.")
LOWERED = ("cpu", "memory", "ephemeral-storage")


def cures(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Lower requests; fewer devices; another resource; a softer constraint."""
    yield from _lower(case, spot)
    short = {name: reason for name, reason in spot.short_of().items() if is_extended(name)}
    for name, reason in short.items():
        free = reason.free
        holders = [one for one in (*case.pod.containers, *case.pod.init_containers) if one.requests.get(name)]
        if 0 < free < reason.asked and len(holders) == 1:
            yield _ask(case, spot, name, name, free)
        yield from _others(case, spot, name, reason.asked)
    yield from _constraints(case, spot)


def _own_containers(case: Case) -> frozenset[str]:
    """Names of the containers that a person wrote: others were injected, and stand in no template."""
    workload = case.snapshot.workload_of(case.pod)
    template = workload.template if workload is not None else None
    return frozenset(one.name for one in (template or case.pod).containers)


def _lower(case: Case, spot: Spot) -> Iterator[Candidate]:
    pod, own = case.pod, _own_containers(case)
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
        apply=on_pod(lambda trial: replace(trial, containers=_with_requests(trial, lowered))),
        risk=Risk("low", "the container may run slower under load")
        if only_cpu
        else Risk("medium", "a container that uses more memory than the node has is killed"),
        rank=18,
        node=spot.node.name,
        cures="NodeResourcesFit",
    )


def _with_requests(pod: Pod, changed: Mapping[str, Mapping[str, int]]) -> tuple[Container, ...]:
    return tuple(
        replace(one, requests={**one.requests, **changed[one.name]}) if one.name in changed else one
        for one in pod.containers
    )


def _others(case: Case, spot: Spot, name: str, asked: int) -> Iterator[Candidate]:
    """Resources of the same kind that this node has enough of."""
    used = case.snapshot.load(spot.node.name).requested
    for other, total in sorted(spot.node.allocatable.items()):
        meant = is_near_resource(name, other) and not case.offered(name)
        # a slip is corrected also where what was meant is taken: it may be the first of two steps
        if other == name or not is_extended(other) or total - (0 if meant else used.get(other, 0)) < asked:
            continue
        if is_near_resource(name, other) or other.partition("/")[0] == name.partition("/")[0]:
            yield _ask(case, spot, name, other, asked)


def _ask(case: Case, spot: Spot, name: str, other: str, amount: int) -> Candidate:
    """Ask for `other` where the pod asks for `name`: as much of it, or for the same name `amount`."""

    def swapped(amounts: Mapping[str, int]) -> dict[str, int]:
        if name not in amounts:
            return dict(amounts)
        kept = {key: value for key, value in amounts.items() if key != name}
        return {**kept, other: amounts[name] if other != name else amount}

    def changed(one: Container) -> Container:
        return replace(one, requests=swapped(one.requests), limits=swapped(one.limits))

    def patch(container: Container) -> dict[str, object]:
        own = container.requests[name] if other != name else amount
        new = {name: None, other: str(own)} if other != name else {name: str(own)}
        return {"name": container.name, "resources": {"requests": new, "limits": new}}

    pod = case.pod
    touched = [one for one in pod.containers if one.requests.get(name)]
    first = [one for one in pod.init_containers if one.requests.get(name)]
    spec: dict[str, object] = {"containers": [patch(one) for one in touched]} if touched else {}
    if first:
        spec["initContainers"] = [patch(one) for one in first]
    slip = other != name and meant_by(name, other) and resource_size(name, spot.node) is None
    size = resource_size(other, spot.node)
    if other == name:
        risk = Risk(
            "high", "the workload must be able to run on fewer devices (for a model: tensor parallelism, memory)"
        )
        rank = 34.0 - amount / max(1, spot.short_of()[name].asked)
        title = f"Ask for {amount} {name} instead of {sum(one.requests[name] for one in touched)}"
    elif slip:
        risk, rank = Risk("low", "the original looks like a slip"), 6.0
        title = f"Ask for {other} (not {name})"
    else:
        asked_size, compared = resource_size(name, spot.node), size
        if asked_size is None and (nominal := nominal_mib(name)) is not None:
            # names say round numbers, nodes what is left of them: like is compared with like
            asked_size, compared = nominal, nominal_mib(other) or size
        sliced = name == "nvidia.com/gpu" and other.startswith("nvidia.com/mig-")
        smaller = sliced or (compared is not None and asked_size is not None and compared < asked_size)
        memory = f" with {size} MiB each" if size is not None else ""
        risk = (
            Risk("high", "a slice of a GPU instead of a whole one: the model may not fit")
            if sliced
            else Risk(
                "high", f"less memory than was asked for ({compared} against {asked_size} MiB): the model may not fit"
            )
            if smaller
            else Risk("medium", "takes a larger share of a GPU than was asked for")
            if compared is not None and asked_size is not None and compared > asked_size
            else Risk("medium", "another kind of device than was asked for")
        )
        rank = (32.0 if smaller else 22.0) + _apart(compared, asked_size)
        title = f"Ask for {other}: {amount} instead of {name} ({spot.node.name} has it free{memory})"
    return Candidate(
        kind="fewer-devices" if other == name else "change-request",
        target="pod",
        title=title,
        changes=changes.pod_spec(case.owner, pod.name, spec),
        apply=on_pod(
            lambda trial: replace(
                trial,
                containers=tuple(map(changed, trial.containers)),
                init_containers=tuple(map(changed, trial.init_containers)),
            )
        ),
        risk=risk,
        rank=rank,
        node=spot.node.name,
        isolates=isolation_of_resource(other, spot.node),
        cures=name,
    )


def meant_by(name: str, other: str) -> bool:
    """A slip for another name: a near one, and of MIG instances one with as many compute slices."""
    ours, theirs = (found[1] if (found := SLICES.match(one)) else "" for one in (name, other))
    return ours == theirs and is_near_resource(name, other)


def _apart(size: int | None, asked: int | None) -> float:
    """How far a size is from the one that was asked for: 1 for twice or half as much; nearest first."""
    return min(9.0, abs(log2(size / asked))) if size and asked else 9.0


def _constraints(case: Case, spot: Spot) -> Iterator[Candidate]:
    filters = {reason.filter for reason in spot.reasons}
    hard = [one for one in case.pod.topology_spread if one.when_unsatisfiable == "DoNotSchedule"]
    if "PodTopologySpread" in filters and hard:
        # The list's merge key is topologyKey, which several constraints may share: the whole list is replaced.
        patch: list[Mapping[str, object]] = [{"$patch": "replace"}]
        patch += [_spread(one) for one in case.pod.topology_spread]
        yield _softer(
            case,
            spot,
            "PodTopologySpread",
            "Make the topology spread a preference (whenUnsatisfiable: ScheduleAnyway)",
            {"topologySpreadConstraints": patch},
            on_pod(
                lambda pod: replace(
                    pod, topology_spread=tuple(one for one in case.pod.topology_spread if one not in hard)
                )
            ),
        )
    affinity = case.pod.affinity
    if "InterPodAffinity" in filters and affinity is not None:
        for field, name in (("pod", "podAffinity"), ("pod_anti", "podAntiAffinity")):
            terms = affinity.pod if field == "pod" else affinity.pod_anti
            if not terms:
                continue
            softer = replace(affinity, pod=()) if field == "pod" else replace(affinity, pod_anti=())
            yield _softer(
                case,
                spot,
                "InterPodAffinity",
                f"Drop the required {name}",
                {"affinity": {name: {"requiredDuringSchedulingIgnoredDuringExecution": None}}},
                on_pod(partial(_with_affinity, softer)),
            )


def _spread(one: TopologySpread) -> Mapping[str, object]:
    """A constraint as a preference, everything else as it is."""
    found: dict[str, object] = {
        "topologyKey": one.topology_key,
        "maxSkew": one.max_skew,
        "whenUnsatisfiable": "ScheduleAnyway",
    }
    if one.selector is not None:
        selector: dict[str, object] = {}
        if one.selector.match_labels:
            selector["matchLabels"] = dict(one.selector.match_labels)
        if one.selector.match_expressions:
            selector["matchExpressions"] = [
                {"key": each.key, "operator": each.operator, "values": list(each.values)}
                for each in one.selector.match_expressions
            ]
        found["labelSelector"] = selector
    if one.match_label_keys:
        found["matchLabelKeys"] = list(one.match_label_keys)
    return found


def _with_affinity(affinity: Affinity, pod: Pod) -> Pod:
    return replace(pod, affinity=affinity)


def _softer(
    case: Case, spot: Spot, problem: str, title: str, patch: Mapping[str, object], apply: Callable[[Trial], Trial]
) -> Candidate:
    return Candidate(
        kind="change-request",
        target="pod",
        title=title,
        changes=changes.pod_spec(case.owner, case.pod.name, patch),
        apply=apply,
        risk=Risk("medium", "pods may end up beside each other (or apart) where they were meant not to"),
        rank=24,
        node=spot.node.name,
        cures=problem,
    )
