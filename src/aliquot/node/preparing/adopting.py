"""Claims found out anew where the checkpoint and its copy are lost: by what the cluster says and the host shows.

Which MIG instance was made for a claim, nobody can tell then: none is destroyed. Everything else is undone as ever.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from aliquot.node.claims.asked import Asked, read_asked
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.entry import State, instance_at
from aliquot.node.claims.names import gpus_named
from aliquot.node.claims.planning import Here, Plan, plan_claim
from aliquot.node.preparing.parts import Parts
from aliquot.sharing.setup.steps import CreateInstance, SetMigMode


def adopt(things: Sequence[Mapping[str, Any]], parts: Parts) -> Iterator[ClaimRef]:
    """Remember every claim of this node that has a spec here and whose devices stand; which ones those are."""
    specified = set(parts.specs.uids())
    for thing in things:
        meta = thing.get("metadata", {})
        claim = ClaimRef(str(meta.get("namespace")), str(meta.get("name")), str(meta.get("uid")))
        if claim.uid not in specified or claim.uid in parts.checkpoint.now.entries:
            continue
        asked = read_asked(thing, claim, driver=parts.driver, node=parts.node)
        if isinstance(asked, Asked) and _adopted(asked, parts):
            yield claim


def _adopted(asked: Asked, parts: Parts) -> bool:
    survey = parts.host.survey()
    geometries = parts.geometries_of(tuple(gpu.uuid for gpu in gpus_named(asked, survey)))
    here = Here(boot=parts.boot, survey=survey, geometries=geometries, mps_root=parts.mps_root)
    plan = plan_claim(asked, parts.checkpoint.now, here)
    if not isinstance(plan, Plan) or any(isinstance(step, CreateInstance) for step in plan.steps):
        return False
    devices = tuple(
        replace(device, instance=instance_at(survey, device.target) if device.target is not None else None)
        for device in plan.entry.devices
    )
    steps = tuple(step for step in plan.entry.steps if not isinstance(step, SetMigMode))
    entry = replace(plan.entry, state=State.COMPLETED, devices=devices, steps=steps)
    return parts.checkpoint.put(entry) is None
