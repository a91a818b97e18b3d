"""A verdict in one sentence, from the data."""

from collections.abc import Sequence

from aliquot.advisor.alike import Alike
from aliquot.advisor.amounts import about
from aliquot.advisor.case import device_requests, shortage
from aliquot.kube.pod import Pod
from aliquot.scheduling.filters.reason import Reason
from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.snapshot.effective import effective_request

VALUES_SHOWN = 3
FILTER_WORDS = {
    "NodeUnschedulable": "cordoned",
    "NodeName": "another node is asked for by name",
    "TaintToleration": "tainted, and the pod doesn't tolerate it",
    "NodeAffinity": "not the kind of node that it selects",
    "NodePorts": "the host port is taken",
    "PodTopologySpread": "would break the topology spread",
    "InterPodAffinity": "would break an affinity or anti-affinity of pods",
    "DynamicResources": "its devices can't serve the pod's claims",
}


def asks(pod: Pod) -> str:
    """`1 nvidia.com/gpu`, or what else it asks for."""
    wanted = [f"{amount} {name}" for name, amount in device_requests(pod).items()]
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
        values = [value for value in group.found.get((reason.filter, reason.subject), (reason.found,)) if value]
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
        return f"{pod.key} would be placed on {decision.preemption.node} after preempting {victims}."
    count = len(decision.nodes)
    nodes = f"{count} nodes have room" if count > 1 else f"{decision.nodes[0]} has room"
    return f"{pod.key} would be placed: {nodes} for it."


def refused(pod: Pod, decision: Refusal, groups: Sequence[Alike]) -> str:
    """What a person wants to know first: what it asks for, and what is in the way on how many nodes."""
    if decision.verdict == "gated":
        return f"{pod.key} waits for its scheduling gates: {', '.join(pod.scheduling_gates)}."
    if decision.reason == "SchedulerError":
        return f"{pod.key}: the scheduler gives up on it, whatever nodes could offer: {decision.message}"
    if not groups:
        return f"{pod.key} is pending: {decision.message or 'there are no nodes'}"
    total = sum(len(group.nodes) for group in groups)
    blocked: dict[str, int] = {}
    for group in groups:
        for word in dict.fromkeys(_short(reason) for reason in told(group.reasons)):
            blocked[word] = blocked.get(word, 0) + len(group.nodes)
    words = sorted(blocked.items(), key=lambda item: -item[1])
    if total == 1:
        all_words = ", ".join(word for word, _ in words)
        return f"{pod.key} asks for {asks(pod)}, and the only node doesn't take it: {all_words}."
    parts = ", ".join(f"{word} on {'all' if count == total else count}" for word, count in words)
    return f"{pod.key} asks for {asks(pod)}, and none of {total} nodes takes it: {parts}."


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


def _short(reason: Reason) -> str:
    short = shortage(reason)
    if short is not None:
        return f"no {short.resource}" if short.total == 0 else f"too little {short.resource} free"
    return {
        "NodeUnschedulable": "cordoned",
        "TaintToleration": "an untolerated taint",
        "NodeAffinity": "the node selector",
        "NodePorts": "a taken host port",
        "PodTopologySpread": "the topology spread",
        "InterPodAffinity": "pod (anti-)affinity",
        "DynamicResources": "no devices for its claims",
    }.get(reason.filter, reason.text)


def unchecked_note(pod: Pod, decision: Placement) -> str:
    """Of a pod that has room: what the cluster's own message may be about."""
    said = pod.scheduled.message if pod.scheduled is not None and pod.scheduled.status == "False" else ""
    if said and said != decision.message and decision.not_checked:
        return f"The cluster refuses it, perhaps for what isn't checked here: {said}"
    return stale_note(pod, decision.message)


def stale_note(pod: Pod, message: str) -> str:
    """Where the pod's condition says something else than the snapshot gives; never that it's older without proof."""
    said = pod.scheduled.message if pod.scheduled is not None and pod.scheduled.status == "False" else ""
    if not said or said == message:
        return ""
    could = "something changed after it, another scheduler wrote it, or a plugin or defect that isn't judged here"
    now = "by what this snapshot shows the pod has room" if not message else "this snapshot gives another message"
    return f"The cluster's own message differs ({now}; {could}): {said}"
