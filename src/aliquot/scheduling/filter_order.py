"""kube-scheduler's filters in their order, and what a node's first failing filter, or every one, says."""

from collections.abc import Callable, Iterable

from aliquot.allocation.claims.pod_check import Fault
from aliquot.scheduling.cycle import Cycle
from aliquot.scheduling.filters.dynamic_resources import DYNAMIC_RESOURCES, unallocatable
from aliquot.scheduling.filters.inter_pod_affinity import unfriendly
from aliquot.scheduling.filters.node_affinity import unwanted
from aliquot.scheduling.filters.node_declared_features import undeclared
from aliquot.scheduling.filters.node_name import other_node
from aliquot.scheduling.filters.node_ports import taken_ports
from aliquot.scheduling.filters.node_resources_fit import short
from aliquot.scheduling.filters.node_unschedulable import cordoned
from aliquot.scheduling.filters.pod_topology_spread import skewed
from aliquot.scheduling.filters.reason import Reason, counted
from aliquot.scheduling.filters.taint_toleration import untolerated
from aliquot.snapshot.load import NodeLoad

Filter = Callable[[Cycle, NodeLoad], tuple[Reason, ...] | Fault]


def _cordoned(cycle: Cycle, load: NodeLoad) -> tuple[Reason, ...]:
    return cordoned(cycle.pod, load.node, cycle.kubernetes)


def _other_node(cycle: Cycle, load: NodeLoad) -> tuple[Reason, ...]:
    return other_node(cycle.pod, load.node)


def _untolerated(cycle: Cycle, load: NodeLoad) -> tuple[Reason, ...]:
    return untolerated(cycle.pod, load.node, cycle.kubernetes)


def _unwanted(cycle: Cycle, load: NodeLoad) -> tuple[Reason, ...]:
    return unwanted(cycle.pod, load.node)


def _taken_ports(cycle: Cycle, load: NodeLoad) -> tuple[Reason, ...]:
    return taken_ports(cycle.ports, load) if cycle.ports else ()


def _short(cycle: Cycle, load: NodeLoad) -> tuple[Reason, ...]:
    return short(cycle.request, load, cycle.delegated, cycle.kubernetes)


def _skewed(cycle: Cycle, load: NodeLoad) -> tuple[Reason, ...]:
    return skewed(cycle.spread, load.node) if cycle.spread else ()


def _unfriendly(cycle: Cycle, load: NodeLoad) -> tuple[Reason, ...]:
    return unfriendly(cycle.neighbours, load.node) if cycle.neighbours else ()


def _unallocatable(cycle: Cycle, load: NodeLoad) -> tuple[Reason, ...] | Fault:
    return unallocatable(cycle.claims, load) if cycle.claims else ()


def _undeclared(cycle: Cycle, load: NodeLoad) -> tuple[Reason, ...]:
    return undeclared(cycle.pod, load.node, cycle.kubernetes)


NODE_FILTERS: tuple[Filter, ...] = (_cordoned, _other_node, _untolerated, _unwanted)
"""They look at the node alone."""
HOLDING_FILTERS: tuple[Filter, ...] = (_taken_ports, _short)
"""They look at what the node carries. The volume filters would follow."""
COMPANY_FILTERS: tuple[Filter, ...] = (_skewed, _unfriendly)
"""They look at the pods on other nodes, too."""
WIDE_FILTERS: tuple[Filter, ...] = (*COMPANY_FILTERS, _unallocatable, _undeclared)
"""They look beyond the node (the last: at the node alone, but it comes last)."""
FILTERS: tuple[Filter, ...] = (*NODE_FILTERS, *HOLDING_FILTERS, *WIDE_FILTERS)
"""In the scheduler's order (default plugins with the features of 1.36 on)."""


def first_failure(cycle: Cycle, load: NodeLoad, filters: Iterable[Filter] = FILTERS) -> tuple[Reason, ...] | Fault:
    """What the scheduler finds on a node: the reasons it counts of the first failing filter; empty: the pod fits."""
    for check in filters:
        reasons = check(cycle, load)
        if isinstance(reasons, Fault):
            return reasons
        if reasons:
            return counted(reasons)
    return ()


def every_failure(cycle: Cycle, load: NodeLoad) -> tuple[Reason, ...]:
    """All reasons of all failing filters. A filter that can't judge here is told as a reason."""
    found: list[Reason] = []
    for check in FILTERS:
        reasons = check(cycle, load)
        if isinstance(reasons, Fault):
            reasons = (Reason(DYNAMIC_RESOURCES, reasons.message, counts=False),)
        found += reasons
    return tuple(found)


def preemptible(reasons: Iterable[Reason]) -> bool:
    """Whether removing pods might help: only if that's so of all reasons that count."""
    return all(reason.preemptible for reason in reasons)
