"""An MPS control daemon: started, given limits, proved ready, ended; all through `nvidia-cuda-mps-control`.

Its commands go to its stdin, a line each; whether one worked stands in the words, not in the exit status (NVIDIA's MPS
guide, protocol version 2). One daemon serves one GPU, several, or one MIG instance.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from aliquot.devices.hosts.protocol import DriverMissing, HostFault, Hung, Refused, Why

PROGRAM: Final = "nvidia-cuda-mps-control"
SOCKET_PATH_BYTES: Final = 107
"""What a socket's address holds; beyond it the daemon dies, and asking it says only that there is none."""
_PID_FILE: Final = "nvidia-cuda-mps-control.pid"
_LOG_LINES: Final = 5
_NO_DAEMON: Final = "Cannot find MPS control daemon process"


class MpsDaemon:
    """One daemon, known by its pipe folder: another object on the same folder is the same daemon."""

    def __init__(
        self,
        pipe: Path,
        log: Path,
        *,
        devices: Sequence[str],
        program: str | None = None,
        limit_s: float = 10.0,
    ) -> None:
        """Nothing is started yet.

        Args:
            pipe: the folder of its socket; clients mount it, and every folder above must be open to their user.
            log: the folder of its logs.
            devices: UUIDs of the GPUs, or of the MIG instance, that it serves.
            program: the control program; None: found on PATH.
            limit_s: how long it may take for an answer.
        """
        self.pipe = pipe
        self.log = log
        self._devices = tuple(devices)
        self._program = program
        self._limit = limit_s

    def start(self, *, multi_user: bool = False) -> Refused | None:
        """Start it in the background; one that runs is left running.

        Args:
            multi_user: let one server, run by root, serve the programs of all users; else users wait for each other.
        """
        path = self.pipe / "control"
        if len(os.fsencode(path)) > SOCKET_PATH_BYTES:
            message = f"{path} is longer than the {SOCKET_PATH_BYTES} bytes of a socket's address"
            return Refused(why=Why.OTHER, message=message)
        if self.running():
            return None
        for folder in (self.pipe, self.log):
            folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        for left in self.pipe.iterdir():  # of a daemon that was killed
            if not left.is_dir():
                left.unlink()
        words = self._run(["-d", *(["-multiuser-server"] if multi_user else [])], "")
        if not self._comes_up():
            return Refused(
                why=Why.OTHER, message=f"the MPS daemon didn't start: {words or self.log_tail() or 'no words'}"
            )
        return None

    def running(self) -> bool:
        """Whether it answers."""
        with suppress(HostFault):
            self.ask("get_default_active_thread_percentage")
            return True
        return False

    def set_limits(self, *, percent: int | None = None, memory: Mapping[str, str] | None = None) -> Refused | None:
        """Set what every client gets at most; for servers that start from now on.

        Args:
            percent: of the multiprocessors, 1 to 100.
            memory: by the device's ordinal within this daemon (or its UUID, on newer drivers): `10240M`, `10G`.
        """
        commands = [] if percent is None else [f"set_default_active_thread_percentage {percent}"]
        commands += [f"set_default_device_pinned_mem_limit {device} {size}" for device, size in (memory or {}).items()]
        for command in commands:
            words = self.ask(command)
            if any(part in words.lower() for part in ("fail", "invalid", "error", "unknown", "not ")):
                return Refused(why=Why.OTHER, message=f"{command}: {words}")
        return None

    def prove(self, uid: int) -> Refused | None:
        """Start a server for a user and wait until it's active: a daemon that answers proves nothing of its servers."""
        self.ask(f"start_server -uid {uid}")
        until, status = monotonic() + self._limit, "no server"
        while monotonic() < until:
            servers = self.ask("get_server_list").split()
            states = [self.ask(f"get_server_status {pid}") for pid in servers if pid.isdigit()]
            if any("ACTIVE" in state for state in states):
                return None
            status = ", ".join(states) or status
            sleep(0.05)
        return Refused(why=Why.OTHER, message=f"no MPS server became active ({status}): {self.log_tail() or 'no log'}")

    def stop(self, *, grace_s: int = 0) -> None:
        """End it, by force when its clients haven't gone within the grace.

        Raises:
            HostFault: it's still there.
        """
        with suppress(HostFault):
            self.ask(f"quit -t {grace_s}")
        until = monotonic() + self._limit
        while self._pid() is not None and monotonic() < until:
            sleep(0.02)
        if self._pid() is not None:
            raise HostFault("the MPS daemon doesn't end", hint=f"its process is {self._pid()}")

    def ask(self, command: str) -> str:
        """The answer to a command.

        Raises:
            HostFault: there's no daemon; or no program, or it hangs.
        """
        words = self._run([], f"{command}\n")
        if _NO_DAEMON in words:
            raise HostFault("there is no MPS daemon at this pipe folder", hint=str(self.pipe))
        return words

    def log_tail(self) -> str:
        """The last lines that it and its servers logged."""
        lines: list[str] = []
        for name in ("control.log", "server.log"):
            with suppress(OSError):
                lines += (self.log / name).read_text(encoding="utf-8", errors="replace").splitlines()[-_LOG_LINES:]
        return " | ".join(lines)

    def client_environment(self) -> dict[str, str]:
        """What a container needs beside the mounted pipe folder and the daemon's /dev/shm."""
        return {"CUDA_MPS_PIPE_DIRECTORY": str(self.pipe)}

    def _comes_up(self) -> bool:
        until = monotonic() + self._limit
        while not self.running():
            if monotonic() > until:
                return False
            sleep(0.02)
        return True

    def _pid(self) -> int | None:
        """Of the living daemon: the file outlives a killed one."""
        with suppress(OSError, ValueError):
            pid = int((self.pipe / _PID_FILE).read_text(encoding="ascii"))
            os.kill(pid, 0)
            return pid
        return None

    def _run(self, arguments: Sequence[str], commands: str) -> str:
        program = self._program or shutil.which(PROGRAM)
        if program is None:
            raise DriverMissing(f"there is no {PROGRAM}", hint="it comes with the NVIDIA driver")
        environment = {
            **os.environ,
            "CUDA_MPS_PIPE_DIRECTORY": str(self.pipe),
            "CUDA_MPS_LOG_DIRECTORY": str(self.log),
            "CUDA_VISIBLE_DEVICES": ",".join(self._devices),
        }
        try:
            done = subprocess.run(  # noqa: S603 - the driver's own program
                [program, *arguments],
                input=commands,
                capture_output=True,
                env=environment,
                timeout=self._limit,
                text=True,
                errors="replace",
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Hung(f"{PROGRAM} didn't answer within {self._limit:g} s") from None
        return " ".join((done.stdout + done.stderr).split())
