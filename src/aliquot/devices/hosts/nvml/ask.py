"""Questions to NVML about a GPU as it stands, in the worker process. Answers are plain dicts, in `devices.gpu`'s words.

One question that fails doesn't spoil the rest: what the driver doesn't know or the part hasn't got is None, what failed
otherwise is told in `partial`. A lost GPU fails as a whole. Traps of NVML are noted where they're met.
"""

from collections.abc import Callable
from typing import Any, Final

import pynvml

INVALID_ARGUMENT: Final = 2
NOT_SUPPORTED: Final = 3
NO_PERMISSION: Final = 4
NOT_FOUND: Final = 6
INSUFFICIENT_SIZE: Final = 7
FUNCTION_NOT_FOUND: Final = 13
GONE: Final = {9, 15, 16}
"""Driver not loaded, GPU is lost, reset required: no question about the GPU has an answer."""

_ARCHITECTURES: Final = {
    2: "Kepler", 3: "Maxwell", 4: "Pascal", 5: "Volta", 6: "Turing", 7: "Ampere", 8: "Ada", 9: "Hopper",
    10: "Blackwell", 13: "Rubin",
}  # fmt: skip
_BRANDS: Final = {
    1: "Quadro", 2: "Tesla", 3: "NVS", 4: "Grid", 5: "GeForce", 6: "Titan", 7: "NvidiaVApps", 8: "NvidiaVPC",
    9: "NvidiaVCS", 10: "NvidiaVWS", 11: "NvidiaCloudGaming", 12: "QuadroRTX", 13: "NvidiaRTX", 14: "Nvidia",
    15: "GeForceRTX", 16: "TitanRTX",
}  # fmt: skip
_ADDRESSING: Final = {0: "None", 1: "HMM", 2: "ATS"}
_VIRTUAL: Final = 2
"""The virtualisation mode inside a guest that has a virtual GPU."""
_COMPUTE_MODES: Final = {0: "default", 2: "prohibited", 3: "exclusive-process"}
_RECOVERY: Final = (
    "none", "reset the GPU", "reboot the machine", "drain peer traffic", "drain, then reset the GPU",
    "recover the IMEX domain", "reset the bus", "reboot the whole system",
)  # fmt: skip
_HELD_BACK: Final = {
    0x4: "power cap", 0x8: "hardware slowdown", 0x20: "heat (software)", 0x40: "heat (hardware)", 0x80: "power brake",
}  # fmt: skip
"""Idle, set clocks, sync boost and display aren't worth telling."""
_REMOTES: Final = {0: "gpu", 1: "npu", 2: "switch"}
_NONE_32: Final = 0xFFFFFFFF
_RECOVERY_FIELD: Final = 230
_LINK_COUNT_FIELD: Final = 91
_MAX_LINKS: Final = 36


class Answers:
    """The answers to questions about one GPU; it remembers what failed."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self.failed: dict[str, str] = {}
        """What wasn't answered, with the driver's words."""
        self.untold: set[str] = set()
        """What this driver is too old to tell."""

    def ask(self, what: str, question: Callable[..., Any], *arguments: Any) -> Any:
        """An answer, or None.

        Raises:
            NVMLError: the GPU or the driver is gone.
        """
        try:
            return question(self.handle, *arguments)
        except pynvml.NVMLLibraryMismatchError:  # the process lists of an old driver; it's no NVMLError
            self.untold.add(what)
            return None
        except pynvml.NVMLError as error:
            if error.value in GONE:
                raise
            if error.value not in {NOT_SUPPORTED, FUNCTION_NOT_FOUND}:
                self.failed[what] = str(error)
            return None

    def partial(self) -> list[str]:
        """What is unknown because of that."""
        return [f"{what} unknown: the driver answered {words!r}" for what, words in self.failed.items()]


def identity(handle: Any, index: int) -> dict[str, Any]:
    """Who a GPU is.

    Raises:
        NVMLError: it can't be asked.
    """
    answers, pci = Answers(handle), pynvml.nvmlDeviceGetPciInfo(handle)
    return {
        "index": index,
        "uuid": pynvml.nvmlDeviceGetUUID(handle),
        "name": pynvml.nvmlDeviceGetName(handle),
        "pci": sysfs_address(pci.busId),
        "pci_id": f"{pci.pciDeviceId & 0xFFFF:04x}:{pci.pciDeviceId >> 16:04x}",
        "minor": answers.ask("minor", pynvml.nvmlDeviceGetMinorNumber),
        "serial": answers.ask("serial", pynvml.nvmlDeviceGetSerial),
        "brand": _BRANDS.get(answers.ask("brand", pynvml.nvmlDeviceGetBrand) or 0),
    }


def sysfs_address(bus_id: str) -> str:
    """NVML's `00000000:65:00.0` as sysfs writes it: four digits of domain unless it needs more, lower case."""
    domain, _, rest = bus_id.lower().partition(":")
    return f"{int(domain, 16):04x}:{rest}"


def standing(handle: Any) -> dict[str, Any]:
    """How a GPU stands.

    Raises:
        NVMLError: it's gone.
    """
    answers = Answers(handle)
    ask = answers.ask
    virtualisation = ask("virtualisation", pynvml.nvmlDeviceGetVirtualizationMode)
    capability = ask("compute capability", pynvml.nvmlDeviceGetCudaComputeCapability)
    mode = ask("MIG mode", pynvml.nvmlDeviceGetMigMode)
    ecc, power = ask("ECC mode", pynvml.nvmlDeviceGetEccMode), ask("power", pynvml.nvmlDeviceGetPowerUsage)
    limit = ask("power limit", pynvml.nvmlDeviceGetEnforcedPowerLimit)
    rows = ask("remapped rows", pynvml.nvmlDeviceGetRemappedRows)
    reasons = ask("clocks", pynvml.nvmlDeviceGetCurrentClocksEventReasons)
    if reasons is None and "clocks" not in answers.failed:  # its name before R535
        reasons = ask("clocks", pynvml.nvmlDeviceGetCurrentClocksThrottleReasons)
    persistence = ask("persistence", pynvml.nvmlDeviceGetPersistenceMode)
    running = processes(answers)
    usage = None if mode is not None and mode[0] else ask("utilisation", pynvml.nvmlDeviceGetUtilizationRates)
    return {
        "architecture": _ARCHITECTURES.get(ask("architecture", pynvml.nvmlDeviceGetArchitecture) or 0),
        "compute_capability": None if capability is None else f"{capability[0]}.{capability[1]}",
        "memory": memory(answers),
        "addressing_mode": _ADDRESSING.get(_minus_one(ask("addressing", pynvml.nvmlDeviceGetAddressingMode))),
        "virtual": None if virtualisation is None else virtualisation == _VIRTUAL,
        "mig": None if mode is None else {"current": bool(mode[0]), "pending": bool(mode[1])},
        "mig_unknown": "MIG mode" in answers.failed,
        "compute_mode": _COMPUTE_MODES.get(_minus_one(ask("compute mode", pynvml.nvmlDeviceGetComputeMode))),
        "persistence": None if persistence is None else bool(persistence),
        "ecc": None if ecc is None else bool(ecc[0]),
        "ecc_pending": None if ecc is None else bool(ecc[1]),
        "uncorrected_errors": ask("ECC errors", pynvml.nvmlDeviceGetTotalEccErrors, 1, 0) if ecc and ecc[0] else None,
        "rows_pending": None if rows is None else bool(rows[2]),
        "rows_failed": None if rows is None else bool(rows[3]),
        "recovery": recovery(answers),
        "throttled": None if reasons is None else [words for bit, words in _HELD_BACK.items() if reasons & bit],
        "temperature_c": ask("temperature", pynvml.nvmlDeviceGetTemperature, 0),
        "power_w": None if power is None else power / 1000,
        "power_limit_w": None if limit is None else limit / 1000,
        "utilisation_percent": None if usage is None else usage.gpu,
        "links": links(answers),
        "processes": running,
        "processes_unknown": any(each.endswith("processes") for each in (*answers.failed, *answers.untold)),
        "partial": answers.partial(),
    }


def _minus_one(value: int | None) -> int:
    return -1 if value is None else value


def memory(answers: Answers) -> dict[str, int | None] | None:
    """Bytes; the driver's own share apart where the driver is new enough to tell."""
    new = answers.ask("memory", pynvml.nvmlDeviceGetMemoryInfo, pynvml.nvmlMemory_v2)
    if new is not None:
        return {"total": new.total, "used": new.used, "reserved": new.reserved}
    if "memory" in answers.failed:
        return None
    old = answers.ask("memory", pynvml.nvmlDeviceGetMemoryInfo)
    return None if old is None else {"total": old.total, "used": old.used, "reserved": None}


def recovery(answers: Answers) -> str | None:
    """What the driver wants done."""
    number = field(answers, "recovery action", _RECOVERY_FIELD)
    if number is None:
        return None
    return _RECOVERY[number] if number < len(_RECOVERY) else "unknown to this version: reboot"


def field(answers: Answers, what: str, number: int) -> int | None:
    """A field's value; the call succeeds even where the field has no answer."""
    values = answers.ask(what, pynvml.nvmlDeviceGetFieldValues, [number])
    if values is None or values[0].nvmlReturn != 0:
        return None
    value: int = values[0].value.uiVal
    return value


def links(answers: Answers) -> list[dict[str, Any]]:
    """NVLinks; where their count isn't told, `invalid argument` or `not supported` stand behind the last, by driver."""
    found: list[dict[str, Any]] = []
    count = field(answers, "NVLinks", _LINK_COUNT_FIELD)
    for number in range(_MAX_LINKS if count is None else min(count, _MAX_LINKS)):
        try:
            active = bool(pynvml.nvmlDeviceGetNvLinkState(answers.handle, number))
        except pynvml.NVMLError as error:
            if error.value in GONE:
                raise
            if error.value not in {INVALID_ARGUMENT, NOT_SUPPORTED, FUNCTION_NOT_FOUND}:
                answers.failed[f"NVLink {number}"] = str(error)
            break
        kind = answers.ask("NVLink", pynvml.nvmlDeviceGetNvLinkRemoteDeviceType, number) if active else None
        remote = answers.ask("NVLink", pynvml.nvmlDeviceGetNvLinkRemotePciInfo, number) if active else None
        found.append(
            {
                "number": number,
                "active": active,
                "remote": _REMOTES.get(_minus_one(kind), "unknown"),
                "remote_pci": None if remote is None else sysfs_address(remote.busId),
            }
        )
    return found


def processes(answers: Answers) -> list[dict[str, Any]]:
    """What runs on the GPU and, for a caller that may know, on its instances."""
    kinds = (
        ("compute", pynvml.nvmlDeviceGetComputeRunningProcesses),
        ("graphics", pynvml.nvmlDeviceGetGraphicsRunningProcesses),
        ("mps", pynvml.nvmlDeviceGetMPSComputeRunningProcesses),
    )
    return [
        {
            "pid": each.pid,
            "kind": kind,
            "memory": each.usedGpuMemory,
            "gi": None if each.gpuInstanceId == _NONE_32 else each.gpuInstanceId,
            "ci": None if each.computeInstanceId == _NONE_32 else each.computeInstanceId,
        }
        for kind, question in kinds
        for each in answers.ask(f"{kind} processes", _again, question) or ()
    ]


def _again(handle: Any, question: Callable[[Any], list[Any]]) -> list[Any]:
    """The list may grow between asking for its size and asking for it."""
    for _ in range(3):
        try:
            return question(handle)
        except pynvml.NVMLError as error:
            if error.value != INSUFFICIENT_SIZE:
                raise
    return question(handle)
