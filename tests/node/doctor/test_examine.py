"""What a test can't bring about on the machine that it runs on, and whoever runs it: given as what was found."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.node.doctor.examine import examine
from aliquot.node.doctor.found import Folder, Found
from aliquot.node.doctor.looking.folders import look_at_folder
from aliquot.node.doctor.looking.look import look
from aliquot.node.doctor.value import Check, Status, worst
from aliquot.node.neighbours.checkpoint import Unreadable
from aliquot.node.neighbours.found import InCluster, OnMachine, Registered, Socket, Voice
from tests.node.machine import GPU, Machine

SURVEY = SimulatedHost(read_host("gpus:\n- {model: T4}\n", "t4"), name="t4").survey()
CLOSED = Folder(path="/x", there=True, writable=False, wrong="/x is on a file system that is read-only")


def checks(found: Found, cluster: InCluster | None = None) -> dict[str, Check]:
    return {check.name: check for check in examine(found, SURVEY, cluster)}


def kubelet(machine: Machine, **changed: Any) -> Found:
    found = look(machine.root)
    return replace(found, kubelet=replace(found.kubelet, **changed))


def test_folders_that_are_read_only(machine: Machine) -> None:
    found = kubelet(machine, folders=(CLOSED, *look(machine.root).kubelet.folders[1:]))
    told = checks(replace(found, specs=replace(found.specs, folders=(replace(CLOSED, path="/etc/cdi"), CLOSED))))
    assert told["kubelet's plugin folders"].status is Status.FAIL
    assert told["kubelet's plugin folders"].found == "/x: /x is on a file system that is read-only"
    assert told["CDI folder /x"].status is Status.FAIL
    assert told["CDI folder /etc/cdi"].status is Status.OK, "the agent writes elsewhere"


def test_a_folder_that_is_closed_to_this_user(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    for folder in (look_at_folder(closed), look_at_folder(closed / "to" / "be")):
        assert folder.writable is (os.geteuid() == 0)
        assert folder.wrong == ("" if folder.writable else f"this user may not write in {closed}")


def test_a_kubelet_that_sees_its_folders_elsewhere(machine: Machine) -> None:
    found = replace(kubelet(machine, told="/var/lib/kubelet"), root="/")
    check = checks(found)["kubelet's folder"]
    assert check.status is Status.WARN
    assert "the kubelet itself has it at /var/lib/kubelet" in check.why
    assert check.fix == ("mount it at /var/lib/kubelet, and use --kubelet-root /var/lib/kubelet",)


def test_no_kubelet_at_all(machine: Machine) -> None:
    nothing = tuple(replace(CLOSED, there=False, writable=True) for _ in range(4))
    check = checks(kubelet(machine, folders=nothing))["kubelet's folder"]
    assert check.status is Status.FAIL
    assert check.fix == ("give its folder: --kubelet-root DIR (the kubelet's --root-dir)",)


@pytest.mark.parametrize(
    ("gates", "status", "phrase"),
    [
        ({}, Status.FAIL, "DynamicResourceAllocation is off in v1.33.4 unless it's set"),
        ({"DynamicResourceAllocation": True}, Status.OK, "none that the agent needs is switched off"),
    ],
)
def test_a_kubelet_before_dra_was_on_by_itself(
    machine: Machine, gates: dict[str, bool], status: Status, phrase: str
) -> None:
    check = checks(kubelet(machine, version="v1.33.4", gates=gates))["kubelet's feature gates"]
    assert check.status is status
    assert phrase in check.found


def test_sockets_that_this_user_may_not_ask(machine: Machine) -> None:
    closed = Socket("/var/lib/kubelet/device-plugins/nvidia-gpu.sock", Voice.UNKNOWN, "Permission denied")
    found = replace(kubelet(machine, device_plugins=closed), neighbours=OnMachine(device_plugins=(closed,)))
    told = checks(found)
    assert told["kubelet's device plugin socket"].status is Status.UNKNOWN
    assert told["others that serve GPUs"].status is Status.UNKNOWN
    assert told["others that serve GPUs"].fix == ("run this as root",)
    assert told["GPUs offered twice"].status is Status.UNKNOWN


def test_our_own_agent_beside_nvidias_plugin(machine: Machine) -> None:
    """It was there first, and NVIDIA's plugin came later."""
    ours = Registered(Socket("/r/gpu.nvidia.com-reg.sock", Voice.LIVE, ours=True), GPU, "/p/dra.sock")
    plugin = Socket("/d/nvidia-gpu.sock", Voice.LIVE)
    found = replace(look(machine.root), neighbours=OnMachine(device_plugins=(plugin,), registered=(ours,)))
    check = checks(found)["GPUs offered twice"]
    assert check.status is Status.FAIL
    assert check.found == "by NVIDIA's device plugin and aliquot's own agent"


def test_the_cluster_knows_more(machine: Machine) -> None:
    pod = {"metadata": {"labels": {"app": "nvidia-mig-manager"}}, "spec": {"nodeName": "n1"}}
    told = checks(look(machine.root), InCluster("n1", [pod], []))
    assert told["NVIDIA's MIG manager"].status is Status.WARN
    assert told["others that serve GPUs"].found == "none, on this machine and in the cluster"


def test_another_c_library(machine: Machine) -> None:
    found = look(machine.root)
    check = checks(replace(found, process=replace(found.process, libc=None)))["C library"]
    assert check.status is Status.FAIL
    assert "musl" in check.why


def test_a_checkpoint_that_may_not_be_read(machine: Machine) -> None:
    check = checks(replace(look(machine.root), checkpoint=Unreadable("Permission denied")))
    assert check["claims of NVIDIA's DRA driver"].status is Status.WARN


def test_the_worst_counts() -> None:
    every = [Check("a", status, "") for status in (Status.OK, Status.WARN, Status.UNKNOWN)]
    assert worst(every) is Status.WARN
    assert worst([]) is Status.OK
