"""What follows from a configuration of GPU sharing, and what can't be checked without a host."""

from collections.abc import Iterator

from aliquot.devices.gpu import Gpu
from aliquot.sharing.claim_configs.driver_gates import NO_MULTI_USER, gates_of, gates_words
from aliquot.sharing.claim_configs.values import ClaimConfig, Mps
from aliquot.sharing.memory_limits import too_large, usable_mib
from aliquot.sharing.plugin_config.values import PluginConfig, Replicas
from aliquot.sharing.strategies import Strategy

LIMIT = "sharing.mpsConfig.defaultPinnedDeviceMemoryLimit"
LIMITS = "sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit"


def notes(config: ClaimConfig | PluginConfig, *, host: bool) -> tuple[str, ...]:
    """The notes on a configuration.

    Args:
        config: the configuration.
        host: whether a host is known that it's held against.
    """
    if isinstance(config, PluginConfig):
        return tuple(_of_replicas(config.sharing, host=host)) if config.sharing is not None else ()
    return tuple(_of_claim(config, host=host))


def _of_replicas(sharing: Replicas, *, host: bool) -> Iterator[str]:
    if not sharing.fail_requests_greater_than_one:
        yield (
            "a request for several replicas is granted: they may all be of one GPU, and then give a program no more "
            "compute or memory than one does (failRequestsGreaterThanOne: true refuses such a request)"
        )
    most = max((each.replicas for each in sharing.resources), default=0)
    if sharing.strategy is Strategy.MPS and not host and most > 16:
        yield (
            f"whether a GPU takes {most} replicas by MPS isn't checked without --host: the plugin allows 48 from "
            "compute capability 7.5 on, 16 below"
        )


def _of_claim(config: ClaimConfig, *, host: bool) -> Iterator[str]:
    if isinstance(config.sharing, Mps) and not host:
        yield (
            "how many clients MPS takes isn't checked without --host: 16 before compute capability 7.0, 48 from then "
            "on, 60 with CUDA 13.1 or later"
        )
        if config.sharing.memory_mib is not None or config.sharing.memory_mib_of:
            yield "the memory limits aren't held against any GPU without --host"
    if isinstance(config.sharing, Mps) and config.sharing.multi_user:
        yield NO_MULTI_USER
    needed = gates_of(config.sharing)
    if needed:
        yield gates_words(needed)


def memory_notes(gpu: Gpu, mps: Mps) -> Iterator[str]:
    """Limits that limit nothing on a GPU: the default one, and the one that names it by its UUID."""
    if gpu.memory is None:
        return
    total = usable_mib(gpu.memory)
    own = mps.memory_mib_of.get(gpu.uuid)
    limit, path = (mps.memory_mib, LIMIT) if own is None else (own, f"{LIMITS}.{gpu.uuid}")
    if limit is not None and (wrong := too_large(limit, total)) is not None:
        numbered = sorted(int(key) for key in mps.memory_mib_of if key.isdecimal())
        others = (
            f", on a claim's devices other than {', '.join(map(str, numbered))}" if own is None and numbered else ""
        )
        yield f"{path}{others}: {wrong}"


def numbered_notes(gpus: tuple[Gpu, ...], mps: Mps) -> Iterator[str]:
    """Limits by number that limit nothing on any GPU: which one a number means shows only in a claim."""
    totals = [usable_mib(gpu.memory) for gpu in gpus if gpu.memory is not None]
    if not totals or len(totals) < len(gpus):
        return
    for key, limit in mps.memory_mib_of.items():
        if key.isdecimal() and too_large(limit, max(totals)) is not None:
            yield f"{LIMITS}.{key}: {limit} MiB for a client is more than any GPU here has: it limits nothing"
