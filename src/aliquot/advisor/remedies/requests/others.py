"""Ask for fewer devices, or for another resource that's there."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import log2

from aliquot.advisor import changes
from aliquot.advisor.case import Case, Spot, is_extended, on_pod
from aliquot.advisor.gpus import (
    GPU,
    MIG_PREFIX,
    gpus_of,
    isolation_of_resource,
    nominal_mib,
    one_gpu_in_shares,
    resource_size,
)
from aliquot.advisor.nearest import is_near_resource
from aliquot.advisor.remedies.requests.containers import own_containers
from aliquot.advisor.wayout import Candidate, Risk
from aliquot.kube.pod import Container, Pod
from aliquot.snapshot.effective import running

SLICES = re.compile(r"nvidia\.com/mig-(\d+)g\.")


def others(case: Case, spot: Spot, name: str, asked: int) -> Iterator[Candidate]:
    """Resources of the same kind that this node has enough of."""
    used = case.snapshot.load(spot.node.name).requested
    for other, total in sorted(spot.node.allocatable.items()):
        meant = is_near_resource(name, other) and not case.offered(name)
        # a slip is corrected also where what was meant is taken: it may be the first of two steps
        if other == name or not is_extended(other) or total - (0 if meant else used.get(other, 0)) < asked:
            continue
        if is_near_resource(name, other) or other.partition("/")[0] == name.partition("/")[0]:
            yield ask(case, spot, name, other, asked)


def only_shares(case: Case, name: str) -> bool:
    """Whether there's nothing but shares of one GPU on each node that has any: nobody can have meant several GPUs."""
    offering = [node for node in case.snapshot.nodes.values() if node.allocatable.get(name)]
    return all(one_gpu_in_shares(name, node) for node in offering)


def ask(case: Case, spot: Spot, name: str, other: str, amount: int) -> Candidate:
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
        before = sum(one.requests[name] for one in touched)
        title = f"Ask for {amount} {name} instead of {before}"
        if only_shares(case, name):
            risk, rank = Risk("low", "the workload must not count on several GPUs: it never had them there"), 9.0
            title += f": on {spot.node.name} all are shares of one GPU by time-slicing, and more of them give no more"
        else:
            title += f" ({amount} free on {spot.node.name})"
    elif slip:
        risk, rank = Risk("low", "the original looks like a slip"), 6.0
        title = f"Ask for {other} (not {name})"
    else:
        asked_size, compared = resource_size(name, spot.node), size
        if asked_size is None and (nominal := nominal_mib(name)) is not None:
            # names say round numbers, nodes what is left of them: like is compared with like
            asked_size, compared = nominal, nominal_mib(other) or size
        sliced = name == "nvidia.com/gpu" and other.startswith("nvidia.com/mig-")
        here = gpus_of(spot.node)
        same = other == GPU and here is not None and name == f"{MIG_PREFIX}{here.label.mig_profile}"
        smaller = sliced or (compared is not None and asked_size is not None and compared < asked_size)
        memory = f" with {size} MiB each" if size is not None else ""
        risk = (
            Risk("low", f"{spot.node.name} counts these instances as {other} (MIG strategy single): they're the same")
            if same
            else Risk("high", "a slice of a GPU instead of a whole one: the model may not fit")
            if sliced
            else Risk(
                "high", f"less memory than was asked for ({compared} against {asked_size} MiB): the model may not fit"
            )
            if smaller
            else Risk("medium", "takes a larger share of a GPU than was asked for")
            if compared is not None and asked_size is not None and compared > asked_size
            else Risk("medium", "another kind of device than was asked for")
        )
        rank = 6.0 if same else (32.0 if smaller else 22.0) + _apart(compared, asked_size)
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


def without(case: Case, spot: Spot, name: str) -> Iterator[Candidate]:
    """Of a pod whose containers ask for devices together: one that asks for none."""
    short, together = spot.short_of()[name], [one for one in running(case.pod) if one.requests.get(name)]
    for nth, left in enumerate(together if len(together) > 1 else ()):
        if short.asked - left.requests[name] > short.free or left.name not in own_containers(case):
            continue
        none = {"name": left.name, "resources": {"requests": {name: None}, "limits": {name: None}}}

        def less(one: Container, out: str = left.name) -> Container:
            if one.name != out:
                return one
            kept = [{key: each for key, each in of.items() if key != name} for of in (one.requests, one.limits)]
            return replace(one, requests=kept[0], limits=kept[1])

        def changed(pod: Pod, less: Callable[[Container], Container] = less) -> Pod:
            return replace(
                pod, containers=tuple(map(less, pod.containers)), init_containers=tuple(map(less, pod.init_containers))
            )

        yield Candidate(
            kind="fewer-devices",
            target="pod",
            title=f"Ask for no {name} in container {left.name}",
            changes=changes.pod_spec(
                case.owner, case.pod.name, {"initContainers" if left.sidecar else "containers": [none]}
            ),
            apply=on_pod(changed),
            risk=Risk("high", f"{left.name} must be able to work without a device of its own"),
            rank=33 - nth / 10,  # what stands later is more often the helper
            node=spot.node.name,
            cures=name,
        )


def meant_by(name: str, other: str) -> bool:
    """A slip for another name: a near one, and of MIG instances one with as many compute slices."""
    ours, theirs = (found[1] if (found := SLICES.match(one)) else "" for one in (name, other))
    return ours == theirs and is_near_resource(name, other)


def _apart(size: int | None, asked: int | None) -> float:
    """How far a size is from the one that was asked for: 1 for twice or half as much; nearest first."""
    return min(9.0, abs(log2(size / asked))) if size and asked else 9.0
