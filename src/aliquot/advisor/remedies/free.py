"""Ways past taken devices: stop a workload that holds some, or move one to another node."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace

from aliquot.advisor import scaling
from aliquot.advisor.case import Case, Spot, is_extended
from aliquot.advisor.causes.cause import listed
from aliquot.advisor.owners import OwnerRef, owner_of
from aliquot.advisor.wayout import Candidate, Change, Risk, Trial
from aliquot.kube.pod import Pod
from aliquot.scheduling.binding import without_pods
from aliquot.scheduling.outcome import Placement
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.snapshot import Snapshot

SYSTEM_PRIORITY = 2_000_000_000
"""system-cluster-critical and above."""
PAUSE = re.compile(r"(?:^|/)pause(?:-[a-z0-9]+)?(?:[:@]|$)")
MOST_TOGETHER = 3
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


def placeholder(pod: Pod) -> bool:
    """It only holds room (overprovisioning): all that it runs is the pause image."""
    return bool(pod.containers) and all(PAUSE.search(one.image) for one in pod.containers)


def stoppable(pod: Pod) -> bool:
    """A person may stop it: it isn't leaving already, isn't a part of the system, and isn't a node's static pod."""
    controller = pod.meta.controller
    return not (
        pod.terminating
        or pod.priority >= SYSTEM_PRIORITY
        or pod.namespace == "kube-system"
        or (controller is not None and controller.kind == "Node")
    )


def cures(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Stop as few pods of one workload as it takes, or of several; or move one pod."""
    short = frozenset(name for name in spot.short_of() if is_extended(name))
    if not short:
        return
    yield from _leaving(case, spot, short)
    held = [pod for pod in holders(case.snapshot, spot.node.name, short) if stoppable(pod)]
    owners = list(dict.fromkeys(owner_of(case.snapshot, pod) for pod in held))
    stops: list[Candidate] = []
    for owner in owners:
        if owner != case.owner:
            mine = [pod for pod in held if owner_of(case.snapshot, pod) == owner]
            stops.append(_stop(case, spot, owner, _fewest(spot, mine), short))
    yield from stops
    if len(stops) > 1:
        yield from _several(case, spot, stops[:MOST_TOGETHER])
    for pod in held[:MOVES_PER_NODE]:
        controller = pod.meta.controller
        if controller is not None and controller.kind not in ("Job", "DaemonSet"):
            yield from _move(case, spot, pod, short)


def _leaving(case: Case, spot: Spot, short: frozenset[str]) -> Iterator[Candidate]:
    """Those that are being deleted already: they go by themselves, or something keeps them."""
    pods = [pod for pod in holders(case.snapshot, spot.node.name, short) if pod.terminating]
    if not pods:
        return
    keys = tuple(pod.key for pod in pods)
    first = pods[0]
    where = f"{shlex.quote(first.name)} -n {shlex.quote(first.namespace)}"
    finalizers = listed(list(dict.fromkeys(name for pod in pods for name in pod.meta.finalizers)))
    back = ""
    if spot.node.ready is False:
        back = "# no undo: it's deleted already; its controller, if it has one, makes another"
        title = f"Take {listed(keys)} away, deleted already: {spot.node.name} isn't ready to do it"
        command = f"kubectl delete pod {where} --force --grace-period=0"
        risk = Risk("high", f"its containers may still run on {spot.node.name}, and write to their volumes")
    elif finalizers:
        title = f"See to it that {listed(keys)} goes: it's being deleted, and finalizer {finalizers} keeps it"
        command = f"kubectl get pod {where} -o jsonpath='{{.metadata.finalizers}}'  # does its controller run?"
        risk = Risk("low", "the controller that owns the finalizer takes it away when its work is done")
    else:
        title = f"Wait for {listed(keys)} to go: {'it is' if len(keys) == 1 else 'they are'} being deleted"
        command = f"kubectl wait --for=delete pod/{where} --timeout=10m"
        risk = Risk("low", "it ends anyway")
    yield Candidate(
        kind="free-device",
        target=f"pod/{first.name}",
        title=title,
        changes=(Change(f"pod {first.key}", command, undo=back),),
        apply=lambda trial: Trial(without_pods(trial.snapshot, keys), trial.pod),
        risk=risk,
        rank=4 if risk.level == "low" else 52,
        node=spot.node.name,
        cures=min(short),
        stops=keys,
    )


def _fewest(spot: Spot, pods: list[Pod]) -> list[Pod]:
    """As few of these pods as it takes, the least important first; all of them, where even that isn't enough."""
    needs = {name: short.missing for name, short in spot.short_of().items()}
    gone: list[Pod] = []
    for pod in pods:
        if all(amount <= 0 for amount in needs.values()):
            break
        request = effective_request(pod)
        if any(request.get(name) and needs[name] > 0 for name in needs):
            gone.append(pod)
            needs = {name: amount - request.get(name, 0) for name, amount in needs.items()}
    return gone or pods


def _several(case: Case, spot: Spot, stops: list[Candidate]) -> Iterator[Candidate]:
    """As many as it takes, the least important first, where one by itself isn't enough."""
    trial = case.trial
    for count, stop in enumerate(stops, 1):
        trial = stop.apply(trial)
        if case.scheduler.fits(trial.snapshot, trial.pod, spot.node.name):
            if count > 1:
                yield _together(stops[:count])
            return


def _together(stops: list[Candidate]) -> Candidate:
    def apply(trial: Trial) -> Trial:
        for stop in stops:
            trial = stop.apply(trial)
        return trial

    return replace(
        stops[0],
        kind="combined",
        target="+".join(stop.target for stop in stops),
        title="; ".join(stop.title for stop in stops),
        changes=tuple(change for stop in stops for change in stop.changes),
        apply=apply,
        risk=Risk("high", "; ".join(stop.risk.text for stop in stops)),
        rank=sum(stop.rank for stop in stops),
        stops=tuple(key for stop in stops for key in stop.stops),
    )


def _stop(case: Case, spot: Spot, owner: OwnerRef, wanted: list[Pod], short: frozenset[str]) -> Candidate:
    made = scaling.stop(case.snapshot, owner, wanted)
    pods = made.gone
    keys = tuple(pod.key for pod in pods)
    most = max(pod.priority for pod in pods)
    held = sum(effective_request(pod).get(name, 0) for pod in pods if pod.node_name for name in short)
    lower = most < case.pod.priority
    workload = case.snapshot.workloads.get(f"{owner.kind}/{owner.namespace}/{owner.name}")
    complete = workload is not None and workload.complete
    idle = lower and all(map(placeholder, pods))
    names = ", ".join(pod.name for pod in pods[:2]) + (f" and {len(pods) - 2} more" if len(pods) > 2 else "")
    what = f"{names} {'holds' if len(pods) == 1 else 'hold'} {held} of {', '.join(sorted(short))}"
    who = f"{owner.short} no longer runs" if made.ends else f"{owner.short} runs with {len(pods)} fewer"
    why = f"(priority {most}, lower than this pod's {case.pod.priority})" if lower else f"(priority {most})"
    return Candidate(
        kind="free-device",
        target=owner.short,
        title=f"{made.words} in {owner.namespace}: {what}",
        changes=made.changes,
        apply=lambda trial: Trial(without_pods(trial.snapshot, keys), trial.pod),
        risk=Risk("low", f"{owner.short} is complete: its pod has nothing left to do")
        if complete
        else Risk("low", "placeholders hold room for others and do nothing else: they're made to give way")
        if idle
        else Risk("medium" if lower else "high", f"{who} {why}"),
        rank=9 if complete else 10 if idle else 50 + (0 if lower else 8) + min(len(pods), 40) / 10,
        node=spot.node.name,
        cures=min(short),
        stops=tuple(pod.key for pod in pods if pod.node_name),
    )


def _move(case: Case, spot: Spot, pod: Pod, short: frozenset[str]) -> Iterator[Candidate]:
    """To another node that has room for it; it comes back there while this one is cordoned."""
    loose = replace(pod, node_name="", nominated_node="")
    emptied = case.snapshot.without_pods((pod.key,))
    aside = emptied.with_node(replace(spot.node, unschedulable=True))
    decision = case.scheduler.judge(aside, loose)
    if not isinstance(decision, Placement) or not decision.nodes:
        return
    target = min(decision.nodes)
    node = spot.node.name
    moved = replace(pod, node_name=target)
    owner = owner_of(case.snapshot, pod)
    yield Candidate(
        kind="move",
        target=owner.short,
        title=f"Move {pod.key} to {target}, which has room for it",
        changes=(
            Change(
                owner.full, _moving(owner, pod, node), undo=f"# nothing to undo: {node} takes pods again afterwards"
            ),
        ),
        apply=lambda trial: Trial(trial.snapshot.without_pods((moved.key,)).with_pod(moved), trial.pod),
        risk=Risk("medium", f"{pod.key} restarts on {target}"),
        rank=28,
        node=node,
        cures=min(short),
    )


def _moving(owner: OwnerRef, pod: Pod, node: str) -> str:
    """Cordon the node while the controller makes the pod anew elsewhere; uncordon it whatever happens."""
    where, namespace = shlex.quote(node), shlex.quote(pod.namespace)
    settled = (
        f"kubectl rollout status {owner.kind.lower()}/{shlex.quote(owner.name)} -n {namespace} --timeout=2m"
        if owner.kind in ("Deployment", "StatefulSet", "DaemonSet")
        else "sleep 30"
    )
    delete = f"kubectl delete pod {shlex.quote(pod.name)} -n {namespace}"
    return f"kubectl cordon {where} && {delete}; {settled}; kubectl uncordon {where}"
