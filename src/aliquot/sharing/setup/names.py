"""Which device a person or a claim's result names: by the names that are published, by UUID, or by a place."""

import re
from collections.abc import Mapping
from typing import Final

from aliquot.devices.gpu import Gpu
from aliquot.devices.mig import Geometry, Placement
from aliquot.devices.survey import Survey
from aliquot.sharing.setup.steps import Target

_PUBLISHED: Final = re.compile(r"gpu-(?P<minor>[0-9]+)(-mig-.+-(?P<id>[0-9]+)-(?P<start>[0-9]+))?", re.ASCII)
_PLACED: Final = re.compile(r"gpu-(?P<minor>[0-9]+):(?P<profile>[^@]+)@(?P<start>[0-9]+)", re.ASCII)


def target_of(name: str, survey: Survey, geometries: Mapping[str, Geometry]) -> Target | None:
    """The device of a name: `gpu-0`, `gpu-0-mig-1g5gb-19-0`, `gpu-0:1g.5gb@0`, `GPU-...`, or `MIG-...`; else None.

    Args:
        name: the number in it is the N of /dev/nvidiaN.
        survey: of the host; a GPU that doesn't answer is known by its UUID only.
        geometries: how MIG may cut its GPUs, by UUID.
    """
    if any(each.uuid == name for each in survey.unreadable):
        return Target(name)
    for gpu in survey.gpus:
        if gpu.uuid == name:
            return Target(gpu.uuid)
        for instance in gpu.instances:
            if instance.uuid == name and instance.placement is not None:
                return Target(gpu.uuid, instance.placement)
    match = _PUBLISHED.fullmatch(name) or _PLACED.fullmatch(name)
    owner = next((gpu for gpu in survey.gpus if match is not None and gpu.minor == int(match["minor"])), None)
    if match is None or owner is None:
        return None
    if match["start"] is None:
        return Target(owner.uuid)
    parts = match.groupdict()
    profile = parts.get("profile") or _profile(int(parts["id"]), owner, geometries.get(owner.uuid))
    return None if profile is None else Target(owner.uuid, Placement(int(match["start"]), profile))


def _profile(number: int, gpu: Gpu, geometry: Geometry | None) -> str | None:
    """The profile of an id, by what the GPU holds or by how it may be cut."""
    held = {each.profile_id: each.profile for each in gpu.instances}
    known = {each.profile_id: each.name for each in geometry.profiles} if geometry is not None else {}
    return held.get(number) or known.get(number)
