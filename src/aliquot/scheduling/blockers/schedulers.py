"""The scheduler that a pod asks for: whether anything in the input could be it, and whether that runs."""

from collections.abc import Iterator

from aliquot.kube.named import Lease
from aliquot.kube.pod import Container, Pod
from aliquot.kube.workload import Workload
from aliquot.scheduling.blockers.blocker import Blocker, Evidence, ObjectRef, pod_ref
from aliquot.scheduling.blockers.nearest_name import nearest_name
from aliquot.snapshot.snapshot import Snapshot

DEFAULT = "default-scheduler"
_SYSTEM = "kube-system"
_TROUBLE = frozenset(
    {"CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull", "RunContainerError", "CreateContainerError"}
)
_LABELS = ("app", "component", "app.kubernetes.io/name", "app.kubernetes.io/component", "k8s-app", "release")


def scheduler_blockers(snapshot: Snapshot, pod: Pod) -> Iterator[Blocker]:
    """Nobody is there who could schedule the pod, or who could is crashing.

    kube-scheduler itself is never called absent: a managed control plane doesn't show it.
    """
    if pod.node_name or pod.terminal or pod.scheduling_gates:
        return
    name = pod.scheduler_name or DEFAULT
    pods, workloads = snapshot.recall(("schedulers", name), lambda there: _could_be(there, name))
    crashing = [one for one in pods if _in_trouble(one)]
    if crashing and len(crashing) == len(pods):
        yield _crashing(name, crashing, judged=_judged(pod))
    elif name != DEFAULT and not pods and not workloads and not _proven(snapshot, pod, name):
        yield from _absent(snapshot, pod, name)


def _could_be(snapshot: Snapshot, name: str) -> tuple[tuple[Pod, ...], tuple[Workload, ...]]:
    """Pods and workloads whose names, labels or images speak of it."""
    token = "kube-scheduler" if name == DEFAULT else _token(name)
    speaking = _Speaking(token)
    pods = [one for one in snapshot.pods.values() if speaking.of(one) and not one.terminal]
    exact = [one for one in pods if "scheduler" in f"{one.name} {_images(one)}"]
    workloads = [one for one in snapshot.workloads.values() if one.kind != "Job" and token in one.meta.key]
    makers = {"Deployment", "DaemonSet", "StatefulSet"}
    return tuple(exact or pods), tuple(one for one in workloads if one.kind in makers)


def _token(name: str) -> str:
    """`kai` of `kai-scheduler`, `volcano` of `volcano`."""
    short = name.removesuffix("-scheduler").removesuffix("scheduler").strip("-")
    return short or name


class _Speaking:
    """Whether a pod's name, labels or images speak of a scheduler. What many pods share is looked at once.

    Args:
        token: what they'd hold.
    """

    def __init__(self, token: str) -> None:
        self._token = token
        self._labels: dict[int, bool] = {}
        self._containers: dict[int, bool] = {}

    def of(self, pod: Pod) -> bool:
        labels = pod.meta.labels
        labelled = self._labels.get(id(labels))
        if labelled is None:
            labelled = self._labels[id(labels)] = any(self._token in labels.get(key, "") for key in _LABELS)
        return labelled or self._token in pod.meta.key or any(map(self._runs, pod.containers))

    def _runs(self, container: Container) -> bool:
        found = self._containers.get(id(container))
        if found is None:
            found = self._token in container.image.rpartition("/")[2]
            self._containers[id(container)] = found
        return found


def _images(pod: Pod) -> str:
    return " ".join(container.image for container in pod.containers)


def _in_trouble(pod: Pod) -> bool:
    return any(status.waiting in _TROUBLE for status in pod.statuses)


def _judged(pod: Pod) -> bool:
    return pod.scheduled is not None and bool(pod.scheduled.message)


def _proven(snapshot: Snapshot, pod: Pod, name: str) -> bool:
    """It has worked: this pod or another was judged by it, or it holds a lease."""
    if _judged(pod):
        return True
    if any(event.reporter == name for event in snapshot.events_about("Pod", pod.namespace, pod.name)):
        return True
    if any(_token(name) in lease.meta.name for lease in snapshot.objects(Lease).values()):
        return True
    served = snapshot.recall("schedulers that served", _served)
    return name in served


def _served(snapshot: Snapshot) -> frozenset[str]:
    """Schedulers by which some pod has got its node."""
    return frozenset(pod.scheduler_name for pod in snapshot.pods.values() if pod.node_name and pod.meta.owners)


def _absent(snapshot: Snapshot, pod: Pod, name: str) -> Iterator[Blocker]:
    """Only where the input holds the pods of kube-system, or those of several namespaces."""
    namespaces = snapshot.recall("pod namespaces", _namespaces)
    if _SYSTEM not in namespaces and len(namespaces) < 2:
        return
    ref = ObjectRef("Scheduler", "", name)
    known = {DEFAULT, *snapshot.recall("schedulers that served", _served)} - {name}
    yield Blocker(
        kind="scheduler-absent",
        stage="scheduling",
        object=ref,
        others=(pod_ref(pod),),
        evidence=(Evidence(source="absence", about=ref),),
        certain=_SYSTEM in namespaces,
        subject=name,
        nearest=nearest_name(name, known),
    )


def _namespaces(snapshot: Snapshot) -> frozenset[str]:
    return frozenset(pod.namespace for pod in snapshot.pods.values())


def _crashing(name: str, pods: list[Pod], *, judged: bool) -> Blocker:
    return Blocker(
        kind="scheduler-crashing",
        stage="scheduling",
        object=pod_ref(pods[0]),
        others=tuple(map(pod_ref, pods[1:])),
        evidence=tuple(
            Evidence(source="status", about=pod_ref(pod), reason=status.waiting, message=status.message)
            for pod in pods
            for status in pod.statuses
            if status.waiting
        ),
        certain=not judged,
        subject=name,
        used=max((status.restarts for pod in pods for status in pod.statuses), default=0),
    )
