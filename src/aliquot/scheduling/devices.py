"""Who answers for a pod's claims: `allocation`'s filter in the slot of `dynamic`."""

from collections.abc import Callable
from dataclasses import dataclass

from aliquot.allocation.claims.pod_check import Failure, Gates, PodCheck, Unschedulable, prepare
from aliquot.allocation.claims.pod_claims import NotReady
from aliquot.allocation.inputs import Engine, Supply
from aliquot.kube.pod import Pod
from aliquot.scheduling.filters.dynamic_resources import DYNAMIC_RESOURCES, ClaimCheck, NotGenerated, Rejected
from aliquot.scheduling.filters.reason import Fault, Reason
from aliquot.scheduling.versions import Release
from aliquot.snapshot.load import NodeLoad
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Check:
    """A pod's claims on one snapshot (`dynamic.ClaimCheck`)."""

    claims: PodCheck

    @property
    def post_filter(self) -> str:
        """What the plugin says after no node was found."""
        return self.claims.post_filter

    def check(self, load: NodeLoad) -> tuple[Reason, ...] | Fault:
        """Why the claims can't be served on a node; see `dynamic.ClaimCheck`."""
        problem = self.claims.check(load)
        if isinstance(problem, Failure):
            return Fault(problem.message)
        return (Reason(DYNAMIC_RESOURCES, problem),) if problem else ()


@dataclass(frozen=True, slots=True)
class Devices:
    """An allocator as `scheduling` asks it (`dynamic.DynamicResources`)."""

    make_engine: Callable[[Supply, str], Engine]
    """Makes the allocator for a supply and a Kubernetes version."""
    gates: tuple[tuple[str, bool], ...] = ()
    """Feature gates that the cluster's owner changed."""

    def prepare(
        self, snapshot: Snapshot, pod: Pod, release: Release
    ) -> ClaimCheck | Rejected | NotGenerated | Fault | None:
        """Looks at the pod's claims once; see `dynamic.DynamicResources`."""
        found = prepare(
            snapshot, pod, Gates(str(release), self.gates), lambda supply: self.make_engine(supply, str(release))
        )
        return told(found)


def told(
    found: PodCheck | Unschedulable | NotReady | Failure | None,
) -> ClaimCheck | Rejected | NotGenerated | Fault | None:
    """What `allocation` says of a pod's claims, as `scheduling` hears it."""
    match found:
        case None:
            return None
        case NotReady(text):
            return NotGenerated(text)
        case Unschedulable(text):
            return Rejected(text)
        case Failure(message):
            return Fault(message)
        case PodCheck():
            return Check(found)
