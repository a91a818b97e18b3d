"""One driver under test, with a kubelet of its own, and what its process takes."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import grpc

from aliquot.cluster.api.connection import Connection
from aliquot.cluster.api.kube_cluster import KubeCluster
from aliquot.cluster.api.kubeconfig import account
from aliquot.node.protos.rpc import dial
from aliquot.sandbox.cluster_api import ClusterApi
from aliquot.sandbox.kubelet.kubelet import Kubelet
from conformance.node.driver import DRIVER, Places, running
from speed.drivers.calls import Calls, called
from speed.drivers.cluster import Streams

START_S: Final = 60.0
LOOK_S: Final = 0.02
SYNCS: Final = "fsync,fdatasync,sync_file_range,sync,syncfs"
_MIB: Final = 2**10
"""KiB, which /proc counts in, in a MiB."""


class DriverEndedError(Exception):
    """It didn't come to be served; the text says what it said."""


class Side:
    """A driver that the kubelet has taken.

    Args:
        places: its folders.
        pid: of its process.
        channel: to its DRA socket.
    """

    def __init__(self, places: Places, pid: int, channel: grpc.Channel) -> None:
        self._places, self._channel = places, channel
        self._proc = Path("/proc", str(pid))
        self._pid = pid

    def called(self, streams: Streams) -> Calls:
        """See `calls.called`."""
        return called(self._channel, streams, self._places.cdi)

    def resident_mib(self) -> tuple[float, float]:
        """(What it has in memory now, the most that it ever had)."""
        status = (self._proc / "status").read_text()
        now, most = (re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE) for name in ("VmRSS", "VmHWM"))
        assert now is not None
        assert most is not None
        return int(now[1]) / _MIB, int(most[1]) / _MIB

    def cpu_seconds(self) -> float:
        """What it has used of processors, user and system."""
        times = (self._proc / "stat").read_text().rpartition(")")[2].split()
        return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")

    def syncs(self, streams: Streams, room: Path) -> int | str:
        """How often it makes the kernel write to the disk for these claims; or why nobody can count."""
        strace = shutil.which("strace")
        if strace is None:
            return "strace isn't installed"
        told = room / "syncs"
        command = [strace, "-f", "-qq", "-e", f"trace={SYNCS}", "-o", str(told), "-p", str(self._pid)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            while process.poll() is None and not self._traced():
                time.sleep(LOOK_S)
            if process.poll() is None:
                self.called(streams)
                process.send_signal(signal.SIGINT)
            fault = process.communicate()[1].decode(errors="replace").strip()
        found = told.read_text(errors="replace") if told.exists() else ""
        return len(re.findall(r"^\d+ +\w+\(", found, re.MULTILINE)) or f"strace counts nothing: {fault}"

    def _traced(self) -> bool:
        """Whether somebody watches each of its threads."""
        with contextlib.suppress(FileNotFoundError):  # of a thread that ended
            statuses = [path.read_text() for path in (self._proc / "task").glob("*/status")]
            return all("\nTracerPid:\t0\n" not in status for status in statuses)
        return False


@contextlib.contextmanager
def side(places: Places, command: Callable[[Places], list[str]]) -> Iterator[Side]:
    """A driver that runs, and a kubelet that has taken it, until the block ends.

    Raises:
        DriverEndedError: it doesn't run, or the kubelet doesn't take it.
    """
    places.cdi.mkdir(parents=True)
    with contextlib.ExitStack() as stack:
        api = ClusterApi(KubeCluster(stack.enter_context(Connection(account(None, places.kubeconfig)))))
        kubelet = stack.enter_context(Kubelet(places.kubelet, places.node, api, cdi=[places.cdi]))
        process = stack.enter_context(running(command(places), places.log))
        taken = kubelet.wait(lambda: process.poll() is not None or _endpoint(kubelet) is not None, START_S)
        endpoint = _endpoint(kubelet)
        if not taken or endpoint is None:
            said = places.log.read_text(errors="replace").strip()[-2000:]
            ended = "the kubelet has not taken it" if process.poll() is None else f"exit status {process.returncode}"
            raise DriverEndedError(f"{' '.join(command(places))}: {ended}: {said}")
        channel = stack.enter_context(dial(endpoint))
        yield Side(places, process.pid, channel)


def _endpoint(kubelet: Kubelet) -> str | None:
    return next((one.endpoint for one in kubelet.plugins() if one.name == DRIVER and one.connected), None)
