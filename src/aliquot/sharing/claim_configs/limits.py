"""The memory limits of MPS clients on the devices of one configuration, as the MPS daemon takes them."""

from collections.abc import Sequence

from aliquot.kube.reading.shape import Fault
from aliquot.sharing.claim_configs.values import Mps

_PATH = "sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit"


def limits_of(mps: Mps, uuids: Sequence[str | None]) -> tuple[tuple[str, ...] | None, tuple[Fault, ...]]:
    """The limit of each device, such as `10240M`, or what's wrong with the limits for single devices.

    Args:
        mps: the configuration.
        uuids: of its devices, in the daemon's order; None where it isn't known yet.

    Returns:
        The limits in the devices' order (None: there are none), and the faults.
    """
    limits = [mps.memory_mib] * len(uuids)
    wrong: list[Fault] = []
    given: dict[int, str] = {}
    for key, mib in mps.memory_mib_of.items():
        number = _number(key, uuids)
        where = f"{_PATH}.{key}"
        if number is None:
            wrong.append(Fault(where, f"the configuration has no device {key}", _those(uuids)))
        elif number in given:
            wrong.append(Fault(where, f"device {number} has a limit already, by {given[number]}", "name it once"))
        else:
            given[number] = key
            limits[number] = mib
    if wrong:
        return None, tuple(wrong)
    return (tuple("" if mib is None else f"{mib}M" for mib in limits) if any(limits) else None), ()


def _number(key: str, uuids: Sequence[str | None]) -> int | None:
    if key in uuids:
        return uuids.index(key)
    number = int(key) if key.isascii() and key.isdecimal() else len(uuids)
    return number if number < len(uuids) else None


def _those(uuids: Sequence[str | None]) -> str:
    numbers = ", ".join(map(str, range(len(uuids))))
    count = "device has the number" if len(uuids) == 1 else "devices have the numbers"
    named = ", ".join(uuid for uuid in uuids if uuid is not None)
    return f"its {len(uuids)} {count} {numbers}{f', by UUID {named}' if named else ''}"
