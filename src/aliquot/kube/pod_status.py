"""What the kubelet says of a pod's containers, as far as it's more than "runs and is ready"."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerStatus:
    """An entry of status.containerStatuses or initContainerStatuses."""

    name: str
    ready: bool = False
    restarts: int = 0
    waiting: str = ""
    """state.waiting.reason: `ImagePullBackOff`, `CrashLoopBackOff`, `CreateContainerConfigError`, ...; empty: it
    doesn't wait."""
    message: str = ""
    """state.waiting.message, or of a terminated container its own."""
    terminated: str = ""
    """state.terminated.reason: `Completed`, `Error`, `OOMKilled`, ..."""
    last_terminated: str = ""
    """lastState.terminated.reason: how it ended before it was started again."""
    last_message: str = ""
    last_exit_code: int | None = None
    image: str = ""
    init: bool = False
