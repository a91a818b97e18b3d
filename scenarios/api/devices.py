"""Devices of a ResourceSlice (resource.k8s.io/v1)."""

from collections.abc import Mapping
from typing import Final

from scenarios.drivers import GPU, ROOT, Json

KINDS: Final = {bool: "bool", int: "int", str: "string"}


def device(name: str, attributes: Mapping[str, bool | int | str | Json], **fields: object) -> Json:
    """A device; an attribute of another type is written as in the API: `{"version": "1.2.3"}`."""
    typed = {
        key: value if isinstance(value, dict) else {KINDS[type(value)]: value} for key, value in attributes.items()
    }
    return {"name": name, "attributes": typed, **fields}


def gpu(number: int, per_root: int = 1, per_numa: int = 4, **fields: object) -> Json:
    """A whole GPU: so many share a PCIe root, so many a NUMA node."""
    attributes: dict[str, bool | int | str | Json] = {
        "type": "gpu",
        "index": number,
        "numa": number // per_numa,
        "half": number % 2 == 0,
        ROOT: f"pci0000:{number // per_root:02x}",
    }
    return device(f"gpu-{number}", attributes, **{"capacity": {"memory": {"value": "80Gi"}}, **fields})


def nic(number: int, root: int, per_numa: int = 4, **fields: object) -> Json:
    """A network card on a PCIe root."""
    attributes: dict[str, bool | int | str | Json] = {
        ROOT: f"pci0000:{root:02x}",
        f"{GPU}/numa": root // per_numa,
        "port": number % 2,
    }
    return device(f"nic-{number}", attributes, **fields)


def consumes(counter_set: str, counters: Json) -> list[Json]:
    """The field `consumesCounters` of a device that draws on one set."""
    return [{"counterSet": counter_set, "counters": counters}]
