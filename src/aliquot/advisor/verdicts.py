"""A verdict in one sentence, from the data."""

import re
from collections.abc import Sequence

from aliquot.advisor.alike import Alike
from aliquot.advisor.amounts import about
from aliquot.advisor.case import device_requests, shortage
from aliquot.advisor.causes.cause import listed
from aliquot.advisor.wayout import harm
from aliquot.kube.pod import Pod
from aliquot.scheduling.filters.reason import Reason
from aliquot.scheduling.outcome import Placement
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.snapshot import Snapshot

VALUES_SHOWN = 3
NODES_COUNTED = re.compile(r"0/(\d+) nodes are available")
FILTER_WORDS = {
    "NodeUnschedulable": "cordoned",
    "NodeName": "another node is asked for by name",
    "TaintToleration": "tainted, and the pod doesn't tolerate it",
    "NodeAffinity": "not the kind of node that it selects",
    "NodePorts": "the host port is taken",
    "PodTopologySpread": "would break the topology spread",
    "InterPodAffinity": "would break an affinity or anti-affinity of pods",
    "DynamicResources": "its devices can't serve the pod's claims",
    "VolumeBinding": "a volume of the pod can't be used there",
    "VolumeZone": "a volume of the pod is in another zone",
}


def asks(pod: Pod) -> str:
    """`1 nvidia.com/gpu`, or what else it asks for."""
    wanted = [f"{about(name, amount)} {name}" for name, amount in device_requests(pod).items()]
    if pod.claims:
        names = ", ".join(claim.template_name or claim.claim_name or claim.name for claim in pod.claims)
        wanted.append(f"the devices of {'claim' if len(pod.claims) == 1 else 'claims'} {names}")
    plain = effective_request(pod)
    others = [f"{about(name, plain[name])} of {name}" for name in ("cpu", "memory") if plain.get(name)]
    return " and ".join(wanted) or ", ".join(others) or "nothing in particular"


def why(reason: Reason, group: Alike) -> str:
    """One reason in words, with how much is missing; of a group of nodes, from the least to the most."""
    short = shortage(reason)
    if short is None:
        words = FILTER_WORDS.get(reason.filter, reason.text)
        if reason.filter == "NodeUnschedulable":
            return words
        if reason.filter == "TaintToleration":
            return f"taint {reason.found}: the pod doesn't tolerate it"
        key = (reason.filter, reason.subject, reason.text)
        values = [value for value in group.found.get(key, (reason.found,)) if value]
        have = ", ".join(values[:VALUES_SHOWN]) + (" ..." if len(values) > VALUES_SHOWN else "")
        details = "; ".join(
            part for part in (reason.asked and f"asked: {reason.asked}", have and f"found: {have}") if part
        )
        return f"{words} ({details})" if details else words
    name = short.resource
    least, most = (max(0, one) for one in group.free.get(name, (short.free, short.free)))
    total = group.total.get(name, (short.total, short.total))
    if total[1] == 0:
        return f"offers no {name}"
    return f"{name}: {_span(name, least, most)} free of {_span(name, *total)}, {about(name, short.asked)} asked"


def _span(name: str, least: int, most: int) -> str:
    return about(name, least) if least == most else f"{about(name, least)} to {about(name, most)}"


def placed(pod: Pod, decision: Placement, *, known: bool) -> str:
    """Where it runs, or would; `known`: the node that it's bound to is in the input."""
    if decision.verdict == "running":
        if pod.terminal:
            return f"{pod.key} has ended ({pod.phase})."
        if not known:
            return f"{pod.key} is bound to {pod.node_name}, a node that isn't in the input."
        if pod.phase != "Running":
            return f"{pod.key} is bound to {pod.node_name}; its phase is {pod.phase}: it's the kubelet's turn."
        return f"{pod.key} runs on {pod.node_name}."
    if decision.preemption is not None:
        victims = ", ".join(decision.preemption.victims)
        where = decision.preemption.node
        return f"{pod.key} would be placed on {where} after preempting {victims}{harm(decision.preemption)}."
    count = len(decision.nodes)
    nodes = f"{count} nodes have room" if count > 1 else f"{decision.nodes[0]} has room"
    if decision.not_checked:
        return f"As far as the input shows {pod.key} would be placed: {nodes} for it."
    return f"{pod.key} would be placed: {nodes} for it."


def told(reasons: Sequence[Reason]) -> list[Reason]:
    """Reasons worth telling: a cordon brings a taint of its own, which is no second reason."""
    cordoned = any(reason.filter == "NodeUnschedulable" for reason in reasons)
    return [
        reason
        for reason in reasons
        if not (
            cordoned and reason.filter == "TaintToleration" and reason.subject == "node.kubernetes.io/unschedulable"
        )
    ]


def unchecked_note(snapshot: Snapshot, pod: Pod, decision: Placement) -> str:
    """Of a pod that has room: what the cluster's own message may be about."""
    said = pod.scheduled.message if pod.scheduled is not None and pod.scheduled.status == "False" else ""
    if said and said != decision.message and decision.not_checked:
        return f"The cluster refuses it, perhaps for what isn't checked here: {said}"
    return message_note(snapshot, pod, decision.message)


VOLUME_KINDS = ("PersistentVolumeClaim", "PersistentVolume", "StorageClass")


def volumes_note(snapshot: Snapshot, unchecked: Sequence[str]) -> str:
    """How to take what the input lacks to judge the pod's volumes; empty: nothing of the sort."""
    lacks = [kind for kind in VOLUME_KINDS if kind not in snapshot.kinds]
    if not lacks or not any(what.startswith("volumes:") for what in unchecked):
        return ""
    return (
        f"The input holds no {listed(lacks, last='or')}, so its volumes can't be judged. Take them too: "
        "kubectl get pvc,pv,storageclasses -A -o json"
    )


def message_note(snapshot: Snapshot, pod: Pod, message: str) -> str:
    """Where the pod's condition says something else than the snapshot gives. Called older only where times show it."""
    said = pod.scheduled.message if pod.scheduled is not None and pod.scheduled.status == "False" else ""
    if not said or said == message:
        return ""
    newer = _newer_nodes(snapshot, pod, said)
    if newer:
        return f"The cluster's own message is older than what this snapshot shows ({newer}): {said}"
    could = "something changed after it, another scheduler wrote it, or a plugin or defect that isn't judged here"
    now = "by what this snapshot shows the pod has room" if not message else "this snapshot gives another message"
    return f"The cluster's own message differs ({now}; {could}): {said}"


def _newer_nodes(snapshot: Snapshot, pod: Pod, said: str) -> str:
    """Nodes that were made after the message, which counts fewer: then, and only then, it's older."""
    when = (pod.scheduled.probed or pod.scheduled.changed) if pod.scheduled is not None else None
    counted = NODES_COUNTED.match(said)
    if when is None or counted is None or int(counted[1]) >= len(snapshot.nodes):
        return ""
    newer = [node for node in snapshot.nodes.values() if (node.meta.created or "") > when]
    if len(newer) != len(snapshot.nodes) - int(counted[1]):
        return ""
    names = ", ".join(f"{node.name} was made {_clock(node.meta.created or '')}" for node in newer[:VALUES_SHOWN])
    return f"it's of {_clock(when)} and counts {counted[1]} nodes; {names}"


def _clock(text: str) -> str:
    return text[:19].replace("T", " ")
