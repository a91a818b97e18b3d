"""Claims of a pod that ends: unprepared when no other pod uses them."""

from collections import defaultdict

import grpc

from aliquot.sandbox.kubelet.dra.claims import ClaimInfo, Claims
from aliquot.sandbox.kubelet.dra.plugins import DraPlugins
from aliquot.sandbox.kubelet.dra.prepared import ClaimRef
from aliquot.sandbox.kubelet.failures import failure


def unprepare(pod_uid: str, claims: Claims, plugins: DraPlugins) -> str | None:
    """Unprepare the pod's claims; None: done, or there was nothing to do; else the kubelet's error, to be tried again.

    The claims' objects may be gone already: they aren't asked for.
    """
    ending: list[ClaimInfo] = []
    batches: defaultdict[str, list[ClaimRef]] = defaultdict(list)
    with claims.lock:
        for info in claims.of_pod(pod_uid):
            if len(info.pods) > 1:
                info.pods.discard(pod_uid)
                continue
            ending.append(info)
            for driver in info.drivers:
                batches[driver].append(info.claim)
    for driver, batch in batches.items():
        fault = _ask(driver, batch, plugins)
        if fault is not None:
            return fault
    with claims.lock:
        for info in ending:
            claims.drop(info.claim)
        claims.save()
    return None


def _ask(driver: str, batch: list[ClaimRef], plugins: DraPlugins) -> str | None:
    plugin = plugins.get(driver)
    if plugin is None:
        return f"DRA driver {driver} is not registered"
    names = {claim.uid: claim.name for claim in batch}
    try:
        answers = plugin.unprepare(batch)
    except grpc.RpcError as error:
        return f"NodeUnprepareResources: {failure(error)}"
    for uid, fault in answers.items():
        if uid not in names:
            return f"NodeUnprepareResources returned result for unknown claim UID {uid}"
        if fault:
            return f"NodeUnprepareResources failed for ResourceClaim {names[uid]}: {fault}"
    if len(answers) != len(batch):
        return f"NodeUnprepareResources skipped {len(batch) - len(answers)} ResourceClaims"
    return None
