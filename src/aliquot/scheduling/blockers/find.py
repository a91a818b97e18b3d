"""What keeps a pod, or the pods of a workload, from coming to run, beside the scheduler's filters."""

from aliquot.kube.pod import Pod
from aliquot.kube.workload import Workload
from aliquot.scheduling.blockers.autoscaler import autoscaler_blockers
from aliquot.scheduling.blockers.blocker import Blocker
from aliquot.scheduling.blockers.containers import container_blockers
from aliquot.scheduling.blockers.creation import creation_blockers
from aliquot.scheduling.blockers.drivers import driver_blockers
from aliquot.scheduling.blockers.groups import group_blockers
from aliquot.scheduling.blockers.kueue import kueue_blockers
from aliquot.scheduling.blockers.missing import missing_objects
from aliquot.scheduling.blockers.schedulers import scheduler_blockers
from aliquot.scheduling.blockers.volumes import volume_blockers
from aliquot.snapshot.snapshot import Snapshot


def pod_blockers(snapshot: Snapshot, pod: Pod) -> tuple[Blocker, ...]:
    """In the order in which they'd have to go: queue, scheduler, volumes, objects, start; last what only explains.

    A pod that has ended has none. The pod needn't be in the snapshot.
    """
    if pod.terminal:
        return ()
    nobody = tuple(scheduler_blockers(snapshot, pod))
    found = (
        *kueue_blockers(snapshot, pod),
        *nobody,
        *(group_blockers(snapshot, pod) if not nobody else ()),
        *(volume_blockers(snapshot, pod) if not pod.node_name else ()),
        *(missing_objects(snapshot, pod) if _starting(pod) else ()),
        *container_blockers(snapshot, pod),
        *driver_blockers(snapshot, pod),
        *autoscaler_blockers(snapshot, pod),
    )
    return tuple(sorted(found, key=lambda blocker: not blocker.decisive))


def _starting(pod: Pod) -> bool:
    """It waits, or has a node and doesn't run yet."""
    return not pod.node_name or pod.phase == "Pending"


def workload_blockers(snapshot: Snapshot, workload: Workload) -> tuple[Blocker, ...]:
    """Why a workload has less pods than it should: they aren't created, or it isn't let in by its queue."""
    return (*kueue_blockers(snapshot, workload), *creation_blockers(snapshot, workload))


def lacking(snapshot: Snapshot) -> tuple[tuple[Workload, tuple[Blocker, ...]], ...]:
    """The workloads that lack pods which nobody sees, for they were never created; topmost owners only."""
    found: list[tuple[Workload, tuple[Blocker, ...]]] = []
    for workload in snapshot.workloads.values():
        owner = workload.meta.controller
        if owner is not None and f"{owner.kind}/{workload.meta.namespace}/{owner.name}" in snapshot.workloads:
            continue
        told = workload_blockers(snapshot, workload)
        if told:
            found.append((workload, told))
    return tuple(found)
