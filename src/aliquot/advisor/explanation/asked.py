"""Which pods are meant: by a name, by a workload's, or all that wait."""

from collections.abc import Iterator, Sequence

from aliquot.advisor.explanation.blocked import stopping
from aliquot.advisor.owners import owner_of
from aliquot.kube.pod import Pod
from aliquot.kube.workload import Workload
from aliquot.scheduling.blockers.find import lacking, pod_blockers
from aliquot.snapshot.snapshot import Snapshot


def find(snapshot: Snapshot, kind: str, name: str, namespace: str | None) -> list[Pod]:
    """The pods that `pod/NAME` or `deployment/NAME` means.

    Of a workload, all its pods that haven't ended; where it has none, one as its template would make it.
    """
    if kind == "pod":
        return [
            pod
            for pod in snapshot.pods.values()
            if pod.name == name and (namespace is None or pod.namespace == namespace)
        ]
    found: dict[str, Pod] = {}
    for pod in snapshot.pods.values():
        if pod.terminal or namespace not in (None, pod.namespace):
            continue
        direct = pod.meta.controller
        above = owner_of(snapshot, pod)
        if (above.kind.lower(), above.name) == (kind, name) or (
            direct is not None and (direct.kind.lower(), direct.name) == (kind, name)
        ):
            found[pod.key] = pod
    if found:
        return sorted(found.values(), key=lambda pod: pod.key)
    return [
        workload.template
        for workload in snapshot.workloads.values()
        if (workload.kind.lower(), workload.meta.name) == (kind, name)
        and namespace in (None, workload.meta.namespace)
        and workload.template is not None
    ]


def waiting(snapshot: Snapshot) -> list[Pod]:
    """All that wait: pods without a node, those that have one and can't start, and those that were never made."""
    stuck = [
        pod
        for pod in snapshot.pods.values()
        if pod.node_name and pod.phase == "Pending" and stopping(pod_blockers(snapshot, pod), pod) is not None
    ]
    unmade = [workload.template for workload, _ in lacking(snapshot) if workload.template is not None]
    return [*snapshot.pending(), *stuck, *unmade, *(() if snapshot.pods else _held(snapshot, unmade))]


def _held(snapshot: Snapshot, told: Sequence[Pod]) -> Iterator[Pod]:
    """Of suspended Jobs: told where the input has nothing else that could wait."""
    for one in snapshot.workloads.values():
        template = one.template
        if template is not None and one.kind == "Job" and one.suspended and not one.complete and template not in told:
            yield template


def made_by(snapshot: Snapshot, pod: Pod) -> Workload | None:
    """The workload whose template a pod is that was never made."""
    if pod.key in snapshot.pods:
        return None
    return next((one for one in snapshot.workloads.values() if one.template is pod), None)
