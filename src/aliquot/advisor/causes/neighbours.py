"""Which pods keep a pod off nodes by anti-affinity, its own or theirs, in a clause."""

from collections.abc import Sequence

from aliquot.advisor.causes.cause import listed
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.scheduling.filters.inter_pod_affinity import Term, terms_of
from aliquot.snapshot.snapshot import Snapshot

HOSTNAME = "kubernetes.io/hostname"

Places = dict[tuple[str, str], dict[str, str]]
"""(topology key, value) -> keys of the pods there, and where each is in words."""


def kept_off(snapshot: Snapshot, pod: Pod, nodes: Sequence[Node]) -> tuple[str, tuple[str, ...]]:
    """The clause and the keys of the pods; empty: it isn't anti-affinity that keeps it off all of these nodes."""
    avoided, avoiding = _places(snapshot, pod)
    mine: dict[str, str] = {}
    theirs: dict[str, str] = {}
    for node in nodes:
        own, others = (
            {key: where for pair in node.meta.labels.items() for key, where in places.get(pair, {}).items()}
            for places in (avoided, avoiding)
        )
        if not own and not others:
            return "", ()
        mine |= own
        theirs |= {key: where for key, where in others.items() if key not in own}
    said: list[str] = []
    if mine:
        said.append(f"its own anti-affinity keeps it away from {listed([f'{k} {where}' for k, where in mine.items()])}")
    if theirs:
        whose = listed([f"{key} {where}" for key, where in theirs.items()])
        said.append(f"the anti-affinity of {whose} keeps it away")
    return ", and ".join(said), (*mine, *theirs)


def _places(snapshot: Snapshot, pod: Pod) -> tuple[Places, Places]:
    """Of the pods that the pod's anti-affinity is about, and of those whose anti-affinity is about it."""
    avoided: Places = {}
    avoiding: Places = {}
    terms = _terms(pod)
    labels = _labels(snapshot, pod)
    for node in snapshot.nodes.values():
        for other in snapshot.pods_on(node.name):
            if other.terminal:
                continue
            theirs = _labels(snapshot, other) if terms else {}
            for places, found in (
                (avoided, [one for one in terms if one.about(other.namespace, theirs, other.meta.labels)]),
                (avoiding, [one for one in _terms(other) if one.about(pod.namespace, labels, pod.meta.labels)]),
            ):
                for key in {one.topology_key for one in found} & node.meta.labels.keys():
                    value = node.meta.labels[key]
                    where = f"on {node.name}" if key == HOSTNAME else f"in {key}={value}"
                    places.setdefault((key, value), {})[other.key] = where
    return avoided, avoiding


def _terms(pod: Pod) -> tuple[Term, ...]:
    return terms_of(pod, pod.affinity.pod_anti) if pod.affinity else ()


def _labels(snapshot: Snapshot, pod: Pod) -> dict[str, str]:
    namespace = snapshot.namespaces.get(pod.namespace)
    return dict(namespace.meta.labels) if namespace is not None else {}
