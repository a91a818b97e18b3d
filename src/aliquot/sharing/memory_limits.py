"""The memory limits of MPS clients beside the memory that their devices have.

MPS checks neither: a limit above the device's memory limits nothing, and limits are no reservation, so that the last
of too many clients run out of memory within theirs.
"""

from collections.abc import Iterator, Sequence

from aliquot.devices.gpu import Memory


def usable_mib(memory: Memory) -> int:
    """The memory of a whole GPU, without what the driver keeps for itself."""
    return (memory.total - (memory.reserved or 0)) >> 20


def too_large(limit_mib: int, memory_mib: int) -> str | None:
    """Why a limit limits nothing; None where it does."""
    if limit_mib <= memory_mib:
        return None
    return f"{limit_mib} MiB for a client is more than all of its {memory_mib} MiB of memory: it limits nothing"


def sums(device: str, limit_mib: int, memory_mib: int, clients: int | None, most: int | None = None) -> Iterator[str]:
    """How many clients find room within their limit on a device, or that so many don't.

    Args:
        device: its name, for messages.
        limit_mib: of each client.
        memory_mib: of the device.
        clients: how many there will be; None: not known.
        most: how many MPS takes there at most; None: not known.
    """
    wrong = too_large(limit_mib, memory_mib)
    if wrong is not None:
        yield f"{device}: {wrong}"
        return
    fit = memory_mib // limit_mib
    if clients is not None and clients > fit:
        yield (
            f"{device}: {_clients(clients)} of {limit_mib} MiB are {clients * limit_mib} MiB of its {memory_mib} MiB: "
            "limits aren't reserved, so clients can run out of memory within theirs"
        )
    elif clients is None:
        if most is not None and fit > most:
            yield f"{device}: {limit_mib} MiB each is room for more clients than the {most} that MPS takes at most"
            return
        each = "" if fit == 1 else " each"
        yield f"{device}: at most {_clients(fit)} can use {limit_mib} MiB{each} at a time, of its {memory_mib} MiB"


def _clients(count: int) -> str:
    return "1 client" if count == 1 else f"{count} clients"


def mib_of_limits(limits: Sequence[str]) -> tuple[int | None, ...]:
    """The MiB of limits as the daemon takes them: `10240M`; None where one is empty."""
    return tuple(int(each.removesuffix("M")) if each else None for each in limits)
