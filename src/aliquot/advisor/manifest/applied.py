"""The cluster as it would be with a manifest applied, and what isn't as a person may think."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from aliquot.advisor.causes.cause import listed, number
from aliquot.advisor.manifest.invalid import refusals
from aliquot.advisor.manifest.pods import MOST, count, made, waiting
from aliquot.allocation.claims.pod_claims import NotReady, generate
from aliquot.dra.claim import Claim
from aliquot.kube.meta import Meta
from aliquot.kube.pod import Pod
from aliquot.kube.quotas import LimitRange
from aliquot.kube.storage import PersistentVolumeClaim
from aliquot.kube.workload import Namespace, Workload
from aliquot.scheduling.binding import without_pods
from aliquot.scheduling.blockers.blocker import Blocker
from aliquot.scheduling.blockers.creation import charged, limit_refusals, quota_refusals
from aliquot.snapshot.kinds import key_of, kind_of
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Applied:
    """What a manifest makes of a cluster."""

    snapshot: Snapshot
    pods: tuple[Pod, ...]
    """Those to judge: pods that the manifest makes, all waiting, and templates of which a quota lets none be made."""
    notes: tuple[str, ...]
    """What was replaced, what stands for what, and what isn't judged, in sentences."""
    refused: bool
    """The API server would refuse one of its pods."""
    refusals: Mapping[str, str] = field(default_factory=dict[str, str])
    """Key of a pod that the API server would refuse -> why, in a sentence; it's judged as if it were let in."""


def applied(snapshot: Snapshot, objects: Iterable[object], now: str) -> Applied:
    """Apply objects to a snapshot as `kubectl apply` and the controllers would.

    An object of the same kind and name is replaced. Of a workload that is there the pods go too: what is judged is the
    new one in place of the old, not the rollout between them.

    Args:
        snapshot: the cluster.
        objects: `kube` and `dra` values.
        now: the time of applying (RFC 3339).
    """
    application = _Application(snapshot, now)
    several = list(objects)
    for thing in several:
        if not isinstance(thing, Pod | Workload):
            application.put(thing)
    for thing in several:
        if isinstance(thing, Pod):
            application.pod(thing)
        elif isinstance(thing, Workload):
            application.workload(thing)
    return application.result()


class _Application:
    """A snapshot on its way."""

    def __init__(self, snapshot: Snapshot, now: str) -> None:
        self._world = snapshot
        self._now = now
        self._pods: list[Pod] = []
        self._notes: list[str] = []
        self._refused = False
        self._refusals_by_pod: dict[str, str] = {}

    def result(self) -> Applied:
        return Applied(
            self._world, tuple(self._pods), tuple(dict.fromkeys(self._notes)), self._refused, self._refusals_by_pod
        )

    def put(self, thing: object) -> None:
        """An object that makes no pods."""
        there = self._there(thing)
        if there is not None and _same(there, thing):
            return
        if there is not None:
            self._notes.append(f"{kind_of(thing)} {_key(thing)} is there and differs: the manifest's takes its place")
        self._world = self._world.with_object(thing)

    def pod(self, pod: Pod) -> None:
        """A pod by itself."""
        self._namespace(pod)
        if pod.key in self._world.pods:
            self._notes.append(f"Pod {pod.key} is there: it's taken away, and what it holds is free")
            self._world = without_pods(self._world, [pod.key])
        if pod.node_name:
            self._notes.append(
                f"Pod {pod.key} names its node ({pod.node_name}) and so asks no scheduler: it's judged as if it did"
            )
        new = waiting(pod, pod.name, self._now)
        refusal = next(self._refusals(new), None)
        if refusal is not None:
            self._refused = True
            by = f"{refusal.object.kind} {refusal.object.namespace}/{refusal.object.name} ({refusal.subject})"
            self._refusals_by_pod[new.key] = f"It would be refused by {by}."
            self._notes.append(f"Pod {pod.key} would be refused by {by}: it's judged as if it were let in")
        self._add(new)

    def workload(self, workload: Workload) -> None:
        """A workload, and the pods that it makes."""
        self._namespace(workload)
        name = f"{workload.kind} {workload.meta.key}"
        if workload.template is None:
            self._notes.append(f"{name} has no pod template (spec.template), so there's nothing of it to judge")
            return
        self._replace(workload, name)
        self._world = self._world.with_object(workload)
        wanted = count(workload)
        new: list[Pod] = []
        for one in made(workload, self._world.pods, self._now):
            if next(self._refusals(one.pod), None) is not None:
                self._refused = True
                self._pods.append(workload.template)
                break
            for claim in one.volume_claims:
                if claim.meta.key not in self._world.objects(PersistentVolumeClaim):
                    self._world = self._world.with_object(claim)
            new.append(one.pod)
            self._add(one.pod)
        self._tell(workload, name, wanted, new)

    def _refusals(self, pod: Pod) -> Iterator[Blocker]:
        yield from quota_refusals(self._world, pod)
        yield from limit_refusals(self._world, pod)

    def _tell(self, workload: Workload, name: str, wanted: int, new: Sequence[Pod]) -> None:
        if not wanted:
            why = "is suspended" if workload.suspended else "has 0 replicas"
            self._notes.append(f"{name} {why}, so it makes no pods")
        elif workload.kind == "DaemonSet":
            self._notes.append(
                f"{name} makes a pod for each node that it selects: one is judged, which may go to any of them"
            )
        elif new:
            judged = f"judged as {listed([pod.key for pod in new])}"
            more = f" (the first {MOST} of them)" if wanted > MOST else ""
            when = " at each run" if workload.kind == "CronJob" else ""
            self._notes.append(f"{name} makes {number(wanted, 'pod')}{when}, {judged}{more}")

    def _replace(self, workload: Workload, name: str) -> None:
        meta = workload.meta
        old = [pod.key for pod in self._world.pods_of(workload.kind, meta.namespace, meta.name) if not pod.terminal]
        if old:
            self._notes.append(
                f"{name} is there with {number(len(old), 'pod')}: judged as if it were deleted first. A rolling update "
                "keeps old pods until new ones run, and needs room for both"
            )
            self._world = without_pods(self._world, old)
        elif self._there(workload) is not None:
            self._notes.append(f"{name} is there, without pods: the manifest's takes its place")

    def _add(self, pod: Pod) -> None:
        """A pod with the claims that are made for it."""
        self._notes += unfilled(self._world, pod)
        wrong = list(refusals(pod))
        if wrong:
            self._refused = True
            self._refusals_by_pod[pod.key] = f"The API server refuses it: {'; '.join(wrong)}."
        self._world = charged(self._world, pod)
        fresh = [one for one in pod.claims if one.template_name is not None]
        claims = generate(pod, self._world.templates, self._world.namespaces, {})
        if not isinstance(claims, NotReady):
            for claim in claims:
                self._world = self._world.with_object(claim)
            names = {one.name: claim.meta.name for one, claim in zip(fresh, claims, strict=True)}
            pod = replace(pod, claim_names=names)
        self._world = self._world.with_pod(pod)
        self._pods.append(pod)

    def _namespace(self, thing: Pod | Workload) -> None:
        namespace = thing.meta.namespace
        world = self._world
        if "Namespace" in world.kinds and namespace not in world.namespaces:
            self._notes.append(f"namespace {namespace} isn't there: the API server refuses the manifest without it")
            self._world = world.with_object(Namespace(Meta(namespace)))

    def _there(self, thing: object) -> object | None:
        world = self._world
        tables = (
            world.nodes, world.pods, world.namespaces, world.priority_classes, world.workloads, world.classes,
            world.claims, world.templates, world.slices, world.taint_rules, world.objects(type(thing)),
        )  # fmt: skip
        key = key_of(thing)
        return next((found for table in tables if type(found := table.get(key)) is type(thing)), None)


def unfilled(snapshot: Snapshot, pod: Pod) -> list[str]:
    """What admission would still fill in that changes what the pod asks for, and isn't filled in here."""
    found: list[str] = []
    for one in snapshot.objects(LimitRange).values():
        if one.meta.namespace != pod.namespace:
            continue
        given = {name for limits in one.limits if limits.kind == "Container" for name in limits.default_request}
        lacking = {name for name in given if any(name not in container.requests for container in pod.containers)}
        if lacking:
            found.append(
                f"LimitRange {one.meta.key} gives requests of {listed(sorted(lacking))} to containers that have none: "
                "they're judged without"
            )
    if pod.runtime_class and not pod.overhead:
        found.append(f"RuntimeClass {pod.runtime_class} may add an overhead, which isn't counted")
    return found


def _key(thing: object) -> str:
    return key_of(thing).removeprefix(f"{kind_of(thing)}/")


def _same(there: object, new: object) -> bool:
    """Whether applying it changes nothing: what the cluster added to the object is left out."""
    if isinstance(there, Claim) and isinstance(new, Claim):
        return there.spec == new.spec
    if isinstance(there, PersistentVolumeClaim) and isinstance(new, PersistentVolumeClaim):
        asked = replace(new, meta=there.meta, phase=there.phase, conditions=there.conditions)
        if not new.volume_name:
            asked = replace(asked, volume_name=there.volume_name)
        if new.class_name is None:
            asked = replace(asked, class_name=there.class_name)
        return asked == there
    meta = getattr(there, "meta", None)
    return isinstance(meta, Meta) and replace(new, meta=meta) == there  # type: ignore[type-var]
