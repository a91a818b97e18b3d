"""What a container gets for its sharing, beside the device nodes and libraries of its devices (`cdi.generate`).

The environment and the mounts are those of NVIDIA's driver, so that programs find what they expect.
"""

from typing import Final

from aliquot.cdi.spec import ContainerEdits, Mount
from aliquot.sharing.setup.steps import Daemon

PIPE: Final = "/tmp/nvidia-mps"  # noqa: S108 - where CUDA looks for its MPS daemon
SHM: Final = "/dev/shm"  # noqa: S108
_OPTIONS: Final = ("rw", "nosuid", "nodev", "bind")


def edits_of(daemon: Daemon | None) -> ContainerEdits:
    """The edits for the clients of an MPS daemon; none without one.

    `CUDA_VISIBLE_DEVICES` isn't set: its numbers would be the daemon's.
    """
    if daemon is None:
        return ContainerEdits()
    mounts = [Mount(host_path=daemon.pipe, container_path=PIPE, options=_OPTIONS)]
    mounts.append(Mount(host_path=daemon.shm, container_path=SHM, options=_OPTIONS))
    return ContainerEdits(env=(f"CUDA_MPS_PIPE_DIRECTORY={PIPE}",), mounts=tuple(mounts))
