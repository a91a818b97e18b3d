"""A pod that has its node, holds what it asked for, and doesn't run."""

from aliquot.kube.pod import Pod
from aliquot.kube.pod_status import ContainerStatus

AT_REST = frozenset({"", "ContainerCreating", "PodInitializing"})
"""Reasons of waiting that are no trouble: the kubelet is about it."""


def not_running(pod: Pod) -> str:
    """Why none of its containers runs: `ImagePullBackOff`, `CrashLoopBackOff, 50 restarts`; empty: one may run.

    The input shows one moment. What is pulled or created just now is no trouble, and isn't told.
    """
    if not pod.node_name or pod.terminal:
        return ""
    own = [one for one in pod.statuses if not one.init]
    trouble = [one for one in pod.statuses if one.waiting not in AT_REST]
    if not trouble or not all(one.waiting or one.terminated for one in own):
        return ""
    return _why(max(trouble, key=lambda one: one.restarts))


def _why(status: ContainerStatus) -> str:
    count = status.restarts
    return status.waiting + (f", {count} restart{'' if count == 1 else 's'}" if count else "")
