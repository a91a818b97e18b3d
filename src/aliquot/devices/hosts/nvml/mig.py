"""MIG by NVML, in the worker process: profiles and places, instances listed, created and destroyed.

Three numbers must not be confused: a profile's place in NVML's enum (only for asking what it is), its id (for
everything else), and an instance's id. None of them is computed here, all are read.
"""

from collections.abc import Iterator
from ctypes import byref, c_uint
from typing import Any, Final

import pynvml

from aliquot.devices.hosts.nvml.ask import FUNCTION_NOT_FOUND, INVALID_ARGUMENT, NO_PERMISSION, NOT_FOUND, NOT_SUPPORTED

_PROFILES: Final = 32
"""More than any driver has: one that an older library doesn't know is an invalid argument, and the next is asked."""
_COMPUTE_PROFILES: Final = 16
_ROOM: Final = 16
_VARIANTS: Final = {7: "+me", 8: "+me", 10: "+gfx", 11: "+gfx", 12: "+gfx", 13: "-me", 14: "-me", 15: "+me.all",
                    16: "+me.all", 17: "+gfx"}  # fmt: skip
"""What a name without the library's help ends with, by the enum."""


class LeftBehindError(Exception):
    """Creating a compute instance failed, and its GPU instance is still there."""

    def __init__(self, cause: pynvml.NVMLError, number: int) -> None:
        super().__init__(str(cause))
        self.code = cause.value
        self.left = number
        """The id of the GPU instance."""


def profiles(handle: Any) -> list[dict[str, Any]]:
    """Every profile of the GPU, with its places where the caller may ask for them.

    Raises:
        NVMLError: `not supported` where MIG is off and the driver tells profiles only with MIG on.
    """
    found: list[dict[str, Any]] = []
    total = _total_mib(handle)
    for number in range(_PROFILES):
        info = _profile(handle, number)
        if info is None:
            continue
        name = getattr(info, "name", "")
        places = _places(handle, info.id)
        found.append(
            {
                "enum": number,
                "id": info.id,
                "name": str(name).removeprefix("MIG ") or _name(info, number, total),
                "slices": info.sliceCount,
                "most": info.instanceCount,
                "sm": info.multiprocessorCount,
                "mib": info.memorySizeMB,
                "copy_engines": info.copyEngineCount,
                "decoders": info.decoderCount,
                "encoders": info.encoderCount,
                "jpegs": info.jpegCount,
                "ofas": info.ofaCount,
                "starts": [place.start for place in places],
                "size": places[0].size if places else None,
            }
        )
    return found


def _profile(handle: Any, number: int) -> Any:
    """By the versioned call, else by the old one; None where this GPU or this library hasn't the profile."""
    for version in (2, 1):
        try:
            return pynvml.nvmlDeviceGetGpuInstanceProfileInfo(handle, number, version)
        except pynvml.NVMLError as error:
            if error.value == FUNCTION_NOT_FOUND and version == 2:
                continue
            if error.value in {INVALID_ARGUMENT, NOT_SUPPORTED}:
                return None
            raise
    return None


def _name(info: Any, number: int, total_mib: int) -> str:
    """A name as NVIDIA's tools build it where the driver gives none: its share of the memory, by eighths, in GB."""
    eighths = round(info.memorySizeMB / total_mib * 8) if total_mib else 0
    gib = -(-total_mib // 1024)
    return f"{info.sliceCount}g.{round(eighths / 8 * gib)}gb{_VARIANTS.get(number, '')}"


def _total_mib(handle: Any) -> int:
    try:
        return int(pynvml.nvmlDeviceGetMemoryInfo(handle).total) >> 20
    except pynvml.NVMLError:
        return 0


def _places(handle: Any, profile_id: int) -> list[Any]:
    """All legal places, taken or not."""
    count = c_uint()
    try:
        pynvml.nvmlDeviceGetGpuInstancePossiblePlacements(handle, profile_id, None, byref(count))
        places = (pynvml.c_nvmlGpuInstancePlacement_t * max(count.value, 1))()
        pynvml.nvmlDeviceGetGpuInstancePossiblePlacements(handle, profile_id, places, byref(count))
    except pynvml.NVMLError as error:
        if error.value in {NO_PERMISSION, NOT_SUPPORTED, INVALID_ARGUMENT}:
            return []
        raise
    return list(places[: count.value])


def instances(handle: Any) -> list[dict[str, Any]]:
    """The GPU instances, those without a compute instance too; by the MIG devices where the caller is unprivileged.

    Raises:
        NVMLError: as the driver says; `not supported` is no MIG, and an empty list.
    """
    try:
        found = [_instance(gi, profile) for profile in profiles(handle) for gi in _listed(handle, profile)]
        return sorted(found, key=lambda each: each["start"])
    except pynvml.NVMLError as error:
        if error.value == NOT_SUPPORTED:
            return []
        if error.value != NO_PERMISSION:
            raise
    return _walked(handle)


def _listed(handle: Any, profile: dict[str, Any]) -> Iterator[Any]:
    array, count = (pynvml.c_nvmlGpuInstance_t * max(profile["most"], _ROOM))(), c_uint()
    pynvml.nvmlDeviceGetGpuInstances(handle, profile["id"], array, byref(count))
    yield from array[: count.value]


def _instance(gi: Any, profile: dict[str, Any]) -> dict[str, Any]:
    info = pynvml.nvmlGpuInstanceGetInfo(gi)
    return {
        "id": info.id,
        "profile": profile["name"],
        "profile_id": profile["id"],
        "start": info.placement.start,
        "size": info.placement.size,
        "memory_mib": profile["mib"],
        "compute": [compute for _, compute in _computes(gi)],
    }


def _compute_profiles(gi: Any) -> Iterator[Any]:
    for number in range(_COMPUTE_PROFILES):
        for version in (2, 1):
            try:
                yield pynvml.nvmlGpuInstanceGetComputeInstanceProfileInfo(gi, number, 0, version)
            except pynvml.NVMLError as error:
                if error.value == FUNCTION_NOT_FOUND and version == 2:
                    continue
                if error.value not in {INVALID_ARGUMENT, NOT_SUPPORTED}:
                    raise
            break


def _computes(gi: Any) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The compute instances of a GPU instance: their handles, and what they are."""
    seen: set[int] = set()
    for profile in _compute_profiles(gi):
        array, count = (pynvml.c_nvmlComputeInstance_t * _ROOM)(), c_uint()
        pynvml.nvmlGpuInstanceGetComputeInstances(gi, profile.id, array, byref(count))
        for ci in array[: count.value]:
            info = pynvml.nvmlComputeInstanceGetInfo(ci)
            if info.id not in seen:
                seen.add(info.id)
                uuid = pynvml.nvmlDeviceGetUUID(info.device)
                about = {"id": info.id, "uuid": uuid, "slices": profile.sliceCount, "index": _index(info.device)}
                yield ci, about


def _index(device: Any) -> int | None:
    """The number of a MIG device, which the driver tells without a walk over all of them."""
    try:
        return int(pynvml.nvmlDeviceGetIndex(device))
    except pynvml.NVMLError as error:
        if error.value not in {NOT_SUPPORTED, INVALID_ARGUMENT, FUNCTION_NOT_FOUND}:
            raise
        return None


def _walked(handle: Any) -> list[dict[str, Any]]:
    """By the MIG devices, whose indexes have holes; where an instance lies and one without device isn't seen so."""
    found: dict[int, dict[str, Any]] = {}
    for index in range(pynvml.nvmlDeviceGetMaxMigDeviceCount(handle)):
        try:
            device = pynvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, index)
        except pynvml.NVMLError as error:
            if error.value in {NOT_FOUND, INVALID_ARGUMENT}:
                continue
            raise
        number = pynvml.nvmlDeviceGetGpuInstanceId(device)
        about = pynvml.nvmlDeviceGetAttributes(device)
        row = found.setdefault(
            number,
            {
                "id": number,
                "profile": pynvml.nvmlDeviceGetName(device).rpartition(" MIG ")[2],
                "profile_id": -1,
                "start": None,
                "size": None,
                "memory_mib": about.memorySizeMB,
                "compute": [],
            },
        )
        compute = {
            "id": pynvml.nvmlDeviceGetComputeInstanceId(device),
            "uuid": pynvml.nvmlDeviceGetUUID(device),
            "slices": about.computeInstanceSliceCount,
            "index": index,
        }
        row["compute"] = sorted([*row["compute"], compute], key=lambda each: each["id"])
    return [found[number] for number in sorted(found)]


def create(handle: Any, profile: dict[str, Any], start: int) -> dict[str, Any]:
    """Create a GPU instance at a place and a compute instance over all of it.

    Raises:
        NVMLError: nothing is left behind.
        LeftBehindError: a GPU instance without compute instance couldn't be taken away again.
    """
    place = pynvml.c_nvmlGpuInstancePlacement_t(start=start, size=profile["size"])
    gi = pynvml.nvmlDeviceCreateGpuInstanceWithPlacement(handle, profile["id"], byref(place))
    try:
        full = next(each for each in _compute_profiles(gi) if each.sliceCount == profile["slices"])
        pynvml.nvmlGpuInstanceCreateComputeInstance(gi, full.id)
        return _instance(gi, profile)
    except (pynvml.NVMLError, StopIteration) as error:  # the GPU instance would stay
        number = pynvml.nvmlGpuInstanceGetInfo(gi).id
        failed = error if isinstance(error, pynvml.NVMLError) else pynvml.NVMLError(NOT_SUPPORTED)
        try:
            for ci, _ in _computes(gi):
                pynvml.nvmlComputeInstanceDestroy(ci)
            pynvml.nvmlGpuInstanceDestroy(gi)
        except pynvml.NVMLError:
            raise LeftBehindError(failed, number) from None
        raise failed from None


def destroy(handle: Any, number: int) -> None:
    """Destroy the compute instances of a GPU instance, then itself.

    Raises:
        NVMLError: `in use` may come when the compute instances are gone already.
    """
    gi = pynvml.nvmlDeviceGetGpuInstanceById(handle, number)
    for ci, _ in list(_computes(gi)):
        pynvml.nvmlComputeInstanceDestroy(ci)
    pynvml.nvmlGpuInstanceDestroy(gi)
