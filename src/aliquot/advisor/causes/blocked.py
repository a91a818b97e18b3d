"""Causes beside the scheduler's filters: what stops a pod from being made, let in, scheduled or started."""

from collections.abc import Mapping, Sequence

from aliquot.advisor.amounts import about
from aliquot.advisor.causes.cause import Cause, Kind, listed, number
from aliquot.advisor.owners import owner_of
from aliquot.kube.pod import Pod
from aliquot.kube.queueing import GROUP as KUEUE
from aliquot.kube.queueing import QUEUE_LABEL, LocalQueue
from aliquot.kube.storage import StorageClass
from aliquot.scheduling.blockers.blocker import Blocker, Evidence
from aliquot.scheduling.blockers.groups import group_of
from aliquot.scheduling.outcome import GangState
from aliquot.snapshot.snapshot import Snapshot

KINDS: Mapping[str, Kind] = {
    "quota-exceeded": "quota",
    "quota-unspecified": "quota",
    "limit-range": "not-created",
    "failed-create": "not-created",
    "claim-missing": "volume",
    "claim-unbound": "volume",
    "claim-lost": "volume",
    "volume-missing": "volume",
    "missing-object": "reference-missing",
    "image-pull": "image",
    "container-crash": "image",
    "container-config": "reference-missing",
    "mount-failed": "volume",
    "sandbox-failed": "other",
    "scheduler-absent": "scheduler",
    "scheduler-crashing": "scheduler",
    "other-scheduler": "scheduler",
    "driver-down": "driver",
    "group-missing": "gang",
    "group-waiting": "gang",
}


def of_blocker(snapshot: Snapshot, blocker: Blocker, pod: Pod) -> Cause:
    """In one sentence, with the objects that make it."""
    kind: Kind = "queue" if blocker.stage == "queue" else KINDS.get(blocker.kind, "other")
    doubt = "" if blocker.certain else " (as far as the input shows)"
    objects = (
        blocker.object.name,
        *(one.name for one in blocker.others),
        *([blocker.subject] if blocker.subject else []),
    )
    return Cause(kind, f"{_words(snapshot, blocker, pod)}{doubt}.", objects)


def _words(snapshot: Snapshot, one: Blocker, pod: Pod) -> str:
    name, said = one.object.name, _said(one.evidence)
    meant = f"; {one.nearest} is probably meant" if one.nearest else ""
    match one.kind:
        case "quota-exceeded":
            amounts = ""
            if one.limit is not None:
                asked, used, limit = (_amount(one, amount) for amount in (one.asked, one.used, one.limit))
                amounts = f": {one.subject} {asked} asked, {used} used of {limit}"
            who = one.others[0].name if one.others else pod.name
            return f"The pods of {who} aren't created: exceeded quota, ResourceQuota {name}{amounts}"
        case "quota-unspecified":
            who = one.others[0].name if one.others else pod.name
            told = listed([unset(part) for part in one.subject.split(";")])
            return f"The pods of {who} aren't created: ResourceQuota {name} demands amounts that aren't set: {told}"
        case "limit-range":
            return f"Its pods aren't created: LimitRange {name} forbids them{said}"
        case "failed-create":
            return f"Its pods aren't created{said}"
        case "claim-missing":
            return f'Its PersistentVolumeClaim {name} doesn\'t exist (persistentvolumeclaim "{name}" not found)'
        case "claim-unbound":
            absent = any(item.source == "absence" for item in one.evidence)
            there = one.subject in snapshot.objects(StorageClass)
            unread = "which exists" if there else "of which the input says nothing"
            why = (
                f"its StorageClass {one.subject} doesn't exist{meant}"
                if absent
                else f"its StorageClass is {one.subject}, {unread}"
            )
            tail = f": {why}" if one.subject else ", without a StorageClass"
            return f"Its PersistentVolumeClaim {name} is pending, unbound{tail}"
        case "claim-lost":
            return f"Its PersistentVolumeClaim {name} has lost its volume"
        case "volume-missing":
            return f"PersistentVolume {name}, to which its claim is bound, doesn't exist"
        case "missing-object":
            return f"{one.object.kind} {name}, which it names, doesn't exist{meant}"
        case "image-pull":
            return f"Its image {one.subject} can't be pulled: {_reason(one)}{said}"
        case "container-crash":
            return f"Its container {one.subject} keeps ending: {_reason(one)}, {one.used or 0} restarts{said}"
        case "container-config":
            return f"Its container {one.subject} can't be made: {_reason(one)}{said}"
        case "mount-failed" | "sandbox-failed":
            return f"It can't be started on its node: {one.subject}{said}"
        case "scheduler-absent":
            return (
                f"It asks for the scheduler {one.subject}, and no pod of it is in the input, so nobody seems to "
                f"schedule it{meant}"
            )
        case "scheduler-crashing":
            return f"Nothing schedules it: {name} is in {_reason(one)} ({one.used or 0} restarts){said}"
        case "other-scheduler":
            group = group_of(snapshot, pod)
            several = group is not None and (group.least or 0) > 1
            gang = f", and PodGroup {group.meta.name} wants {group.least} pods to start together" if group else ""
            return f"It's the scheduler {name}'s to place, not kube-scheduler's{gang if several else ''}{said}"
        case "driver-down":
            return _driver(snapshot, one)
        case "group-missing":
            return f"Its group {one.object} doesn't exist"
        case "group-waiting":
            least = f" (needs {one.limit} together)" if one.limit else ""
            return f"Its group {name} waits{least}{said}"
        case "queue-missing" if any(item.source == "absence" for item in one.evidence):
            return f"{one.object.kind} {name}, which it names, doesn't exist{meant or _queues_there(snapshot, one)}"
        case _ if one.object.kind == f"Workload.{KUEUE}":
            why = said or f": {one.kind.replace('-', ' ')}"
            return f"Kueue hasn't admitted it (Workload {name}){why}"
        case _ if one.object.kind == "Pod" and one.stage == "queue":
            queue = queue_of(snapshot, pod)
            if not queue:
                return f"Kueue hasn't admitted it: it names no queue, and no Workload of it is in the input{said}"
            return f"Kueue hasn't admitted it to LocalQueue {queue}: no Workload of it is in the input{said}"
        case _:
            return f"{one.object.kind} {name} holds it back: {one.kind.replace('-', ' ')}{said}"


def unset(part: str) -> str:
    """`requests.cpu for: a,b`, of a quota that demands it -> `requests.cpu of containers a and b`."""
    amount, _, names = part.strip().partition(" for: ")
    containers = [name for name in names.split(",") if name]
    if not containers:
        return amount
    return f"{amount} of container{'' if len(containers) == 1 else 's'} {listed(containers)}"


def _queues_there(snapshot: Snapshot, one: Blocker) -> str:
    """Of a LocalQueue that isn't there those that are, in its namespace."""
    if one.object.kind != "LocalQueue":
        return ""
    names = sorted(
        queue.meta.name
        for queue in snapshot.objects(LocalQueue).values()
        if queue.meta.namespace == one.object.namespace
    )
    return f" (there {'is' if len(names) == 1 else 'are'} {listed(names)})" if names else ""


def queue_of(snapshot: Snapshot, pod: Pod) -> str:
    """Kueue's LocalQueue that the pod or its owner names; empty: none."""
    owner = owner_of(snapshot, pod)
    workload = snapshot.workloads.get(f"{owner.kind}/{owner.namespace}/{owner.name}")
    labels: Mapping[str, str] = workload.meta.labels if workload is not None else {}
    return pod.meta.labels.get(QUEUE_LABEL) or labels.get(QUEUE_LABEL, "")


def _driver(snapshot: Snapshot, one: Blocker) -> str:
    pods: list[str] = []
    for item in one.evidence:
        if item.about.kind == "Pod" and item.reason:
            there = snapshot.pods.get(f"{item.about.namespace}/{item.about.name}")
            pods.append(
                f"{item.about.name}{f' on {there.node_name}' if there and there.node_name else ''} {item.reason}"
            )
    selection = [item.message for item in one.evidence if item.reason == "nodeSelector"]
    state = f"{one.used or 0} of {number(one.limit or 0, 'pod')} ready"
    why = f": {listed(pods)}" if pods else ""
    if selection:
        why = f": no node has the label {listed(selection)} that it selects"
    return f"The driver of {one.subject} doesn't run: DaemonSet {one.object.namespace}/{one.object.name}, {state}{why}"


def of_gang(gang: GangState) -> Cause:
    """A pod of a group that is placed together or not at all."""
    name = gang.group.rpartition("/")[2]
    if gang.members < gang.least:
        sentence = (
            f"Its gang {name} has {gang.members} of {number(gang.least, 'pod')} (minCount): it waits for the others."
        )
    else:
        sentence = (
            f"Its gang {name} is placed together or not at all: {gang.least} pods must be (minCount), and there's room "
            f"for {gang.placed}."
        )
    return Cause("gang", sentence, (gang.group, name))


def autoscaler_words(blockers: Sequence[Blocker]) -> str:
    """What an autoscaler says of a pending pod; starts with a blank; empty: nothing."""
    for one in blockers:
        if one.kind == "autoscaler":
            reasons = ", ".join(f"{count} {text}" for count, text in one.reasons)
            message = reasons or next((item.message for item in one.evidence), "")
            event = next((item.reason for item in one.evidence if item.reason), "")
            return f" {one.object.name} adds no node ({event}: {message})."
    return ""


def _amount(one: Blocker, amount: int | None) -> str:
    resource = one.subject.removeprefix("requests.").removeprefix("limits.")
    return about(resource, amount) if amount is not None else "?"


def _reason(one: Blocker) -> str:
    return next((item.reason for item in one.evidence if item.reason), one.kind)


def _said(evidence: Sequence[Evidence]) -> str:
    """The newest words: `: back-off pulling image`."""
    message = next((item.message for item in evidence if item.message), "")
    return f": {message.strip().rstrip('.')}" if message else ""
