"""MPS daemons as processes of the machine, by the commands of their control program."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from aliquot.devices.hosts.mps import MpsDaemon
from aliquot.devices.hosts.mps_processes import MpsProcesses
from aliquot.sandbox.kubelet.kubelet import Kubelet
from aliquot.sandbox.kubelet.timing import BRISK
from tests.node.device_plugin.node import G0, G1, TWO, Node, host_of, replicas, settings
from tests.sandbox.objects import Api

CONTROL = Path(__file__).parents[2] / "devices/hosts/fake_mps_control.py"


@pytest.fixture
def program(root: Path) -> Path:
    path = root / "control"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} {CONTROL} "$@"\n', encoding="ascii")
    path.chmod(0o755)
    return path


@pytest.fixture
def node(root: Path, program: Path) -> Iterator[Node]:
    processes = MpsProcesses(program=str(program), limit_s=20)
    made = Node(root, host_of(TWO), settings(replicas(4, "mps")), daemons=processes, mps_root=str(root / "m"))
    with Kubelet(root, "n1", Api(), timing=BRISK) as kubelet:
        made.kubelet = kubelet
        assert made.plugins.start() is None
        yield made
        made.plugins.stop()
    for gpu in (G0, G1):
        processes.stop_mps(f"{root}/m/plugin-{gpu}/pipe", f"{root}/m/plugin-{gpu}/log")


def state(root: Path, program: Path, gpu: str) -> str:
    """What a daemon says of itself."""
    folder = root / f"m/plugin-{gpu}"
    return MpsDaemon(folder / "pipe", folder / "log", devices=(), program=str(program), limit_s=20).ask("state")


def test_limits_come_first_and_a_daemon_outlives_the_agent(root: Path, program: Path, node: Node) -> None:
    node.update()
    node.until(gpu=8)
    for gpu in (G0, G1):
        assert state(root, program, gpu) == f"devices={gpu}; flags=-d; memory 0=10240M; percent=25.0"
    (mount, _) = node.gets(gpu=1).mounts
    assert (Path(mount.host_path) / "control").is_socket()
    node.plugins.stop()
    assert state(root, program, G0).startswith(f"devices={G0}")
    again = Node(root, node.host, settings(replicas(4, "mps")), node.kept, node.shared._daemons, str(root / "m"))
    pid = (root / f"m/plugin-{G0}/pipe/nvidia-cuda-mps-control.pid").read_text(encoding="ascii")
    again.update()
    assert (root / f"m/plugin-{G0}/pipe/nvidia-cuda-mps-control.pid").read_text(encoding="ascii") == pid


def test_limits_that_are_refused_offer_nothing_and_say_why(root: Path, node: Node) -> None:
    folder = root / f"m/plugin-{G1}"
    folder.mkdir(parents=True)
    (folder / "faults").write_text("refuse-limits", encoding="ascii")
    node.update()
    node.until(gpu=4)
    assert node.refused(f"{G1}::0") == (
        f"gpu 1 (0000:11:00.0) ({G1}) isn't healthy: start MPS daemon plugin-{G1} for {G1}: "
        "set_default_active_thread_percentage 25: Failed to set the limit: invalid argument"
    )
    assert not (folder / "pipe").exists()
    (folder / "faults").unlink()
    node.update()
    node.until(gpu=8)


def test_other_limits_are_of_another_daemon(root: Path, program: Path, node: Node) -> None:
    node.update()
    node.plugins.configure(settings(replicas(2, "mps")))
    assert state(root, program, G0) == f"devices={G0}; flags=-d; memory 0=20480M; percent=50.0"
    node.until(gpu=4)
    node.plugins.configure(settings())
    node.until(gpu=2)
    assert not (root / f"m/plugin-{G0}/pipe").exists()
