"""Feature gates that objects prove on: an API server with the gate off drops the fields, or doesn't serve the kind."""

from collections.abc import Iterator

from aliquot.dra.claim import Claim
from aliquot.dra.device import Slice
from aliquot.kube.release import Kubernetes
from aliquot.snapshot.snapshot import Snapshot


def proven(snapshot: Snapshot, kubernetes: Kubernetes) -> Kubernetes:
    """The release with the gates that its objects prove on; those that are on anyhow stay untold."""
    gates = snapshot.recall("proven gates", lambda there: tuple(dict.fromkeys(_gates(there))))
    return kubernetes.changed((gate, True) for gate in gates if not kubernetes.on(gate))


def _gates(snapshot: Snapshot) -> Iterator[str]:
    if snapshot.taint_rules:
        yield "DRADeviceTaintRules"
    for published in snapshot.slices.values():
        yield from _of_slice(published)
    for claim in snapshot.claims.values():
        yield from _of_claim(claim)
    if any(one.extended_resource for one in snapshot.classes.values()):
        yield "DRAExtendedResource"


def _of_slice(one: Slice) -> Iterator[str]:
    if one.shared_counters:
        yield "DRAPartitionableDevices"
    for device in one.devices:
        if device.consumes:
            yield "DRAPartitionableDevices"
        if device.taints:
            yield "DRADeviceTaints"
        if device.allow_multiple:
            yield "DRAConsumableCapacity"
        if device.binding_conditions:
            yield "DRADeviceBindingConditions"
        if any(isinstance(attribute.value, tuple) for attribute in device.attributes.values()):
            yield "DRAListTypeAttributes"


def _of_claim(one: Claim) -> Iterator[str]:
    if any(request.first_available for request in one.spec.requests):
        yield "DRAPrioritizedList"
    for result in one.allocation.results if one.allocation is not None else ():
        if result.share_id is not None or result.consumed:
            yield "DRAConsumableCapacity"
        if result.admin_access:
            yield "DRAAdminAccess"
