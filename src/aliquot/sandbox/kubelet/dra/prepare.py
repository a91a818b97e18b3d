"""Claims of a pod, prepared: all or an error, and asked for again by the next try."""

from collections import defaultdict
from dataclasses import dataclass

import grpc

from aliquot.dra.claim import Claim
from aliquot.kube.pod import Pod
from aliquot.sandbox.kubelet.api import Api
from aliquot.sandbox.kubelet.dra.claims import ClaimInfo, Claims
from aliquot.sandbox.kubelet.dra.plugin import Plugin
from aliquot.sandbox.kubelet.dra.plugins import DraPlugins
from aliquot.sandbox.kubelet.dra.prepared import ClaimRef
from aliquot.sandbox.kubelet.dra.wanted import NotCreated, Wanted, wanted
from aliquot.sandbox.kubelet.failures import failure


@dataclass(frozen=True, slots=True)
class _Ready:
    """A claim that may be prepared: nothing is missing for it."""

    claim: Claim
    drivers: tuple[str, ...]


class _Fault(Exception):  # noqa: N818 - becomes the answer of `prepare`
    """Why it can't go on."""


def prepare(pod: Pod, claims: Claims, plugins: DraPlugins, api: Api) -> str | None:
    """Prepare the pod's claims; None: all are, else the kubelet's error.

    First everything is looked up, the drivers too, and only then is the pod noted with its claims: a pod whose driver
    never was on the node can go without it.
    """
    try:
        ready = [_look_up(pod, want, plugins, api) for want in wanted(pod)]
        batches = _note(pod, ready, claims, plugins)
        for plugin, batch in batches.items():
            _ask(plugin, batch, claims)
    except (_Fault, NotCreated) as fault:
        return str(fault)
    with claims.lock:
        for one in ready:
            info = claims.get(one.claim.meta.namespace, one.claim.meta.name)
            if info is not None and pod.meta.uid in info.pods:
                info.prepared = True
        claims.save()
    return None


def _look_up(pod: Pod, want: Wanted, plugins: DraPlugins, api: Api) -> _Ready:
    try:
        claim = api.claim(pod.namespace, want.name)
    except OSError as error:
        raise _Fault(f"fetch ResourceClaim {want.name}: {error}") from error
    if claim is None:
        raise _Fault(f'fetch ResourceClaim {want.name}: resourceclaims.resource.k8s.io "{want.name}" not found')
    owner = claim.meta.controller
    if want.made_for_pod and (owner is None or owner.uid != pod.meta.uid):
        raise _Fault(f"ResourceClaim {want.name} was not created for pod {pod.key} (pod is not owner)")
    if all(consumer.uid != pod.meta.uid for consumer in claim.reserved_for):
        who = f"pod {pod.name} ({pod.meta.uid})"
        raise _Fault(f"{who} is not allowed to use ResourceClaim {want.name} ({claim.meta.uid})")
    if claim.allocation is None:
        raise _Fault(f"ResourceClaim {want.name}: not allocated")
    drivers = tuple(dict.fromkeys(result.device.driver for result in claim.allocation.results))
    for driver in drivers:
        if plugins.get(driver) is None:
            raise _Fault(f"DRA driver {driver} is not registered")
    return _Ready(claim, drivers)


def _note(pod: Pod, ready: list[_Ready], claims: Claims, plugins: DraPlugins) -> dict[Plugin, list[ClaimRef]]:
    """Note the pod with its claims, and batch for each plugin what isn't prepared yet."""
    batches: defaultdict[Plugin, list[ClaimRef]] = defaultdict(list)
    with claims.lock:
        for one in ready:
            meta = one.claim.meta
            info = claims.get(meta.namespace, meta.name)
            if info is None:
                info = ClaimInfo(ClaimRef(meta.namespace, meta.uid, meta.name), dict.fromkeys(one.drivers, ()))
                claims.add(info)
            elif info.claim.uid != meta.uid:
                raise _Fault(
                    f"old ResourceClaim with same name {meta.name} and different UID {info.claim.uid} still exists "
                    "(previous pod force-deleted?!)"
                )
            info.pods.add(pod.meta.uid)
            claims.save()
            for driver in () if info.prepared else info.drivers:
                plugin = plugins.get(driver)
                if plugin is None:
                    raise _Fault(f"DRA driver {driver} is not registered")
                batches[plugin].append(info.claim)
    return batches


def _ask(plugin: Plugin, batch: list[ClaimRef], claims: Claims) -> None:
    by_uid = {claim.uid: claim for claim in batch}
    try:
        answers = plugin.prepare(batch)
    except grpc.RpcError as error:
        raise _Fault(f"NodePrepareResources: {failure(error)}") from error
    for uid, answer in answers.items():
        claim = by_uid.get(uid)
        if claim is None:
            raise _Fault(f"NodePrepareResources returned result for unknown claim UID {uid}")
        if answer.error:
            raise _Fault(f"NodePrepareResources failed for ResourceClaim {claim.name}: {answer.error}")
        with claims.lock:
            info = claims.get(claim.namespace, claim.name)
            if info is not None:
                info.drivers[plugin.driver] = answer.devices
    if len(answers) != len(batch):
        raise _Fault(f"NodePrepareResources skipped {len(batch) - len(answers)} ResourceClaims")
