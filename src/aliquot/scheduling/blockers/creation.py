"""Pods that a workload should have and that the API server refused: quotas, limits and other admission."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from aliquot.kube.conditions import Condition
from aliquot.kube.pod import Container, Pod
from aliquot.kube.quotas import LimitRange, Limits, ResourceQuota, quota_resource
from aliquot.kube.workload import Workload
from aliquot.scheduling.blockers.blocker import (
    Blocker,
    Evidence,
    ObjectRef,
    condition_evidence,
    event_evidence,
    newest,
    workload_ref,
)
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.snapshot import Snapshot
from aliquot.units.quantity import parse_milli, parse_value

_QUOTA = re.compile(r"exceeded quota: ([^,]+), requested: (.+?), used: (.+?), limited: (.+)")
_UNSPECIFIED = re.compile(r"failed quota: ([^:]+): must specify (.+)")
_LIMITS = re.compile(r"(?:maximum|minimum|ratio) .*? (?:usage|limit|to request).*? per (Container|Pod)")
_ACCOUNT = re.compile(r'error looking up service account [^/\s]+/\S+: serviceaccount "([^"]+)" not found')
_PRIORITY = re.compile(r"no PriorityClass with name (\S+) was found")
_RUNTIME = re.compile(r'RuntimeClass(?:\.node\.k8s\.io)? "([^"]+)" not found')
_WEBHOOK = re.compile(r'(?:failed calling|admission) webhook "([^"]+)"')


def creation_blockers(snapshot: Snapshot, workload: Workload) -> Iterator[Blocker]:
    """Of a workload that lacks pods: what its controller was told; if it says nothing, what quotas and limits say."""
    if workload.suspended or workload.complete or not _lacks(snapshot, workload):
        return
    # A Deployment's ReplicaSets make its pods, and are told.
    parts = [workload, *snapshot.owned(workload.kind, workload.meta.namespace, workload.meta.name)]
    found = list(_told(snapshot, parts))
    yield from found
    if not found and workload.template is not None:
        yield from quota_refusals(snapshot, workload.template, workload_ref(workload))
        yield from limit_refusals(snapshot, workload.template, workload_ref(workload))


def _lacks(snapshot: Snapshot, workload: Workload) -> bool:
    wanted = workload.counts.desired if workload.kind == "DaemonSet" else workload.replicas
    if workload.kind == "Job":
        wanted = workload.parallelism if workload.parallelism is not None else 1
    if wanted is None:
        return False
    pods = snapshot.pods_of(workload.kind, workload.meta.namespace, workload.meta.name)
    return sum(1 for pod in pods if not pod.terminating and not pod.terminal) < wanted


def _told(snapshot: Snapshot, parts: list[Workload]) -> Iterator[Blocker]:
    texts: dict[str, None] = {}
    top = workload_ref(parts[0])
    for part in parts:
        ref = workload_ref(part)
        events = snapshot.events_about(part.kind, part.meta.namespace, part.meta.name)
        last = newest(event for event in events if event.reason == "FailedCreate")
        conditions = [one for one in part.conditions if _failed(one)]
        said: list[Evidence] = [event_evidence(last)] if last else []
        said += [condition_evidence(ref, one) for one in conditions]
        for text in dict.fromkeys([last.message] if last else [one.message for one in conditions]):
            if text not in texts:
                texts[text] = None
                yield parsed(snapshot, text, part.meta.namespace, (top, ref) if ref != top else (top,), tuple(said))


def _failed(condition: Condition) -> bool:
    return condition.type == "ReplicaFailure" and condition.status == "True"


def parsed(
    snapshot: Snapshot, text: str, namespace: str, others: tuple[ObjectRef, ...], evidence: tuple[Evidence, ...]
) -> Blocker:
    """What an answer of the API server means."""
    if (found := _QUOTA.search(text)) is not None:
        return _quota(snapshot, found, namespace, others, evidence)
    if (found := _UNSPECIFIED.search(text)) is not None:
        ref = ObjectRef("ResourceQuota", namespace, found[1])
        return Blocker(
            kind="quota-unspecified", stage="creation", object=ref, others=others, evidence=evidence, subject=found[2]
        )
    for pattern, kind, space in (
        (_ACCOUNT, "ServiceAccount", namespace),
        (_PRIORITY, "PriorityClass", ""),
        (_RUNTIME, "RuntimeClass", ""),
    ):
        if (found := pattern.search(text)) is not None:
            ref = ObjectRef(kind, space, found[1])
            return Blocker(kind="missing-object", stage="creation", object=ref, others=others, evidence=evidence)
    if (found := _LIMITS.search(text)) is not None:
        ranges = [one for one in snapshot.objects(LimitRange).values() if one.meta.namespace == namespace]
        ref = ObjectRef("LimitRange", namespace, ranges[0].meta.name if len(ranges) == 1 else "")
        return Blocker(
            kind="limit-range", stage="creation", object=ref, others=others, evidence=evidence, subject=found[1]
        )
    webhook = _WEBHOOK.search(text)
    ref = ObjectRef("Webhook", "", webhook[1]) if webhook else others[-1]
    return Blocker(kind="failed-create", stage="creation", object=ref, others=others, evidence=evidence)


def _quota(
    snapshot: Snapshot,
    found: "re.Match[str]",
    namespace: str,
    others: tuple[ObjectRef, ...],
    evidence: tuple[Evidence, ...],
) -> Blocker:
    ref = ObjectRef("ResourceQuota", namespace, found[1])
    resource = found[2].partition("=")[0].strip()
    quota = snapshot.objects(ResourceQuota).get(f"{namespace}/{found[1]}")
    asked, used, limit = (_named(part, resource) for part in found.groups()[1:])
    return Blocker(
        kind="quota-exceeded",
        stage="creation",
        object=ref,
        others=others,
        evidence=evidence,
        subject=resource,
        asked=asked,
        used=quota.used.get(resource) if quota else used,
        limit=quota.hard.get(resource) if quota else limit,
    )


def _named(amounts: str, resource: str) -> int | None:
    """One of `a=1,b=2Gi`, in the scheduler's units; None: it isn't there, or no amount."""
    for part in amounts.split(","):
        name, _, text = part.strip().partition("=")
        if name == resource:
            try:
                return parse_milli(text) if quota_resource(name) == "cpu" else parse_value(text)
            except ValueError:
                return None
    return None


def quota_refusals(snapshot: Snapshot, pod: Pod, *others: ObjectRef) -> Iterator[Blocker]:
    """The quotas that a further pod like this one would exceed, each with the first resource of it."""
    asked = _asked(pod)
    for quota in snapshot.objects(ResourceQuota).values():
        if quota.meta.namespace != pod.namespace or not quota.known or not _in_scope(quota, pod):
            continue
        for name, hard in quota.hard.items():
            more, used = asked.get(name, 0), quota.used.get(name, 0)
            if more > 0 and used + more > hard:
                ref = ObjectRef("ResourceQuota", quota.meta.namespace, quota.meta.name)
                yield Blocker(
                    kind="quota-exceeded",
                    stage="creation",
                    object=ref,
                    others=others,
                    evidence=(Evidence(source="reckoned", about=ref),),
                    subject=name,
                    asked=more,
                    used=used,
                    limit=hard,
                )
                break


def charged(snapshot: Snapshot, pod: Pod) -> Snapshot:
    """With a further pod like this one counted by the quotas that hold for it."""
    asked = _asked(pod)
    for quota in list(snapshot.objects(ResourceQuota).values()):
        if quota.meta.namespace == pod.namespace and quota.known and _in_scope(quota, pod):
            used = {name: quota.used.get(name, 0) + asked.get(name, 0) for name in quota.hard}
            snapshot = snapshot.with_object(replace(quota, used={**quota.used, **used}))
    return snapshot


def _asked(pod: Pod) -> Mapping[str, int]:
    """By the names that quotas use."""
    found: dict[str, int] = {"pods": 1, "count/pods": 1}
    for name, amount in effective_request(pod).items():
        found[f"requests.{name}"] = amount
        if name in {"cpu", "memory", "ephemeral-storage"}:
            found[name] = amount
    for container in pod.containers:
        for name, amount in container.limits.items():
            key = f"limits.{name}"
            found[key] = found.get(key, 0) + amount
    return found


def _in_scope(quota: ResourceQuota, pod: Pod) -> bool:
    """Whether a quota counts such pods. What can't be told here (Terminating, ...) is taken not to."""
    bare = not any(container.requests or container.limits for container in (*pod.containers, *pod.init_containers))
    for scope in quota.scopes:
        if scope not in {"BestEffort", "NotBestEffort", "NotTerminating"}:
            return False
        if (scope == "BestEffort" and not bare) or (scope == "NotBestEffort" and bare):
            return False
    for one in quota.scope_selector:
        if one.key != "PriorityClass":
            return False
        inside = pod.priority_class in one.values
        holds = {"In": inside, "NotIn": not inside, "Exists": bool(pod.priority_class)}
        if not holds.get(one.operator, not pod.priority_class):
            return False
    return True


def limit_refusals(snapshot: Snapshot, pod: Pod, *others: ObjectRef) -> Iterator[Blocker]:
    """The first limit of each LimitRange that a container breaks, with the range's own defaults filled in."""
    for there in snapshot.objects(LimitRange).values():
        if there.meta.namespace != pod.namespace:
            continue
        broken = next(
            (found for limits in there.limits if limits.kind == "Container" for found in _broken(limits, pod)), None
        )
        if broken is not None:
            ref = ObjectRef("LimitRange", there.meta.namespace, there.meta.name)
            container, resource, amount, bound = broken
            evidence = Evidence(source="reckoned", about=ref, reason=container.name)
            yield Blocker(
                kind="limit-range",
                stage="creation",
                object=ref,
                others=others,
                evidence=(evidence,),
                subject=resource,
                asked=amount,
                limit=bound,
            )


def _broken(limits: Limits, pod: Pod) -> Iterator[tuple[Container, str, int, int]]:
    for container in (*pod.init_containers, *pod.containers):
        upper = {**limits.default, **container.limits}
        asked = {**limits.default_request, **container.requests}
        for name, most in limits.most.items():
            amount = max(upper.get(name, 0), asked.get(name, 0))
            if amount > most:
                yield container, name, amount, most
        for name, least in limits.least.items():
            amount = asked.get(name, upper.get(name, 0))
            if amount < least:
                yield container, name, amount, least
