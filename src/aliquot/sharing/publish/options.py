"""What to publish, and what is said of what isn't."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from aliquot.devices.mig import Placement
from aliquot.kube.release import Kubernetes
from aliquot.sharing.publish.health import Taints
from aliquot.sharing.publish.shares import Shares

NIC_DRIVER: Final = "nic.aliquot.dev"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What to publish, and for whom."""

    node: str
    """The node's name, which is the pools' too."""
    kubernetes: Kubernetes = field(default_factory=Kubernetes)
    """The API server: what it would drop isn't sent."""
    mig: Literal["dynamic", "static"] = "dynamic"
    """Offer every place where an instance may be made, or only the instances that stand."""
    shares: Shares | None = None
    """How many claims may hold a device at once; None: one. A GPU that's shared isn't divided on demand."""
    nic_driver: str = NIC_DRIVER
    own: Mapping[str, Sequence[Placement]] = field(default_factory=dict[str, Sequence[Placement]])
    """By the GPU's UUID: instances that were made for a claim. They go with it, so their places stay on offer."""
    taints: Mapping[str, Taints] | None = None
    """By the GPU's UUID, from who watches the devices; None: what the survey tells by itself."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that the node has and that isn't published."""

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what} isn't published: {self.why}"


@dataclass(frozen=True, slots=True)
class Note:
    """What could be published besides, and what it takes: nothing is wrong with the node."""

    gpus: tuple[str, ...]
    """The names of those that it's true of; empty: it's true of the node."""
    what: str

    def __str__(self) -> str:
        return f"{', '.join(self.gpus)}: {self.what}" if self.gpus else self.what
