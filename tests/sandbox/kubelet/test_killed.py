"""A driver in a process of its own, killed as the kernel kills."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from aliquot.sandbox.kubelet.answers import Admitted
from tests.sandbox.driver import GPU
from tests.sandbox.kubelet.conftest import Start
from tests.sandbox.objects import Api, claim, pod

ROOT = Path(__file__).parent.parent.parent.parent
SERVE = """
import sys, pathlib, time
from tests.sandbox.driver import Driver
Driver(pathlib.Path(sys.argv[1])).start()
time.sleep(120)
"""


def driver(root: Path) -> subprocess.Popen[bytes]:
    paths = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    return subprocess.Popen([sys.executable, "-c", SERVE, root], env={**os.environ, **paths})


def test_sockets_of_a_killed_driver_stay_and_its_next_life_is_found(root: Path, api: Api, start: Start) -> None:
    kubelet = start()
    api.add(claim())
    process = driver(root)
    try:
        assert kubelet.wait(lambda: [one.connected for one in kubelet.plugins()] == [True], within_s=60)
        assert isinstance(kubelet.admit(pod()), Admitted)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert (root / "plugins_registry" / f"{GPU}-reg.sock").is_socket()
        assert kubelet.wait(lambda: [one.connected for one in kubelet.plugins()] == [False])
        process = driver(root)
        assert kubelet.remove(pod(), within_s=60) is None
        assert kubelet.wait(lambda: [one.connected for one in kubelet.plugins()] == [True])
    finally:
        process.kill()
        process.wait()
