"""Whether no node can answer with a fatal error, told without looking at any node.

One fatal answer ends the whole attempt to place a pod, wherever the node is. So whoever looks for the first node that
serves would have to look at all of them; for the claims of nearly all pods this check spares that.
"""

from collections.abc import Sequence

from aliquot.allocation.exact.compiled_claims import Plan
from aliquot.allocation.rules.selectors import Selectors
from aliquot.dra.device import Slice


def certain(plan: Plan, slices: Sequence[Slice], selectors: Selectors) -> bool:
    """Says whether an answer is never fatal and never given up, whatever is allocated. If in doubt it isn't certain.

    It is for one counted request without capacities, on devices that belong to one node each, aren't shared, and on
    which every selector has a verdict: there's no search then, and nothing that could go wrong.

    Args:
        plan: the claims.
        slices: all devices of the cluster.
        selectors: of its version.
    """
    one = plan.single
    if one is None:
        return False
    of_class, of_request, _, wanted = one.key
    if wanted or not all(_simple(each, counters=one.count == 1) for each in slices):
        return False
    return selectors.sound([expression for expression in (*of_class, *of_request) if expression is not None], slices)


def _simple(one: Slice, *, counters: bool) -> bool:
    if not one.node_name or one.per_device_node_selection or (one.shared_counters and not counters):
        return False
    for device in one.devices:
        if device.allow_multiple or (device.consumes and not counters):
            return False
        for capacity in device.capacity.values():
            if capacity.policy is not None:
                return False
    return True
