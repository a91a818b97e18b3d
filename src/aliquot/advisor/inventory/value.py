"""Devices and their holders as values."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from aliquot.advisor.owners import OwnerRef
from aliquot.dra.device import DeviceId
from aliquot.units.quantity import Quantity

SLICES = "memory slices"


@dataclass(frozen=True, slots=True)
class Hold:
    """Somebody has it."""

    owner: OwnerRef
    """Of the pods; the claim itself where no pod is known."""
    pods: tuple[str, ...]
    amount: int = 1
    """Units of the resource; of a shared device, of its capacity `Device.measure`."""
    claim: str = ""
    """Of DRA: `namespace/name`."""
    since: str = ""
    terminating: bool = False
    admin: bool = False
    """With adminAccess: it looks, and takes nothing from others."""

    @property
    def who(self) -> str:
        """The pods, else the claim."""
        return ", ".join(self.pods) or f"claim {self.claim}"


@dataclass(frozen=True, slots=True)
class Counted:
    """A resource that a device plugin counts. Which of the devices a pod has isn't known from the API.

    In the units of `kube.node.Resources`.
    """

    resource: str
    allocatable: int
    capacity: int
    holds: tuple[Hold, ...] = ()
    sharing: str = ""
    """Of shares of a GPU: `time-slicing` or `mps`, as the node's labels say; `shared` where they don't."""
    replicas: int = 1
    """Shares that each GPU is advertised as; 1 also where the labels of a shared one don't say."""
    known: bool = True
    """False: the input has no pods, so that nobody knows who holds it."""

    @property
    def held(self) -> int:
        """Units that pods hold; more than `allocatable` where the node is overbooked."""
        return sum(hold.amount for hold in self.holds)

    @property
    def left(self) -> int | None:
        """What isn't held; negative where more is asked for than there is. None: unknown."""
        return self.allocatable - self.held if self.known else None

    @property
    def free(self) -> int:
        """Units that a pod could get, as far as it's known."""
        return max(0, self.left or 0)

    @property
    def withheld(self) -> int:
        """Capacity that isn't allocatable: how device plugins report unhealthy devices."""
        return max(0, self.capacity - self.allocatable)


@dataclass(frozen=True, slots=True)
class Device:
    """A device of a ResourceSlice."""

    id: DeviceId
    kind: str = ""
    """Its attribute `type`, if it has one: gpu, mig, nic."""
    product: str = ""
    profile: str = ""
    facts: Mapping[str, str] = field(default_factory=dict[str, str])
    """What joins it to others or tells it apart, by the attribute's name without its domain: pcieRoot, numaNode."""
    taints: tuple[str, ...] = ()
    """Those that keep claims off it."""
    barriers: tuple[str, ...] = ()
    """What keeps claims off it beside taints: an incomplete pool."""
    unready: tuple[str, ...] = ()
    """Conditions that its driver reports as False. They keep nobody off it: schedulers don't look at them."""
    short_of: tuple[str, ...] = ()
    """Counters of which too little is left for it, since others hold them; of a shared one, its used up capacities."""
    holds: tuple[Hold, ...] = ()
    shared: bool = False
    """allowMultipleAllocations."""
    measure: str = ""
    """Of a shared device: the capacity that is given out."""
    total: int = 0
    """Of that capacity."""
    known: bool = True
    """False: the input has no claims, so that nobody knows whether it's held."""

    @property
    def model(self) -> str:
        """What it's called, and its MIG profile; empty: its driver doesn't say."""
        return " ".join(one for one in (self.product, self.profile) if one)

    @property
    def troubles(self) -> tuple[str, ...]:
        """All that's wrong with it, beside taints."""
        return (*self.unready, *self.barriers)

    @property
    def claims(self) -> tuple[str, ...]:
        """Those that have it, or a part of it."""
        return tuple(sorted({hold.claim for hold in self.holds if not hold.admin}))

    @property
    def allocated(self) -> bool:
        """A claim has it, or a part of it."""
        return any(not hold.admin for hold in self.holds)

    @property
    def taken(self) -> bool:
        """Nobody else can have it."""
        return self.allocated and not self.shared

    @property
    def closed(self) -> bool:
        """It's known that no claim without tolerations can get it, or a part of it."""
        return self.taken or bool(self.taints or self.barriers or self.short_of)

    @property
    def free(self) -> bool:
        """A claim without tolerations could get it, or a part of it, by itself."""
        return self.known and not self.closed


@dataclass(frozen=True, slots=True)
class Part:
    """An allocated device, as the part of a chip that it takes."""

    device: Device
    start: int | None
    """The first of its units; None where they aren't numbered."""
    length: int


@dataclass(frozen=True, slots=True)
class Chip:
    """What devices are cut from: a set of counters that they share. Measured in the units of one counter."""

    name: str
    unit: str
    """`SLICES`, where its driver numbers those of a GPU's memory, or the counter's name."""
    total: int
    parts: tuple[Part, ...]
    published: tuple[Device, ...]
    """All devices that draw on it."""
    counters: Mapping[str, Quantity]
    used: Mapping[str, Quantity]
    """By allocated devices, of the counters that they take from."""

    @property
    def held(self) -> int:
        """Units that are given out."""
        return sum(part.length for part in self.parts)

    @property
    def known(self) -> bool:
        """Whether it's known who holds what."""
        return all(one.known for one in self.published)

    @property
    def claims(self) -> tuple[str, ...]:
        """Of the devices that are cut from it."""
        return tuple(sorted({claim for one in self.published for claim in one.claims}))

    @property
    def open(self) -> Mapping[str, int]:
        """Profile -> how many of its published devices still fit, each by itself."""
        return Counter(
            one.profile or ("whole GPU" if one.kind == "gpu" else one.kind or one.id.device)
            for one in self.published
            if one.free
        )

    @property
    def whole(self) -> Device | None:
        """The one that takes all of it, if one is published: the uncut GPU."""
        return next((one for one in self.published if one.kind == "gpu"), None)


@dataclass(frozen=True, slots=True)
class Inventory:
    """The devices of a node, or of a pool that no single node has."""

    name: str
    counted: tuple[Counted, ...] = ()
    devices: tuple[Device, ...] = ()
    """Those that aren't cut from a chip."""
    chips: tuple[Chip, ...] = ()
    incomplete: tuple[str, ...] = ()
    """Pools of which slices are missing in the input, in words."""

    @property
    def empty(self) -> bool:
        """No devices at all."""
        return not (self.counted or self.devices or self.chips or self.incomplete)
