"""Ways out of what blocks a pod beside the scheduler's filters: volumes, quotas, schedulers, drivers."""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from aliquot.advisor import changes
from aliquot.advisor.case import Case, device_requests, on_pod
from aliquot.advisor.causes.plugins import darkened
from aliquot.advisor.dra.claims import changed, places, sources
from aliquot.advisor.nearest import meant
from aliquot.advisor.remedies.claims.change import claim_candidate
from aliquot.advisor.remedies.quotas import quota
from aliquot.advisor.remedies.taints import CONTROL_PLANE
from aliquot.advisor.wayout import After, Candidate, Change, Risk, Trial
from aliquot.dra.claim import SubRequest
from aliquot.kube.meta import Meta
from aliquot.kube.storage import PersistentVolume, PersistentVolumeClaim, VolumeClaimRef
from aliquot.scheduling.blockers.blocker import Blocker
from aliquot.scheduling.blockers.groups import group_of
from aliquot.scheduling.outcome import Placement
from aliquot.snapshot.snapshot import Snapshot

UNBOUND = ("claim-missing", "claim-unbound")
"""Blockers that a bound volume takes away."""
DEFAULT = "default-scheduler"
KNOWN_EXTENDERS = {"volcano.sh/": "volcano"}
"""Resources that only one scheduler counts (its documentation says so): prefix -> the scheduler."""


def cures(case: Case) -> Iterator[Candidate]:
    """Of each blocker, in their order."""
    for one in case.blockers:
        match one.kind:
            case kind if kind in UNBOUND:
                yield from _named(case, one)
                yield volume(case, one)
            case "quota-exceeded":
                yield from quota(case, one)
            case "scheduler-absent" | "other-scheduler":
                yield from _scheduler(case, one)
            case "scheduler-crashing":
                yield _crashing(one)
            case "driver-down":
                yield from _driver(case, one)
            case _:
                pass
    yield from _extender(case)
    yield from _upgrade(case)


def _named(case: Case, one: Blocker) -> Iterator[Candidate]:
    """A claim of a near name, where there's none of the name that the pod gives."""
    claims = case.snapshot.objects(PersistentVolumeClaim)
    wrong, namespace = one.object.name, case.pod.namespace
    if f"{namespace}/{wrong}" in claims:
        return
    name = meant(wrong, [claim.meta.name for claim in claims.values() if claim.meta.namespace == namespace])
    named = [volume for volume in case.pod.volumes if volume.claim_name == wrong]
    if name is None or not named:
        return
    volumes = tuple(replace(each, claim_name=name) if each in named else each for each in case.pod.volumes)
    patch = [{"name": each.name, "persistentVolumeClaim": {"claimName": name}} for each in named]
    yield Candidate(
        kind="fix-volume",
        target="pod",
        title=f"Name PersistentVolumeClaim {name} (not {wrong})",
        changes=changes.pod_spec(case.owner, case.pod.name, {"volumes": patch}),
        apply=on_pod(lambda pod: replace(pod, volumes=volumes)),
        risk=Risk("low", "the original looks like a slip"),
        rank=2,
        cures="VolumeBinding",
        anywhere=True,
    )


def volume(case: Case, one: Blocker) -> Candidate:
    """Bound, would the pod be placed? By whatever makes it so."""
    name = one.object.name
    key = f"{case.pod.namespace}/{name}"
    claim = case.snapshot.objects(PersistentVolumeClaim).get(key)
    volume = PersistentVolume(
        meta=Meta(f"volume-for-{name}"), claim=VolumeClaimRef(case.pod.namespace, name), source="csi"
    )
    bound = replace(
        claim if claim is not None else PersistentVolumeClaim(meta=Meta(name, case.pod.namespace)),
        phase="Bound",
        volume_name=volume.meta.name,
    )
    where = f"-n {shlex.quote(case.pod.namespace)}"
    if claim is None:
        title = f"Create PersistentVolumeClaim {name} in {case.pod.namespace}, which the pod names: a new one is empty"
        command = (
            "kubectl get storageclass  # the classes that it may name\n"
            f"# write it to CLAIM.yaml, then: kubectl apply {where} -f CLAIM.yaml"
        )
    elif one.nearest or any(item.source == "absence" for item in one.evidence):
        meant = f" ({one.nearest} exists)" if one.nearest else ""
        title = f"Give PersistentVolumeClaim {name} a StorageClass that exists: {one.subject} doesn't{meant}"
        command = (
            f"kubectl get storageclass\nkubectl get pvc {shlex.quote(name)} {where} -o yaml > claim.yaml\n"
            "# correct storageClassName there, then: kubectl replace --force -f claim.yaml"
            " (an unbound claim holds no data)"
        )
    else:
        check = f"check StorageClass {one.subject}" if one.subject else "it names no StorageClass"
        title = f"Have a volume provisioned for PersistentVolumeClaim {name} ({check})"
        command = f"kubectl describe pvc {shlex.quote(name)} {where}  # the provisioner's events say what it lacks"

    def apply(trial: Trial) -> Trial:
        return Trial(trial.snapshot.with_object(volume).with_object(bound), trial.pod)

    return Candidate(
        kind="fix-volume",
        target=f"persistentvolumeclaim/{name}",
        title=title,
        changes=(Change(f"persistentvolumeclaim {key}", command),),
        apply=apply,
        risk=Risk("low", "nothing that runs is touched"),
        rank=3,
        cures="VolumeBinding",
        anywhere=True,
    )


def _scheduler(case: Case, one: Blocker) -> Iterator[Candidate]:
    if case.pod.scheduler_name in ("", DEFAULT):
        return
    group = group_of(case.snapshot, case.pod)
    if one.kind == "other-scheduler" and group is not None and (group.least or 0) > 1:
        return  # kube-scheduler would start its pods one by one
    wanted = one.nearest if one.nearest and one.nearest != case.pod.scheduler_name else DEFAULT
    slip = bool(one.nearest) and one.kind == "scheduler-absent"
    yield Candidate(
        kind="fix-scheduler",
        target="pod",
        title=f"Have {wanted} schedule it ({case.pod.scheduler_name} "
        + ("has no pod in the input)" if one.kind == "scheduler-absent" else "decides by its own rules)"),
        changes=changes.pod_spec(case.owner, case.pod.name, {"schedulerName": wanted}),
        apply=on_pod(lambda pod: replace(pod, scheduler_name=wanted)),
        risk=Risk("low", "the original looks like a slip")
        if slip
        else Risk("medium", f"queues, gangs and quotas of {case.pod.scheduler_name} no longer hold for it"),
        rank=4 if slip else 12,
        anywhere=True,
    )


def _crashing(one: Blocker) -> Candidate:
    name, namespace = one.object.name, one.object.namespace
    reason = next((item.reason for item in one.evidence if item.reason), "not running")
    return Candidate(
        kind="fix-scheduler",
        target=f"pod/{name}",
        title=f"Repair {name}: it is in {reason}, so nothing is scheduled",
        changes=(
            Change(
                f"pod {namespace}/{name}",
                f"kubectl logs {shlex.quote(name)} -n {shlex.quote(namespace)} --previous",
            ),
        ),
        apply=lambda trial: trial,
        risk=Risk("low", "nothing that runs is touched"),
        rank=2,
        tried=After(""),
        simulated=False,
    )


def _driver(case: Case, one: Blocker) -> Iterator[Candidate]:
    """Once it runs it publishes."""
    where = f"-n {shlex.quote(one.object.namespace)}"
    selection = [item.message for item in one.evidence if item.reason == "nodeSelector"]
    if selection:
        key = selection[0]
        nodes = [node.name for node in case.snapshot.nodes.values() if not _control_plane(node.meta.labels)]
        named = nodes[0] if len(nodes) == 1 else "NODE"
        finding = "" if len(nodes) == 1 else "kubectl get nodes --show-labels  # NODE: each that has such devices\n"
        which = (
            f"Node {named}" if len(nodes) == 1 else f"the nodes with such devices (of {', '.join(sorted(nodes)[:4])})"
        )
        yield Candidate(
            kind="label-node",
            target=f"node/{named}",
            title=f"Label {which} {key}: DaemonSet {one.object.name} selects it, and no node has it",
            changes=(
                Change(
                    f"node {named}",
                    f"{finding}kubectl label node {shlex.quote(named)} {shlex.quote(key)}",
                    undo=f"kubectl label node {shlex.quote(named)} {shlex.quote(key.partition('=')[0])}-",
                ),
            ),
            apply=lambda trial: trial,
            risk=Risk("low", "the driver's pod starts on the nodes that are labelled"),
            rank=2,
            tried=After(""),
            simulated=False,
        )
        return
    dark = darkened(case.snapshot, one)
    pods = [pod.partition("/")[2] for pod, _ in dark.values()]
    pods += [item.about.name for item in one.evidence if item.about.kind == "Pod"]
    target = pods[0] if pods else one.object.name
    made = Candidate(
        kind="fix-driver",
        target=f"pod/{target}" if pods else f"daemonset/{target}",
        title=f"Repair the driver of {one.subject}: {one.used or 0} of {one.limit} pods of {one.object.name} are"
        f" ready{f' ({target})' if pods else ''}",
        changes=(
            Change(
                f"daemonset {one.object.namespace}/{one.object.name}",
                f"kubectl logs {shlex.quote(target)} {where} --previous"
                if pods
                else f"kubectl describe daemonset {shlex.quote(target)} {where}",
            ),
        ),
        apply=lambda trial: Trial(_given_again(trial.snapshot, dark, one.subject), trial.pod),
        risk=Risk("low", "nothing that runs is touched"),
        rank=2,
        anywhere=True,
    )
    tried = isinstance(case.scheduler.judge(_given_again(case.snapshot, dark, one.subject), case.pod), Placement)
    # what a driver publishes once it runs can't be known, but for counted devices that the node still has in capacity
    yield made if dark and tried else replace(made, simulated=False, tried=After(""))


def _given_again(snapshot: Snapshot, nodes: Iterable[str], resource: str) -> Snapshot:
    """The devices of these nodes are all allocatable."""
    for name in nodes:
        node = snapshot.nodes[name]
        whole = {**node.allocatable, resource: node.capacity[resource]}
        snapshot = snapshot.with_node(replace(node, allocatable=whole))
    return snapshot


def _control_plane(labels: Iterable[str]) -> bool:
    return any(key in CONTROL_PLANE for key in labels)


def _extender(case: Case) -> Iterator[Candidate]:
    """A resource that only another scheduler counts, asked of kube-scheduler."""
    for name in device_requests(case.pod):
        for prefix, scheduler in KNOWN_EXTENDERS.items():
            unknown = not any(node.allocatable.get(name) for node in case.snapshot.nodes.values())
            if name.startswith(prefix) and unknown and case.pod.scheduler_name in ("", DEFAULT):
                yield Candidate(
                    kind="fix-scheduler",
                    target="pod",
                    title=f"Have {scheduler} schedule it: it counts {name} itself, kube-scheduler can't",
                    changes=changes.pod_spec(case.owner, case.pod.name, {"schedulerName": scheduler}),
                    apply=lambda trial: trial,
                    risk=Risk("medium", f"{scheduler} must be installed; its queues and rules then hold for the pod"),
                    rank=9,
                    tried=After(""),
                    simulated=False,
                )


def _counted(one: SubRequest, *, count: int) -> SubRequest:
    return replace(one, mode="ExactCount", count=count)


def _upgrade(case: Case) -> Iterator[Candidate]:
    """A release without the defect; and, of a claim for all devices, a number in its place."""
    if case.defect is None or (case.defect.stops and case.spots):
        return  # where nodes refuse it, a release without the defect doesn't place it either
    kubernetes = case.scheduler.kubernetes
    fixed = case.defect.fixed_in(kubernetes.minor)
    yield Candidate(
        kind="upgrade",
        target="kube-scheduler",
        title=(
            f"Upgrade kube-scheduler to {fixed} or later, if it is {kubernetes}.{kubernetes.patch}: that one "
            f"{case.defect.says}"
        ),
        changes=(Change("kube-scheduler", f"# upgrade the control plane to {fixed} or later ({case.defect.issue})"),),
        apply=lambda trial: trial,
        risk=Risk("medium", "an upgrade of the control plane"),
        rank=9,
        tried=After(""),
        simulated=False,
    )
    for source in sources(case.snapshot, case.pod).values() if case.defect.stops else ():
        for place, recipe in places(source.claim.spec).values():
            if recipe.mode != "All":
                continue
            count = sum(len(one.devices) for one in case.snapshot.slices.values() if one.node_name) or 1
            base = f"{source.base}{place.pointer}"
            yield claim_candidate(
                case,
                "",
                source,
                changed(source.claim.spec, place, partial(_counted, count=count)),
                [
                    {"op": "add", "path": f"{base}/allocationMode", "value": "ExactCount"},
                    {"op": "add", "path": f"{base}/count", "value": count},
                ],
                kind="fewer-devices",
                title=f"Ask for {count} instead of all devices (allocationMode ExactCount): that path has no defect",
                risk=Risk("medium", "the number must be kept true by hand"),
                rank=7,
            )
