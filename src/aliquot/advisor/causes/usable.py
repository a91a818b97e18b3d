"""Which of the nodes that could hold a pod it may use, and what keeps it off the others.

The nodes at hand have what the pod asks for in hardware. They're sifted in the order of the scheduler's filters: those
that the pod doesn't select, those that are cordoned or not ready, those whose taint it doesn't tolerate. What is left
decides: if nothing is, the last sieve is the cause.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from aliquot.advisor.causes.cause import Cause, listed, nodes_named
from aliquot.advisor.nearest import is_near, nearest, telling
from aliquot.kube.matching import expression_text, holds
from aliquot.kube.named import RuntimeClass
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.kube.selectors import Requirement
from aliquot.scheduling.filters.reason import Reason
from aliquot.snapshot.snapshot import Snapshot

CORDON = "node.kubernetes.io/unschedulable"
SICK = "node.kubernetes.io/"
PRESSURES: Mapping[str, str] = {
    "node.kubernetes.io/disk-pressure": "short of disk",
    "node.kubernetes.io/memory-pressure": "short of memory",
    "node.kubernetes.io/pid-pressure": "short of process IDs",
    "node.kubernetes.io/network-unavailable": "without a network",
}
"""Taints of nodes that are ready and lack something that every pod needs -> what, in words."""


@dataclass(frozen=True, slots=True)
class Sifted:
    """Nodes by what keeps the pod off; each stands at its first obstacle."""

    usable: tuple[Node, ...]
    """The pod may use them: what is in the way there is room."""
    unselected: tuple[Node, ...] = ()
    cordoned: tuple[Node, ...] = ()
    not_ready: tuple[Node, ...] = ()
    pressed: tuple[Node, ...] = ()
    """Ready, and short of what every pod needs."""
    tainted: tuple[Node, ...] = ()


def sift(nodes: Iterable[Node], reasons: Mapping[str, Sequence[Reason]]) -> Sifted:
    """Sort nodes by their first obstacle that isn't room."""
    heaps: dict[str, list[Node]] = {}
    for node in nodes:
        heaps.setdefault(_obstacle(node, reasons.get(node.name, ())), []).append(node)
    return Sifted(**{name: tuple(found) for name, found in heaps.items()} | {"usable": tuple(heaps.get("usable", ()))})


def _obstacle(node: Node, reasons: Sequence[Reason]) -> str:
    filters = {reason.filter for reason in reasons}
    if filters & {"NodeAffinity", "NodeName"}:
        return "unselected"
    if node.ready is False:
        return "not_ready"
    if "NodeUnschedulable" in filters:
        return "cordoned"
    taints = [reason.subject for reason in reasons if reason.filter == "TaintToleration"]
    sick = [subject for subject in taints if subject.startswith(SICK) and subject != CORDON]
    if sick:
        return "pressed" if all(subject in PRESSURES for subject in sick) else "not_ready"
    return "tainted" if taints else "usable"


def nothing_usable(
    snapshot: Snapshot,
    pod: Pod,
    sifted: Sifted,
    reasons: Mapping[str, Sequence[Reason]],
    what: str,
    room: Callable[[Node], bool],
    takers: Callable[[Sequence[str]], str] = lambda _: "",
) -> Cause:
    """The cause where no node with the hardware may be used.

    Args:
        snapshot: the cluster.
        pod: the pod.
        sifted: the nodes with the hardware.
        reasons: what speaks against each node.
        what: the hardware in words.
        room: it's free on a node.
        takers: who holds it on some nodes, in words.
    """
    if sifted.tainted or sifted.cordoned or sifted.not_ready or sifted.pressed:
        heaps = sorted(
            (
                ("tainted", sifted.tainted),
                ("cordoned", sifted.cordoned),
                ("not_ready", sifted.not_ready),
                ("pressed", sifted.pressed),
            ),
            key=lambda heap: (-sum(1 for node in heap[1] if room(node)), -len(heap[1])),
        )
        name, heap = next(one for one in heaps if one[1])
        others = [
            f"{nodes_named([n.name for n in more])} {_state(which, more)}"
            for which, more in heaps
            if more is not heap and more
        ]
        also = f" ({'; '.join(others)})" if others else ""
        chosen = f"{what} that it selects" if sifted.unselected and name != "tainted" else what
        cause = _kept_off(name, heap, reasons, chosen, room, also, takers)
        missed = _near_misses(pod, heap, reasons) if name == "tainted" else ""
        return replace(cause, sentence=cause.sentence + missed)
    return _not_selected(snapshot, pod, sifted.unselected, reasons, what)


def _state(heap: str, nodes: Iterable[Node]) -> str:
    if heap == "pressed":
        return pressure(nodes)
    return {"tainted": "tainted", "cordoned": "cordoned", "not_ready": "not ready"}[heap]


def pressure(nodes: Iterable[Node]) -> str:
    """What ready nodes lack: `short of disk`."""
    keys = {taint.key for node in nodes for taint in node.taints}
    return listed([words for key, words in PRESSURES.items() if key in keys])


KEPT_OFF = frozenset({"TaintToleration", "NodeUnschedulable"})


def _kept_off(
    name: str,
    heap: Sequence[Node],
    reasons: Mapping[str, Sequence[Reason]],
    what: str,
    room: Callable[[Node], bool],
    also: str,
    takers: Callable[[Sequence[str]], str],
) -> Cause:
    names = [node.name for node in heap]
    beside = {node.name: [one for one in reasons.get(node.name, ()) if one.filter not in KEPT_OFF] for node in heap}
    free = [node.name for node in heap if room(node) and not beside[node.name]]
    with_room = f" There's room on {nodes_named(free)}." if free else ""
    holders = takers(names) if not any(room(node) for node in heap) else ""
    if holders:
        with_room = f" And it is taken there, too: held by {holders}."
    elif any(beside.values()) and not free:
        which = "them" if len(heap) > 1 else "it"
        with_room = f" And that isn't all that speaks against {which}: {_each(beside)}."
    if name == "tainted":
        where = _tainted(heap, reasons)
        sentence = f"It doesn't tolerate {_every(where, names, what)}{also}.{with_room}"
        return Cause("taint", sentence, (*names[:5], *where))
    if name == "cordoned":
        sentence = f"{_the(heap, what, also)} cordoned: {nodes_named(names)}{also}.{with_room}"
        return Cause("cordoned", sentence, tuple(names[:5]))
    if name == "pressed":
        until = f"and {'takes' if len(heap) == 1 else 'take'} no new pods until that ends"
        taints = listed(list(_tainted(heap, reasons)))
        sentence = (
            f"{_the(heap, what, also)} {pressure(heap)}, {until} ({taints}): {nodes_named(names)}{also}.{with_room}"
        )
        return Cause("taint", sentence, tuple(names[:5]))
    sentence = f"{_the(heap, what, also)} not ready: {nodes_named(names)}{also}.{with_room}"
    return Cause("not-ready", sentence, tuple(names[:5]))


def _tainted(heap: Sequence[Node], reasons: Mapping[str, Sequence[Reason]]) -> dict[str, list[str]]:
    """Taint -> the nodes that have it, the most frequent first."""
    where: dict[str, list[str]] = {}
    for node in heap:
        for taint in dict.fromkeys(one.found for one in reasons[node.name] if one.filter == "TaintToleration"):
            where.setdefault(taint, []).append(node.name)
    return dict(sorted(where.items(), key=lambda one: -len(one[1])))


def _every(where: Mapping[str, Sequence[str]], names: Sequence[str], what: str) -> str:
    """The taints of all these nodes, and which of them have others too; or which has which."""
    common = [taint for taint, nodes in where.items() if len(nodes) == len(names)]
    if not common:
        each = listed([f"{taint} on {nodes_named(nodes)}" for taint, nodes in where.items()], last="or")
        return f"{each}: every node with {what} that it may use otherwise has such a taint"
    every = f"{'all' if len(names) > 2 else 'both' if len(names) == 2 else 'the only one'} with {what} that it may use"
    rest = [f"{taint} on {nodes_named(nodes)}" for taint, nodes in where.items() if taint not in common]
    also = f"; nor {listed(rest, last='or')}" if rest else ""
    return f"{listed(common, last='or')} on {nodes_named(names)}, {every} otherwise{also}"


def _near_misses(pod: Pod, heap: Sequence[Node], reasons: Mapping[str, Sequence[Reason]]) -> str:
    """Tolerations of the same key, or nearly, as a taint that isn't tolerated; starts with a blank."""
    taints = {one.found for node in heap for one in reasons[node.name] if one.filter == "TaintToleration"}
    keys = {taint.rpartition(":")[0].partition("=")[0] for taint in taints}
    near = [one for one in pod.tolerations if one.key and any(one.key == key or is_near(one.key, key) for key in keys)]
    return f" It tolerates {listed([str(one) for one in near])} instead." if near else ""


def _the(heap: Sequence[Node], what: str, also: str = "") -> str:
    if also:
        return f"Of the nodes with {what} {'one is' if len(heap) == 1 else f'{len(heap)} are'}"
    return f"The only node with {what} is" if len(heap) == 1 else f"All {len(heap)} nodes with {what} are"


def _not_selected(
    snapshot: Snapshot, pod: Pod, nodes: Sequence[Node], reasons: Mapping[str, Sequence[Reason]], what: str
) -> Cause:
    if pod.node_name or any(reason.filter == "NodeName" for node in nodes for reason in reasons[node.name]):
        return Cause("node-name", f"It names a node that isn't there: {pod.node_name}.", (pod.node_name,))
    wanted = unmet(snapshot, pod)
    told = [wish for wish in wanted if wish] or ["its node selector and affinity together"]
    names = [node.name for node in nodes]
    others = _but_for(pod, nodes)
    beside = {node.name: [one for one in reasons[node.name] if one.filter != "NodeAffinity"] for node in nodes}
    also = ""
    if all(beside.values()):  # else the selector alone keeps it off some
        also = f" And that isn't all that speaks against {'it' if len(nodes) == 1 else 'them'}: {_each(beside)}."
    where = others or f"With {what} there {'is' if len(names) == 1 else 'are'} {nodes_named(names)}"
    added = sorted(of_runtime_class(snapshot, pod).items())
    asked = [f"{key}={value}" for key, value in added if any(node.meta.labels.get(key) != value for node in nodes)]
    whose = f" {listed(asked)} is what RuntimeClass {pod.runtime_class} adds to its pods." if asked else ""
    sentence = f"No node with {what} matches {listed(told)}. {where}.{whose}{also}"
    return Cause("selector", sentence, (*names[:3], *([pod.runtime_class] if asked and pod.runtime_class else [])))


def of_runtime_class(snapshot: Snapshot, pod: Pod) -> Mapping[str, str]:
    """The part of the pod's nodeSelector that its RuntimeClass added, and would add again."""
    found = snapshot.objects(RuntimeClass).get(pod.runtime_class) if pod.runtime_class else None
    return found.node_selector if found is not None else {}


def _each(reasons: Mapping[str, Sequence[Reason]]) -> str:
    """Clauses, each with the nodes that it's about: `a and b have taint x:NoSchedule, which it doesn't tolerate`."""
    where: dict[tuple[str, str], list[str]] = {}
    for node, several in reasons.items():
        cordoned = any(one.filter == "NodeUnschedulable" for one in several)
        for one in several:
            if cordoned and one.filter == "TaintToleration" and one.subject == CORDON:
                continue  # the cordon's own
            what = {"TaintToleration": one.found, "NodeResourcesFit": one.subject}.get(one.filter, one.text)
            names = where.setdefault((one.filter, what), [])
            if node not in names:
                names.append(node)
    told: list[str] = []
    for (name, what), nodes in sorted(where.items(), key=lambda one: (-len(one[1]), one[0])):
        alone = len(nodes) == 1
        named = nodes_named(nodes)
        if name == "TaintToleration":
            told.append(f"{named} {'has' if alone else 'have'} taint {what}, which the pod doesn't tolerate")
        elif name == "NodeResourcesFit":
            short = "no pod slot left" if what == "pods" else f"too little {what} left"
            told.append(f"{named} {'has' if alone else 'have'} {short}")
        elif name == "NodeUnschedulable":
            told.append(f"{named} {'is' if alone else 'are'} cordoned")
        else:
            told.append(f"{named} {'is' if alone else 'are'} refused by {name} ({what})")
    return "; ".join(told[:3])


def _but_for(pod: Pod, nodes: Sequence[Node]) -> str:
    """Nodes with the hardware that one wish of several alone rules out, and what they have in its place."""
    wishes = wishes_of(pod)
    if len(wishes) < 2:
        return ""
    for wish in sorted(wishes, key=lambda one: "product" in one.key):
        rest = [one for one in wishes if one is not wish]
        near = [node for node in nodes if all(holds(one, node.meta.labels) for one in rest)]
        if near:
            have = sorted({node.meta.labels.get(wish.key, "") for node in near} - {""})
            which = listed([expression_text(one) for one in rest])
            instead = f"have {wish.key}={listed(have, last='or')}" if have else f"have no label {wish.key}"
            if len(near) == 1:
                instead = f"has{instead.removeprefix('have')}"
            named = nodes_named([node.name for node in near])
            return f"With {which}: {named}, which {instead}, not {expression_text(wish)}"
    return ""


def wishes_of(pod: Pod) -> list[Requirement]:
    """What the pod's selector and the only term of its affinity demand of a node's labels together."""
    wishes = [Requirement(key, "In", (value,)) for key, value in sorted(pod.node_selector.items())]
    required = pod.affinity.node if pod.affinity is not None else None
    if required is not None and len(required.terms) > 1:
        return []
    for term in required.terms if required is not None else ():
        wishes += term.expressions
    return wishes


def unmet(snapshot: Snapshot, pod: Pod) -> list[str]:
    """What the pod asks of nodes' labels and none has, with the nearest that there is; else all that it asks."""
    wishes = [Requirement(key, "In", (value,)) for key, value in sorted(pod.node_selector.items())]
    if pod.affinity is not None and pod.affinity.node is not None:
        for term in pod.affinity.node.terms:
            wishes += term.expressions
    hopeless = [text for wish in wishes if (text := _hopeless(snapshot, wish))]
    return hopeless or [expression_text(wish) for wish in wishes]


def _hopeless(snapshot: Snapshot, wish: Requirement) -> str:
    """A wish that no node of the cluster meets, and what was probably meant."""
    if wish.operator not in ("In", "Exists"):
        return ""
    values = {node.meta.labels[wish.key] for node in snapshot.nodes.values() if wish.key in node.meta.labels}
    if values & set(wish.values) or (wish.operator == "Exists" and values):
        return ""
    text = expression_text(wish)
    if values:
        near = nearest(wish.values[0], values)[:3]
        return f"{text} (no node has that value; there {'is' if len(values) == 1 else 'are'} {listed(near)})"
    keys = {key for node in snapshot.nodes.values() for key in node.meta.labels}
    having = {
        key
        for node in snapshot.nodes.values()
        for key, value in node.meta.labels.items()
        if value in wish.values and telling(value)
    }
    near = [key for key in nearest(wish.key, keys)[:1] if is_near(wish.key, key)] or nearest(wish.key, having)[:1]
    meant = f"; {near[0]} is probably meant" if near else ""
    return f"{text} (no node has that label{meant})"


def left_over(sifted: Sifted, room: Callable[[Node], bool], reasons: Mapping[str, Sequence[Reason]]) -> str:
    """What is free where the pod may not go, as a second thought; starts with a blank."""
    said: list[str] = []
    for heap, state in (
        (sifted.cordoned, "cordoned"),
        (sifted.not_ready, "not ready"),
        (sifted.pressed, pressure(sifted.pressed)),
        (sifted.tainted, "tainted"),
    ):
        free = [node.name for node in heap if room(node)]
        if heap and not free and state == "not ready":
            said.append(f"{nodes_named([node.name for node in heap])} {'is' if len(heap) == 1 else 'are'} not ready")
        if free:
            verbs = ("has", "is") if len(free) == 1 else ("have", "are")
            said.append(f"{nodes_named(free)} {verbs[0]} room but {verbs[1]} {state}")
    excluded: dict[str, list[str]] = {}
    for node in sifted.unselected:
        wishes = [one.asked for one in reasons.get(node.name, ()) if one.filter == "NodeAffinity" and one.asked]
        if room(node) and wishes:
            excluded.setdefault(listed(wishes), []).append(node.name)
    for wish, names in excluded.items():
        verbs = ("has", "isn't") if len(names) == 1 else ("have", "aren't")
        said.append(f"{nodes_named(names)} {verbs[0]} room but {verbs[1]} selected ({wish})")
    return f" {'; '.join(said)}." if said else ""
