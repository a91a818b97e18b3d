"""Explanations as plain JSON values: the contract of `explain -o json`, whose schema is explain.schema.json."""

from collections.abc import Iterable

from aliquot.advisor.dra.device_story import pool_words, words
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.holders import totals
from aliquot.advisor.wayout import Change, WayOut
from aliquot.scheduling.filters.reason import Reason

Json = dict[str, object]

HOLDERS_TOLD = 48
"""Holders pod by pod; in `heldBy` all of them count."""
API_VERSION = "aliquot.dev/v2"
"""2: nodes with equal reasons are one entry; cause, forecast and siblings are told."""


def document(stories: Iterable[Explanation], *, kubernetes: str, source: str, warnings: Iterable[Json]) -> Json:
    """The whole answer. Fields that don't apply are empty, never absent."""
    pods = [story(one, nodes(one)) for one in stories]
    return {**head(kubernetes, source), "pods": pods, "warnings": list(warnings)}


def head(kubernetes: str, source: str) -> Json:
    """What the document is, and which Kubernetes it's about."""
    return {"apiVersion": API_VERSION, "kind": "Explanation", "kubernetes": kubernetes, "kubernetesFrom": source}


def story(one: Explanation, nodes_told: object) -> Json:
    """One pod's part. `nodes_told` is what `nodes` gives: of thousands of nodes it's the bulk, and twins share it."""
    return {
        "pod": one.pod.key,
        "owner": one.owner.full,
        "verdict": one.verdict,
        "sentence": one.sentence,
        "cause": None
        if one.cause is None
        else {"kind": one.cause.kind, "sentence": one.cause.sentence, "objects": list(one.cause.objects)},
        "siblings": one.siblings,
        "forecast": one.forecast,
        "node": one.node,
        "devices": list(one.devices),
        "feasibleNodes": list(one.feasible),
        "schedulerMessage": one.scheduler_message,
        "reason": one.reason,
        "nodes": nodes_told,
        "conflict": list(one.conflict),
        "possible": None
        if one.possible is None
        else {"node": one.possible.node, "devices": list(one.possible.devices)},
        "holders": [
            {
                "node": held.node,
                "pod": held.pod.key,
                "owner": held.owner.full,
                "resource": held.resource,
                "amount": held.amount,
                "devices": list(held.devices),
                "of": held.total,
                "since": held.since,
                "priority": held.pod.priority,
                "terminating": held.pod.terminating,
            }
            for held in one.holdings[:HOLDERS_TOLD]
        ],
        "heldBy": [
            {
                "owner": total.owner.full,
                "resource": total.resource,
                "amount": total.amount,
                "pods": len(total.pods),
                "nodes": len(total.nodes),
                "since": total.since or None,
            }
            for total in totals(one.holdings)
        ],
        "waysOut": [way_out(way) for way in one.ways_out],
        "advice": [{"text": advice.text, "command": advice.command} for advice in one.advice],
        "notChecked": list(one.not_checked),
        "note": " ".join(filter(None, (one.no_room, one.note))),
    }


def nodes(one: Explanation) -> list[Json]:
    """Every node that refuses the pod, with all reasons; nodes with equal reasons are one entry under the first."""
    told: list[Json] = []
    for group in one.groups:
        if not group.reasons:
            continue
        rest = [node for node in group.nodes if node not in one.stories]
        if rest:
            told.append(_entry(rest[0], rest[1:], group.reasons))
    reasons = {node: group.reasons for group in one.groups for node in group.nodes if node in one.stories}
    for node, found in one.stories.items():
        entry = _entry(node, [], reasons.get(node, ()))
        entry["claims"] = [
            {
                "claim": request.claim,
                "request": request.request,
                "wanted": request.wanted,
                "usable": request.usable,
                "devices": [
                    {"device": str(device.device), "reasons": list(map(words, device.reasons))}
                    for device in request.devices
                ],
            }
            for request in found.requests
        ]
        entry["pools"] = list(map(pool_words, found.pools))
        told.append(entry)
    return told


def _entry(node: str, more: list[str], reasons: Iterable[Reason]) -> Json:
    return {"node": node, "more": more, "reasons": [_reason(one) for one in reasons], "claims": [], "pools": []}


def _reason(reason: Reason) -> Json:
    return {
        "filter": reason.filter,
        "subject": reason.subject,
        "asked": reason.asked,
        "found": reason.found,
        "missing": reason.missing,
        "text": reason.text,
    }


def way_out(way: WayOut) -> Json:
    """One way out, as every document tells it."""
    isolates = way.isolates
    return {
        "kind": way.kind,
        "object": way.target,
        "title": way.title,
        "changes": [change(one) for one in way.changes],
        "simulated": way.simulated,
        "cost": {"usdPerHour": way.cost.usd_per_hour, "text": way.cost.text},
        "risk": {"level": way.risk.level, "text": way.risk.text},
        "isolates": None
        if isolates is None
        else {
            "strategy": isolates.strategy,
            "memory": isolates.memory,
            "faults": isolates.faults,
            "bandwidth": isolates.bandwidth,
            "text": isolates.text,
        },
        "after": {
            "node": way.after.node,
            "evicted": list(way.after.victims),
            "stopped": list(way.after.stopped),
            "goFirst": list(way.after.first),
        },
    }


def change(one: Change) -> Json:
    """One thing to do."""
    return {"object": one.target, "patch": one.patch, "command": one.command, "undo": one.undo}
