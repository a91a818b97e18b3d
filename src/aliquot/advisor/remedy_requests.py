"""Ways past a shortage by asking for less, or for something else that's there."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from aliquot.advisor import changes
from aliquot.advisor.amounts import show
from aliquot.advisor.case import Case, Spot, is_extended, on_pod
from aliquot.advisor.gpus import isolation_of_resource, resource_size
from aliquot.advisor.nearest import is_near
from aliquot.advisor.wayout import Candidate, Risk, Trial
from aliquot.kube.pod import Container, Pod
from aliquot.kube.selectors import Affinity

LEAST_SHARE = 4
"""A request is lowered to no less than a quarter of what was asked: below that it's another workload."""
LOWERED = ("cpu", "memory", "ephemeral-storage")


def cures(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Lower requests; fewer devices; another resource; a softer constraint."""
    yield from _lower(case, spot)
    short = {name: reason for name, reason in spot.short_of().items() if is_extended(name)}
    for name, reason in short.items():
        free = reason.free
        if 0 < free < reason.asked:
            yield _ask(case, spot, name, name, free)
        yield from _others(case, spot, name, reason.asked)
    yield from _constraints(case, spot)


def _lower(case: Case, spot: Spot) -> Iterator[Candidate]:
    pod = case.pod
    lowered: dict[str, dict[str, int]] = {}
    words: list[str] = []
    for name, reason in spot.short_of().items():
        if name not in LOWERED:
            continue
        most = max(pod.containers, key=lambda one: one.requests.get(name, 0), default=None)
        if most is None or (asked := most.requests.get(name, 0)) == 0:
            return
        rest = asked - reason.missing
        if rest * LEAST_SHARE < asked:
            return
        lowered.setdefault(most.name, {})[name] = rest
        words.append(f"{show(name, rest)} of {name} instead of {show(name, asked)}")
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
        title=f"Ask for {', '.join(words)} (what {spot.node.name} has left)",
        changes=(changes.pod_spec(case.owner, {"containers": patch}),),
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
        if other == name or not is_extended(other) or total - used.get(other, 0) < asked:
            continue
        if is_near(name, other) or other.partition("/")[0] == name.partition("/")[0]:
            yield _ask(case, spot, name, other, asked)


def _ask(case: Case, spot: Spot, name: str, other: str, amount: int) -> Candidate:
    """Ask for `amount` of `other` where the pod asks for `name`."""
    pod = case.pod

    def swapped(amounts: Mapping[str, int]) -> dict[str, int]:
        kept = {key: value for key, value in amounts.items() if key != name}
        return kept if name not in amounts else {**kept, other: amount}

    def patch(container: Container) -> dict[str, object]:
        new = {name: None, other: str(amount)} if other != name else {name: str(amount)}
        return {"name": container.name, "resources": {"requests": new, "limits": new}}

    touched = [one for one in pod.containers if one.requests.get(name)]
    slip = other != name and is_near(name, other) and resource_size(name, spot.node) is None
    size = resource_size(other, spot.node)
    if other == name:
        risk = Risk(
            "high", "the workload must be able to run on fewer devices (for a model: tensor parallelism, memory)"
        )
        rank = 34.0
        title = f"Ask for {amount} {name} instead of {sum(one.requests[name] for one in touched)}"
    elif slip:
        risk, rank = Risk("low", "the original looks like a slip"), 6.0
        title = f"Ask for {other} (not {name})"
    else:
        asked_size = resource_size(name, spot.node)
        smaller = size is not None and asked_size is not None and size < asked_size
        memory = f" with {size} MiB each" if size is not None else ""
        risk = (
            Risk("high", f"less memory than was asked for ({size} against {asked_size} MiB): the model may not fit")
            if smaller
            else Risk("medium", "takes a larger share of a GPU than was asked for")
            if size is not None and asked_size is not None and size > asked_size
            else Risk("medium", "another kind of device than was asked for")
        )
        rank = 32.0 if smaller else 22.0
        title = f"Ask for {other}: {amount} instead of {name} ({spot.node.name} has it free{memory})"
    return Candidate(
        kind="change-request",
        target="pod",
        title=title,
        changes=(changes.pod_spec(case.owner, {"containers": [patch(one) for one in touched]}),),
        apply=on_pod(
            lambda trial: replace(
                trial,
                containers=tuple(
                    replace(one, requests=swapped(one.requests), limits=swapped(one.limits)) for one in pod.containers
                ),
            )
        ),
        risk=risk,
        rank=rank,
        node=spot.node.name,
        isolates=isolation_of_resource(other, spot.node),
        cures=name,
    )


def _constraints(case: Case, spot: Spot) -> Iterator[Candidate]:
    filters = {reason.filter for reason in spot.reasons}
    hard = [one for one in case.pod.topology_spread if one.when_unsatisfiable == "DoNotSchedule"]
    if "PodTopologySpread" in filters and hard:
        patch = [
            {"topologyKey": one.topology_key, "maxSkew": one.max_skew, "whenUnsatisfiable": "ScheduleAnyway"}
            for one in hard
        ]
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


def _with_affinity(affinity: Affinity, pod: Pod) -> Pod:
    return replace(pod, affinity=affinity)


def _softer(
    case: Case, spot: Spot, problem: str, title: str, patch: Mapping[str, object], apply: Callable[[Trial], Trial]
) -> Candidate:
    return Candidate(
        kind="change-request",
        target="pod",
        title=title,
        changes=(changes.pod_spec(case.owner, patch),),
        apply=apply,
        risk=Risk("medium", "pods may end up beside each other (or apart) where they were meant not to"),
        rank=24,
        node=spot.node.name,
        cures=problem,
    )
