"""The drivers and device plugins of what a pod asks for: a DaemonSet of theirs of which no pod is ready."""

import re
from collections.abc import Iterator

from aliquot.dra.claim import ClaimSpec
from aliquot.kube.matching import node_selected
from aliquot.kube.pod import Pod
from aliquot.kube.workload import Workload
from aliquot.scheduling.blockers.blocker import Blocker, Evidence, ObjectRef, pod_ref, workload_ref
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.snapshot import Snapshot

_DRIVER = re.compile(r"""device\.driver\s*==\s*["']([^"']+)["']""")
_PLAIN = frozenset(
    {"com", "org", "net", "io", "dev", "gpu", "example", "k8s", "device", "resource", "kubernetes", "vgpu"}
)
_ROLES = ("dra", "device-plugin", "driver", "plugin", "gpu-operator")


def driver_blockers(snapshot: Snapshot, pod: Pod) -> Iterator[Blocker]:
    """A DaemonSet that may be the driver, by its name, and has no pod that is ready (0 of N, or of none).

    One of which some pods aren't ready is told, too; the nodes of the others don't suffer.
    """
    if pod.node_name or pod.terminal:
        return
    asked = dict.fromkeys((*_classes(snapshot, pod), *_resources(pod)))
    seen: set[ObjectRef] = set()
    for name in asked:
        for workload in _daemon_sets(snapshot, name):
            ref = workload_ref(workload)
            if ref not in seen:
                seen.add(ref)
                yield from _judged(snapshot, workload, name)
        for ref, pods in _unlisted(snapshot, name):
            if ref not in seen:
                seen.add(ref)
                yield from _judged_by_pods(ref, pods, name)


def _classes(snapshot: Snapshot, pod: Pod) -> Iterator[str]:
    for use in pod.claims:
        spec = _spec(snapshot, pod, use.claim_name or pod.claim_names.get(use.name) or "", use.template_name)
        for request in spec.requests if spec else ():
            if request.exactly is not None:
                yield request.exactly.class_name
            for alternative in request.first_available:
                yield alternative.class_name


def _spec(snapshot: Snapshot, pod: Pod, claim: str, template: str | None) -> ClaimSpec | None:
    there = snapshot.claims.get(f"{pod.namespace}/{claim}")
    if there is not None:
        return there.spec
    made = snapshot.templates.get(f"{pod.namespace}/{template}") if template else None
    return made.spec if made is not None else None


def _resources(pod: Pod) -> Iterator[str]:
    return (name for name, amount in effective_request(pod).items() if "/" in name and amount > 0)


def _daemon_sets(snapshot: Snapshot, asked: str) -> tuple[Workload, ...]:
    tokens = _tokens(snapshot, asked)
    return tuple(
        workload
        for workload in snapshot.recall("daemon sets", _all_daemon_sets)
        if any(token in _words(workload) for token in tokens) and any(role in _words(workload) for role in _ROLES)
    )


def _unlisted(snapshot: Snapshot, asked: str) -> tuple[tuple[ObjectRef, tuple[Pod, ...]], ...]:
    """Pods of DaemonSets that the input doesn't hold: its nodes and pods may be all that somebody took."""
    tokens = _tokens(snapshot, asked)
    found: list[tuple[ObjectRef, tuple[Pod, ...]]] = []
    for ref, pods in snapshot.recall("pods of unlisted daemon sets", _all_unlisted).items():
        words = " ".join((str(ref), *(container.image for pod in pods[:1] for container in pod.containers)))
        if any(token in words for token in tokens) and any(role in words for role in _ROLES):
            found.append((ref, pods))
    return tuple(found)


def _all_unlisted(snapshot: Snapshot) -> dict[ObjectRef, tuple[Pod, ...]]:
    found: dict[ObjectRef, list[Pod]] = {}
    for pod in snapshot.pods.values():
        owner = pod.meta.controller
        if (
            owner is not None
            and owner.kind == "DaemonSet"
            and f"DaemonSet/{pod.namespace}/{owner.name}" not in snapshot.workloads
        ):
            found.setdefault(ObjectRef("DaemonSet", pod.namespace, owner.name), []).append(pod)
    return {ref: tuple(pods) for ref, pods in found.items()}


def _judged_by_pods(ref: ObjectRef, pods: tuple[Pod, ...], asked: str) -> Iterator[Blocker]:
    """By the containers' states alone: a pod whose containers are all well says nothing of them."""
    down = [pod for pod in pods if any(one.waiting or not one.ready for one in pod.statuses if not one.init)]
    if down:
        ready = len(pods) - len(down)
        yield Blocker(
            kind="driver-down",
            stage="scheduling",
            object=ref,
            others=tuple(map(pod_ref, down)),
            evidence=tuple(_pod_evidence(tuple(down))),
            certain=not ready,
            decisive=False,
            subject=asked,
            used=ready,
            limit=len(pods),
        )


def _all_daemon_sets(snapshot: Snapshot) -> tuple[Workload, ...]:
    return tuple(workload for workload in snapshot.workloads.values() if workload.kind == "DaemonSet")


def _tokens(snapshot: Snapshot, asked: str) -> frozenset[str]:
    """The maker's name in a class's or resource's name, and in the drivers that the class selects."""
    names = [asked.partition("/")[0]]
    there = snapshot.classes.get(asked)
    if there is not None:
        names += [name for selector in there.selectors for name in _DRIVER.findall(selector or "")]
    parts = {part for name in names for part in re.split(r"[.\-/]", name)}
    return frozenset(part for part in parts if len(part) > 2 and part not in _PLAIN)


def _words(workload: Workload) -> str:
    images = [container.image for container in workload.template.containers] if workload.template else []
    return " ".join((workload.meta.key, *images))


def _judged(snapshot: Snapshot, workload: Workload, asked: str) -> Iterator[Blocker]:
    desired, ready = workload.counts.desired, workload.counts.ready
    if desired is None or (ready or 0) >= max(desired, 1):
        return
    pods = snapshot.pods_of("DaemonSet", workload.meta.namespace, workload.meta.name)
    ref = workload_ref(workload)
    yield Blocker(
        kind="driver-down",
        stage="scheduling",
        object=ref,
        others=tuple(pod_ref(pod) for pod in pods if pod.statuses),
        evidence=(
            Evidence(source="status", about=ref, reason="NumberReady", message=f"{ready or 0} of {desired}"),
            *_pod_evidence(pods),
            *(_selection(snapshot, workload) if desired == 0 else ()),
        ),
        certain=not ready,
        decisive=False,
        subject=asked,
        used=ready or 0,
        limit=desired,
    )


def _pod_evidence(pods: tuple[Pod, ...]) -> Iterator[Evidence]:
    for pod in pods:
        for status in pod.statuses:
            if status.waiting:
                yield Evidence(source="status", about=pod_ref(pod), reason=status.waiting, message=status.message)
            if status.last_message:
                yield Evidence(
                    source="status", about=pod_ref(pod), reason=status.last_terminated, message=status.last_message
                )


def _selection(snapshot: Snapshot, workload: Workload) -> Iterator[Evidence]:
    """Which of its node labels no node has."""
    template = workload.template
    if template is None:
        return
    ref = workload_ref(workload)
    for key, value in template.node_selector.items():
        if not any(node.meta.labels.get(key) == value for node in snapshot.nodes.values()):
            yield Evidence(source="object", about=ref, reason="nodeSelector", message=f"{key}={value}")
    wanted = template.affinity.node if template.affinity else None
    if wanted is not None and not any(node_selected(wanted, node) for node in snapshot.nodes.values()):
        yield Evidence(source="object", about=ref, reason="nodeAffinity")
