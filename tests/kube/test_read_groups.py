"""Pod groups, gangs and queues of several schedulers from JSON."""

import pytest

from aliquot.kube.groups import KAI, KUBERNETES, SCHEDULER_PLUGINS, VOLCANO, GangWorkload, PodGroup, Queue
from aliquot.kube.queueing import ClusterQueue, LocalQueue, QueuedWorkload, ResourceFlavor
from tests.kube.objects import read

KUEUE = "kueue.x-k8s.io"


def test_kubernetes_own_group() -> None:
    spec = {"schedulingPolicy": {"gang": {"minCount": 4}}, "schedulingConstraints": {"topology": [{"key": "zone"}]}}
    found = read(PodGroup, KUBERNETES, "PodGroup", {"spec": spec})
    assert (found.api, found.least, found.topology) == (KUBERNETES, 4, True)
    assert read(PodGroup, KUBERNETES, "PodGroup", {"spec": {"schedulingPolicy": {"basic": {}}}}).least is None


@pytest.mark.parametrize("api", [VOLCANO, KAI, SCHEDULER_PLUGINS])
def test_groups_of_others(api: str) -> None:
    status = {
        "phase": "Pending",
        "running": 1,
        "conditions": [{"type": "Unschedulable", "status": "True", "message": "no"}],
        "schedulingConditions": [{"type": "UnschedulableOnNodePool", "reason": "Queue", "message": "over quota"}],
    }
    found = read(PodGroup, api, "PodGroup", {"spec": {"minMember": 2, "queue": "q"}, "status": status})
    assert (found.least, found.queue, found.phase, found.running) == (2, "q", "Pending", 1)
    assert [one.message for one in found.conditions] == ["no"]
    assert found.reasons == (("Queue", "over quota"),)


def test_workloads_of_gangs() -> None:
    old = {"spec": {"podGroups": [{"name": "g", "policy": {"gang": {"minCount": 3}}}, {"name": "h"}]}}
    assert read(GangWorkload, KUBERNETES, "Workload", old).groups == (("g", 3), ("h", None))
    new = {"spec": {"podGroupTemplates": [{"name": "g", "schedulingPolicy": {"gang": {"minCount": 2}}}]}}
    found = read(GangWorkload, KUBERNETES, "Workload", new)
    assert (found.groups, found.templates) == ((("g", 2),), True)


def test_queues() -> None:
    assert read(Queue, VOLCANO, "Queue", {"status": {"state": "Closed"}}).state == "Closed"
    assert read(Queue, KAI, "Queue", {"spec": {"parentQueue": "top"}}).parent == "top"


def test_kueue_workloads() -> None:
    status = {
        "conditions": [{"type": "QuotaReserved", "status": "False", "reason": "Pending", "message": "full"}],
        "admission": {"clusterQueue": "cq"},
        "admissionChecks": [{"name": "prov", "state": "Pending", "message": "m"}],
    }
    found = read(QueuedWorkload, KUEUE, "Workload", {"spec": {"queueName": "q", "active": False}, "status": status})
    assert (found.queue, found.active, found.admitted_by) == ("q", False, "cq")
    assert found.checks == (("prov", "Pending", "m"),)
    assert found.conditions[0].message == "full"
    assert read(QueuedWorkload, KUEUE, "Workload", {}).active


def test_kueue_queues() -> None:
    flavors = [{"name": "gpu", "resources": [{"name": "nvidia.com/gpu", "nominalQuota": 4}]}]
    reserved = [{"name": "gpu", "resources": [{"name": "nvidia.com/gpu", "total": "3"}]}]
    thing = {
        "spec": {"resourceGroups": [{"flavors": flavors}], "stopPolicy": "Hold", "cohort": "c"},
        "status": {"flavorsReservation": reserved, "pendingWorkloads": 2},
    }
    found = read(ClusterQueue, KUEUE, "ClusterQueue", thing)
    assert (found.stop, found.cohort, found.pending) == ("Hold", "c", 2)
    assert (found.quota, found.reserved) == ({"gpu": {"nvidia.com/gpu": 4}}, {"gpu": {"nvidia.com/gpu": 3}})
    assert read(ClusterQueue, KUEUE, "ClusterQueue", {"spec": {"stopPolicy": "None"}}).stop == ""
    assert read(LocalQueue, KUEUE, "LocalQueue", {"spec": {"clusterQueue": "cq"}}).cluster_queue == "cq"
    flavor = read(ResourceFlavor, KUEUE, "ResourceFlavor", {"spec": {"nodeLabels": {"a": "b"}}})
    assert flavor.node_labels == {"a": "b"}
