"""A containerd that runs for a moment, with folders and a socket of its own."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

WAIT_S: Final = 60.0
BOOTED: Final = "containerd successfully booted"


@dataclass(frozen=True, slots=True)
class Run:
    """What came of it: whether it started, its socket, and what it said."""

    started: bool
    socket: Path
    log: Path

    @property
    def said(self) -> str:
        """All that it said so far."""
        return self.log.read_text(errors="replace")

    @property
    def cri_runs(self) -> bool:
        """Whether its CRI service runs."""
        return self.started and "Start streaming server" in self.said


@contextlib.contextmanager
def running(program: Path, config: Path, room: Path, programs: Path | None = None) -> Iterator[Run]:
    """The program with that configuration file, until the block ends; it finds its helpers in `programs` first."""
    room.mkdir(parents=True, exist_ok=True)
    log, socket = room / "log", room / "c.sock"
    folders: list[str | Path] = ["--root", room / "root", "--state", room / "state", "--address", socket]
    command: list[str | Path] = [program, "-c", config, *folders]
    with log.open("wb") as stream:
        path = os.environ.get("PATH", "")
        env = {**os.environ, "PATH": path if programs is None else f"{programs}:{path}"}
        process = subprocess.Popen(command, stdout=stream, stderr=stream, start_new_session=True, env=env)
    try:
        end = time.monotonic() + WAIT_S
        while process.poll() is None and BOOTED not in log.read_text(errors="replace") and time.monotonic() < end:
            time.sleep(0.05)
        yield Run(process.poll() is None and BOOTED in log.read_text(errors="replace"), socket, log)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        process.wait()
