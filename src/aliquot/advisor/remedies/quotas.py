"""A way out of an exceeded quota: raised for every pod that is still to be made, with how many of them have room."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import replace

from aliquot.advisor.amounts import about
from aliquot.advisor.case import Case
from aliquot.advisor.causes.cause import number
from aliquot.advisor.manifest.pods import count
from aliquot.advisor.wayout import After, Candidate, Change, Risk, harm
from aliquot.kube.workload import Workload
from aliquot.scheduling.binding import bound
from aliquot.scheduling.blockers.blocker import Blocker
from aliquot.scheduling.outcome import Placement

MOST_PLACED = 64
"""Pods that are placed one after the other to see how many have room."""


def quota(case: Case, one: Blocker) -> Iterator[Candidate]:
    """Raised, where a pod of it has room then."""
    raised = raised_quota(case, one)
    decision = case.scheduler.judge(case.snapshot, case.pod)
    if raised is None or not isinstance(decision, Placement):
        return
    if decision.preemption is not None:
        node, victims = decision.preemption.node, decision.preemption.victims
        evicts = f"{raised.risk.text}; {', '.join(victims)} will be evicted{harm(decision.preemption)}"
        yield replace(raised, node=node, tried=After(node, victims), risk=Risk("high", evicts))
        return
    room, missing = _room(case), _missing_pods(case)
    told = f", and there's room for {room} of them now" if 0 < room < min(missing, MOST_PLACED) else ""
    node = decision.nodes[0]
    yield replace(raised, title=raised.title + told, node=node, tried=After(node))


def raised_quota(case: Case, one: Blocker) -> Candidate | None:
    """As far as all pods need that are still to be made; None: the amounts aren't known. It says nothing of room."""
    if one.kind != "quota-exceeded" or one.limit is None or one.used is None or one.asked is None:
        return None
    missing = _missing_pods(case)
    needed = one.used + one.asked * missing
    resource = one.subject.removeprefix("requests.").removeprefix("limits.")
    name, namespace = one.object.name, one.object.namespace

    def patch(amount: int) -> dict[str, object]:
        return {"spec": {"hard": {one.subject: about(resource, amount)}}}

    def command(amount: int) -> str:
        return (
            f"kubectl patch resourcequota {shlex.quote(name)} -n {shlex.quote(namespace)} --type=merge"
            f" -p {shlex.quote(json.dumps(patch(amount)))}"
        )

    return Candidate(
        kind="raise-quota",
        target=f"resourcequota/{name}",
        title=f"Raise ResourceQuota {name} to {about(resource, needed)} of {one.subject} for"
        f" {number(missing, 'more pod')}",
        changes=(Change(f"resourcequota {namespace}/{name}", command(needed), patch(needed), command(one.limit)),),
        apply=lambda trial: trial,
        risk=Risk("medium", "the namespace may then use more: whoever set the quota should agree"),
        rank=8,
        anywhere=True,
    )


def _missing_pods(case: Case) -> int:
    """Pods that its workload lacks; at least one, since one is refused."""
    owner = case.owner
    workload = case.snapshot.workloads.get(f"{owner.kind}/{owner.namespace}/{owner.name}")
    if workload is None:
        return 1
    have = case.snapshot.pods_of(owner.kind, owner.namespace, owner.name)
    return max(1, _wanted(workload) - sum(1 for pod in have if not pod.terminal and not pod.terminating))


def _wanted(workload: Workload) -> int:
    """Of a Job no more at a time than are left to complete."""
    if workload.kind != "Job" or workload.completions is None:
        return count(workload)
    return min(count(workload), workload.completions - (workload.counts.succeeded or 0))


def _room(case: Case) -> int:
    """How many of the pods still to be made have room beside each other; 0: that can't be told, by claims of their own.

    Those of the workload that were made and wait are placed before them.
    """
    if case.pod.claims or case.pod.scheduling_group:
        return 0
    owner, world = case.owner, case.snapshot
    made = world.pods_of(owner.kind, owner.namespace, owner.name)
    for pod in (one for one in made if not one.node_name and not one.terminal):
        node = case.scheduler.decide(world, pod)
        world = (bound(world, pod, node, case.scheduler) if node is not None else None) or world
    meta = case.pod.meta
    for nth in range(min(_missing_pods(case), MOST_PLACED)):
        pod = replace(case.pod, meta=replace(meta, name=f"{meta.name}-{nth}", uid=f"{meta.uid}-{nth}"))
        node = case.scheduler.decide(world, pod)
        after = bound(world, pod, node, case.scheduler) if node is not None else None
        if after is None:
            return nth
        world = after
    return min(_missing_pods(case), MOST_PLACED)
