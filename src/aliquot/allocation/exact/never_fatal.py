"""Whether no node can answer with a fatal error, told without looking at any node.

One fatal answer ends the whole attempt to place a pod, wherever the node is. So whoever looks for the first node that
serves would have to look at all of them; for the claims of nearly all pods this check spares that.
"""

from collections.abc import Sequence

from aliquot.allocation.exact.compiled_claims import CompiledClaims
from aliquot.allocation.rules.selectors import Selectors
from aliquot.dra.device import Slice


def never_fatal(claims: CompiledClaims, slices: Sequence[Slice], selectors: Selectors) -> bool:
    """Says whether an answer is never fatal and never given up, whatever is allocated; False if that isn't certain.

    It is certain of one counted request without capacities, on devices of a single node each that aren't shared,
    and on which every selector has a verdict: there's no search then, and nothing that could go wrong.

    Args:
        claims: the claims.
        slices: all devices of the cluster.
        selectors: of its version.
    """
    asked = claims.single
    if asked is None:
        return False
    of_class, of_request, _, capacity = asked.criteria
    if capacity or not all(_simple(published, counters=asked.count == 1) for published in slices):
        return False
    return selectors.sound([expression for expression in (*of_class, *of_request) if expression is not None], slices)


def _simple(published: Slice, *, counters: bool) -> bool:
    if not published.node_name or published.per_device_node_selection or (published.shared_counters and not counters):
        return False
    for device in published.devices:
        if device.allow_multiple or (device.consumes and not counters):
            return False
        for capacity in device.capacity.values():
            if capacity.policy is not None:
                return False
    return True
