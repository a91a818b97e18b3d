"""Quotas, limits and disruption budgets from JSON."""

from aliquot.kube.disruption import DisruptionBudget
from aliquot.kube.quotas import LimitRange, ResourceQuota, quota_resource
from aliquot.kube.selectors import LabelSelector, Requirement
from tests.kube.objects import read


def test_a_quota_counts_in_the_schedulers_units() -> None:
    status = {
        "hard": {"requests.cpu": "2", "limits.memory": "1Ki", "requests.nvidia.com/gpu": "4", "pods": "3"},
        "used": {"requests.cpu": "1500m"},
    }
    found = read(ResourceQuota, "", "ResourceQuota", {"spec": {"hard": {"pods": "9"}}, "status": status})
    assert found.hard == {"requests.cpu": 2000, "limits.memory": 1024, "requests.nvidia.com/gpu": 4, "pods": 3}
    assert (found.used, found.known) == ({"requests.cpu": 1500}, True)


def test_a_quota_that_nobody_has_counted() -> None:
    scopes = {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}]}
    spec = {"hard": {"cpu": "1"}, "scopes": ["NotTerminating"], "scopeSelector": scopes}
    found = read(ResourceQuota, "", "ResourceQuota", {"spec": spec})
    assert (found.hard, found.used, found.known, found.scopes) == ({"cpu": 1000}, {}, False, ("NotTerminating",))
    assert found.scope_selector == (Requirement("PriorityClass", "In", ("high",)),)
    assert quota_resource("requests.nvidia.com/gpu") == "nvidia.com/gpu"


def test_limits() -> None:
    one = {"type": "Container", "max": {"cpu": "1"}, "min": {"memory": "2"}, "default": {"cpu": "500m"}}
    more = {"defaultRequest": {"cpu": "1"}, "maxLimitRequestRatio": {"cpu": "1500m"}}
    limits = read(LimitRange, "", "LimitRange", {"spec": {"limits": [one | more]}}).limits[0]
    assert (limits.kind, limits.most, limits.least, limits.default) == (
        "Container",
        {"cpu": 1000},
        {"memory": 2},
        {"cpu": 500},
    )
    assert (limits.default_request, limits.ratios) == ({"cpu": 1000}, {"cpu": 1.5})


def test_a_budget() -> None:
    spec = {"selector": {"matchLabels": {"app": "a"}}, "minAvailable": "50%", "maxUnavailable": 1}
    status = {"disruptionsAllowed": 2, "disruptedPods": {"p": "2026-01-01T00:00:00Z"}, "currentHealthy": 3}
    found = read(DisruptionBudget, "policy", "PodDisruptionBudget", {"spec": spec, "status": status})
    assert found.selector == LabelSelector({"app": "a"})
    assert (found.allowed, found.disrupted, found.healthy, found.desired) == (2, frozenset({"p"}), 3, None)
    assert (found.min_available, found.max_unavailable) == ("50%", "1")
    assert read(DisruptionBudget, "policy", "PodDisruptionBudget", {}).allowed == 0
