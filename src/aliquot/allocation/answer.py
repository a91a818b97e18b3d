"""An engine's answer: what is given to each claim, or a refusal with its story.

"No" is a value. The story of a refusal is data: per request and device, every reason for which that device cannot
serve, each with what was asked and what was found.
"""

from dataclasses import dataclass, replace
from typing import Literal

from aliquot.dra.claim import ClaimAllocation
from aliquot.dra.device import DeviceId, DeviceTaint
from aliquot.units.quantity import Quantity

Category = Literal["does not fit", "this node only", "fatal", "gave up"]
"""does not fit: upstream's nil without an error. this node only: its error that wraps ErrFailedAllocationOnNode.
fatal: the scheduler aborts the pod. gave up: a budget ended before the search; the error says whether kube-scheduler's
10 s would have ended too ("timed out ...") or the outcome isn't known ("undecided ...")."""


@dataclass(frozen=True, slots=True)
class Allocation:
    """It fits: one allocation a claim, in the order of the claims."""

    claims: tuple[ClaimAllocation, ...]
    steps: int = 0
    """Calls of upstream's allocateOne (reference), or visited search nodes (exact)."""


ConstraintKind = Literal["matchAttribute", "distinctAttribute"]

# --- reasons, one a rule ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SelectorFalse:
    """A selector says no. `owner`: "class NAME" or "request"; `index`: which one; `term`: the `&&` part that fails."""

    owner: str
    index: int
    expression: str
    term: str


@dataclass(frozen=True, slots=True)
class SelectorError:
    """A selector can't be compiled or evaluated; `text` is the engine's message, with a caret where there is one."""

    owner: str
    index: int
    expression: str
    phase: Literal["compile", "runtime"]
    text: str


@dataclass(frozen=True, slots=True)
class Held:
    """Allocated to a claim already. `claim`: namespace/name, or "" when unknown; `pods`: its consumers."""

    claim: str
    pods: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tainted:
    """A taint that the request doesn't tolerate."""

    taint: DeviceTaint


@dataclass(frozen=True, slots=True)
class CounterShort:
    """A counter of the pool has less left than the device consumes.

    Below zero it's overdrawn: then it's in the way of devices that need none of it, too.
    """

    counter_set: str
    counter: str
    needed: Quantity
    available: Quantity
    held_by: tuple[DeviceId, ...] = ()
    """Allocated devices that consume it."""
    claims: tuple[str, ...] = ()
    """namespace/name of the claims that hold those devices, where they're known."""


@dataclass(frozen=True, slots=True)
class CapacityShort:
    """A capacity has less left than the request consumes, or the amount breaks the capacity's policy."""

    capacity: str
    requested: Quantity | None
    consumes: Quantity
    available: Quantity
    broken_policy: bool = False
    total: Quantity | None = None
    """What the device has, whoever holds some of it."""

    @property
    def never(self) -> bool:
        """It would be too little even if nobody held any."""
        return not self.broken_policy and self.total is not None and self.consumes > self.total


@dataclass(frozen=True, slots=True)
class CapacityUnknown:
    """The request names a capacity that the device doesn't have."""

    capacity: str


@dataclass(frozen=True, slots=True)
class AttributeMissing:
    """A constraint needs an attribute that the device lacks (or whose type cannot be compared)."""

    constraint: ConstraintKind
    attribute: str


@dataclass(frozen=True, slots=True)
class ConstraintBroken:
    """A constraint's other members cannot agree with this device's value. `values`: what they could offer."""

    constraint: ConstraintKind
    attribute: str
    value: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodeNotSelected:
    """The device (with per-device node selection) isn't reachable from this node."""


@dataclass(frozen=True, slots=True)
class FeatureOff:
    """The device needs a feature that is off in this cluster."""

    feature: str


DeviceReason = (
    SelectorFalse
    | SelectorError
    | Held
    | Tainted
    | CounterShort
    | CapacityShort
    | CapacityUnknown
    | AttributeMissing
    | ConstraintBroken
    | NodeNotSelected
    | FeatureOff
)


@dataclass(frozen=True, slots=True)
class DeviceStory:
    """One device, seen from one request: every reason against it; none: it would do by itself."""

    device: DeviceId
    reasons: tuple[DeviceReason, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestStory:
    """One request (or one alternative of it) of one claim. `wanted` None: all matching devices."""

    claim: str
    """namespace/name."""
    request: str
    """`request`, or `request/alternative`."""
    wanted: int | None
    devices: tuple[DeviceStory, ...]

    @property
    def usable(self) -> int:
        """How many devices would do by themselves."""
        return sum(1 for device in self.devices if not device.reasons)


@dataclass(frozen=True, slots=True)
class PoolStory:
    """A pool that supplies no devices to this node, and why."""

    driver: str
    pool: str
    state: Literal["incomplete", "outdated", "invalid", "node not selected", "ignored"]
    detail: str
    """incomplete: "1 of 2 slices"; outdated: which generation is newer; invalid: upstream's reason; ignored: which
    feature is off, or that no node selection is set."""


@dataclass(frozen=True, slots=True)
class Story:
    """Why a node cannot serve some claims."""

    requests: tuple[RequestStory, ...] = ()
    pools: tuple[PoolStory, ...] = ()
    conflict: tuple[str, ...] = ()
    """A smallest set of requirements, in words, that can't hold together; empty when it wasn't looked for."""


@dataclass(frozen=True, slots=True)
class NoAllocation:
    """It doesn't fit. `error` is worded as upstream words it; empty for "does not fit"."""

    category: Category
    error: str = ""
    steps: int = 0
    story: Story | None = None
    """Told on demand (`story.tell`): it costs more than the refusal."""

    def told(self, story: Story) -> "NoAllocation":
        """Returns the refusal with its story."""
        return replace(self, story=story)


Answer = Allocation | NoAllocation
