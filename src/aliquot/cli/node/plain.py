"""A survey of a host for programs: the fields of `devices.survey` in camelCase; bytes, watts and degrees as numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from aliquot.devices.gpu import Gpu
from aliquot.devices.instances import placements_of
from aliquot.devices.mig import Geometry, memory_of
from aliquot.devices.mig.fitting import still_fit
from aliquot.devices.survey import Survey, Trouble


def survey_json(survey: Survey, geometries: Mapping[str, Geometry], wrong: Sequence[Trouble]) -> dict[str, Any]:
    """The whole survey."""
    return {
        "host": survey.host,
        "driver": plain(survey.driver),
        "gpus": [
            {**gpu_json(gpu), "migProfiles": profiles_json(gpu, geometries.get(gpu.uuid), survey)}
            for gpu in survey.gpus
        ],
        "unreadable": plain(survey.unreadable),
        "accelerators": plain(survey.accelerators),
        "nics": plain(survey.nics),
        "xids": plain(survey.xids),
        "xidsKnown": survey.xids_known,
        "wrong": plain(tuple(wrong)),
    }


def mig_json(survey: Survey, geometries: Mapping[str, Geometry]) -> dict[str, Any]:
    """The GPUs that have MIG; those of which that isn't known are in `unreadable`, or have `migUnknown`."""
    rows = [
        {
            "index": gpu.index,
            "uuid": gpu.uuid,
            "name": gpu.name,
            "model": gpu.model.key if gpu.model is not None else None,
            "mig": plain(gpu.mig),
            "migUnknown": gpu.mig_unknown,
            "instances": plain(gpu.instances),
            "migProfiles": profiles_json(gpu, geometries.get(gpu.uuid), survey),
        }
        for gpu in survey.gpus
        if gpu.mig is not None or gpu.mig_unknown
    ]
    troubles = plain(survey.troubles)
    return {"host": survey.host, "gpus": rows, "unreadable": plain(survey.unreadable), "troubles": troubles}


def gpu_json(gpu: Gpu) -> dict[str, Any]:
    """One GPU, with its model's name in this program's catalogue."""
    value: dict[str, Any] = plain(gpu)
    return {**value, "model": gpu.model.key if gpu.model is not None else None}


def profiles_json(gpu: Gpu, geometry: Geometry | None, survey: Survey) -> dict[str, Any] | None:
    """Which MIG profiles there are and where one more fits now; None without MIG or where that isn't known."""
    if gpu.mig is None or geometry is None:
        return None
    state = placements_of(gpu.instances)
    known = gpu.mig.current and len(state) == len(gpu.instances)
    told = geometry.placement_certainty == "node"
    free = still_fit(geometry, state) if known else {}
    return {
        "source": "node" if told else "table",
        "driver": survey.driver.version if told and survey.driver is not None else None,
        "memorySlices": geometry.memory_units,
        "computeSlices": geometry.compute_units,
        "profiles": [
            {
                "name": profile.name,
                "id": profile.profile_id,
                "memoryMiB": memory_of(profile).mib,
                "memorySource": "node" if told else memory_of(profile).source,
                "memoryMiBObserved": list(profile.memory_mib_observed),
                "computeSlices": profile.compute_slices,
                "memorySlices": profile.memory_slices,
                "starts": list(profile.starts),
                "free": list(free.get(profile.name, ())) if known else None,
            }
            for profile in geometry.profiles
        ],
    }


def plain(value: Any) -> Any:
    """Dataclasses as objects with camelCase names, tuples as lists."""
    if is_dataclass(value) and not isinstance(value, type):
        return {_camel(field.name): plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join({"mib": "MiB"}.get(part, part.capitalize()) for part in rest)
