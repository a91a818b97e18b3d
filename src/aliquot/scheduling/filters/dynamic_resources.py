"""DynamicResources: whether a node's devices can serve the pod's claims. `allocation` answers, in its own words."""

from typing import Protocol

from aliquot.allocation.claims.pod_check import Checked, Fault, PodCheck
from aliquot.kube.pod import Pod
from aliquot.scheduling.filters.reason import Reason
from aliquot.snapshot.load import NodeLoad
from aliquot.snapshot.snapshot import Snapshot

DYNAMIC_RESOURCES = "DynamicResources"


class ClaimFilter(Protocol):
    """Who answers for pods' claims: `allocation.engines`, or a what-if loop whose claims change from pod to pod."""

    def prepare(self, snapshot: Snapshot, pod: Pod) -> Checked:
        """Looks at the pod's claims once, to try them on nodes."""
        ...


def unallocatable(claims: PodCheck, load: NodeLoad) -> tuple[Reason, ...] | Fault:
    """Why the claims can't be allocated for this node; empty: they can. Asked only where all else fits.

    The same load is asked again with pods removed or added (preemption, nominated pods): claims are not freed by that,
    since the scheduler doesn't free them either.
    """
    problem = claims.check(load)
    if isinstance(problem, Fault):
        return problem
    return (Reason(DYNAMIC_RESOURCES, problem),) if problem else ()
