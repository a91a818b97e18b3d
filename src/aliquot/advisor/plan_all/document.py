"""A plan as plain JSON values."""

from collections.abc import Iterable

from aliquot.advisor.document import API_VERSION, Json, change
from aliquot.advisor.plan_all.value import Plan, Step


def document(plan: Plan, *, kubernetes: str, source: str, warnings: Iterable[Json]) -> Json:
    """The whole answer of `--plan-all`."""
    return {
        "apiVersion": API_VERSION,
        "kind": "Plan",
        "kubernetes": kubernetes,
        "kubernetesFrom": source,
        "pods": list(plan.pods),
        "haveRoom": list(plan.roomy),
        "steps": [_step(one) for one in plan.steps],
        "staysPending": [{"pod": one.pod, "why": one.why} for one in plan.left],
        "nodes": [{"pod": pod, "node": node} for pod, node in plan.nodes.items()],
        "warnings": list(warnings),
    }


def _step(one: Step) -> Json:
    return {
        "kind": one.kind,
        "title": one.title,
        "changes": [change(each) for each in one.changes],
        "cost": {"usdPerHour": one.cost.usd_per_hour, "text": one.cost.text},
        "risk": {"level": one.risk.level, "text": one.risk.text},
        "places": list(one.places),
        "stopped": list(one.stopped),
    }
