"""Kueue's reasons, and which of them is true now."""

from dataclasses import replace

import pytest

from aliquot.kube.conditions import Condition
from aliquot.kube.meta import Meta, Owner
from aliquot.kube.pod import Pod
from aliquot.kube.queueing import ADMISSION_GATE, ClusterQueue, LocalQueue, QueuedWorkload
from aliquot.kube.workload import Workload
from aliquot.scheduling.blockers.blocker import Blocker
from aliquot.scheduling.blockers.find import pod_blockers, workload_blockers
from scenarios.nouns.clusters import cluster, node, pod

OWNER = Owner("Pod", "p", "u", controller=True)
GATED = replace(pod("p"), meta=Meta("p", "default", "u"), scheduling_gates=(ADMISSION_GATE,))
FULL = (
    "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu in flavor gpu, 1 more needed"
)
NEVER = (
    "couldn't assign flavors to pod set main: insufficient quota for nvidia.com/gpu in flavor gpu, "
    "previously considered podsets requests (0) + current podset request (8) > maximum capacity (4)"
)


def workload(
    *conditions: Condition, active: bool = True, checks: tuple[tuple[str, str, str], ...] = ()
) -> QueuedWorkload:
    return QueuedWorkload(
        meta=Meta("pod-p-1", "default", owners=(OWNER,)),
        queue="q",
        active=active,
        conditions=conditions,
        checks=checks,
    )


def reserved(reason: str, message: str) -> Condition:
    return Condition("QuotaReserved", "False", reason, message)


QUEUE = LocalQueue(Meta("q", "default"), "cq", conditions=(Condition("Active", "True"),))
CLUSTER_QUEUE = ClusterQueue(Meta("cq"), conditions=(Condition("Active", "True"),))


def found(*things: object, there: Pod = GATED) -> Blocker:
    (one,) = pod_blockers(cluster(node("n"), there, *things), there)
    assert one.stage == "queue"
    return one


@pytest.mark.parametrize(
    ("condition", "kind"),
    [
        (reserved("Pending", FULL), "queue-full"),
        (reserved("Pending", NEVER), "queue-never-fits"),
        (reserved("Inadmissible", "LocalQueue nosuch doesn't exist"), "queue-missing"),
        (reserved("Inadmissible", "ClusterQueue cq is inactive"), "queue-stopped"),
        (reserved("Pending", "The workload is waiting"), "queue-waiting"),
    ],
)
def test_what_a_workload_says(condition: Condition, kind: str) -> None:
    one = found(workload(condition), QUEUE, CLUSTER_QUEUE)
    assert (one.kind, one.evidence[0].message) == (kind, condition.message)
    assert str(one.object) == "Workload.kueue.x-k8s.io/default/pod-p-1"


def test_a_stopped_queue_comes_before_an_old_message() -> None:
    stopped = replace(CLUSTER_QUEUE, conditions=(Condition("Active", "False", "Stopped", "is stopped"),), stop="Hold")
    one = found(workload(reserved("Pending", FULL)), QUEUE, stopped)
    assert (one.kind, str(one.object), one.subject, one.evidence[0].message) == (
        "queue-stopped",
        "ClusterQueue/cq",
        "Hold",
        "is stopped",
    )
    local = replace(QUEUE, conditions=(Condition("Active", "False", "ClusterQueueIsInactive"),))
    assert str(found(workload(), local, CLUSTER_QUEUE).object) == "LocalQueue/default/q"


def test_queues_that_are_missing() -> None:
    one = found(workload(), LocalQueue(Meta("qq", "default"), "cq"), CLUSTER_QUEUE)
    assert (one.kind, str(one.object), one.nearest) == ("queue-missing", "LocalQueue/default/q", "")
    one = found(workload(), replace(QUEUE, cluster_queue="cqx"), CLUSTER_QUEUE)
    assert (one.kind, str(one.object), one.nearest) == ("queue-missing", "ClusterQueue/cqx", "cq")


def test_other_states() -> None:
    assert found(workload(active=False), QUEUE, CLUSTER_QUEUE).kind == "deactivated"
    evicted = workload(Condition("Evicted", "True", "Preempted", "to accommodate another"))
    assert found(evicted, QUEUE, CLUSTER_QUEUE).evidence[0].reason == "Preempted"
    checked = workload(Condition("QuotaReserved", "True"), checks=(("prov", "Pending", "no nodes yet"),))
    one = found(checked, QUEUE, CLUSTER_QUEUE)
    assert (str(one.object), one.evidence[0].message) == ("AdmissionCheck/prov", "no nodes yet")


def test_without_kueues_objects_only_the_gate_is_known() -> None:
    one = found()
    assert (one.kind, one.certain, str(one.object)) == ("queue-waiting", False, "Pod/default/p")


def test_a_pod_without_the_gate_is_none_of_kueues() -> None:
    free = replace(GATED, scheduling_gates=())
    assert pod_blockers(cluster(node("n"), free, workload(reserved("Pending", FULL))), free) == ()


def test_a_suspended_job_is_found_by_its_uid() -> None:
    job = Workload("Job", Meta("j", "default", "u2"), suspended=True)
    queued = replace(
        workload(reserved("Pending", FULL)), meta=Meta("job-j", "default", labels={"kueue.x-k8s.io/job-uid": "u2"})
    )
    (one,) = workload_blockers(cluster(job, queued, QUEUE, CLUSTER_QUEUE), job)
    assert one.kind == "queue-full"
    running = replace(job, suspended=False)
    assert workload_blockers(cluster(running, queued), running) == ()
