"""Health that is told from outside, and GPUs that don't answer."""

from dataclasses import replace

from aliquot.devices.hosts.simulated.shape import Fault
from aliquot.devices.survey import Trouble, Unreadable
from tests.node.device_plugin.conftest import Begin
from tests.node.device_plugin.node import G0, G1, TWO, settings


def test_before_anything_is_known(begin: Begin) -> None:
    node = begin(updated=False)
    node.plugins.set_health(G0, healthy=False, reason="XID 48")
    node.plugins.configure(settings("flags: {plugin: {deviceIDStrategy: index}}"))
    assert node.plugins.status().resources == ()
    assert node.kubelet.capacity() == {}
    node.update()
    node.until(gpu=1)
    assert node.gets(gpu=1).envs == {"NVIDIA_VISIBLE_DEVICES": "1"}


def test_a_lost_gpu_stops_no_other_and_stays_in_the_list(begin: Begin) -> None:
    node = begin()
    node.until(gpu=2)
    node.host.inject(Fault(gpu=0, lost=True))
    node.update()
    node.until(gpu=1)
    assert node.kubelet.devices("nvidia.com/gpu") == {G0: False, G1: True}
    assert node.refused(G0) == f"gpu 0 (0000:10:00.0) ({G0}) isn't healthy: the GPU is lost"
    assert node.gets(gpu=1).envs == {"NVIDIA_VISIBLE_DEVICES": G1}
    assert node.host.reset(G0) is None
    node.update()
    node.until(gpu=2)


def test_a_gpu_that_was_never_seen_answering_is_not_offered_before_it_does(begin: Begin) -> None:
    node = begin(host=TWO + "faults: [{gpu: 0, lost: true}]\n")
    node.until(gpu=1)
    assert node.kubelet.capacity() == {"nvidia.com/gpu": 1}
    assert node.host.reset(G0) is None
    node.update()
    node.until(gpu=2)


def test_a_gpu_that_was_taken_out_is_forgotten(begin: Begin) -> None:
    node = begin()
    node.until(gpu=2)
    survey = node.host.survey()
    node.plugins.update(replace(survey, gpus=survey.gpus[1:]))
    node.until(gpu=1)
    assert node.kubelet.capacity() == {"nvidia.com/gpu": 1}


def test_a_gpu_whose_mode_is_not_told_is_as_it_was_and_not_given(begin: Begin) -> None:
    node = begin()
    node.until(gpu=2)
    survey = node.host.survey()
    silent = replace(survey.gpus[0], mig=None, mig_unknown=True)
    node.plugins.update(replace(survey, gpus=(silent, *survey.gpus[1:])))
    node.until(gpu=1)
    assert node.refused(G0).endswith("isn't healthy: the driver doesn't tell whether MIG is on")
    nameless = Unreadable(index=0, trouble=Trouble(message="it doesn't answer", gpu="gpu 0"))
    node.plugins.update(replace(survey, gpus=survey.gpus[1:], unreadable=(nameless,)))
    assert node.kubelet.wait(lambda: node.kubelet.capacity() == {"nvidia.com/gpu": 1})


def test_news_of_a_gpu_is_told_once(begin: Begin) -> None:
    node = begin()
    node.until(gpu=2)
    for _ in range(3):
        node.plugins.set_health(G1, healthy=False, reason="XID 48")
        node.update()
    assert [line for line in node.told if "healthy" in line] == [
        f"gpu 1 (0000:11:00.0) ({G1}) isn't healthy: XID 48",
    ]


def test_a_device_that_nobody_has(begin: Begin) -> None:
    node = begin()
    node.until(gpu=2)
    node.plugins.set_health("GPU-nobody", healthy=False, reason="XID 79")
    node.update()
    node.until(gpu=2)
    assert node.refused(G0, "GPU-nobody") == f"nvidia.com/gpu has no GPU-nobody (any more): it has {G0}, {G1}"
