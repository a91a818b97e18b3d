"""What only nvidia-smi can do: time-slices, and the reset of a GPU. Its words are read, not only its exit status."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from aliquot.devices.gpu import TimeSlice
from aliquot.devices.hosts.protocol import DriverMissing, Hung, Refused, Why

_LENGTHS: Final = {TimeSlice.DEFAULT: 0, TimeSlice.SHORT: 1, TimeSlice.MEDIUM: 2, TimeSlice.LONG: 3}
_FOLDERS: Final = ("opt/bin", "usr/bin", "usr/sbin", "bin", "sbin")
_SAYS: Final = (
    ("in use by", Why.IN_USE),
    ("not supported", Why.NOT_SUPPORTED),
    ("insufficient permissions", Why.NO_PERMISSION),
    ("not found", Why.NOT_FOUND),
    ("no devices were found", Why.NOT_FOUND),
    ("unable to", Why.OTHER),
    ("failed", Why.OTHER),
    ("error", Why.OTHER),
)
"""What its lines hold when it refuses, also with exit status 0."""


class Smi:
    """nvidia-smi, from the driver's root or from PATH."""

    def __init__(self, root: Path, limit_s: float, environment: Mapping[str, str] | None) -> None:
        self._root = root
        self._limit = limit_s
        self._environment = environment

    def set_time_slice(self, gpu: str, length: TimeSlice) -> Refused | None:
        """Set the time-slice of a GPU."""
        return self._run(gpu, "compute-policy", "-i", gpu, "--set-timeslice", str(_LENGTHS[length]))

    def reset(self, gpu: str) -> Refused | None:
        """Reset a GPU."""
        return self._run(gpu, "--gpu-reset", "-i", gpu)

    def _run(self, gpu: str, *arguments: str) -> Refused | None:
        program = self._program()
        if program is None:
            raise DriverMissing("there is no nvidia-smi", gpu=gpu, hint="it comes with the NVIDIA driver")
        process = subprocess.Popen(  # noqa: S603 - found below the driver's root or on PATH
            [program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self._environment,
            text=True,
            errors="replace",
        )
        try:
            words, _ = process.communicate(timeout=self._limit)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Hung(f"nvidia-smi {arguments[0]} didn't end within {self._limit:g} s", gpu=gpu) from None
        return _read(words, process.returncode)

    def _program(self) -> str | None:
        for folder in _FOLDERS:
            path = self._root / folder / "nvidia-smi"
            if path.is_file():
                return str(path)
        return shutil.which("nvidia-smi", path=None if self._environment is None else self._environment.get("PATH"))


def _read(words: str, status: int) -> Refused | None:
    text = " ".join(words.split())
    for part, why in _SAYS:
        if part in text.lower():
            return Refused(why=why, message=f"nvidia-smi: {text[:300]}")
    if status != 0:
        return Refused(why=Why.OTHER, message=f"nvidia-smi ended with {status}: {text[:300]}")
    return None
