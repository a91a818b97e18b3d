"""Schedulers that aren't there, that crash, and those of others."""

from dataclasses import replace

import pytest

from aliquot.kube.conditions import Condition
from aliquot.kube.groups import KAI, KUBERNETES, SCHEDULER_PLUGINS, VOLCANO, PodGroup, Queue
from aliquot.kube.meta import Meta, Owner
from aliquot.kube.named import Lease
from aliquot.kube.pod import Container, Pod, Scheduled
from aliquot.kube.pod_status import ContainerStatus
from aliquot.kube.workload import Event, Workload
from aliquot.scheduling.blockers.blocker import Blocker
from aliquot.scheduling.blockers.find import pod_blockers
from scenarios.nouns.clusters import cluster, node, pod

SYSTEM = pod("coredns", "n", namespace="kube-system")


def asking(scheduler: str = "volcano") -> Pod:
    return replace(pod("p"), scheduler_name=scheduler)


def kinds(there: Pod, *things: object) -> list[str]:
    return [one.kind for one in pod_blockers(cluster(node("n"), there, *things), there)]


def test_an_absent_scheduler_needs_an_input_that_would_show_it() -> None:
    assert kinds(asking()) == ["other-scheduler"]
    assert kinds(asking(), SYSTEM) == ["scheduler-absent"]


@pytest.mark.parametrize(
    "sign",
    [
        pod("volcano-scheduler-x", "n", namespace="volcano-system"),
        replace(pod("s", "n", namespace="other"), containers=(Container("m", image="reg/vc/volcano-scheduler:v1"),)),
        pod("s", "n", namespace="other", labels={"app": "volcano-scheduler"}),
        Workload("Deployment", Meta("volcano-scheduler", "volcano-system")),
        Lease(Meta("volcano", "volcano-system")),
        replace(
            pod("placed", "n"),
            scheduler_name="volcano",
            meta=Meta("placed", "default", owners=(Owner("Job", "j", controller=True),)),
        ),
        Event(Meta("e"), "Pod", "default", "p", "", "FailedScheduling", "no", "Warning", reporter="volcano"),
    ],
)
def test_signs_of_a_scheduler(sign: object) -> None:
    assert kinds(asking(), SYSTEM, sign) == ["other-scheduler"]


def test_a_pod_that_somebody_judged_has_a_scheduler() -> None:
    judged = replace(asking(), scheduled=Scheduled("False", "Unschedulable", "queue is full"))
    assert kinds(judged, SYSTEM) == ["other-scheduler"]


def test_kube_scheduler_is_never_called_absent() -> None:
    assert kinds(pod("p"), SYSTEM) == []


def crashing(name: str) -> Pod:
    status = ContainerStatus(name="s", waiting="CrashLoopBackOff", restarts=9)
    return replace(pod(name, "n", namespace="kube-system"), statuses=(status,))


def test_a_scheduler_crashes_only_if_all_of_it_does() -> None:
    assert kinds(pod("p"), crashing("kube-scheduler-a")) == ["scheduler-crashing"]
    assert kinds(pod("p"), crashing("kube-scheduler-a"), pod("kube-scheduler-b", "n", namespace="kube-system")) == []
    judged = replace(pod("p"), scheduled=Scheduled("False", "Unschedulable", "0/1 nodes"))
    found = pod_blockers(cluster(node("n"), judged, crashing("kube-scheduler-a")), judged)
    assert [(one.kind, one.certain, one.used) for one in found] == [("scheduler-crashing", False, 9)]


GROUPS = {
    VOLCANO: {"annotations": {"scheduling.k8s.io/group-name": "g"}},
    KAI: {"annotations": {"pod-group-name": "g"}},
    SCHEDULER_PLUGINS: {"labels": {"scheduling.x-k8s.io/pod-group": "g"}},
}


def grouped(api: str) -> Pod:
    return replace(asking("other"), meta=Meta("p", "default", **GROUPS[api]))  # type: ignore[arg-type]


def first(there: Pod, *things: object) -> Blocker:
    return pod_blockers(cluster(node("n"), there, *things), there)[0]


@pytest.mark.parametrize("api", sorted(GROUPS))
def test_groups_of_other_schedulers(api: str) -> None:
    said = (Condition("Unschedulable", "True", "NotEnoughResources", "1/2 tasks in gang unschedulable"),)
    group = PodGroup(api=api, meta=Meta("g", "default"), least=2, phase="Inqueue", conditions=said)
    found = first(grouped(api), group)
    assert (found.kind, str(found.object), found.limit) == ("group-waiting", f"PodGroup.{api}/default/g", 2)
    assert found.evidence[0].message == "1/2 tasks in gang unschedulable"
    other = PodGroup(api=api, meta=Meta("h", "default"))
    assert first(grouped(api), other).kind == "group-missing"


def test_reasons_of_kai() -> None:
    group = PodGroup(api=KAI, meta=Meta("g", "default"), reasons=(("OverLimit", "queue over quota"),))
    assert first(grouped(KAI), group).evidence[0].message == "queue over quota"


def test_queues_of_other_schedulers() -> None:
    group = PodGroup(api=VOLCANO, meta=Meta("g", "default"), queue="q")
    assert first(grouped(VOLCANO), group, Queue(VOLCANO, Meta("q"), "Closed")).kind == "queue-stopped"
    assert first(grouped(VOLCANO), group, Queue(VOLCANO, Meta("r"), "Open")).kind == "queue-missing"
    assert first(grouped(VOLCANO), group).kind == "other-scheduler"


def test_kubernetes_own_group() -> None:
    there = replace(pod("p"), scheduling_group="g")
    said = (Condition("PodGroupScheduled", "False", "Unschedulable", "too large"),)
    group = PodGroup(api=KUBERNETES, meta=Meta("g", "default"), conditions=said)
    assert first(there, group).evidence[0].message == "too large"
    found = first(there, PodGroup(api=KUBERNETES, meta=Meta("h", "default")))
    assert (found.kind, found.decisive) == ("group-missing", True)
