"""Devices that drivers publish in ResourceSlices, with those who hold them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from aliquot.advisor.inventory.shortages import Used, exhausted, lacking, used_counters
from aliquot.advisor.inventory.value import Device, Hold
from aliquot.advisor.owners import OwnerRef, owner_of
from aliquot.allocation.rules.device_taint_rules import tainted_slices
from aliquot.allocation.rules.device_taints import blocking_taints
from aliquot.dra import device as dra
from aliquot.dra.claim import AllocatedDevice, Claim
from aliquot.dra.device import CounterSet, DeviceId, Slice
from aliquot.kube.pod import Pod
from aliquot.snapshot.snapshot import Snapshot

JOINING = ("pcieroot", "numanode", "nvlink", "clique", "domain", "parentuuid", "fabric", "rail", "switch")
"""Attributes whose names contain one of these tell what a device is joined to."""

Results = Sequence[tuple[Claim, AllocatedDevice]]
"""Of one device: each claim's."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The newest generation of a pool."""

    driver: str
    name: str
    slices: tuple[Slice, ...]
    wanted: int
    """Slices that it has when it's complete."""
    counters: Mapping[str, CounterSet]
    """Its counter sets by name."""

    @property
    def label(self) -> str:
        """`driver/pool`."""
        return f"{self.driver}/{self.name}"

    @property
    def missing(self) -> str:
        """That slices of it aren't there."""
        there = len(self.slices)
        return "" if there >= self.wanted else f"{there} of {self.wanted} slices of {self.label}"

    def id_of(self, device: dra.Device) -> DeviceId:
        """Its name in the cluster."""
        return DeviceId(self.driver, self.name, device.name)

    def node_of(self, published: Slice, device: dra.Device) -> str | None:
        """The one node that a device belongs to; None: no single one."""
        if published.per_device_node_selection:
            return device.node_name or None
        return published.node_name or None


def pools(snapshot: Snapshot) -> tuple[Pool, ...]:
    """All of them, taint rules applied."""
    found: dict[tuple[str, str], list[Slice]] = {}
    for one in tainted_slices(snapshot.slices.values(), tuple(snapshot.taint_rules.values())):
        found.setdefault((one.driver, one.pool), []).append(one)
    made: list[Pool] = []
    for (driver, name), slices in found.items():
        newest = max(one.generation for one in slices)
        current = tuple(one for one in slices if one.generation == newest)
        counters = {one.name: one for part in current for one in part.shared_counters}
        made.append(Pool(driver, name, current, max(one.slice_count for one in current), counters))
    return tuple(made)


@dataclass(frozen=True, slots=True)
class Found:
    """A device as it's published, where, and with its holders."""

    part: Slice
    published: dra.Device
    device: Device


def found_in(snapshot: Snapshot, pool: Pool) -> tuple[tuple[Found, ...], Used]:
    """A pool's devices, and what the allocated ones have taken from its counters."""
    allocated = _allocated(snapshot)
    every = [(part, one, allocated.get(pool.id_of(one), ())) for part in pool.slices for one in part.devices]
    used = used_counters(one for _, one, results in every if any(not result.admin_access for _, result in results))
    return tuple(Found(part, one, _device(snapshot, pool, one, results, used)) for part, one, results in every), used


def _device(snapshot: Snapshot, pool: Pool, published: dra.Device, results: Results, used: Used) -> Device:
    name = pool.id_of(published)
    texts = {key.rpartition("/")[2]: _text(one) for key, one in published.attributes.items()}
    measure, total = _measure(published)
    taking = [one for _, one in results if not one.admin_access]
    return Device(
        name,
        texts.get("type", ""),
        texts.get("productName") or texts.get("model", ""),
        texts.get("profile", ""),
        {key: text for key, text in texts.items() if any(word in key.lower() for word in JOINING)},
        tuple(f"{one.key}{'=' if one.value else ''}{one.value}:{one.effect}" for one in blocking_taints(published, ())),
        (f"its pool is incomplete: {pool.missing}",) if pool.missing else (),
        _unready(name, results),
        exhausted(published, taking) if taking else lacking(published, pool.counters, used),
        tuple(_hold(snapshot, claim, result, measure) for claim, result in results),
        published.allow_multiple,
        measure,
        total,
        known="ResourceClaim" in snapshot.kinds,
    )


def _text(attribute: dra.Attribute) -> str:
    match attribute.value:
        case None:
            return ""
        case bool(value):
            return str(value).lower()
        case tuple(values):
            return ", ".join(map(str, values))
        case value:
            return str(value)


def _measure(published: dra.Device) -> tuple[str, int]:
    """Of a device that is shared: which capacity tells how much of it is left."""
    if not published.allow_multiple or not published.capacity:
        return "", 0
    name = next((one for one in published.capacity if one.rpartition("/")[2] == "memory"), min(published.capacity))
    return name, published.capacity[name].value.value()


def _hold(snapshot: Snapshot, claim: Claim, result: AllocatedDevice, measure: str) -> Hold:
    pods = list(_users(snapshot, claim))
    owner = owner_of(snapshot, pods[0]) if pods else OwnerRef("ResourceClaim", claim.meta.namespace, claim.meta.name)
    taken = (result.consumed or {}).get(measure)
    return Hold(
        owner,
        tuple(pod.key for pod in pods),
        taken.value() if taken is not None else 1 if not measure else 0,
        claim.meta.key,
        min((pod.started or pod.meta.created or "" for pod in pods), default=claim.meta.created or ""),
        any(pod.terminating for pod in pods),
        result.admin_access,
    )


def _users(snapshot: Snapshot, claim: Claim) -> Iterator[Pod]:
    """Bound pods that it's reserved for: one without a node holds nothing yet, one that ended needs none."""
    for one in claim.reserved_for:
        pod = snapshot.pods.get(f"{claim.meta.namespace}/{one.name}") if one.resource == "pods" else None
        same = pod is not None and one.uid in ("", pod.meta.uid or one.uid)
        if pod is not None and same and pod.node_name and not pod.terminal:
            yield pod


Allocated = Mapping[DeviceId, Results]


def _allocated(snapshot: Snapshot) -> Allocated:
    return snapshot.recall("inventory: allocated", _all_allocated)


def _all_allocated(snapshot: Snapshot) -> Allocated:
    found: dict[DeviceId, list[tuple[Claim, AllocatedDevice]]] = {}
    for claim, result in _results(snapshot.claims.values()):
        found.setdefault(result.device, []).append((claim, result))
    return {device: tuple(results) for device, results in found.items()}


def _results(claims: Iterable[Claim]) -> Iterator[tuple[Claim, AllocatedDevice]]:
    return ((claim, one) for claim in claims if claim.allocation is not None for one in claim.allocation.results)


def _unready(name: DeviceId, results: Results) -> tuple[str, ...]:
    """What its driver reports as False of it, while it's allocated."""
    return tuple(
        f"{condition} is {status}"
        for claim, _ in results
        for one in claim.devices
        if one.device == name
        for condition, status in one.conditions.items()
        if condition in ("Ready", "Healthy") and status == "False"
    )
