"""Replicas by MPS: a daemon for each GPU, its limits first, and what becomes of it."""

from dataclasses import replace

import pytest

from aliquot.devices.gpu import ComputeMode, TimeSlice
from aliquot.devices.hosts.protocol import MpsSettings
from aliquot.devices.hosts.simulated.shape import Fault
from aliquot.sandbox.kubelet.answers import ContainerGets, Mount
from tests.node.device_plugin.conftest import Begin
from tests.node.device_plugin.node import G0, G1, TWO, Memory, Node, host_of, replicas, settings

FOUR = replicas(4, "mps")
BUSY = f"""
name: busy
gpus:
  - model: A100-40GB
    uuid: {G0}
    processes: [{{pid: 41, kind: KIND, name: train}}]
  - {{model: A100-40GB, uuid: {G1}}}
"""


def daemon(gpu: str, percent: int = 25, memory: int = 10240) -> MpsSettings:
    folder = f"/run/mps/plugin-{gpu}"
    return MpsSettings(
        devices=(gpu,), pipe=f"{folder}/pipe", log=f"{folder}/log", percent=percent, memory=(f"{memory}M",)
    )


def modes(node: Node) -> list[ComputeMode | None]:
    return [gpu.compute_mode for gpu in node.host.survey().gpus]


def test_each_gpu_has_a_daemon_with_limits_before_it_is_offered(begin: Begin) -> None:
    node = begin(settings(FOUR), started=False)
    assert node.host.mps_daemons() == (daemon(G0), daemon(G1))
    assert modes(node) == [ComputeMode.EXCLUSIVE_PROCESS, ComputeMode.EXCLUSIVE_PROCESS]


def test_a_container_gets_the_pipe_and_the_shared_memory(begin: Begin) -> None:
    node = begin(settings(FOUR))
    node.until(gpu=8)
    assert node.gets(gpu=1) == ContainerGets(
        envs={"CUDA_MPS_PIPE_DIRECTORY": "/tmp/nvidia-mps", "NVIDIA_VISIBLE_DEVICES": G0},
        mounts=(Mount("/tmp/nvidia-mps", f"/run/mps/plugin-{G0}/pipe"), Mount("/dev/shm", "/dev/shm")),
    )


def test_by_cdi_too(begin: Begin) -> None:
    node = begin(settings("flags: {plugin: {deviceListStrategy: cdi-cri}}\n" + FOUR))
    node.until(gpu=8)
    gets = node.gets(gpu=1)
    assert gets.cdi_devices == (f"nvidia.com/gpu={G0}",)
    assert dict(gets.envs) == {"CUDA_MPS_PIPE_DIRECTORY": "/tmp/nvidia-mps"}
    assert len(gets.mounts) == 2


@pytest.mark.parametrize("fails", [None, False])
def test_more_than_one_is_refused_whatever_the_file_says(begin: Begin, fails: bool | None) -> None:
    node = begin(settings(replicas(4, "mps", failRequestsGreaterThanOne=fails)))
    node.until(gpu=8)
    assert node.refused(f"{G0}::0", f"{G0}::1") == (
        "2 of nvidia.com/gpu were asked for, and a container may have 1: these are shares of a GPU (mps), and more of "
        "them give one program no more than its limits. Ask for 1"
    )
    told = (
        "sharing.mps.failRequestsGreaterThanOne false isn't followed: each GPU has an MPS daemon of its own, "
        "and a container reaches one"
    )
    assert node.plugins.status().problems == ((told,) if fails is False else ())


def test_the_rest_of_a_division_is_cut_off(begin: Begin) -> None:
    node = begin(settings(replicas(3, "mps")), started=False)
    assert node.host.mps_daemons()[0] == daemon(G0, percent=33, memory=13653)


def test_what_was_set_up_is_taken_back(begin: Begin) -> None:
    node = begin(settings(FOUR))
    node.until(gpu=8)
    node.plugins.configure(settings())
    assert node.host.mps_daemons() == ()
    assert modes(node) == [ComputeMode.DEFAULT, ComputeMode.DEFAULT]
    node.until(gpu=2)
    node.plugins.configure(settings(replicas(2), interval=TimeSlice.SHORT))
    node.plugins.configure(settings(FOUR))
    assert node.host.mps_daemons() == (daemon(G0), daemon(G1))
    assert [gpu.time_slice for gpu in node.host.survey().gpus] == [TimeSlice.DEFAULT, TimeSlice.DEFAULT]
    node.until(gpu=8)


def test_daemons_outlive_the_agent_and_are_taken_over(begin: Begin) -> None:
    node = begin(settings(FOUR))
    node.until(gpu=8)
    node.plugins.stop()
    assert len(node.host.mps_daemons()) == 2
    node.host.inject(Fault(call="stopMps", refused="in use"))
    again = Node(node.root, node.host, settings(FOUR), node.kept)
    again.update()
    assert again.plugins.status().problems == ()
    assert node.host.mps_daemons() == (daemon(G0), daemon(G1))


def test_a_daemon_that_died_is_started_again_at_the_next_look(begin: Begin) -> None:
    node = begin(settings(FOUR), started=False)
    node.host.stop_mps(f"/run/mps/plugin-{G1}/pipe", "")
    node.update()
    assert node.host.mps_daemons() == (daemon(G0), daemon(G1))


def test_other_limits_come_when_the_clients_have_ended(begin: Begin) -> None:
    host = host_of(BUSY.replace("KIND", "mps"))
    kept = Memory()
    kept.data = b'{"%s":{"replicas":2,"percent":50,"memoryMiB":20480}}' % G0.encode()
    node = begin(settings(FOUR), BUSY.replace("KIND", "mps"), kept)
    node.until(gpu=4)
    assert node.refused(f"{G0}::0") == (
        f"gpu 0 (0000:10:00.0) ({G0}) isn't healthy: its MPS daemon has other limits than are wanted now; that ends "
        "when its clients have ended: pid 41 (train)"
    )
    assert host.mps_daemons() == ()
    survey = node.host.survey()
    assert node.host.mps_daemons() == (daemon(G1),)
    assert survey.gpus[0].processes


def test_programs_that_are_no_clients_must_end_first(begin: Begin) -> None:
    node = begin(settings(FOUR), BUSY.replace("KIND", "compute"))
    node.until(gpu=4)
    words = node.refused(f"{G0}::0")
    assert "the MPS server gets no context in compute mode exclusive-process beside programs" in words
    assert "pid 41 (train)" in words
    assert modes(node) == [ComputeMode.DEFAULT, ComputeMode.EXCLUSIVE_PROCESS]


def test_a_daemon_that_does_not_start_is_tried_again(begin: Begin) -> None:
    node = begin(settings(FOUR), TWO + "faults: [{gpu: 1, call: startMps, nth: 1, refused: in use}]\n")
    node.until(gpu=4)
    assert node.refused(f"{G1}::0").startswith(
        f"gpu 1 (0000:11:00.0) ({G1}) isn't healthy: start MPS daemon plugin-{G1} for {G1}: as the host's file says"
    )
    assert modes(node) == [ComputeMode.EXCLUSIVE_PROCESS, ComputeMode.DEFAULT], "half a set-up was taken back"
    node.update()
    node.until(gpu=8)


def test_a_daemon_that_does_not_end_is_told_and_tried_again(begin: Begin) -> None:
    node = begin(settings(FOUR))
    node.until(gpu=8)
    node.host.inject(Fault(call="stopMps", gpu=0, nth=1, refused="in use"))
    node.plugins.configure(settings())
    node.until(gpu=1)
    assert node.refused(G0) == (
        f"gpu 0 (0000:10:00.0) ({G0}) isn't healthy: still to do: stop MPS daemon plugin-{G0}, "
        f"then set compute mode default on {G0}"
    )
    node.update()
    node.until(gpu=2)
    assert node.host.mps_daemons() == ()


def test_a_lost_gpu_is_set_up_when_it_is_back(begin: Begin) -> None:
    node = begin(settings(FOUR), TWO + "faults: [{gpu: 0, lost: true}]\n")
    node.until(gpu=4)
    assert node.host.mps_daemons() == (daemon(G1),)
    assert node.host.reset(G0) is None
    node.update()
    node.until(gpu=8)
    assert len(node.host.mps_daemons()) == 2


def test_what_was_written_down_is_damaged(begin: Begin) -> None:
    kept = Memory()
    kept.data = b'{"GPU-1": {"repl'
    node = begin(settings(FOUR), kept=kept)
    node.until(gpu=8)
    (problem,) = node.plugins.status().problems
    assert problem.startswith("how GPUs were shared before can't be read (")
    node.update()
    assert node.plugins.status().problems == ()


def test_what_is_set_up_cannot_be_written_down(begin: Begin) -> None:
    kept = Memory()
    kept.fault = OSError(28, "No space left on device")
    node = begin(settings(FOUR), kept=kept)
    node.until(gpu=8)
    assert node.plugins.status().problems[-1] == "how GPUs are shared can't be written down: No space left on device"


def test_volta_has_as_many_clients_as_newer_ones(begin: Begin) -> None:
    node = begin(settings(replicas(48, "mps")), "gpus: [{model: V100-32GB}]")
    node.until(gpu=48)


def test_more_clients_than_an_old_gpu_has(begin: Begin) -> None:
    node = begin(settings(replicas(17, "mps")), "gpus: [{model: V100-32GB}]", updated=False)
    survey = node.host.survey()
    node.plugins.update(replace(survey, gpus=(replace(survey.gpus[0], compute_capability="6.1"),)))
    assert node.plugins.status().resources == ()
    assert node.plugins.status().problems == ("gpu 0 (0000:10:00.0): 17 replicas by MPS, the plugin allows 16 at most",)
