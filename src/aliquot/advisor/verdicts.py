"""A verdict in one sentence, from the data."""

from aliquot.advisor.amounts import about
from aliquot.advisor.case import device_requests
from aliquot.kube.pod import Pod
from aliquot.scheduling import Placement, Reason, Refusal

FILTER_WORDS = {
    "NodeUnschedulable": "cordoned",
    "NodeName": "another node is asked for by name",
    "TaintToleration": "tainted, and the pod doesn't tolerate it",
    "NodeAffinity": "not the kind of node that it selects",
    "NodePorts": "the host port is taken",
    "PodTopologySpread": "would break the topology spread",
    "InterPodAffinity": "would break an affinity or anti-affinity of pods",
}


def asks(pod: Pod) -> str:
    """`1 nvidia.com/gpu`, or what else it asks for."""
    wanted = device_requests(pod)
    return " and ".join(f"{amount} {name}" for name, amount in wanted.items()) or "no device"


def why(reason: Reason) -> str:
    """One reason in words, with how much is missing."""
    if reason.resource:
        if reason.found <= 0 and reason.total == 0:
            return f"offers no {reason.resource}"
        free = about(reason.resource, max(reason.found, 0))
        return f"{reason.resource}: {free} free of {about(reason.resource, reason.total)}, {about(reason.resource, reason.asked)} asked"
    return reason.detail or FILTER_WORDS.get(reason.filter, reason.text)


def sentence(pod: Pod, decision: Placement | Refusal) -> str:
    """What a person wants to know first."""
    if isinstance(decision, Placement):
        if decision.verdict == "running":
            return f"{pod.key} runs on {decision.node}." if not pod.terminal else f"{pod.key} has ended ({pod.phase})."
        if decision.victims:
            return f"{pod.key} would be placed on {decision.node} after preempting {', '.join(decision.victims)}."
        count = len(decision.feasible)
        nodes = f"{count} nodes have room" if count > 1 else f"{decision.node} has room"
        return f"{pod.key} would be placed: {nodes} for it."
    if decision.verdict == "gated":
        return f"{pod.key} waits for its scheduling gates: {', '.join(pod.scheduling_gates)}."
    if not decision.groups:
        return f"{pod.key} is pending: {decision.message or 'there are no nodes'}"
    total = sum(len(group.nodes) for group in decision.groups)
    blocked: dict[str, int] = {}
    for group in decision.groups:
        for word in dict.fromkeys(_short(reason) for reason in group.reasons):
            blocked[word] = blocked.get(word, 0) + len(group.nodes)
    parts = ", ".join(
        f"{word} on {_of(count, total)}" for word, count in sorted(blocked.items(), key=lambda item: -item[1])
    )
    return f"{pod.key} asks for {asks(pod)} and fits none of {total} {'node' if total == 1 else 'nodes'}: {parts}."


def _of(count: int, total: int) -> str:
    return ("it" if total == 1 else "all") if count == total else str(count)


def _short(reason: Reason) -> str:
    if reason.resource:
        return f"no {reason.resource}" if reason.total == 0 else f"too little {reason.resource} free"
    return {
        "NodeUnschedulable": "cordoned",
        "TaintToleration": "an untolerated taint",
        "NodeAffinity": "the node selector",
        "NodePorts": "a taken host port",
        "PodTopologySpread": "the topology spread",
        "InterPodAffinity": "pod (anti-)affinity",
    }.get(reason.filter, reason.text)


def stale_note(pod: Pod, message: str) -> str:
    """Where the pod's condition says something else than the snapshot now gives."""
    said = pod.scheduled.message if pod.scheduled is not None and pod.scheduled.status == "False" else ""
    if not said or said == message:
        return ""
    if not message:
        return f"The cluster's last message is older than this snapshot, in which the pod has room: {said}"
    return f"The cluster's last message differs; it was written before what this snapshot shows: {said}"
