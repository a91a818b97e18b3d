"""The stories of a node and of a claim as plain JSON values; their schema is about.schema.json."""

from collections.abc import Iterable

from aliquot.advisor.about.asking import Asking
from aliquot.advisor.about.claim import AboutClaim
from aliquot.advisor.about.devices import PoolSeen
from aliquot.advisor.about.node import AboutNode
from aliquot.advisor.case import is_extended
from aliquot.advisor.causes.holders import HeldBy
from aliquot.advisor.document import API_VERSION, Json, way_out
from aliquot.advisor.inventory.value import SLICES, Counted


def head(kind: str, kubernetes: str, source: str) -> Json:
    """What the document is, and which Kubernetes it's about."""
    return {"apiVersion": API_VERSION, "kind": kind, "kubernetes": kubernetes, "kubernetesFrom": source}


def node_document(about: AboutNode, *, kubernetes: str, source: str, warnings: Iterable[Json]) -> Json:
    """All of a node's story. Unknown numbers are null."""
    return {
        **head("NodeExplanation", kubernetes, source),
        "node": about.node.name,
        "sentence": about.sentence,
        "product": about.product,
        "obstacles": list(about.obstacles),
        "resources": [_counted(one, about.holders.get(one.resource, ())) for one in about.counted],
        "pools": [_pool(one) for one in about.published.pools],
        "poolTroubles": [
            {"driver": one.driver, "pool": one.pool, "state": one.state, "detail": one.detail}
            for one in about.published.troubles
        ],
        "poolError": about.published.error,
        "claimHolders": [
            {
                "owner": "" if one.owner is None else one.owner.full,
                "devices": one.devices,
                "claims": list(one.claims),
                "pods": [pod.key for pod in one.pods],
            }
            for one in about.holds
        ],
        "waiting": [_asking(one) for one in about.asking],
        "unknown": list(about.unknown),
        "warnings": list(warnings),
    }


def claim_document(about: AboutClaim, *, kubernetes: str, source: str, warnings: Iterable[Json]) -> Json:
    """All of a claim's story."""
    return {
        **head("ClaimExplanation", kubernetes, source),
        "claim": about.claim.meta.key,
        "state": about.state,
        "sentence": about.sentence,
        "madeFor": about.made_for,
        "devices": [
            {
                "device": str(one.result.device),
                "request": one.result.request,
                "adminAccess": one.result.admin_access,
                "nodes": list(one.nodes),
                "published": one.published,
                "conditions": list(one.conditions),
            }
            for one in about.given
        ],
        "reservedFor": [
            {"resource": one.consumer.resource, "name": one.consumer.name, "state": one.state, "stale": one.stale}
            for one in about.keepers
        ],
        "users": [pod.key for pod in about.users],
        "problems": list(about.problems),
        "waiting": [
            {
                "pod": one.pod.key,
                "verdict": one.verdict,
                "sentence": one.sentence,
                "conflict": list(one.conflict),
                "waysOut": [way_out(way) for way in one.ways_out],
            }
            for one in about.waiting
        ],
        "unknown": list(about.unknown),
        "warnings": list(warnings),
    }


def _counted(one: Counted, holders: Iterable[HeldBy]) -> Json:
    return {
        "resource": one.resource,
        "capacity": one.capacity,
        "allocatable": one.allocatable,
        "held": one.held if one.known else None,
        "free": one.left,
        "withheld": one.withheld if is_extended(one.resource) else 0,
        "holders": [_held(held) for held in holders],
    }


def _held(one: HeldBy) -> Json:
    return {"owner": one.owner.full, "amount": one.amount, "pods": [pod.key for pod in one.pods]}


def _pool(pool: PoolSeen) -> Json:
    return {
        "driver": pool.driver,
        "pool": pool.pool,
        "devices": [
            {
                "name": one.id.device,
                "model": one.model,
                "free": one.free if one.known or one.closed else None,
                "claims": list(one.claims),
                "shortOf": list(one.short_of),
                "taints": list(one.taints),
            }
            for one in pool.devices
        ],
        "counters": [
            {
                "name": one.name,
                "total": {name: str(amount) for name, amount in one.counters.items()},
                "used": {name: str(amount) for name, amount in one.used.items()},
                "memorySlices": one.total if one.unit == SLICES else 0,
                "memorySlicesHeld": one.held if one.unit == SLICES else 0,
                "claims": list(one.claims),
            }
            for one in pool.chips
        ],
    }


def _asking(one: Asking) -> Json:
    return {
        "owner": one.owner.full,
        "pods": [pod.key for pod in one.pods],
        "asks": one.asks,
        "fits": one.fits,
        "gated": one.gated,
        "blocked": one.blocked,
        "reasons": list(one.reasons),
        "wayOut": None if one.way is None else way_out(one.way),
        "waysSought": one.sought,
    }
