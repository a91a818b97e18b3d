"""Objects that a pod names and that aren't there, where the input holds their kind."""

from collections.abc import Iterator

from aliquot.kube.named import ConfigMap, RuntimeClass, Secret, ServiceAccount
from aliquot.kube.pod import Pod
from aliquot.kube.references import Reference
from aliquot.scheduling.blockers.blocker import Blocker, Evidence, ObjectRef
from aliquot.scheduling.blockers.nearest_name import nearest_name
from aliquot.snapshot.snapshot import Snapshot

BUILT_IN_CLASSES = frozenset({"system-cluster-critical", "system-node-critical"})
ROOT_CA = "kube-root-ca.crt"
"""A ConfigMap that every namespace has: where it's in the input, all ConfigMaps of the namespace are."""
DEFAULT_ACCOUNT = "default"
"""Likewise, a ServiceAccount."""


def missing_objects(snapshot: Snapshot, pod: Pod) -> Iterator[Blocker]:
    """Namespaced kinds are only judged where the input holds some of that namespace, and all that it holds was read.

    Of a Secret that can't be told for certain: nothing shows that all of a namespace's are there.
    """
    yield from (one for one in _missing(snapshot, pod) if one.object.kind not in snapshot.unread)


def _missing(snapshot: Snapshot, pod: Pod) -> Iterator[Blocker]:
    yield from _account(snapshot, pod)
    if pod.runtime_class and "RuntimeClass" in snapshot.kinds:
        classes = snapshot.objects(RuntimeClass)
        if pod.runtime_class not in classes:
            yield _absent(ObjectRef("RuntimeClass", "", pod.runtime_class), nearest_name(pod.runtime_class, classes))
    named = pod.priority_class
    known = named in BUILT_IN_CLASSES or named in snapshot.priority_classes
    if named and not known and "PriorityClass" in snapshot.kinds:
        yield _absent(ObjectRef("PriorityClass", "", named), nearest_name(named, snapshot.priority_classes))
    yield from _read(snapshot, pod)


def _account(snapshot: Snapshot, pod: Pod) -> Iterator[Blocker]:
    there = _names(snapshot, ServiceAccount, pod.namespace)
    if there and pod.service_account not in there:
        ref = ObjectRef("ServiceAccount", pod.namespace, pod.service_account)
        yield _absent(ref, nearest_name(pod.service_account, there), certain=DEFAULT_ACCOUNT in there)


def _read(snapshot: Snapshot, pod: Pod) -> Iterator[Blocker]:
    for kind, type_ in (("ConfigMap", ConfigMap), ("Secret", Secret)):
        there = _names(snapshot, type_, pod.namespace)
        if not there:
            continue
        for reference in references(pod):
            if reference.kind == kind and reference.name not in there and not reference.optional:
                ref = ObjectRef(kind, pod.namespace, reference.name)
                yield _absent(ref, nearest_name(reference.name, there), certain=ROOT_CA in there)


def references(pod: Pod) -> tuple[Reference, ...]:
    """ConfigMaps and Secrets that a pod reads, each once, without the one that every namespace has."""
    found = [one for volume in pod.volumes for one in volume.references]
    found += [one for container in (*pod.init_containers, *pod.containers) for one in container.references]
    return tuple(dict.fromkeys(one for one in found if one.name != ROOT_CA))


def _names(snapshot: Snapshot, kind: type[ConfigMap | Secret | ServiceAccount], namespace: str) -> frozenset[str]:
    def make(there: Snapshot) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for one in there.objects(kind).values():
            found.setdefault(one.meta.namespace, set()).add(one.meta.name)
        return {space: frozenset(names) for space, names in found.items()}

    return snapshot.recall(("names", kind), make).get(namespace, frozenset())


def _absent(ref: ObjectRef, nearest: str, *, certain: bool = True) -> Blocker:
    return Blocker(
        kind="missing-object",
        stage="starting" if ref.kind in {"ConfigMap", "Secret"} else "creation",
        object=ref,
        evidence=(Evidence(source="absence", about=ref),),
        certain=certain,
        decisive=certain,
        nearest=nearest,
    )
