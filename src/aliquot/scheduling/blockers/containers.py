"""A pod that has its node and doesn't run: images, configuration, crashes, mounts, sandboxes."""

from collections.abc import Iterator

from aliquot.kube.pod import Pod
from aliquot.kube.pod_status import ContainerStatus
from aliquot.scheduling.blockers.blocker import Blocker, Evidence, Kind, event_evidence, newest, pod_ref
from aliquot.snapshot.snapshot import Snapshot

PULLING = frozenset(
    {
        "ImagePullBackOff",
        "ErrImagePull",
        "InvalidImageName",
        "ErrImageNeverPull",
        "RegistryUnavailable",
        "ImageInspectError",
        "SignatureValidationFailed",
    }
)
CONFIGURING = frozenset(
    {"CreateContainerConfigError", "CreateContainerError", "PreCreateHookError", "PreStartHookError"}
)
CRASHING = frozenset({"CrashLoopBackOff", "RunContainerError", "PostStartHookError"})
_BY_EVENT: tuple[tuple[str, Kind], ...] = (
    ("FailedMount", "mount-failed"),
    ("FailedAttachVolume", "mount-failed"),
    ("FailedMapVolume", "mount-failed"),
    ("FailedCreatePodSandBox", "sandbox-failed"),
    ("FailedPrepareDynamicResources", "sandbox-failed"),
)


def container_blockers(snapshot: Snapshot, pod: Pod) -> Iterator[Blocker]:
    """One for each container in trouble; without any, what the kubelet's events say while it hasn't started."""
    if not pod.node_name or pod.terminal:
        return
    told = snapshot.events_about("Pod", pod.namespace, pod.name)
    found = False
    for status in pod.statuses:
        kind = _kind(status)
        if kind is None:
            continue
        found = True
        last = newest(event for event in told if event.reason in {"Failed", "BackOff"} and event.type != "Normal")
        yield Blocker(
            kind=kind,
            stage="starting",
            object=pod_ref(pod),
            evidence=(*_status_evidence(pod, status), *([event_evidence(last)] if last else [])),
            subject=_image(pod, status) if kind == "image-pull" else status.name,
            used=status.restarts,
        )
    if found or pod.phase != "Pending":
        return
    for reason, kind in _BY_EVENT:
        last = newest(event for event in told if event.reason == reason)
        if last is not None:
            yield Blocker(
                kind=kind, stage="starting", object=pod_ref(pod), evidence=(event_evidence(last),), subject=reason
            )


def _kind(status: ContainerStatus) -> Kind | None:
    if status.waiting in PULLING:
        return "image-pull"
    if status.waiting in CONFIGURING:
        return "container-config"
    return "container-crash" if status.waiting in CRASHING else None


def _status_evidence(pod: Pod, status: ContainerStatus) -> Iterator[Evidence]:
    yield Evidence(source="status", about=pod_ref(pod), reason=status.waiting, message=status.message)
    if status.last_terminated or status.last_message:
        yield Evidence(source="status", about=pod_ref(pod), reason=status.last_terminated, message=status.last_message)


def _image(pod: Pod, status: ContainerStatus) -> str:
    named = {container.name: container.image for container in (*pod.init_containers, *pod.containers)}
    return named.get(status.name) or status.image
