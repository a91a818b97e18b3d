"""The position of a search: what is free, what is left, which values constraints have settled on; with undo."""

from collections.abc import Iterable, Mapping, Sequence

from aliquot.allocation.search.attribute_values import UNSET, Values
from aliquot.allocation.search.counters import fits
from aliquot.allocation.search.question import Devices, Part, Question, Start

Saved = tuple[int, int, int, int, int, int]
"""What `save` remembers and `restore` takes back."""


class Position:
    """Takes devices and gives them back. Everything but the lists is a plain number, so undo can't leak."""

    __slots__ = ("avail", "claim", "devices", "distinct", "free", "left", "match", "mine", "paid", "residual", "trail",
                 "used", "value")  # fmt: skip

    def __init__(self, devices: Devices, start: Start, match: Sequence[Values], distinct: Sequence[Values]) -> None:
        self.devices = devices
        self.match = match
        self.distinct = distinct
        self.free = start.free
        self.avail = start.avail
        self.paid = start.paid
        self.claim = 0
        """The claim that is being served."""
        self.mine = 0
        """Exclusive devices that the current claim has picked."""
        self.residual = list(start.residual)
        self.value = [UNSET] * len(match)
        self.used = [0] * len(distinct)
        self.left = dict(start.left)
        self.trail: list[tuple[list[int] | dict[int, int], int, int]] = []

    def save(self) -> Saved:
        """Remember the position."""
        return (self.free, self.avail, self.paid, self.mine, self.claim, len(self.trail))

    def restore(self, saved: Saved) -> None:
        """Go back to a remembered position."""
        self.free, self.avail, self.paid, self.mine, self.claim, mark = saved
        trail = self.trail
        while len(trail) > mark:
            numbers, index, old = trail.pop()
            numbers[index] = old

    def serve(self, claim: int) -> None:
        """Turn to a claim; if it's another one, it has picked nothing yet."""
        if claim != self.claim:
            self.claim = claim
            self.mine = 0

    # --- what can be taken -------------------------------------------------------------------------------------------

    def candidates(self, part: Part) -> int:
        """The devices that the part may take next, at any place."""
        return self.affordable(part.consumes, self.joined(part.match, part.distinct, self.reachable(part)))

    def looked_at(self, part: Part) -> int:
        """The devices at which a search looks for the part: those that aren't in use."""
        if not part.admin:
            return self.free
        return ~self.mine if part.claim == self.claim else -1

    def reachable(self, part: Part) -> int:
        """The part's devices that aren't in use and whose counters fit."""
        if not part.admin:
            return part.bits & self.avail
        return part.bits & ~self.mine if part.claim == self.claim else part.bits

    def joined(self, match: Iterable[int], distinct: Iterable[int], devices: int) -> int:
        """Those of the devices that may join all these constraints."""
        for number in match:
            devices &= self.match[number].matching(self.value[number])
        for number in distinct:
            devices &= self.distinct[number].differing(self.used[number])
        return devices

    def affordable(self, consumes: Mapping[int, int], devices: int) -> int:
        """Without the shareable devices of whose capacities too little is left."""
        shared = devices & self.devices.shareable
        while shared:
            low = shared & -shared
            shared ^= low
            device = low.bit_length() - 1
            if not fits(consumes[device], self.left[device], self.devices.guards[device]):
                devices ^= low
        return devices

    # --- taking ------------------------------------------------------------------------------------------------------

    def take(self, part: Part, device: int) -> None:
        """Give a device to a part. It must be one of its candidates."""
        self.join(part.match, part.distinct, device)
        self.give(device, part.consumes, admin=part.admin)

    def join(self, match: Iterable[int], distinct: Iterable[int], device: int) -> None:
        """Let constraints know that a device was taken under them."""
        for number in match:
            old = self.value[number]
            atoms = self.match[number].atoms[device]
            new = atoms if old == UNSET else old & atoms
            if new != old:
                self.trail.append((self.value, number, old))
                self.value[number] = new
        for number in distinct:
            old = self.used[number]
            self.trail.append((self.used, number, old))
            self.used[number] = old | self.distinct[number].atoms[device]

    def give(self, device: int, consumes: Mapping[int, int], *, admin: bool) -> None:
        """Give a device away, or a share of it. A shareable device pays its counters once; admin access never does."""
        bit = 1 << device
        if self.devices.shareable & bit:
            left = self.left[device]
            self.trail.append((self.left, device, left))
            self.left[device] = left - consumes[device]
            if self.paid & bit:
                return
            self.paid |= bit
            if admin:
                self.avail |= bit & self.free
                return
        else:  # `hold`, written out: this is asked for every device that is tried
            self.mine |= bit
            self.free &= ~bit
            self.avail &= ~bit
            if admin:
                return
        place = self.devices.counters_of[device]
        if place >= 0:
            counters, old = self.devices.counters[place], self.residual[place]
            self.trail.append((self.residual, place, old))
            new = self.residual[place] = old - counters.use[device]
            drawing = counters.devices
            self.avail = self.avail & ~drawing | (counters.fit(new) | self.paid) & drawing & self.free

    def hold(self, devices: int) -> None:
        """Give exclusive devices away, without their counters."""
        self.mine |= devices
        self.free &= ~devices
        self.avail &= ~devices


def position_of(question: Question, start: Start) -> Position:
    """The position at the start of a question."""
    position = Position(question, start, question.match, question.distinct)
    position.claim = question.steps[0][0].claim if question.steps else 0
    return position
