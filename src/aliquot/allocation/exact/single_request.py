"""The answer to a single counted request without constraints: what nearly all pods ask, of thousands of nodes."""

from dataclasses import dataclass, field
from typing import Final, Literal

from aliquot.allocation.answer import Allocation
from aliquot.allocation.exact.compiled_claims import Alternative, CompiledClaims
from aliquot.allocation.exact.eligible import EligibleFinder
from aliquot.allocation.exact.node_state import NodeState
from aliquot.allocation.exact.results import ResultWriter
from aliquot.allocation.inputs import RESULTS_LIMIT
from aliquot.allocation.search.bits import members
from aliquot.dra.claim import ClaimAllocation

NONE: Final = "none"


@dataclass(slots=True, eq=False)
class SingleRequest:
    """Answers for one node. The whole answer is remembered per choice of devices."""

    finder: EligibleFinder
    results: ResultWriter
    _answers: dict[tuple[int, str, int], Allocation] = field(
        init=False, default_factory=dict[tuple[int, str, int], Allocation]
    )
    """(alternative's id, request, devices) -> the allocation of a pod with one claim of that one request."""

    def answer(
        self, claims: CompiledClaims, asked: Alternative, state: NodeState
    ) -> Allocation | Literal["none"] | None:
        """Answers; None: it takes a closer look."""
        finder = self.finder
        devices = finder.devices
        if state.busy or not devices.plain:
            return None
        found = finder.known.get(asked.id) or finder.eligible(asked)
        usable = found.bits & state.usable
        if found.error_bits:
            return None
        count = asked.count
        if count == 1:
            bits = usable & -usable
            if not bits:
                return NONE
        elif usable.bit_count() < count:
            return NONE
        else:
            rest = usable
            for _ in range(count):
                rest &= rest - 1
            bits = usable ^ rest
        name = claims.steps[0].names[0]
        known = self._answers.get((asked.id, name, bits))
        if known is None and count <= RESULTS_LIMIT and bits & devices.local:
            results = tuple([self.results.device(name, device, asked) for device in members(bits)])
            known = Allocation((ClaimAllocation(results, (), self.results.here),), count)
            self._answers[asked.id, name, bits] = known
        return known
