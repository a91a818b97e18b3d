"""The attributes that devices publish, and which of them a misspelt one was probably meant to be."""

from aliquot.advisor.nearest import is_near, nearest
from aliquot.snapshot.snapshot import Snapshot


def published_attributes(snapshot: Snapshot) -> set[str]:
    """Of all devices, with their domain: a name without one is in its driver's."""
    return {
        name if "/" in name else f"{one.driver}/{name}"
        for one in snapshot.slices.values()
        for device in one.devices
        for name in device.attributes
    }


def domains_of(snapshot: Snapshot, table: str, name: str) -> list[str]:
    """The domains in which devices publish an attribute, or a capacity, of this name."""
    return sorted(
        {
            domain or one.driver
            for one in snapshot.slices.values()
            for device in one.devices
            for full in (device.attributes if table == "attributes" else device.capacity)
            for domain, _, last in [full.rpartition("/")]
            if last == name
        }
    )


def probably_meant(attribute: str, published: set[str]) -> str | None:
    """What a constraint's attribute that nobody publishes was meant to be; None where nothing is alike.

    Domains are remembered worse than names: `k8s.io/PCIeRoot` is `resource.kubernetes.io/pcieRoot`.
    """
    if attribute in published:
        return None
    name = _name(attribute)
    alike = [one for one in published if _name(one) == name] or published
    first = next(iter(nearest(attribute, alike)), None)
    return first if first is not None and (_name(first) == name or is_near(attribute, first)) else None


def _name(attribute: str) -> str:
    return attribute.rpartition("/")[2].casefold()
