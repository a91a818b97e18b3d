"""Ways past taken devices: stop a workload that holds some, or move one to another node."""

from collections.abc import Iterator
from dataclasses import replace

from aliquot.advisor import changes
from aliquot.advisor.case import Case, Spot, is_extended
from aliquot.advisor.owners import OwnerRef, owner_of, pods_of
from aliquot.advisor.wayout import Candidate, Change, Risk, Trial
from aliquot.kube.pod import Pod
from aliquot.scheduling.outcome import Placement
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.snapshot import Snapshot

MOVES_PER_NODE = 3
"""Each move costs a scheduling decision for the pod that moves."""


def holders(snapshot: Snapshot, node: str, resources: frozenset[str]) -> list[Pod]:
    """Pods on a node that hold any of these resources: least important first, then youngest first."""
    found = [
        pod
        for pod in snapshot.pods_on(node)
        if not pod.terminal and any(effective_request(pod).get(name) for name in resources)
    ]
    found.sort(key=lambda pod: pod.key)
    found.sort(key=lambda pod: pod.started or pod.meta.created or "", reverse=True)
    return sorted(found, key=lambda pod: pod.priority)


def cures(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Stop one workload (all its pods: a controller would bring a single one back); or move one pod."""
    short = frozenset(name for name in spot.short_of() if is_extended(name))
    if not short:
        return
    held = holders(case.snapshot, spot.node.name, short)
    owners: dict[OwnerRef, list[Pod]] = {}
    for pod in held:
        if not pod.terminating:
            owners.setdefault(owner_of(case.snapshot, pod), []).append(pod)
    owners.pop(case.owner, None)
    for owner in owners:
        yield _stop(case, spot, owner, short)
    for pod in held[:MOVES_PER_NODE]:
        if pod.meta.controller is not None and not pod.terminating:
            yield from _move(case, spot, pod, short)


def _stop(case: Case, spot: Spot, owner: OwnerRef, short: frozenset[str]) -> Candidate:
    pods = pods_of(case.snapshot, owner)
    keys = tuple(pod.key for pod in pods)
    most = max(pod.priority for pod in pods)
    held = sum(effective_request(pod).get(name, 0) for pod in pods if pod.node_name for name in short)
    verb = (
        "Delete" if owner.kind in ("Pod", "DaemonSet") else "Suspend" if owner.kind in ("Job", "CronJob") else "Scale"
    )
    to = " to 0" if verb == "Scale" else ""
    many = f", {len(pods)} pods" if len(pods) > 1 else ""
    lower = most < case.pod.priority
    return Candidate(
        kind="free-device",
        target=owner.short,
        title=f"{verb} {owner.short} in {owner.namespace}{to}: it holds {held} of {', '.join(sorted(short))}{many}",
        changes=(changes.stop(owner, tuple(pod.name for pod in pods)),),
        apply=lambda trial: Trial(trial.snapshot.without_pods(keys), trial.pod),
        risk=Risk(
            "medium" if lower else "high",
            f"{owner.short} no longer runs"
            + (f" (priority {most}, lower than this pod's {case.pod.priority})" if lower else f" (priority {most})"),
        ),
        rank=50 + (0 if lower else 8) + min(len(pods), 10) / 10,
        node=spot.node.name,
        cures=min(short),
        stops=tuple(pod.key for pod in pods if pod.node_name),
    )


def _move(case: Case, spot: Spot, pod: Pod, short: frozenset[str]) -> Iterator[Candidate]:
    """To another node that has room for it; it comes back there while this one is cordoned."""
    loose = replace(pod, node_name="", nominated_node="")
    emptied = case.snapshot.without_pods((pod.key,))
    aside = emptied.with_node(replace(spot.node, unschedulable=True))
    decision = case.judge.decide(aside, loose)
    if not isinstance(decision, Placement) or not decision.nodes:
        return
    target = min(decision.nodes)
    node, namespace = spot.node.name, pod.namespace
    moved = replace(pod, node_name=target)
    owner = owner_of(case.snapshot, pod)
    yield Candidate(
        kind="move",
        target=owner.short,
        title=f"Move {pod.key} to {target}, which has room for it",
        changes=(
            Change(
                owner.full,
                f"kubectl cordon {node} && kubectl delete pod {pod.name} -n {namespace}"
                f" && kubectl wait --for=condition=PodScheduled pod -n {namespace} -l {_label_of(pod)}"
                f" && kubectl uncordon {node}",
            ),
        ),
        apply=lambda trial: Trial(trial.snapshot.without_pods((moved.key,)).with_pod(moved), trial.pod),
        risk=Risk("medium", f"{pod.key} restarts on {target}"),
        rank=28,
        node=node,
        cures=min(short),
    )


def _label_of(pod: Pod) -> str:
    """A selector of the pod's siblings."""
    for key in ("pod-template-hash", "app", "app.kubernetes.io/name", "controller-revision-hash"):
        if value := pod.meta.labels.get(key):
            return f"{key}={value}"
    key, value = next(iter(sorted(pod.meta.labels.items())), ("", ""))
    return f"{key}={value}" if key else "app"
