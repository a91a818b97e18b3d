"""An MPS daemon is started, limited, proved ready and ended; what goes wrong is told with its log."""

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from aliquot.devices.hosts.mps import MpsDaemon
from aliquot.devices.hosts.protocol import DriverMissing, HostFault, Hung, Refused

CONTROL = Path(__file__).parent / "fake_mps_control.py"


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short one: pytest's own are too long for sockets."""
    made = Path(tempfile.mkdtemp(prefix="mps-"))
    yield made
    with suppress(OSError, ValueError):
        os.kill(int((made / "pipe/nvidia-cuda-mps-control.pid").read_text(encoding="ascii")), signal.SIGKILL)
    shutil.rmtree(made)


def daemon(folder: Path, *, limit_s: float = 20, pipe: str = "pipe") -> MpsDaemon:
    program = folder / "control"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {CONTROL} "$@"\n', encoding="ascii")
    program.chmod(0o755)
    return MpsDaemon(folder / pipe, folder / "log", devices=["GPU-1", "GPU-2"], program=str(program), limit_s=limit_s)


def fault(folder: Path, *words: str) -> None:
    (folder / "faults").write_text("\n".join(words), encoding="ascii")


def test_its_whole_life(folder: Path) -> None:
    made = daemon(folder)
    assert not made.running()
    assert made.start() is None
    assert made.running()
    assert made.start() is None  # the same daemon, by another object too
    assert daemon(folder).running()
    assert made.set_limits(percent=25, memory={"0": "10240M", "1": "5G"}) is None
    assert made.ask("state") == "devices=GPU-1,GPU-2; flags=-d; memory 0=10240M; memory 1=5G; percent=25.0"
    assert made.ask("get_server_list") == ""  # servers come with clients
    assert made.prove(0) is None
    assert made.client_environment() == {"CUDA_MPS_PIPE_DIRECTORY": str(folder / "pipe")}
    made.stop()
    assert not made.running()
    made.stop()


def test_several_users(folder: Path) -> None:
    made = daemon(folder)
    assert made.start(multi_user=True) is None
    assert "flags=-d -multiuser-server" in made.ask("state")
    assert (folder / "pipe").stat().st_mode & 0o777 == 0o755


def test_what_a_killed_daemon_leaves_is_cleared(folder: Path) -> None:
    made = daemon(folder)
    assert made.start() is None
    os.kill(int((folder / "pipe/nvidia-cuda-mps-control.pid").read_text(encoding="ascii")), signal.SIGKILL)
    assert (folder / "pipe/control").exists()
    assert not made.running()
    assert made.start() is None
    assert made.running()


def test_a_pipe_folder_that_is_too_long(folder: Path) -> None:
    refused = daemon(folder, pipe="p" * 100).start()
    assert isinstance(refused, Refused)
    assert "longer than the 107 bytes" in refused.message


def test_a_daemon_that_does_not_start(folder: Path) -> None:
    (folder / "log").mkdir()
    fault(folder, "dies")
    refused = daemon(folder, limit_s=6).start()
    assert isinstance(refused, Refused)
    assert "Failed to create the socket" in refused.message


def test_a_daemon_whose_servers_die(folder: Path) -> None:
    assert daemon(folder).start() is None
    fault(folder, "servers-die")
    refused = daemon(folder, limit_s=6).prove(1000)
    assert isinstance(refused, Refused)
    assert "fatal exception" in refused.message


def test_a_refused_limit_has_exit_status_0(folder: Path) -> None:
    made = daemon(folder)
    assert made.start() is None
    fault(folder, "refuse-limits")
    for refused in (made.set_limits(percent=25), made.set_limits(memory={"0": "1G"})):
        assert isinstance(refused, Refused)
        assert "invalid argument" in refused.message
    assert "Unknown command" in made.ask("nonsense")


def test_one_that_hangs_or_stays(folder: Path) -> None:
    assert daemon(folder).start() is None
    made = daemon(folder, limit_s=3)
    fault(folder, "deaf")
    with pytest.raises(Hung, match="within 3 s"):
        made.ask("ps")
    fault(folder, "stays")
    with pytest.raises(HostFault, match="doesn't end"):
        made.stop(grace_s=1)


def test_without_the_program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(DriverMissing, match="nvidia-cuda-mps-control"):
        MpsDaemon(folder / "pipe", folder / "log", devices=[]).ask("ps")
