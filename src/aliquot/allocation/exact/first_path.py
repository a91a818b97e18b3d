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
from aliquot.allocation.search.attribute_values import UNSET
from aliquot.allocation.search.bits import members
from aliquot.allocation.search.depth_first import Picks
from aliquot.allocation.search.position import Position


class Descent:
    """One descent. `run` gives the picks, "none" if there's certainly no solution, or None if it can't tell."""

    __slots__ = ("_claims", "_devices", "_finder", "_position", "_state")

    def __init__(self, claims: CompiledClaims, finder: EligibleFinder, state: NodeState) -> None:
        self._claims = claims
        self._finder = finder
        self._devices = finder.devices
        self._state = state
        self._position = Position(
            finder.devices,
            state.start,
            [finder.values(attribute) for attribute in claims.match] if claims.match else (),
            [finder.values(attribute) for attribute in claims.distinct] if claims.distinct else (),
        )

    def run(self) -> Picks | Literal["none"] | None:
        """Go down."""
        picks: Picks = []
        devices, position = self._devices, self._position
        sound, known = ~self._state.barred, self._finder.known
        given = 0
        for number, step in enumerate(self._claims.steps):
            if step.claim != position.claim:
                position.serve(step.claim)
                given = 0
            for place, alternative in enumerate(step.alternatives):
                found = known.get(alternative.id) or self._finder.eligible(alternative)
                if alternative.admin:
                    usable = found.bits & ~position.mine & ~self._state.spent
                else:
                    usable = found.bits & position.avail & sound
                need = alternative.count
                if need == ALL:
                    every = every_device(devices, self._state, alternative, found)
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
                if usable & devices.shareable:
                    usable = position.affordable(found.consumes, usable)
                if usable.bit_count() < need:
                    if found.error_bits:
                        return None
                    given -= need
                    continue
                taken = self._take(number, alternative, found, usable, need)
                if taken is None:
                    return None
                if found.error_bits and taken:
                    looked_at = ~position.mine if alternative.admin else self._state.start.free
                    if found.error_bits & looked_at & ((1 << taken[-1]) - 1):
                        return None
                picks.append((number, place, taken))
                break
            else:
                return None if number else NONE
        return picks

    def _take(
        self, number: int, alternative: Alternative, found: Eligible, usable: int, need: int
    ) -> tuple[int, ...] | None:
        """Take the first devices that go together; None: it takes a search to tell."""
        position = self._position
        taken: list[int] = []
        plain = not self._devices.counters and not usable & self._devices.shareable
        if plain and not alternative.order:
            return self._several(usable, need)
        while len(taken) < need:
            low = usable & -usable
            if not low:
                return None
            device = low.bit_length() - 1
            if alternative.match and not self._served(number, alternative, usable, device, need - len(taken)):
                if self._may_fail():
                    return None
                usable ^= low
                continue
            taken.append(device)
            usable ^= low
            position.give(device, found.consumes, admin=alternative.admin)
            if alternative.order:
                position.join(alternative.match, alternative.distinct, device)
            if len(taken) == need:
                break
            if not alternative.admin:
                usable &= position.avail
            if alternative.order:
                usable = self._joined(alternative, usable)
                if plain and self._settled(alternative):
                    rest = self._several(usable, need - len(taken))
                    return None if rest is None else (*taken, *rest)
        return tuple(taken)

    def _several(self, usable: int, need: int) -> tuple[int, ...] | None:
        """Take the first devices, which don't influence each other."""
        rest = usable
        for _ in range(need):
            if not rest:
                return None
            rest &= rest - 1
        self._position.hold(usable ^ rest)
        return tuple(members(usable ^ rest))

    def _joined(self, alternative: Alternative, usable: int) -> int:
        return self._position.joined(alternative.match, alternative.distinct, usable)

    def _settled(self, alternative: Alternative) -> bool:
        """Whether further devices change no constraint."""
        value = self._position.value
        return not alternative.distinct and all(
            value[number] & (value[number] - 1) == 0 for number in alternative.match
        )

    def _served(self, step: int, alternative: Alternative, usable: int, device: int, need: int) -> bool:
        """Whether the device's value can serve every other member of a constraint that has no value yet."""
        position = self._position
        for number in alternative.match:
            if position.value[number] != UNSET:
                continue
            values = position.match[number]
            same = values.sharing(values.atoms[device]) | 1 << device
            if (usable & same).bit_count() < need:
                return False
            for place, member in self._claims.members[number]:
                if place <= step:
                    continue
                found = self._finder.eligible(member)
                having = found.bits & same & (-1 if member.admin else position.avail)
                if having.bit_count() < member.count:
                    return False
        return True

    def _may_fail(self) -> bool:
        """Whether an error can be met anywhere, so that nothing may be left out."""
        for step in self._claims.steps:
            for alternative in step.alternatives:
                if (alternative.count == ALL and alternative.order) or self._finder.eligible(alternative).error_bits:
                    return True
                # it may open what isn't paid for
                if alternative.admin and self._devices.shareable and self._devices.counters:
                    return True
        return False
