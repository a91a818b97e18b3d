"""What to publish, and what is said of what isn't."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from aliquot.devices.mig import Placement
from aliquot.kube.release import Kubernetes
from aliquot.sharing.publish.health import Taints
from aliquot.sharing.publish.shares import Shares

NIC_DRIVER: Final = "nic.aliquot.dev"
NAMED: Final = 8
"""Of more devices than that, the first are named."""


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
    """What the node has and what isn't published, for one reason."""

    names: tuple[str, ...]
    why: str
    of_them: str = ""
    """What of them isn't, such as `dividing {} on demand`; without it, they themselves."""

    def __str__(self) -> str:
        more = len(self.names) - NAMED
        names = ", ".join(self.names[:NAMED]) + (f" and {more} more" if more > 0 else "")
        what = self.of_them.format(names) if self.of_them else names
        return f"{what} {'isn' if self.of_them or len(self.names) == 1 else 'aren'}'t published: {self.why}"


def folded(left_out: Iterable[LeftOut]) -> tuple[LeftOut, ...]:
    """Those that have one reason as one."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for each in left_out:
        kind = (each.why, each.of_them)
        found[kind] = (*found.get(kind, ()), *each.names)
    return tuple(LeftOut(names, why, of_them) for (why, of_them), names in found.items())


@dataclass(frozen=True, slots=True)
class Note:
    """What could be published besides, and what it takes: nothing is wrong with the node."""

    gpus: tuple[str, ...]
    """The names of those that it's true of; empty: it's true of the node."""
    what: str

    def __str__(self) -> str:
        return f"{', '.join(self.gpus)}: {self.what}" if self.gpus else self.what
