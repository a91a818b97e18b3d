"""How GPUs go from NVIDIA's components to us and back, with pods that run: the steps, for a person. Pure."""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from aliquot.node.neighbours.checkpoint import FILE
from aliquot.node.neighbours.components import Component
from aliquot.node.neighbours.found import GPU_DRIVER
from aliquot.node.neighbours.judge import Neighbour
from aliquot.node.neighbours.taking_over import TakenOver, named

_NODE: Final = "NODE"
_LABELS: Final = {
    Component.DEVICE_PLUGIN: "nvidia.com/gpu.deploy.device-plugin",
    Component.MIG_MANAGER: "nvidia.com/gpu.deploy.mig-manager",
    Component.FEATURE_DISCOVERY: "nvidia.com/gpu.deploy.gpu-feature-discovery",
    Component.DCGM_EXPORTER: "nvidia.com/gpu.deploy.dcgm-exporter",
}
"""By which the GPU Operator's DaemonSets choose nodes."""


def to_us(
    in_the_way: Sequence[Neighbour], kubelet: PurePosixPath, taken: TakenOver | None = None, node: str = _NODE
) -> tuple[str, ...]:
    """From NVIDIA's components to us.

    Args:
        in_the_way: who has to go.
        kubelet: its root.
        taken: what becomes of the claims in the checkpoint of NVIDIA's driver; None: there's no such checkpoint.
        node: by its name.
    """
    return tuple(_to_us(in_the_way, kubelet, taken, node))


def _to_us(
    in_the_way: Sequence[Neighbour], kubelet: PurePosixPath, taken: TakenOver | None, node: str
) -> Iterator[str]:
    components = {one.component for one in in_the_way}
    yield f"kubectl cordon {node}   # nothing new starts meanwhile"
    if Component.DEVICE_PLUGIN in components:
        yield (
            "End the pods on this node that ask for nvidia.com/gpu or nvidia.com/mig-* before claims are given their "
            "GPUs: the scheduler doesn't count them against ResourceSlices. They may run on where we offer the same "
            "resources as a device plugin"
        )
    for one in in_the_way:
        yield from _off(one, node)
    if Component.DRA_DRIVER in components:
        yield from _claims(kubelet, taken)
    yield f"Start aliquot's agent on {node}, and wait until it's ready"
    yield f"kubectl uncordon {node}"


def _off(one: Neighbour, node: str) -> Iterator[str]:
    label = _LABELS.get(one.component)
    if label is not None:
        yield f"kubectl label node {node} {label}=false --overwrite   # where the GPU Operator runs {one.component}"
    owners = dict.fromkeys(f"-n {pod.namespace} {pod.owner}" for pod in one.pods if pod.owner)
    edited = [f"kubectl edit {owner}" for owner in owners] or [f"kubectl edit the DaemonSet of {one.component}"]
    for edit in edited:
        yield f"{edit}   # else: keep it off {node} by node affinity (kubernetes.io/hostname NotIn {node})"


def _claims(kubelet: PurePosixPath, taken: TakenOver | None) -> Iterator[str]:
    file = kubelet / "plugins" / GPU_DRIVER / FILE
    yield (
        "Leave the files k8s.gpu.nvidia.com-*.yaml in /var/run/cdi: containers of running pods that start anew are "
        "given the devices in them"
    )
    if taken is None:
        return
    if taken.adopted:
        names = ", ".join(named(one.claim) for one in taken.adopted)
        yield f"Nothing to do for the claims that aliquot takes over: {names}"
    for left in taken.left:
        yield f"Its devices stay held until its pods have ended: {left}"
        yield from (f"Then: {command}" for command in left.afterwards)
    yield f"mv {file} {file}.before-aliquot   # when aliquot is ready: NVIDIA's driver would believe it if it came back"


def to_nvidia(kubelet: PurePosixPath, own_setup: Sequence[str] = (), node: str = _NODE) -> tuple[str, ...]:
    """From us to NVIDIA's driver.

    Args:
        kubelet: its root.
        own_setup: claims whose setup only we can end: MIG instances made for them, MPS daemons; for people.
        node: by its name.
    """
    return tuple(_to_nvidia(kubelet, own_setup, node))


def _to_nvidia(kubelet: PurePosixPath, own_setup: Sequence[str], node: str) -> Iterator[str]:
    yield f"kubectl cordon {node}   # nothing new starts meanwhile"
    for one in own_setup:
        yield f"End the pods of {one} first: NVIDIA's driver doesn't know what was set up for it, and wouldn't undo it"
    yield (
        f"Take aliquot's agent off {node}; pods with whole GPUs run on, and NVIDIA's driver answers when they end: a "
        "claim that it doesn't know is unprepared for it"
    )
    yield (
        "Leave the files k8s.gpu.nvidia.com-claim_*.json in /var/run/cdi until those pods have ended: a container that "
        "starts anew is given the devices in them; remove them then"
    )
    file = kubelet / "plugins" / GPU_DRIVER / FILE
    yield f"Leave {file}.before-aliquot where it is, if there is one: it's of claims that have ended since"
    yield f"Let NVIDIA's driver run on {node} again (the label or the node affinity that keeps it off)"
    yield f"kubectl uncordon {node}   # when its ResourceSlices are there"
