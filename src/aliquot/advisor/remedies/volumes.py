"""A way past a volume that the nodes with the asked devices don't reach: its data is copied to where they are."""

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from aliquot.advisor import changes, undo
from aliquot.advisor.case import Case, Spot
from aliquot.advisor.causes.cause import listed
from aliquot.advisor.causes.lost_volumes import ON_A_NODE, is_lost, lost_volumes
from aliquot.advisor.remedies.volume_places import Place, places_of
from aliquot.advisor.wayout import Advice, Candidate, Change, Cost, Risk, Trial
from aliquot.kube.storage import PersistentVolume, StorageClass
from aliquot.scheduling.filters.volume_binding import reaches
from aliquot.scheduling.filters.volume_zone import elsewhere, topologies_of
from aliquot.snapshot.snapshot import Snapshot

FILTERS = frozenset({"VolumeBinding", "VolumeZone"})
SECOND = Cost(0.0, "the storage of a second volume until the first is deleted")


def cures(case: Case, spot: Spot) -> Iterator[Candidate]:
    """The pod isn't running, so its data may be copied; the old volume stays as it is."""
    refusing = spot.problems & FILTERS
    far = [one for one in places_of(case.snapshot, case.pod) if not _reached(one.volume, spot)] if refusing else []
    if not far or any(not one.use or is_lost(case.snapshot, one.volume) for one in far):
        return
    workload = case.snapshot.workload_of(case.pod)
    written = workload.template if workload is not None and workload.template is not None else case.pod
    own = {volume.name for volume in written.volumes}
    renamed = all(one.use in own for one in far)  # a StatefulSet makes its pods' claims by names that can't be changed
    kind, new = ("PersistentVolumeClaim", "a new claim") if len(far) == 1 else ("PersistentVolumeClaims", "new claims")
    claims = f"{kind} {listed([one.claim.meta.name for one in far])}"
    where = _where(far, spot)

    def apply(trial: Trial) -> Trial:
        return Trial(_moved(trial.snapshot, far), trial.pod)

    yield Candidate(
        kind="fix-volume",
        target=f"persistentvolumeclaim/{far[0].claim.meta.name}",
        title=f"Copy the data of {claims} to {new} {where}"
        if renamed
        else f"Make {claims} anew {where}, with a copy of the data",
        changes=_by_new_claims(case, far, where) if renamed else _by_the_same_names(case, far, where),
        apply=apply,
        risk=_risk(case, far, renamed=renamed),
        rank=14,
        node=spot.node.name,
        cost=SECOND,
        cures=min(refusing),
    )


def advice(case: Case) -> Iterator[Advice]:
    """Of data on the disk of a node that isn't there: nothing but that node, or a backup, has it."""
    if not any(spot.problems & FILTERS for spot in case.spots):
        return
    for volume, place in lost_volumes(case.snapshot, case.pod):
        claim = f"{volume.claim.namespace}/{volume.claim.name}" if volume.claim is not None else "its claim"
        yield Advice(
            f"Bring {place} back, which has volume {volume.meta.name} on its disk; or restore the data of {claim} from "
            "a backup into a new claim, and name that one",
            f"kubectl describe pv {shlex.quote(volume.meta.name)}",
        )


def _where(far: Sequence[Place], spot: Spot) -> str:
    """`in zone a`, or whatever else it is that binds the volumes."""
    labels = spot.node.meta.labels
    zones = (labels[key] for one in far for key in one.labels if key.endswith("/zone") and key in labels)
    zone = next(zones, "")
    return f"in zone {zone}" if zone else f"where {spot.node.name} reaches it"


def _by_new_claims(case: Case, far: Sequence[Place], where: str) -> tuple[Change, ...]:
    volumes = [{"name": one.use, "persistentVolumeClaim": {"claimName": _copy(one)}} for one in far]
    return (
        *(_copied(case, one, where) for one in far),
        *changes.pod_spec(case.owner, case.pod.name, {"volumes": volumes}),
    )


def _copied(case: Case, one: Place, where: str) -> Change:
    namespace = case.pod.namespace
    kind = case.snapshot.objects(StorageClass).get(one.claim.class_name or "")
    place = "its class provisions it where the pod goes" if kind is not None and kind.waits else f"it must be {where}"
    return Change(
        f"persistentvolumeclaim {namespace}/{_copy(one)}",
        f"{_snapshots(one)}\n# make claim {_copy(one)} in {namespace} with the data of {one.claim.meta.name}, from a"
        f" VolumeSnapshot (dataSource) or a backup; {place}",
        undo=f"kubectl delete pvc {shlex.quote(_copy(one))} -n {shlex.quote(namespace)}",
    )


def _snapshots(one: Place) -> str:
    """The line that shows whether the driver's volumes can be copied by a snapshot."""
    if one.volume.source in ON_A_NODE:
        return f"# a volume on a node's disk has no snapshots: copy {one.claim.meta.name} by a pod on its node"
    driver = one.volume.driver or one.volume.source
    return f"kubectl get volumesnapshotclasses.snapshot.storage.k8s.io  # is there one of driver {driver}?"


def _by_the_same_names(case: Case, far: Sequence[Place], where: str) -> tuple[Change, ...]:
    """Each volume is kept while its claim is deleted; the claim's StatefulSet makes it anew with the pod."""
    found: list[Change] = []
    namespace = shlex.quote(case.pod.namespace)
    retain = shlex.quote(json.dumps({"spec": {"persistentVolumeReclaimPolicy": "Retain"}}))
    for one in far:
        volume, claim = one.volume.meta.name, one.claim.meta.name
        kept = undo.Kept("pv", volume)
        found += [
            Change(
                f"persistentvolume {volume}",
                kept.before(f"kubectl patch pv {shlex.quote(volume)} -p {retain}"),
                undo=kept.undo,
            ),
            Change(
                f"persistentvolumeclaim {one.claim.meta.key}",
                f"{_snapshots(one)}\n# take a VolumeSnapshot or a backup of {claim} first\n"
                f"kubectl delete pvc {shlex.quote(claim)} -n {namespace} --wait=false",
                undo=f"# no undo: its data stays in volume {volume}, which can be bound to a claim again",
            ),
        ]
    again = f"kubectl delete pod {shlex.quote(case.pod.name)} -n {namespace}"
    then = f"  # it's made again with a new claim {where}: restore the data there"
    return (*found, Change(f"pod {case.pod.key}", again + then, undo=undo.WAITS))


def _risk(case: Case, far: Sequence[Place], *, renamed: bool) -> Risk:
    claims = {one.claim.meta.name for one in far}
    users = sorted(
        one.key
        for one in case.snapshot.pods.values()
        if one.node_name and not one.terminal and one.namespace == case.pod.namespace
        if claims & {volume.claim_name for volume in one.volumes}
    )
    if users:
        verb = "uses" if len(users) == 1 else "use"
        return Risk("medium", f"{listed(users)} {verb} the old volume on: what is written there isn't in the copy")
    if renamed:
        return Risk("low", "the old volume stays as it is until somebody deletes it")
    return Risk("medium", "the claim is deleted; its volume must be kept until the copy is there")


def _copy(one: Place) -> str:
    return f"{one.claim.meta.name[:248]}-copy"


def _reached(volume: PersistentVolume, spot: Spot) -> bool:
    return reaches(volume, spot.node) and not elsewhere(topologies_of([volume]), spot.node)


def _moved(snapshot: Snapshot, far: Sequence[Place]) -> Snapshot:
    """The same claims, by volumes that every node reaches: the copy is made where the pod goes."""
    for one in far:
        meta = replace(one.volume.meta, labels={})
        snapshot = snapshot.with_object(replace(one.volume, node_affinity=None, meta=meta))
    return snapshot
