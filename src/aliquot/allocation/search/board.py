"""The position of a search: what is free, what is left, which values constraints have settled on; with undo."""

from aliquot.allocation.search.attribute_values import UNSET
from aliquot.allocation.search.question import Part, Question, Start

Saved = tuple[int, int, int, int, int, int]
"""What `save` remembers and `restore` takes back."""


class Board:
    """Takes devices and gives them back. Everything but the lists is a plain number, so undo can't leak."""

    __slots__ = ("avail", "claim", "free", "left", "mine", "paid", "question", "residual", "trail", "used", "value")

    def __init__(self, question: Question, start: Start) -> None:
        self.question = question
        self.free = start.free
        self.avail = start.avail
        self.paid = start.paid
        self.claim = question.steps[0][0].claim if question.steps else 0
        """The claim that is being served."""
        self.mine = 0
        """Exclusive devices that the current claim has picked."""
        self.residual = list(start.residual)
        self.value = [UNSET] * len(question.match)
        self.used = [0] * len(question.distinct)
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

    def candidates(self, part: Part) -> int:
        """The devices that the part may take next, at any place."""
        question = self.question
        found = self.joined(part, self.reachable(part))
        shared = found & question.shareable
        while shared:
            low = shared & -shared
            shared ^= low
            device = low.bit_length() - 1
            guard = question.guards[device]
            if ((self.left[device] | guard) - part.consumes[device]) & guard != guard:
                found ^= low
        return found

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

    def joined(self, part: Part, devices: int) -> int:
        """Those of the devices that may join all constraints of the part."""
        question = self.question
        for number in part.match:
            devices &= question.match[number].matching(self.value[number])
        for number in part.distinct:
            devices &= question.distinct[number].differing(self.used[number])
        return devices

    def take(self, part: Part, device: int) -> None:
        """Give a device to a part. It must be one of its candidates."""
        question = self.question
        bit = 1 << device
        trail = self.trail
        for number in part.match:
            old = self.value[number]
            atoms = question.match[number].atoms[device]
            new = atoms if old == UNSET else old & atoms
            if new != old:
                trail.append((self.value, number, old))
                self.value[number] = new
        for number in part.distinct:
            old = self.used[number]
            trail.append((self.used, number, old))
            self.used[number] = old | question.distinct[number].atoms[device]
        if question.shareable & bit:
            left = self.left[device]
            trail.append((self.left, device, left))
            self.left[device] = left - part.consumes[device]
            if self.paid & bit:
                return
            self.paid |= bit
            if part.admin:
                self.avail |= bit & self.free
                return
        else:
            self.free &= ~bit
            self.mine |= bit
            if part.admin:
                self.avail &= ~bit
                return
        number = question.block_of[device]
        if number < 0:
            self.avail &= ~bit | question.shareable
            return
        block = question.blocks[number]
        old = self.residual[number]
        trail.append((self.residual, number, old))
        new = old - block.use[device]
        self.residual[number] = new
        self.avail = self.avail & ~block.devices | (block.fit(new) | self.paid) & block.devices & self.free
