"""Which devices a request means, and which of them would do now."""

from dataclasses import dataclass

from aliquot.allocation.answer import (
    CapacityShort,
    CapacityUnknown,
    DeviceReason,
    DeviceStory,
    RequestStory,
    SelectorError,
    SelectorFalse,
)


@dataclass(frozen=True, slots=True)
class Supplied:
    """One request on one node: the devices that were meant, and those that would do now."""

    request: RequestStory
    meant: tuple[DeviceStory, ...]
    """No selector rules them out, and they're as large as asked for."""

    @property
    def wanted(self) -> int:
        """How many; of "all": as many as were meant, at least one."""
        return self.request.wanted if self.request.wanted is not None else max(1, len(self.meant))

    @property
    def usable(self) -> int:
        """Of those meant."""
        return sum(1 for device in self.meant if not device.reasons)


def supplied(request: RequestStory) -> Supplied:
    """The devices of a story that the selectors accept, and that are large enough by themselves."""
    return Supplied(request, tuple(one for one in request.devices if not any(map(_rules_out, one.reasons))))


def _rules_out(why: DeviceReason) -> bool:
    """The device wouldn't do whoever holds it."""
    if isinstance(why, CapacityShort):
        return why.never
    return isinstance(why, SelectorFalse | SelectorError | CapacityUnknown)


def too_small(request: RequestStory) -> list[tuple[DeviceStory, CapacityShort]]:
    """Devices that the selectors accept, and of which one capacity is less than what is asked for."""
    return [
        (one, why)
        for one in request.devices
        if not any(isinstance(why, SelectorFalse | SelectorError) for why in one.reasons)
        for why in one.reasons
        if isinstance(why, CapacityShort) and why.never
    ]
