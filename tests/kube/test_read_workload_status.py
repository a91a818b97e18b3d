"""How far a workload has come, from JSON."""

import pytest

from aliquot.kube.selectors import LabelSelector
from aliquot.kube.workload import Counts, Event, Strategy, Workload
from tests.kube.objects import faults, read


def test_a_daemon_set() -> None:
    status = {
        "desiredNumberScheduled": 3,
        "currentNumberScheduled": 2,
        "numberReady": 1,
        "numberAvailable": 1,
        "numberUnavailable": 2,
        "numberMisscheduled": 0,
        "updatedNumberScheduled": 2,
        "observedGeneration": 5,
    }
    spec = {"updateStrategy": {"type": "OnDelete"}, "selector": {"matchLabels": {"app": "d"}}}
    found = read(Workload, "apps", "DaemonSet", {"spec": spec, "status": status})
    assert found.counts == Counts(
        desired=3, current=2, ready=1, available=1, updated=2, unavailable=2, misscheduled=0, observed_generation=5
    )
    assert (found.strategy, found.selector) == (Strategy("OnDelete"), LabelSelector({"app": "d"}))


def test_a_deployment() -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}}
    conditions = [{"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "forbidden"}]
    status = {"replicas": 2, "readyReplicas": 1, "conditions": conditions}
    spec = {"replicas": 3, "strategy": rolling, "paused": True}
    found = read(Workload, "apps", "Deployment", {"spec": spec, "status": status})
    assert (found.counts.desired, found.counts.current, found.counts.ready) == (3, 2, 1)
    assert (found.strategy, found.paused) == (Strategy("RollingUpdate", "25%", "0"), True)
    assert [(one.reason, one.message) for one in found.conditions] == [("FailedCreate", "forbidden")]


def test_jobs() -> None:
    found = read(Workload, "batch", "Job", {"spec": {"suspend": True, "parallelism": 4}, "status": {"active": 1}})
    assert (found.suspended, found.parallelism, found.counts.active) == (True, 4, 1)
    assert read(Workload, "batch", "CronJob", {"spec": {"suspend": True}, "status": {"active": [{}]}}).suspended


def test_a_wrong_count_costs_only_itself() -> None:
    found = faults("apps", "Deployment", {"status": {"readyReplicas": "one"}})
    assert [(fault.path, fault.minor) for fault in found] == [("status.readyReplicas", True)]


@pytest.mark.parametrize(
    ("thing", "reporter", "first"),
    [
        (
            {"source": {"component": "kubelet"}, "firstTimestamp": "2026-01-01T00:00:00Z"},
            "kubelet",
            "2026-01-01T00:00:00Z",
        ),
        ({"reportingComponent": "karpenter", "eventTime": "2026-01-02T00:00:00Z"}, "karpenter", "2026-01-02T00:00:00Z"),
    ],
)
def test_who_wrote_an_event_and_since_when(thing: dict[str, object], reporter: str, first: str) -> None:
    found = read(Event, "", "Event", thing)
    assert (found.reporter, found.first_seen) == (reporter, first)
