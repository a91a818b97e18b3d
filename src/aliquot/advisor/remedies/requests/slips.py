"""An amount that can hardly be meant, corrected."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from aliquot.advisor import changes
from aliquot.advisor.amounts import show
from aliquot.advisor.case import Case, Spot, on_pod
from aliquot.advisor.remedies.requests.containers import own_containers
from aliquot.advisor.slips import Slip, slips
from aliquot.advisor.wayout import Candidate, Risk
from aliquot.kube.pod import Container, Pod


def corrected(case: Case, spot: Spot) -> Iterator[Candidate]:
    """All that are too large here, at once."""
    own, short = own_containers(case), spot.short_of()
    found = [
        one
        for one in slips(case.snapshot, case.pod)
        if one.too_large and one.resource in short and one.container in own
    ]
    if not found:
        return
    changed: dict[str, dict[str, int]] = {}
    for one in found:
        changed.setdefault(one.container, {})[one.resource] = one.meant
    patch = [_patch(container, changed[container.name]) for container in _touched(case.pod.containers, changed)]
    first = [_patch(container, changed[container.name]) for container in _touched(case.pod.init_containers, changed)]
    spec: dict[str, object] = {
        **({"containers": patch} if patch else {}),
        **({"initContainers": first} if first else {}),
    }
    said = ", ".join(dict.fromkeys(map(_instead, found)))
    yield Candidate(
        kind="change-request",
        target="pod",
        title=f"Ask for {said}",
        changes=changes.pod_spec(case.owner, case.pod.name, spec),
        apply=on_pod(lambda pod: _with(pod, changed)),
        risk=Risk("low", "the original looks like a slip"),
        rank=4,
        node=spot.node.name,
        cures="NodeResourcesFit",
    )


def _instead(one: Slip) -> str:
    meant = show(one.resource, one.meant)
    whole = f" ({one.meant}m)" if one.resource == "cpu" and not meant.endswith("m") else ""
    return f"{meant}{whole} of {one.resource} instead of {show(one.resource, one.asked)}"


def _touched(containers: tuple[Container, ...], changed: Mapping[str, object]) -> Iterator[Container]:
    return (one for one in containers if one.name in changed)


def _patch(container: Container, amounts: Mapping[str, int]) -> dict[str, object]:
    requests = {name: show(name, amount) for name, amount in amounts.items()}
    limits = {name: text for name, text in requests.items() if name in container.limits}
    return {"name": container.name, "resources": {"requests": requests, **({"limits": limits} if limits else {})}}


def _with(pod: Pod, changed: Mapping[str, Mapping[str, int]]) -> Pod:
    def less(one: Container) -> Container:
        amounts = changed.get(one.name, {})
        limits = {name: amounts.get(name, amount) for name, amount in one.limits.items()}
        return replace(one, requests={**one.requests, **amounts}, limits=limits)

    return replace(
        pod, containers=tuple(map(less, pod.containers)), init_containers=tuple(map(less, pod.init_containers))
    )
