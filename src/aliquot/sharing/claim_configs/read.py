"""Reading an opaque configuration: everything that's wrong with it at once, each with its path.

Strictly, a field that nobody reads is a fault, as NVIDIA's driver has it for what a user writes; leniently, as a
checkpoint is read, it's passed over: a newer version may have written it.
"""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, Final

import msgspec

from aliquot.devices.gpu import TimeSlice
from aliquot.kube.reading.shape import Fault, FaultsError, faults, found, is_object, join
from aliquot.kube.reading.strict import unknown_fields, without_unknown
from aliquot.sharing.claim_configs import vfio
from aliquot.sharing.claim_configs.driver_gates import MPS, TIME_SLICING
from aliquot.sharing.claim_configs.shape import WireGpuConfig, WireGpuSharing, WireMigDeviceConfig, WireMigSharing
from aliquot.sharing.claim_configs.values import API_VERSION, MIB, ClaimConfig, Mps, Sharing, TimeSlicing
from aliquot.units.quantity import Quantity

KINDS: Final = ("GpuConfig", "MigDeviceConfig")
_STRATEGIES: Final = ("TimeSlicing", "MPS")
_HINT: Final = f"TimeSlicing or MPS (NVIDIA's own driver needs its feature gate {TIME_SLICING} or {MPS} for it)"
_INTERVALS: Final = {each.value.capitalize(): each for each in TimeSlice}
_BLOCKS: Final = {"TimeSlicing": "timeSlicingConfig", "MPS": "mpsConfig"}
_REFUSED: Final = {
    vfio.KIND: vfio.WHY,
    "ComputeDomainChannelConfig": "it belongs to the driver compute-domain.nvidia.com, which isn't part of Aliquot",
    "ComputeDomainDaemonConfig": "it belongs to the driver compute-domain.nvidia.com, which isn't part of Aliquot",
}
"""Kinds of the same API group that are known, and why they're refused."""


def read_config(value: Any, *, strict: bool = True) -> ClaimConfig:
    """Read the `parameters` of an opaque configuration.

    Args:
        value: the object as plain data.
        strict: whether a field that nobody reads is a fault.

    Raises:
        FaultsError: with every fault.
    """
    wrong = [*_header(value)]
    if wrong:  # what kind it is decides how the rest is read
        raise FaultsError(*wrong)
    for_mig = value["kind"] == "MigDeviceConfig"
    shape = WireMigDeviceConfig if for_mig else WireGpuConfig
    known = without_unknown(value, shape)
    wrong = [*(_unknown(value, shape, for_mig=for_mig) if strict else ()), *faults(known, shape)]
    places = {fault.path for fault in wrong}
    wrong += [fault for fault in _judge(known.get("sharing"), for_mig=for_mig) if fault.path not in places]
    if wrong:
        raise FaultsError(*wrong)
    config = msgspec.convert(known, WireMigDeviceConfig) if for_mig else msgspec.convert(known, WireGpuConfig)
    return ClaimConfig(for_mig, _sharing(config.sharing))


def _header(value: Any) -> Iterator[Fault]:
    if not is_object(value):
        yield Fault("", f"expected an object, found {found(value)}", f"apiVersion: {API_VERSION}, kind: GpuConfig, ...")
        return
    version, kind = value.get("apiVersion"), value.get("kind")
    if version != API_VERSION:
        said = "missing" if version is None else f"{found(version)} isn't known"
        yield Fault("apiVersion", said, API_VERSION)
    if isinstance(kind, str) and kind in _REFUSED:
        yield Fault("kind", f"{kind} is refused: {_REFUSED[kind]}", " or ".join(KINDS))
    elif kind not in KINDS:
        meant = get_close_matches(str(kind), KINDS, n=1)
        hint = f"did you mean {meant[0]}?" if meant else " or ".join(KINDS)
        yield Fault("kind", "missing" if kind is None else f"{found(kind)} isn't known", hint)


def _unknown(value: Any, shape: Any, *, for_mig: bool) -> Iterator[Fault]:
    for fault in unknown_fields(value, shape):
        if for_mig and fault.path == "sharing.timeSlicingConfig":
            yield Fault(fault.path, "a MIG device has no time-slice that could be set", "leave it out")
        else:
            yield fault


def _judge(sharing: Any, *, for_mig: bool) -> Iterator[Fault]:
    """What values of the right types have wrong; parts with a wrong type are passed over."""
    if not is_object(sharing):
        return
    strategy = sharing.get("strategy")
    if strategy is None:
        yield Fault("sharing.strategy", "missing", _HINT)
    elif strategy not in _STRATEGIES:
        near = {each.lower(): each for each in _STRATEGIES}.get(str(strategy).lower().replace("-", ""))
        hint = f"did you mean {near}?" if near else _HINT
        yield Fault("sharing.strategy", f"{found(strategy)} isn't known", hint)
    for other, block in _BLOCKS.items():
        if strategy in _STRATEGIES and other != strategy and sharing.get(block) is not None:
            yield Fault(f"sharing.{block}", f"belongs to the strategy {other}, and the strategy is {strategy}",
                        "leave it out, or change the strategy")  # fmt: skip
    turns, mps = sharing.get("timeSlicingConfig"), sharing.get("mpsConfig")
    interval = turns.get("interval") if is_object(turns) and not for_mig else None
    if isinstance(interval, str) and interval not in _INTERVALS:
        yield Fault("sharing.timeSlicingConfig.interval", f"{found(interval)} isn't known", ", ".join(_INTERVALS))
    if is_object(mps):
        for fault in _mps(mps):
            yield fault.under("sharing.mpsConfig")


def _mps(mps: dict[str, Any]) -> Iterator[Fault]:
    percent = mps.get("defaultActiveThreadPercentage")
    if type(percent) is int and not 0 <= percent <= 100:
        yield Fault("defaultActiveThreadPercentage", f"{percent} is no percentage", "0 to 100")
    if (limit := mps.get("defaultPinnedDeviceMemoryLimit")) is not None:
        yield from _limit("defaultPinnedDeviceMemoryLimit", limit)
    single = mps.get("defaultPerDevicePinnedMemoryLimit")
    for key, limit in single.items() if is_object(single) else ():
        where = join("defaultPerDevicePinnedMemoryLimit", str(key))
        if limit is None:
            yield Fault(where, "missing: how much?")
        yield from _limit(where, limit)
        if not _names_a_device(str(key)):
            yield Fault(where, f"{key!r} names no device", "a number, counted from 0, or a UUID")


def _names_a_device(key: str) -> bool:
    return (key.isascii() and key.isdecimal()) or key.startswith(("GPU-", "MIG-"))


def _limit(where: str, limit: Any) -> Iterator[Fault]:
    """A limit below what MPS can count; what is no quantity was told already."""
    try:
        bytes_ = Quantity.parse(str(limit)).value()
    except ValueError:
        return
    if bytes_ < MIB:
        yield Fault(where, f"{limit} is too little", "at least 1Mi: MPS counts whole MiB")


def mib_of(limit: Any) -> int:
    """The whole MiB of a quantity, cut off."""
    return Quantity.parse(str(limit)).value() // MIB


def _sharing(wire: WireGpuSharing | WireMigSharing | None) -> Sharing | None:
    if wire is None:
        return None
    if wire.strategy == "TimeSlicing":
        turns = wire.time_slicing_config if isinstance(wire, WireGpuSharing) else None
        return TimeSlicing(_INTERVALS[turns.interval] if turns is not None and turns.interval else TimeSlice.DEFAULT)
    mps = wire.mps_config
    if mps is None:
        return Mps()
    limit = mps.default_pinned_device_memory_limit
    return Mps(
        percent=mps.default_active_thread_percentage,
        memory_mib=None if limit is None else mib_of(limit),
        memory_mib_of={key: mib_of(each) for key, each in (mps.default_per_device_pinned_memory_limit or {}).items()},
        multi_user=bool(mps.multi_user),
    )
