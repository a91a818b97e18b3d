"""Judge a pod on a snapshot as kube-scheduler would, and tell the whole story."""

from aliquot.kube.pod import Pod
from aliquot.scheduling.dynamic import DynamicResources
from aliquot.scheduling.outcome import Placement, Verdict
from aliquot.scheduling.reason import Fault, Reason
from aliquot.scheduling.versions import Release
from aliquot.snapshot.snapshot import Snapshot


def judge(snapshot: Snapshot, pod: Pod, release: Release, dynamic: DynamicResources | None = None) -> Verdict:
    """What becomes of a pod: a Placement (it runs, or could now, or after a preemption) or a Refusal.

    The pod needn't be in the snapshot; a namesake there that waits doesn't count against it.
    """
    raise NotImplementedError


def fits(
    snapshot: Snapshot, pod: Pod, node: str, release: Release, dynamic: DynamicResources | None = None
) -> tuple[Reason, ...] | Fault:
    """Every reason why one node doesn't take the pod now; empty if it does. Looks at this node only.

    Raises:
        KeyError: if there's no such node.
    """
    raise NotImplementedError


__all__ = ["Placement", "fits", "judge"]
