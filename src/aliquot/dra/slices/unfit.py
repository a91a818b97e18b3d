"""Why a pool can't be published, however it's cut into slices: everything at once."""

from collections import Counter
from collections.abc import Iterator

from aliquot.dra.slices.limits import MOST_CONDITIONS, MOST_COUNTERS, MOST_FACTS, MOST_TEXT, SliceLimits
from aliquot.dra.slices.pool import Pool
from aliquot.kube.release import Kubernetes


def reasons(pool: Pool, kubernetes: Kubernetes, limits: SliceLimits) -> tuple[str, ...]:
    """What the API server would refuse, or silently drop."""
    return (*_names(pool), *_sets(pool), *_devices(pool, limits), *_dropped(pool, kubernetes))


def _names(pool: Pool) -> Iterator[str]:
    devices = ("devices are", [one.name for one in pool.devices])
    for kind, names in (devices, ("counter sets are", [one.name for one in pool.counter_sets])):
        for name, count in Counter(names).items():
            if count > 1:
                yield f"{count} {kind} called {name}"


def _sets(pool: Pool) -> Iterator[str]:
    for one in pool.counter_sets:
        if len(one.counters) > MOST_COUNTERS:
            yield f"counter set {one.name} has {len(one.counters)} counters, at most {MOST_COUNTERS} are allowed"
        if not one.counters:
            yield f"counter set {one.name} has no counters"


def _devices(pool: Pool, limits: SliceLimits) -> Iterator[str]:
    sets = {one.name: one.counters for one in pool.counter_sets}
    for device in pool.devices:
        facts = len(device.attributes) + len(device.capacity)
        counts = (
            ("attributes and capacities", facts, MOST_FACTS),
            ("taints", len(device.taints), limits.taints),
            ("binding conditions", len(device.binding_conditions), MOST_CONDITIONS),
            ("binding failure conditions", len(device.binding_failure_conditions), MOST_CONDITIONS),
            ("counter sets", len(device.consumes), limits.sets_drawn_on),
            ("counters", sum(len(use.counters) for use in device.consumes), limits.counters_of_device),
        )
        for what, found, most in counts:
            if most is not None and found > most:
                yield f"device {device.name} has {found} {what}, at most {most} are allowed"
        for name, attribute in device.attributes.items():
            values = attribute.value if isinstance(attribute.value, tuple) else (attribute.value,)
            if any(isinstance(value, str) and len(value) > MOST_TEXT for value in values):
                yield f"device {device.name}: the value of {name} has more than {MOST_TEXT} letters"
        for use in device.consumes:
            unknown = sorted(set(use.counters) - set(sets.get(use.counter_set, ())))
            if use.counter_set not in sets:
                yield f"device {device.name} draws on counter set {use.counter_set}, which isn't there"
            elif unknown:
                yield f"device {device.name} draws on {', '.join(unknown)}, which {use.counter_set} doesn't have"


def _dropped(pool: Pool, kubernetes: Kubernetes) -> Iterator[str]:
    """Fields that a server ignores without a word, since their feature gate is off."""
    uses = {
        "DRAPartitionableDevices": bool(pool.counter_sets) or any(device.consumes for device in pool.devices),
        "DRADeviceTaints": any(device.taints for device in pool.devices),
        "DRAConsumableCapacity": any(device.allow_multiple for device in pool.devices),
        "DRADeviceBindingConditions": any(device.binding_conditions for device in pool.devices),
    }
    for gate, used in uses.items():
        if used and not kubernetes.on(gate):
            yield f"Kubernetes {kubernetes} would drop what needs the feature gate {gate}, which is off"
