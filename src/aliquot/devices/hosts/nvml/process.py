"""The worker process as its owner sees it: a limit on each question, and workers that can be abandoned."""

import contextlib
import os
import select
import subprocess
import sys
from collections.abc import Mapping
from time import monotonic
from types import MappingProxyType
from typing import IO, Any, Final

import msgspec

from aliquot.devices.hosts.protocol import HostFault, Hung

START_S = 60.0
MOST_ABANDONED = 4
"""So many stuck processes are let be; then nothing more is asked."""

_abandoned: list[subprocess.Popen[bytes]] = []
"""Kept, so that they are reaped when the driver lets them go; no one waits for them."""


_ASKED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "driver": "for its versions",
        "identity": "which GPU has that number",
        "standing": "how the GPU stands",
        "profiles": "for its MIG profiles",
        "create": "to create a MIG instance",
        "destroy": "to destroy a MIG instance",
        "set_mig_mode": "to switch MIG",
        "set_compute_mode": "to set the compute mode",
        "activity": "how busy the GPU is",
        "wait": "for its events",
    }
)
"""The worker's questions for people."""


class NvmlCodeError(Exception):
    """NVML answered with a return code."""

    def __init__(self, code: int, text: str, left: int | None) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.left = left
        """The id of an instance that a failed creation left behind."""


class WorkerProcess:
    """One worker, started at the first question and again after it was closed or lost. Not thread-safe."""

    def __init__(self, library: str | None, environment: Mapping[str, str] | None = None) -> None:
        """Name the library to use.

        Args:
            library: path of libnvidia-ml.so.1, or None for the system's.
            environment: of the worker; None for this process's.
        """
        self._command = [sys.executable, "-m", "aliquot.devices.hosts.nvml.worker", *([library] if library else [])]
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""
        self.took_s = 0.0
        """How long the last answer took."""

    def ask(self, question: str, *arguments: object, limit_s: float, gpu: str | None = None) -> Any:
        """An answer.

        Raises:
            NvmlCodeError: NVML said no.
            Hung: no answer within the limit; the worker is abandoned.
            HostFault: the worker died, or too many were abandoned.
        """
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        start = monotonic()
        try:
            process.stdin.write(msgspec.json.encode([question, *arguments]) + b"\n")
            process.stdin.flush()
            line = self._line(process.stdout, start + limit_s)
        except TimeoutError:
            self._abandon(process)
            raise Hung(
                f"the driver didn't answer within {limit_s:g} s when it was asked {_ASKED.get(question, question)}",
                gpu=gpu,
                hint="its process was abandoned; the kernel's log (dmesg) tells more, a reboot may be needed",
            ) from None
        except (BrokenPipeError, EOFError):
            status = self._buried()
            raise HostFault(f"the driver's library ended the process that called it ({status})", gpu=gpu) from None
        self.took_s = monotonic() - start
        reply = msgspec.json.decode(line)
        if "code" in reply:
            raise NvmlCodeError(reply["code"], reply["text"], reply["left"])
        return reply["answer"]

    def close(self) -> None:
        """End the worker, and with it its session with the driver; a stuck one is abandoned."""
        process, self._process = self._process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            process.kill()
            _abandoned.append(process)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        if self._process is not None:
            self.close()
        if abandoned() >= MOST_ABANDONED:
            raise HostFault(
                f"{abandoned()} processes that asked the driver are stuck in it: nothing more is asked",
                hint="the kernel's log (dmesg) tells more; a reboot may be needed",
            )
        self._rest = b""
        process = subprocess.Popen(  # noqa: S603 - this Python, a module of this package
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._environment, start_new_session=True
        )
        self._process = process
        assert process.stdout is not None
        try:
            self._line(process.stdout, monotonic() + START_S)  # the limit of a question is the driver's alone
        except TimeoutError:
            self._abandon(process)
            raise HostFault(f"the process that calls the driver didn't start within {START_S:g} s") from None
        except EOFError:
            raise HostFault(f"the process that calls the driver didn't start ({self._buried()})") from None
        return process

    def _line(self, pipe: IO[bytes], until: float) -> bytes:
        while b"\n" not in self._rest:
            left = until - monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                raise TimeoutError
            part = os.read(pipe.fileno(), 1 << 16)
            if not part:
                raise EOFError
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _abandon(self, process: subprocess.Popen[bytes]) -> None:
        """Let it be: it's asked to end, but a call stuck in the kernel ends for no signal."""
        self._process = None
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        process.kill()
        _abandoned.append(process)

    def _buried(self) -> str:
        process = self._process
        assert process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=2)
        status = process.returncode
        self.close()
        if status is None:
            return "without ending itself"
        return f"signal {-status}" if status < 0 else f"status {status}"


def abandoned() -> int:
    """How many workers were abandoned and haven't ended yet."""
    _abandoned[:] = [process for process in _abandoned if process.poll() is None]
    return len(_abandoned)
