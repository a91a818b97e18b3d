"""A kubelet's beginning and end."""

import threading
from pathlib import Path

import pytest

from aliquot.sandbox.kubelet.kubelet import Kubelet
from aliquot.sandbox.kubelet.timing import BRISK
from tests.sandbox.driver import GPU, Driver
from tests.sandbox.kubelet.conftest import Start
from tests.sandbox.objects import Api, pod


def test_a_root_that_is_too_long(tmp_path: Path, api: Api) -> None:
    root = tmp_path / ("x" * 90)
    with pytest.raises(ValueError, match=f"^{root}: too long for the sockets below it: .* take a shorter root$"):
        Kubelet(root, "n1", api).start()


def test_before_the_start_and_after_the_end(root: Path, api: Api) -> None:
    kubelet = Kubelet(root, "n1", api)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="the kubelet of node n1 isn't running: start it first"):
            kubelet.admit(pod())
        kubelet.start()
        kubelet.stop()
        kubelet.stop()


def test_two_kubelets_do_not_know_each_other(root: Path, start: Start) -> None:
    first = start()
    with Kubelet(root / "2", "n2", Api()) as second, Driver(root):
        assert first.wait(lambda: [one.name for one in first.plugins()] == [GPU])
        assert second.plugins() == ()


def test_an_end_leaves_no_thread(root: Path, api: Api) -> None:
    before = set(threading.enumerate())
    with Kubelet(root, "n1", api, timing=BRISK) as kubelet, Driver(root) as driver:
        assert kubelet.wait(lambda: bool(driver.told))
    ours = ("plugins_registry", "registration", "housekeeping", "health of", "devices of", "closing")
    left = [thread.name for thread in set(threading.enumerate()) - before if thread.name.startswith(ours)]
    assert left == []
