"""Why a node's devices can't serve a pod's claims: the allocator's story, found for a pod and put into words."""

from dataclasses import dataclass

from aliquot.allocation.answer import (
    AttributeMissing,
    CapacityShort,
    CapacityUnknown,
    ConstraintBroken,
    CounterShort,
    DeviceReason,
    DeviceStory,
    FeatureOff,
    Held,
    NodeNotSelected,
    PoolStory,
    RequestStory,
    SelectorError,
    SelectorFalse,
    Tainted,
)

STORIES_TOLD = 24
"""Nodes whose devices are told one by one: a story looks at every device, and alike nodes have alike stories."""


def words(reason: DeviceReason) -> str:
    """One reason against a device."""
    match reason:
        case SelectorFalse(owner=owner, term=term):
            return f"{owner} wants {term}"
        case SelectorError(owner=owner, index=index, text=text):
            return f"CEL error in {owner}, selector #{index}: {text}"
        case Held(claim=claim, pods=pods):
            users = f" of {', '.join(pods)}" if pods else ""
            return f"held by claim {claim}{users}" if claim else "allocated already"
        case Tainted(taint=taint):
            value = f"={taint.value}" if taint.value else ""
            return f"device taint {taint.key}{value}:{taint.effect}, not tolerated by the claim"
        case CounterShort(counter_set=name, counter=counter, available=left, claims=claims) if left.sign < 0:
            by_whom = f" by {', '.join(claims)}" if claims else ""
            return f"{counter} of {name} is overdrawn{by_whom}: {left} left"
        case CounterShort(counter_set=name, counter=counter, needed=needed, available=available, held_by=holders):
            users = f" (used by {', '.join(one.device for one in holders)})" if holders else ""
            return f"{counter} of {name}: needs {needed}, {available} left{users}"
        case CapacityShort(capacity=capacity, consumes=consumes, available=available, broken_policy=broken):
            return (
                f"capacity {capacity}: {consumes} isn't an amount that it gives"
                if broken
                else f"capacity {capacity}: needs {consumes}, {available} left"
            )
        case CapacityUnknown(capacity=capacity):
            return f"has no capacity {capacity}"
        case AttributeMissing(constraint=constraint, attribute=attribute):
            return f"has no {attribute}, which {constraint} compares"
        case ConstraintBroken(constraint=constraint, attribute=attribute, value=value, values=values):
            others = (
                f"others could only have {', '.join(values)}" if values else "the other requests have no device left"
            )
            return f"{constraint} {attribute}: it has {value}, {others}"
        case NodeNotSelected():
            return "not reachable from this node"
        case FeatureOff(feature=feature):
            return f"needs the feature {feature}, which is off"


def pool_words(pool: PoolStory) -> str:
    """A pool that supplies nothing."""
    name = f"{pool.driver}/{pool.pool}" if pool.driver else "the node's pools"
    return f"pool {name} is {pool.state}: {pool.detail}" if pool.detail else f"pool {name} is {pool.state}"


@dataclass(frozen=True, slots=True)
class DeviceGroup:
    """Devices of one request with the same reasons."""

    devices: tuple[str, ...]
    reasons: tuple[str, ...]


def grouped(request: RequestStory) -> tuple[DeviceGroup, ...]:
    """The devices that can't serve a request, those with the same reasons together.

    Devices that a selector rules out come last, and nothing else is said of them: they weren't meant.
    """
    found: dict[tuple[str, ...], list[str]] = {}
    for device in sorted(request.devices, key=lambda one: _not_meant(one) is not None):
        if device.reasons:
            ruled_out = _not_meant(device)
            told = (words(ruled_out),) if ruled_out is not None else tuple(map(words, device.reasons))
            found.setdefault(told, []).append(device.device.device)
    return tuple(DeviceGroup(tuple(devices), reasons) for reasons, devices in found.items())


def _not_meant(device: DeviceStory) -> SelectorFalse | None:
    return next((one for one in device.reasons if isinstance(one, SelectorFalse)), None)
