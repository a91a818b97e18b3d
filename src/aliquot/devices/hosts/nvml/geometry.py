"""A MIG geometry from what NVML says of profiles: it counts more than any table, and needs none."""

from collections.abc import Sequence
from typing import Any

from aliquot.devices.gpu import Gpu
from aliquot.devices.mig import Geometry, Profile


def geometry_from(profiles: Sequence[dict[str, Any]], gpu: Gpu) -> Geometry:
    """The geometry that the worker's profiles make.

    Args:
        profiles: as `mig.profiles` answers.
        gpu: whose they are.
    """
    placed = [each for each in profiles if each["size"] is not None]
    full = max(profiles, key=lambda each: each["mib"])
    units = max((max(each["starts"], default=0) + each["size"] for each in placed), default=None)
    single = min((each["mib"] for each in profiles if each["slices"] == 1), default=0)
    return Geometry(
        key=gpu.model.mig if gpu.model is not None and gpu.model.mig is not None else gpu.name,
        pci_device_ids=() if gpu.pci_id is None else (gpu.pci_id.partition(":")[2],),
        memory_units=units,
        compute_units=max(each["slices"] for each in profiles),
        max_instances=max(each["most"] for each in profiles),
        total_sm=full["sm"],
        total_memory_mib=gpu.memory.total >> 20 if gpu.memory is not None else None,
        placement_certainty="node" if placed else "unknown",
        profiles=tuple(_profile(each, single) for each in sorted(profiles, key=_by_size)),
    )


def _by_size(each: dict[str, Any]) -> tuple[int, int, int]:
    return (each["slices"], each["mib"], each["enum"])


def _profile(each: dict[str, Any], single_mib: int) -> Profile:
    size, _, variant = str(each["name"]).partition("gb")
    double = each["slices"] == 1 and each["mib"] > 1.5 * single_mib
    return Profile(
        name=each["name"],
        kind=f"{size.partition('.')[0]}{'2' if double else ''}{variant}",
        profile_id=each["id"],
        compute_slices=each["slices"],
        memory_slices=each["size"],
        starts=tuple(each["starts"]),
        max_instances=each["most"],
        memory_mib=each["mib"],
        memory_mib_observed=(each["mib"],),
        sm_count=each["sm"],
        certainty="measured",
        source="node",
        copy_engines=each["copy_engines"],
        decoders=each["decoders"],
        encoders=each["encoders"],
        jpegs=each["jpegs"],
        ofas=each["ofas"],
    )
