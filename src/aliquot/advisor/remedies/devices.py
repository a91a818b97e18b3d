"""Ways past devices that claims hold: stop the holder, place it anew, share with it; or have a driver publish again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from aliquot.advisor import changes
from aliquot.advisor.broken import not_running
from aliquot.advisor.case import Case, Spot
from aliquot.advisor.dra.claims import changed, places, sources
from aliquot.advisor.dra.pools import completed
from aliquot.advisor.owners import OwnerRef, owner_of, pods_of
from aliquot.advisor.remedies.claims.unused import in_the_way
from aliquot.advisor.remedies.free import broken_words, stoppable
from aliquot.advisor.scaling import stop
from aliquot.advisor.wayout import After, Candidate, Change, Isolation, Risk, Trial
from aliquot.dra.claim import Claim, ClaimSpec
from aliquot.dra.device import DeviceId, Slice
from aliquot.kube.meta import Meta
from aliquot.kube.pod import Pod, PodClaim
from aliquot.scheduling.binding import bound, without_pods
from aliquot.snapshot.snapshot import Snapshot

PROBLEM = "DynamicResources"
HOLDERS_TRIED = 8


@dataclass(frozen=True, slots=True)
class Holder:
    """A workload that holds devices in the way, by one of its pods here."""

    owner: OwnerRef
    pod: Pod
    claim: Claim
    devices: tuple[DeviceId, ...]
    partition: bool
    """A partition: what else fits depends on the order in which partitions are placed."""


def cures(case: Case, spot: Spot) -> Iterator[Candidate]:
    """For every workload in the way on this node; and for its pools."""
    if case.error:
        yield from _republish(case, spot)
    if not spot.lacks_devices:
        return
    for holder in holders(case, spot)[:HOLDERS_TRIED]:
        yield _stop(case, spot, holder)
        yield from _move(case, spot, holder)
        yield from _share(case, spot, holder)
    yield from _republish(case, spot)


def holders(case: Case, spot: Spot) -> list[Holder]:
    """Who holds the devices and counters that the story names, least important first."""
    found: dict[OwnerRef, Holder] = {}
    for key, partition in in_the_way(case, spot).items():
        claim = case.snapshot.claims.get(key)
        if claim is None or claim.allocation is None:
            continue
        for consumer in claim.reserved_for:
            pod = case.snapshot.pods.get(f"{claim.meta.namespace}/{consumer.name}")
            if pod is None or pod.node_name != spot.node.name or not stoppable(pod):
                continue
            owner = owner_of(case.snapshot, pod)
            devices = tuple(result.device for result in claim.allocation.results)
            if owner != case.owner:
                found.setdefault(owner, Holder(owner, pod, claim, devices, partition))
    return sorted(found.values(), key=lambda one: (one.pod.priority, one.pod.key))


def _stop(case: Case, spot: Spot, holder: Holder) -> Candidate:
    """As few of the owner's pods here as it takes."""
    owner = holder.owner
    here = [one for one in pods_of(case.snapshot, owner) if one.node_name == spot.node.name]
    wanted: list[Pod] = []
    for pod in sorted(here, key=lambda one: (not not_running(one), one != holder.pod, one.priority, one.key)):
        wanted.append(pod)
        if case.scheduler.fits(without_pods(case.snapshot, [one.key for one in wanted]), case.pod, spot.node.name):
            break
    made = stop(case.snapshot, owner, wanted or [holder.pod])
    keys = tuple(pod.key for pod in made.gone)
    names = ", ".join(f"{one.pool}/{one.device}" for one in holder.devices[:4])
    more = f" and {len(holder.devices) - 4} more" if len(holder.devices) > 4 else ""
    who = f"{owner.short} no longer runs" if made.ends else f"{owner.short} runs with {len(made.gone)} fewer"
    broken = broken_words(made.gone)
    if broken:
        broken = f"{', '.join(pod.name for pod in made.gone[:2])}{' …' if len(made.gone) > 2 else ''} {broken}"
    return Candidate(
        kind="free-device",
        target=owner.short,
        title=f"{made.words} in {owner.namespace}: the claim of {holder.pod.name} holds {names}{more}"
        + (f"; {broken}" if broken else ""),
        changes=made.changes,
        apply=lambda trial: Trial(without_pods(trial.snapshot, keys), trial.pod),
        risk=Risk("low", broken) if broken else Risk("high", f"{who} (priority {holder.pod.priority})"),
        rank=10 if broken else 55 + min(len(made.gone), 10) / 10,
        node=spot.node.name,
        cures=PROBLEM,
        stops=tuple(pod.key for pod in made.gone if pod.node_name and not not_running(pod)),
    )


@dataclass(frozen=True, slots=True)
class Again:
    """A holder placed anew after the waiting pod: by which spec of its claim, and what it gets."""

    spec: ClaimSpec
    devices: tuple[DeviceId, ...]


def _move(case: Case, spot: Spot, holder: Holder) -> Iterator[Candidate]:
    """Take the holder away, let this pod choose, and bring the holder back, with its claim as it is or steered."""
    if not holder.owner.templated:
        return
    emptied = without_pods(case.snapshot, (holder.pod.key,))
    if not case.placed(Trial(emptied, case.pod), spot.node.name):
        return
    settled = bound(emptied, case.pod, spot.node.name, case.scheduler)
    if settled is None:
        return
    again = _again(case, settled, holder, holder.claim.spec) or _elsewhere(case, settled, holder)
    if again is None and not holder.partition:
        return  # that would only be stopping it
    where = ", ".join(f"{one.pool}/{one.device}" for one in again.devices) if again is not None else ""
    edited = _edited(case, holder, again.spec) if again is not None else ()
    title = (
        f"Move {holder.owner.short}: placed after this pod it gets {where}"
        if where
        else f"Restart {holder.owner.short} after this pod was placed: it's pending then"
    )
    yield Candidate(
        kind="move",
        target=holder.owner.short,
        title=title,
        changes=(*edited, *_restart(case, holder)),
        apply=lambda trial: Trial(without_pods(trial.snapshot, (holder.pod.key,)), trial.pod),
        risk=Risk("medium", f"{holder.pod.key} restarts on other devices")
        if where
        else Risk("high", f"{holder.owner.short} finds no device afterwards"),
        rank=29 if where else 58,
        node=spot.node.name,
        cures=PROBLEM,
        tried=After(spot.node.name, (), () if where else (holder.pod.key,)),
    )


def _again(case: Case, settled: Snapshot, holder: Holder, spec: ClaimSpec) -> Again | None:
    waiting = replace(holder.pod, node_name="", nominated_node="", phase="Pending")
    fresh = replace(holder.claim, spec=spec, allocation=None, reserved_for=())
    world = settled.with_object(fresh).with_pod(waiting)
    node = case.scheduler.decide(world, waiting)
    if node is None:
        return None
    placed = bound(world, waiting, node, case.scheduler)
    got = placed.claims[fresh.meta.key].allocation if placed is not None else None
    return Again(spec, tuple(one.device for one in got.results)) if got is not None else None


def _elsewhere(case: Case, settled: Snapshot, holder: Holder) -> Again | None:
    """The holder's selectors may name the very device: find what else it could have, and let them name that."""
    spec = holder.claim.spec
    loose = spec
    for place, _ in places(spec).values():
        loose = changed(loose, place, lambda recipe: replace(recipe, selectors=()))
    found = _again(case, settled, holder, loose)
    if found is None or len(found.devices) != len(holder.devices):
        return None
    values = _values_changed(case.snapshot, holder.devices, found.devices)
    steered = spec
    for place, _ in places(spec).values():
        steered = changed(
            steered,
            place,
            lambda recipe: replace(recipe, selectors=tuple(_steer(one, values) for one in recipe.selectors)),
        )
    return _again(case, settled, holder, steered) if steered != spec else None


def _values_changed(snapshot: Snapshot, old: Sequence[DeviceId], new: Sequence[DeviceId]) -> dict[str, str]:
    """Text that identifies the old devices -> what stands there of the new ones, attribute by attribute."""
    devices = {
        DeviceId(one.driver, one.pool, device.name): device
        for one in snapshot.slices.values()
        for device in one.devices
    }
    found: dict[str, str] = {}
    for before, after in zip(old, new, strict=True):
        if before not in devices or after not in devices:
            continue
        for name, attribute in devices[before].attributes.items():
            other = devices[after].attributes.get(name)
            if other is not None and isinstance(attribute.value, str) and isinstance(other.value, str):
                found[attribute.value] = other.value
    return {before: after for before, after in found.items() if before != after}


def _steer(expression: str | None, values: Mapping[str, str]) -> str | None:
    if expression is None:
        return None
    for before, after in values.items():
        for quote in ("'", '"'):
            expression = expression.replace(f"{quote}{before}{quote}", f"{quote}{after}{quote}")
    return expression


def _edited(case: Case, holder: Holder, spec: ClaimSpec) -> tuple[Change, ...]:
    """The holder's template with the steered selectors; its pod restarts anyway."""
    if spec == holder.claim.spec:
        return ()
    unallocated = case.snapshot.with_object(replace(holder.claim, allocation=None))
    source = sources(unallocated, holder.pod).get(holder.claim.meta.key)
    if source is None:
        return ()
    after = places(spec)
    operations = [
        {
            "op": "replace",
            "path": f"{source.base}{place.pointer}/selectors/{index}/cel/expression",
            "value": after[name][1].selectors[index],
        }
        for name, (place, recipe) in places(holder.claim.spec).items()
        for index, expression in enumerate(recipe.selectors)
        if expression != after[name][1].selectors[index]
    ]
    made = changes.claim_spec(source.kind, source.namespace, source.name, operations, holder.owner, holder.pod.name)
    return made[:1]


def _restart(case: Case, holder: Holder) -> tuple[Change, Change, Change]:
    workload = case.snapshot.workload_of(holder.pod)
    replicas = workload.replicas if workload is not None else None
    waited = Change(
        f"pod {case.pod.key}",
        f"kubectl wait --for=condition=PodScheduled --timeout=2m pod/{case.pod.name} -n {case.pod.namespace}",
    )
    return (changes.stop(holder.owner, (holder.pod.name,), replicas), waited, changes.start(holder.owner, replicas))


def _share(case: Case, spot: Spot, holder: Holder) -> Iterator[Candidate]:
    """One claim for both: containers of one namespace may use the same claim, and then the same device."""
    pod, other = case.pod, holder.pod
    mine = sources(case.snapshot, pod)
    if (
        other.namespace != pod.namespace
        or len(pod.claims) != 1
        or len(other.claims) != 1
        or len(mine) != 1
        or not (holder.owner.templated and case.owner.templated)
        or holder.partition
    ):
        return
    source = next(iter(mine.values()))
    name = f"shared-{source.name}"[:63]
    shared = Claim(Meta(name, pod.namespace), source.claim.spec)
    emptied = without_pods(case.snapshot, (other.key,)).without_object(Claim, source.claim.meta.key).with_object(shared)
    first = replace(pod, claims=(PodClaim(pod.claims[0].name, claim_name=name),), claim_names={})
    second = replace(other, node_name="", claims=(PodClaim(other.claims[0].name, claim_name=name),), claim_names={})
    if not case.placed(Trial(emptied, first), spot.node.name):
        return
    settled = bound(emptied, first, spot.node.name, case.scheduler)
    if settled is None or not case.scheduler.fits(settled, second, spot.node.name):
        return
    spec = {
        "resourceClaims": [{"name": pod.claims[0].name, "resourceClaimName": name, "resourceClaimTemplateName": None}]
    }
    theirs = {
        "resourceClaims": [{"name": other.claims[0].name, "resourceClaimName": name, "resourceClaimTemplateName": None}]
    }
    stopped, _, started = _restart(case, holder)
    yield Candidate(
        kind="share",
        target="claim",
        title=f"Share one claim with {holder.owner.short}: both use the same devices",
        changes=(
            changes.shared_claim(source.kind, source.namespace, source.name, name),
            stopped,
            *changes.pod_spec(case.owner, pod.name, spec),
            *changes.pod_spec(holder.owner, other.name, theirs),
            started,
        ),
        apply=lambda _: Trial(emptied, first),
        risk=Risk("high", "nothing divides the device: one can use up the memory that the other counts on"),
        rank=39,
        node=spot.node.name,
        isolates=Isolation(
            "shared claim",
            "none",
            "none",
            "none",
            "a shared claim doesn't isolate memory, faults or speed; it's for containers that trust each other",
        ),
        cures=PROBLEM,
        tried=After(spot.node.name),
    )


def _republish(case: Case, spot: Spot) -> Iterator[Candidate]:
    """An incomplete pool counts as no pool: whole again, would its devices do?"""
    story = case.stories.get(spot.node.name)
    for pool in story.pools if story is not None else ():
        if pool.state != "incomplete":
            continue
        whole = completed(case.snapshot, pool.driver, pool.pool)

        def apply(trial: Trial, whole: tuple[Slice, ...] = whole) -> Trial:
            world = trial.snapshot
            for one in whole:
                world = world.with_object(one)
            return Trial(world, trial.pod)

        yield Candidate(
            kind="republish",
            target="driver",
            title=f"Have {pool.driver} publish pool {pool.pool} whole: {pool.detail} are there, so it counts as none",
            changes=(
                Change(
                    f"driver {pool.driver} on {spot.node.name}",
                    f"# restart the kubelet plugin of {pool.driver} on {spot.node.name}; it must publish all slices of"
                    f" pool {pool.pool} in one generation, with their number in resourceSliceCount",
                ),
            ),
            apply=apply,
            risk=Risk("low", "a driver's restart touches no running pod"),
            rank=7,
            node=spot.node.name,
            cures=PROBLEM,
        )
