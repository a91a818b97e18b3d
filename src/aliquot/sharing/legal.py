"""Whether a GPU can be divided in a way, and what may be on one GPU at the same time.

By its driver, its compute capability and its MIG mode, as its host reports them. What isn't known forbids nothing: the
driver has the last word. But a GPU whose MIG mode the driver failed to tell is nobody's.
Sources: NVIDIA's MIG and MPS guides; nvidia-smi compute-policy (driver 455 and newer).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from aliquot.devices.gpu import ComputeMode, Gpu, TimeSlice
from aliquot.devices.mig import Placement
from aliquot.devices.survey import Driver
from aliquot.sharing.claim_configs.values import Mps, Sharing, TimeSlicing
from aliquot.sharing.mps import capability, mps_client_limit
from aliquot.sharing.strategies import Strategy

TIME_SLICE_DRIVER: Final = 455
"""The first driver whose time-slice can be set."""
VOLTA: Final = (7, 0)
UNKNOWN: Final = "MIG mode unknown"
"""So begins what a host tells of the driver's failure to say."""


def strategy_of(sharing: Sharing | None, *, on_mig: bool) -> Strategy:
    """The way that a configuration divides a device."""
    if isinstance(sharing, Mps):
        return Strategy.MIG_MPS if on_mig else Strategy.MPS
    if on_mig:
        return Strategy.MIG
    return Strategy.TIME_SLICING if isinstance(sharing, TimeSlicing) else Strategy.WHOLE


def problems(
    gpu: Gpu,
    driver: Driver | None,
    strategy: Strategy,
    *,
    clients: int | None = None,
    interval: TimeSlice = TimeSlice.DEFAULT,
    multi_user: bool = False,
) -> tuple[str, ...]:
    """Why a GPU can't be divided in a way; empty where nothing that's known speaks against it.

    Args:
        gpu: as its host reports it.
        driver: the host's.
        strategy: the way.
        clients: of MPS, at the same time; None: not known.
        interval: of time-slicing.
        multi_user: whether MPS is to serve several users at a time.
    """
    on_mig = strategy in {Strategy.MIG, Strategy.MIG_MPS}
    found = [*_mig_mode(gpu, on_mig=on_mig)]
    if strategy is Strategy.WHOLE and gpu.compute_mode is ComputeMode.PROHIBITED:
        found.append("compute mode prohibited: no program may use it")
    if strategy is Strategy.TIME_SLICING and interval is not TimeSlice.DEFAULT and not sets_time_slices(driver):
        found.append(f"{_named(driver)} can't set the time-slice, {TIME_SLICE_DRIVER} and newer can")
    if strategy in {Strategy.MPS, Strategy.MIG_MPS}:
        found += _mps(gpu, driver, clients, on_mig=on_mig, multi_user=multi_user)
    return tuple(found)


def _mig_mode(gpu: Gpu, *, on_mig: bool) -> Iterator[str]:
    if gpu.mig_unknown:
        words = [failed for failed in gpu.partial if failed.startswith(UNKNOWN)]
        yield "; ".join(words) or UNKNOWN
        return
    if on_mig and gpu.mig is None:
        yield f"{gpu.name} has no MIG"
    if not on_mig and gpu.mig_enabled and (gpu.instances or gpu.mig_needs_reset):
        yield "MIG is on: only its instances can be used"
    if not on_mig and gpu.mig is not None and gpu.mig.pending and not gpu.mig.current:
        yield "MIG will be on after the next reset: the GPU can't be kept whole"


def sets_time_slices(driver: Driver | None) -> bool:
    """Whether a driver can set the time-slice at all, as far as its version tells; single GPUs may refuse it."""
    major = driver.version.partition(".")[0] if driver is not None else ""
    return not major.isdecimal() or int(major) >= TIME_SLICE_DRIVER


def _named(driver: Driver | None) -> str:
    return "the driver" if driver is None else f"driver {driver.version}"


def _mps(gpu: Gpu, driver: Driver | None, clients: int | None, *, on_mig: bool, multi_user: bool) -> Iterator[str]:
    if gpu.model is not None and not gpu.model.mps:
        yield f"{gpu.name} has no MPS"
        return
    if gpu.compute_capability is None:
        return
    if multi_user and capability(gpu.compute_capability) < VOLTA:
        yield "MPS for several users at a time needs compute capability 7.0 (Volta) or newer"
    most = client_limit(gpu, driver)
    if clients is not None and most is not None and clients > most:
        less = ", and fewer on a MIG instance" if on_mig else ""
        yield f"{clients} MPS clients are too many: {most} at most{less}"


def client_limit(gpu: Gpu, driver: Driver | None) -> int | None:
    """The most clients of one MPS server on a GPU, fewer on a MIG instance; None where its kind isn't known."""
    return mps_client_limit(gpu.compute_capability, _cuda(driver)) if gpu.compute_capability is not None else None


def _cuda(driver: Driver | None) -> tuple[int, int]:
    """The driver's CUDA version; where it isn't known, one that isn't new: it promises least."""
    major, _, minor = ((driver.cuda if driver is not None else None) or "0.0").partition(".")
    return int(major), int(minor or "0")


@dataclass(frozen=True, slots=True)
class Use:
    """What somebody makes of a GPU, or of the MIG instance at a place."""

    gpu: str
    """The UUID."""
    place: Placement | None = None
    sharing: Sharing | None = None


def conflict(one: Use, other: Use) -> str | None:
    """Why two uses can't be on one GPU at the same time; None where they can.

    Whether two instances fit beside each other is MIG's geometry (`devices.mig.fitting`).
    """
    if one.gpu != other.gpu:
        return None
    if (one.place is None) != (other.place is None):
        place = one.place or other.place
        return f"MIG must be on for {place}, and off for the whole GPU"
    if one.place != other.place:
        return None
    where = "the GPU" if one.place is None else f"the instance {one.place}"
    if isinstance(one.sharing, Mps) or isinstance(other.sharing, Mps):
        if one.place is None:
            return f"MPS takes {where} for its own clients (compute mode exclusive-process)"
        return f"{where} has one MPS daemon, and who isn't its client would run beside it"
    turns = [use.sharing.interval for use in (one, other) if isinstance(use.sharing, TimeSlicing)]
    if one.place is None and len(set(turns)) > 1:
        return f"{where} has one time-slice: {turns[0].value} or {turns[1].value}"
    return None
