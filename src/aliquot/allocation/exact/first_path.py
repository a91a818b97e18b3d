"""The first descent: the leftmost path of the reference's search, without memory and without recursion.

If it reaches the end, it *is* the first solution. Most calls end here; the others are answered by a search.
"""

from typing import Literal

from aliquot.allocation.exact.compiled_claims import ALL, Alternative, CompiledClaims
from aliquot.allocation.exact.eligible import Eligible, EligibleFinder
from aliquot.allocation.exact.node_state import NodeState
from aliquot.allocation.exact.question_of import every_device
from aliquot.allocation.exact.single_request import NONE
from aliquot.allocation.inputs import RESULTS_LIMIT
from aliquot.allocation.search.attribute_values import UNSET, Values
from aliquot.allocation.search.bits import members
from aliquot.allocation.search.depth_first import Picks


class Descent:
    """One descent. `run` gives the picks, "none" if there's certainly no solution, or None if it can't tell."""

    __slots__ = ("_avail", "_finder", "_free", "_left", "_match", "_mine", "_paid", "_plan", "_residual", "_rivals",
                 "_standing", "_used", "_value", "_view")  # fmt: skip

    def __init__(self, plan: CompiledClaims, finder: EligibleFinder, standing: NodeState) -> None:
        start = standing.start
        self._plan = plan
        self._finder = finder
        self._view = finder.devices
        self._standing = standing
        self._free = start.free
        self._avail = start.avail
        self._paid = start.paid
        self._mine = 0
        self._residual: list[int] | None = None
        self._left: dict[int, int] | None = None
        if plan.match or plan.distinct:
            self._match = [finder.values(attribute) for attribute in plan.match]
            self._rivals = [finder.values(attribute) for attribute in plan.distinct]
            self._value = [UNSET] * len(self._match)
            self._used = [0] * len(self._rivals)

    def run(self) -> Picks | Literal["none"] | None:
        """Go down."""
        picks: Picks = []
        view, sound, known = self._view, ~self._standing.barred, self._finder.known
        claim = given = number = -1
        for step in self._plan.steps:
            number += 1
            if step.claim != claim:
                claim = step.claim
                given = 0
                self._mine = 0
            for place, alternative in enumerate(step.alternatives):
                found = known.get(alternative.id) or self._finder.eligible(alternative)
                if alternative.admin:
                    usable = found.bits & ~self._mine & ~self._standing.spent
                else:
                    usable = found.bits & self._avail & sound
                need = alternative.count
                if need == ALL:
                    every = every_device(view, self._standing, alternative, found)
                    if not every:
                        continue
                    usable &= every
                    need = every.bit_count()
                    if alternative.order and self._joined(alternative, usable) != every:
                        return None
                given += need
                if given > RESULTS_LIMIT:
                    return None
                if alternative.order:
                    usable = self._joined(alternative, usable)
                if usable & view.shareable:
                    usable = self._affordable(found, usable)
                if usable.bit_count() < need:
                    if found.error_bits:
                        return None
                    given -= need
                    continue
                devices = self._take(number, alternative, found, usable, need)
                if devices is None:
                    return None
                if found.error_bits and devices:
                    looked_at = ~self._mine if alternative.admin else self._standing.start.free
                    if found.error_bits & looked_at & ((1 << devices[-1]) - 1):
                        return None
                picks.append((number, place, devices))
                break
            else:
                return None if number else NONE
        return picks

    def _take(
        self, number: int, alternative: Alternative, found: Eligible, usable: int, need: int
    ) -> tuple[int, ...] | None:
        """Take the first devices that go together; None: it takes a search to tell."""
        view = self._view
        block_of = view.block_of
        devices: list[int] = []
        plain = not view.blocks and not usable & view.shareable
        if plain and not alternative.order:
            return self._several(usable, need)
        while len(devices) < need:
            low = usable & -usable
            if not low:
                return None
            device = low.bit_length() - 1
            if alternative.match and not self._served(number, alternative, usable, device, need - len(devices)):
                if self._may_fail():
                    return None
                usable ^= low
                continue
            devices.append(device)
            usable ^= low
            if view.shareable & low:
                self._share(alternative, found, device)
            elif alternative.admin or block_of[device] < 0:
                self._hold(low)
            else:
                self._hold(low)
                self._draw(device)
            if not alternative.admin:
                usable &= self._avail
            if alternative.order:
                self._join(alternative, device)
                usable = self._joined(alternative, usable)
                if plain and self._settled(alternative):
                    rest = self._several(usable, need - len(devices))
                    return None if rest is None else (*devices, *rest)
        return tuple(devices)

    def _several(self, usable: int, need: int) -> tuple[int, ...] | None:
        """Take the first devices, which don't influence each other."""
        rest = usable
        for _ in range(need):
            if not rest:
                return None
            rest &= rest - 1
        self._hold(usable ^ rest)
        return tuple(members(usable ^ rest))

    def _hold(self, bits: int) -> None:
        self._mine |= bits
        self._free &= ~bits
        self._avail &= ~bits

    def _settled(self, alternative: Alternative) -> bool:
        """Whether further devices change no constraint."""
        return not alternative.distinct and all(
            self._value[number] & (self._value[number] - 1) == 0 for number in alternative.match
        )

    def _draw(self, device: int) -> None:
        """Charge a device's counters."""
        if self._residual is None:
            self._residual = list(self._standing.start.residual)
        number = self._view.block_of[device]
        block = self._view.blocks[number]
        self._residual[number] -= block.use[device]
        fits = (block.fit(self._residual[number]) | self._paid) & block.devices & self._free
        self._avail = self._avail & ~block.devices | fits

    def _share(self, alternative: Alternative, found: Eligible, device: int) -> None:
        if self._left is None:
            self._left = dict(self._standing.start.left)
        self._left[device] -= found.consumes[device]
        bit = 1 << device
        if not self._paid & bit:
            self._paid |= bit
            if alternative.admin:
                self._avail |= bit & self._free
            elif self._view.block_of[device] >= 0:
                self._draw(device)

    def _affordable(self, found: Eligible, usable: int) -> int:
        """Without the shareable devices whose capacities don't suffice any more."""
        left = self._standing.start.left if self._left is None else self._left
        shared = usable & self._view.shareable
        while shared:
            low = shared & -shared
            shared ^= low
            device = low.bit_length() - 1
            guard = self._view.shared[device].guard
            if ((left[device] | guard) - found.consumes[device]) & guard != guard:
                usable ^= low
        return usable

    def _joined(self, alternative: Alternative, usable: int) -> int:
        """Those that may join all constraints of the alternative as they stand."""
        for number in alternative.match:
            usable &= self._match[number].matching(self._value[number])
        for number in alternative.distinct:
            usable &= self._rivals[number].differing(self._used[number])
        return usable

    def _join(self, alternative: Alternative, device: int) -> None:
        for number in alternative.match:
            atoms = self._match[number].atoms[device]
            value = self._value[number]
            self._value[number] = atoms if value == UNSET else value & atoms
        for number in alternative.distinct:
            self._used[number] |= self._rivals[number].atoms[device]

    def _served(self, step: int, alternative: Alternative, usable: int, device: int, need: int) -> bool:
        """Whether the device's value can serve every other member of a constraint that has no value yet."""
        for number in alternative.match:
            if self._value[number] != UNSET:
                continue
            values: Values = self._match[number]
            same = values.sharing(values.atoms[device]) | 1 << device
            if (usable & same).bit_count() < need:
                return False
            for place, member in self._plan.members[number]:
                if place <= step:
                    continue
                found = self._finder.eligible(member)
                having = found.bits & same & (-1 if member.admin else self._avail)
                if having.bit_count() < member.count:
                    return False
        return True

    def _may_fail(self) -> bool:
        """Whether an error can be met anywhere, so that nothing may be left out."""
        for step in self._plan.steps:
            for alternative in step.alternatives:
                if (alternative.count == ALL and alternative.order) or self._finder.eligible(alternative).error_bits:
                    return True
                if alternative.admin and self._view.shareable and self._view.blocks:  # it may open what isn't paid for
                    return True
        return False
