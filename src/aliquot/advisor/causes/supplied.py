"""Which devices a request means, and which of them would do now."""

from dataclasses import dataclass

from aliquot.allocation.answer import DeviceStory, RequestStory, SelectorError, SelectorFalse


@dataclass(frozen=True, slots=True)
class Supplied:
    """One request on one node: the devices that were meant, and those that would do now."""

    request: RequestStory
    meant: tuple[DeviceStory, ...]
    """No selector rules them out."""

    @property
    def wanted(self) -> int:
        """How many; of "all": as many as were meant, at least one."""
        return self.request.wanted if self.request.wanted is not None else max(1, len(self.meant))

    @property
    def usable(self) -> int:
        """Of those meant."""
        return sum(1 for device in self.meant if not device.reasons)


def supplied(request: RequestStory) -> Supplied:
    """The devices of a story that the selectors accept."""
    ruled_out = (SelectorFalse, SelectorError)
    meant = tuple(one for one in request.devices if not any(isinstance(why, ruled_out) for why in one.reasons))
    return Supplied(request, meant)
