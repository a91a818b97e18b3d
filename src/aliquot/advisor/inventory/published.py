"""Devices that drivers publish in ResourceSlices, with those who hold them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from aliquot.advisor.inventory.value import Device, Hold
from aliquot.advisor.owners import OwnerRef, owner_of
from aliquot.allocation.rules.device_taint_rules import tainted_slices
from aliquot.allocation.rules.device_taints import blocking_taints
from aliquot.dra import device as dra
from aliquot.dra.claim import AllocatedDevice, Claim
from aliquot.dra.device import DeviceId, Slice
from aliquot.snapshot.snapshot import Snapshot

JOINING = ("pcieroot", "numanode", "nvlink", "clique", "domain", "parentuuid", "fabric", "rail", "switch")
"""Attributes whose names contain one of these tell what a device is joined to."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The newest generation of a pool."""

    driver: str
    name: str
    slices: tuple[Slice, ...]
    wanted: int
    """Slices that it has when it's complete."""

    @property
    def missing(self) -> str:
        """That slices of it aren't there."""
        there = len(self.slices)
        return "" if there >= self.wanted else f"{there} of {self.wanted} slices of {self.driver}/{self.name}"

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
        made.append(Pool(driver, name, current, max(one.slice_count for one in current)))
    return tuple(made)


def device_of(snapshot: Snapshot, pool: Pool, published: dra.Device) -> Device:
    """With its holders."""
    name = DeviceId(pool.driver, pool.name, published.name)
    texts = {key.rpartition("/")[2]: _text(one) for key, one in published.attributes.items()}
    measure, total = _measure(published)
    results = _allocated(snapshot).get(name, ())
    return Device(
        name,
        texts.get("type", ""),
        texts.get("productName") or texts.get("model", ""),
        texts.get("profile", ""),
        {key: text for key, text in texts.items() if any(word in key.lower() for word in JOINING)},
        tuple(f"{one.key}{'=' if one.value else ''}{one.value}:{one.effect}" for one in blocking_taints(published, ())),
        (*_conditions(name, results), *([f"its pool is incomplete: {pool.missing}"] if pool.missing else [])),
        tuple(_hold(snapshot, claim, result, measure) for claim, result in results),
        published.allow_multiple,
        measure,
        total,
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
    pods = [
        pod
        for one in claim.reserved_for
        if one.resource == "pods" and (pod := snapshot.pods.get(f"{claim.meta.namespace}/{one.name}")) is not None
    ]
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


Allocated = Mapping[DeviceId, tuple[tuple[Claim, AllocatedDevice], ...]]


def _allocated(snapshot: Snapshot) -> Allocated:
    return snapshot.recall("inventory: allocated", _all_allocated)


def _all_allocated(snapshot: Snapshot) -> Allocated:
    found: dict[DeviceId, list[tuple[Claim, AllocatedDevice]]] = {}
    for claim, result in _results(snapshot.claims.values()):
        found.setdefault(result.device, []).append((claim, result))
    return {device: tuple(results) for device, results in found.items()}


def _results(claims: Iterable[Claim]) -> Iterator[tuple[Claim, AllocatedDevice]]:
    return ((claim, one) for claim in claims if claim.allocation is not None for one in claim.allocation.results)


def _conditions(name: DeviceId, results: Iterable[tuple[Claim, AllocatedDevice]]) -> tuple[str, ...]:
    """What its driver reports as False of it, while it's allocated."""
    return tuple(
        f"{condition} is {status}"
        for claim, _ in results
        for one in claim.devices
        if one.device == name
        for condition, status in one.conditions.items()
        if condition in ("Ready", "Healthy") and status == "False"
    )
