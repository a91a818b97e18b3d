"""Pods that were never created."""

from dataclasses import replace

import pytest

from aliquot.kube.conditions import Condition
from aliquot.kube.meta import Meta, Owner
from aliquot.kube.pod import Container, Pod
from aliquot.kube.quotas import LimitRange, Limits, ResourceQuota
from aliquot.kube.selectors import Requirement
from aliquot.kube.workload import Event, Workload
from aliquot.scheduling.blockers.blocker import Blocker
from aliquot.scheduling.blockers.creation import limit_refusals, quota_refusals
from aliquot.scheduling.blockers.find import lacking, workload_blockers
from scenarios.nouns.clusters import GPU, cluster, pod

FORBIDDEN = 'Error creating: pods "w-x" is forbidden: '
WORKLOAD = Workload("ReplicaSet", Meta("w", "default"), 2, template=pod("w", gpu=1))


def told(text: str, *things: object) -> Blocker:
    event = Event(Meta("e"), "ReplicaSet", "default", "w", "", "FailedCreate", FORBIDDEN + text, last_seen="2026-01-01")
    there = cluster(WORKLOAD, event, *things)
    (found,) = workload_blockers(there, WORKLOAD)
    assert found.stage == "creation"
    assert found.evidence[0].message == FORBIDDEN + text
    return found


@pytest.mark.parametrize(
    ("text", "kind", "about"),
    [
        (
            "exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2",
            "quota-exceeded",
            "ResourceQuota/default/q",
        ),
        ("failed quota: q: must specify limits.cpu for: main", "quota-unspecified", "ResourceQuota/default/q"),
        ("maximum cpu usage per Container is 1, but limit is 2", "limit-range", "LimitRange/default"),
        ("minimum memory usage per Pod is 1Gi, but request is 1", "limit-range", "LimitRange/default"),
        (
            'error looking up service account default/robot: serviceaccount "robot" not found',
            "missing-object",
            "ServiceAccount/default/robot",
        ),
        ("no PriorityClass with name high was found", "missing-object", "PriorityClass/high"),
        (
            'pod rejected: RuntimeClass "nvidia" not found',
            "missing-object",
            "RuntimeClass/nvidia",
        ),
        ('failed calling webhook "mpod.kb.io": connection refused', "failed-create", "Webhook/mpod.kb.io"),
        ('violates PodSecurity "restricted:latest"', "failed-create", "ReplicaSet/default/w"),
    ],
)
def test_what_the_api_server_answered(text: str, kind: str, about: str) -> None:
    found = told(text)
    assert (found.kind, str(found.object)) == (kind, about)


def test_amounts_of_a_quota_are_read_from_the_answer_and_from_the_quota() -> None:
    text = (
        "exceeded quota: q, requested: requests.cpu=500m,pods=1, used: requests.cpu=2,pods=1, limited: requests.cpu=2"
    )
    assert (told(text).asked, told(text).used, told(text).limit) == (500, 2000, 2000)
    quota = ResourceQuota(Meta("q", "default"), {"requests.cpu": 3000}, {"requests.cpu": 2900}, known=True)
    assert (told(text, quota).used, told(text, quota).limit) == (2900, 3000)


def test_a_condition_says_it_too() -> None:
    text = "exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2"
    failing = replace(WORKLOAD, conditions=(Condition("ReplicaFailure", "True", "FailedCreate", text),))
    (found,) = workload_blockers(cluster(failing), failing)
    assert (found.kind, found.evidence[0].source) == ("quota-exceeded", "condition")


def test_a_deployment_is_told_by_its_replica_set() -> None:
    deployment = Workload("Deployment", Meta("d", "default"), 1)
    made = replace(WORKLOAD, meta=replace(WORKLOAD.meta, owners=(Owner("Deployment", "d", controller=True),)))
    event = Event(
        Meta("e"),
        "ReplicaSet",
        "default",
        "w",
        "",
        "FailedCreate",
        "exceeded quota: q, requested: a=1, used: a=1, limited: a=1",
    )
    ((workload, (found,)),) = lacking(cluster(deployment, made, event))
    assert workload == deployment
    assert [str(one) for one in found.others] == ["Deployment/default/d", "ReplicaSet/default/w"]


def test_a_workload_that_has_its_pods_lacks_nothing() -> None:
    mine = (Owner("ReplicaSet", "w", controller=True),)
    pods = [replace(one, meta=replace(one.meta, owners=mine)) for one in (pod("a"), pod("b"))]
    full = ResourceQuota(Meta("q", "default"), {"pods": 0}, {"pods": 2}, known=True)
    assert workload_blockers(cluster(WORKLOAD, full, *pods), WORKLOAD) == ()
    assert len(workload_blockers(cluster(WORKLOAD, full, pods[0]), WORKLOAD)) == 1


@pytest.mark.parametrize(
    ("hard", "used", "exceeded"),
    [
        ({f"requests.{GPU}": 4}, {f"requests.{GPU}": 4}, f"requests.{GPU}"),
        ({f"requests.{GPU}": 4}, {f"requests.{GPU}": 3}, None),
        ({"pods": 1}, {"pods": 1}, "pods"),
        ({"requests.cpu": 1}, {"requests.cpu": 1}, None),
    ],
)
def test_quotas_are_reckoned(hard: dict[str, int], used: dict[str, int], exceeded: str | None) -> None:
    there = cluster(ResourceQuota(Meta("q", "default"), hard, used, known=True))
    found = next(quota_refusals(there, pod("p", gpu=1)), None)
    assert (found.subject if found else None) == exceeded
    assert next(quota_refusals(there, pod("p", gpu=1, namespace="other")), None) is None


@pytest.mark.parametrize(
    ("quota", "counts"),
    [
        (ResourceQuota(Meta("q", "default"), {"pods": 0}, known=False), False),
        (ResourceQuota(Meta("q", "default"), {"pods": 0}, known=True, scopes=("NotBestEffort",)), True),
        (ResourceQuota(Meta("q", "default"), {"pods": 0}, known=True, scopes=("BestEffort",)), False),
        (ResourceQuota(Meta("q", "default"), {"pods": 0}, known=True, scopes=("Terminating",)), False),
        (
            ResourceQuota(
                Meta("q", "default"),
                {"pods": 0},
                known=True,
                scope_selector=(Requirement("PriorityClass", "In", ("high",)),),
            ),
            False,
        ),
    ],
)
def test_which_quotas_count_a_pod(quota: ResourceQuota, counts: bool) -> None:
    assert bool(list(quota_refusals(cluster(quota), pod("p", gpu=1)))) is counts


@pytest.mark.parametrize(
    ("limits", "broken"),
    [
        (Limits(kind="Container", most={GPU: 1}), (GPU, 2, 1)),
        (Limits(kind="Container", most={GPU: 2}), None),
        (Limits(kind="Container", least={GPU: 3}), (GPU, 2, 3)),
        (Limits(kind="Container", least={"cpu": 100}, default_request={"cpu": 100}), None),
        (Limits(kind="Pod", most={GPU: 1}), None),
    ],
)
def test_limits_are_reckoned(limits: Limits, broken: tuple[str, int, int] | None) -> None:
    asking = Pod(Meta("p", "default"), (Container("main", requests={GPU: 2}, limits={GPU: 2}),))
    there = cluster(LimitRange(Meta("l", "default"), (limits,)))
    found = next(limit_refusals(there, asking), None)
    assert ((found.subject, found.asked, found.limit) if found else None) == broken
