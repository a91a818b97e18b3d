"""ResourceSlices that the kubelet deletes: of all drivers when it starts, of a driver that stays away."""

from dataclasses import replace
from pathlib import Path

from aliquot.sandbox.kubelet.timing import BRISK
from tests.sandbox.driver import GPU, Driver, ready
from tests.sandbox.kubelet.conftest import Start
from tests.sandbox.objects import Api

NIC = "nic.example.com"
MINE, OTHERS, ELSEWHERE = ("n1", GPU), ("n1", NIC), ("n2", GPU)


def test_a_starting_kubelet_deletes_all_of_its_node(root: Path, api: Api, start: Start) -> None:
    api.slices = {MINE, OTHERS, ELSEWHERE}
    with Driver(root):
        kubelet = start()
        assert kubelet.wait(lambda: api.slices == {ELSEWHERE})
        ready(kubelet)
        api.slices.add(MINE)
        kubelet.restart()
        assert kubelet.wait(lambda: api.slices == {ELSEWHERE})


def test_a_driver_that_stays_away_loses_its_slices_once(root: Path, api: Api, start: Start) -> None:
    kubelet = start()
    driver = Driver(root)
    driver.start()
    with Driver(root, NIC):
        ready(kubelet, 2)
        api.slices = {MINE, OTHERS, ELSEWHERE}
        driver.die()
        assert kubelet.wait(lambda: api.slices == {OTHERS, ELSEWHERE})
        api.slices.add(MINE)
        assert not kubelet.wait(lambda: MINE not in api.slices, within_s=2 * BRISK.wipe_s)
        driver.start()
        ready(kubelet, 2)
        driver.stop()
        assert kubelet.wait(lambda: api.slices == {OTHERS, ELSEWHERE})
        assert api.deleted == [("n1", None), ("n1", GPU), ("n1", GPU)]


def test_a_driver_that_is_back_in_time_keeps_them(root: Path, api: Api, start: Start) -> None:
    kubelet = start(timing=replace(BRISK, wipe_s=3.0))
    driver = Driver(root)
    driver.start()
    ready(kubelet)
    api.slices = {MINE}
    driver.stop()
    assert kubelet.wait(lambda: kubelet.plugins() == ())
    driver.start()
    ready(kubelet)
    assert not kubelet.wait(lambda: api.slices == set(), within_s=3.5)
    driver.stop()


def test_a_rolling_update_costs_no_slices(root: Path, api: Api, start: Start) -> None:
    kubelet = start()
    old = Driver(root, instance="old")
    old.start()
    ready(kubelet)
    with Driver(root, instance="new"):
        ready(kubelet, 2)
        api.slices = {MINE}
        old.stop()
        ready(kubelet, 1)
        assert not kubelet.wait(lambda: api.slices == set(), within_s=2 * BRISK.wipe_s)


def test_while_the_api_server_is_away_deleting_is_tried_again(api: Api, start: Start) -> None:
    api.slices = {MINE}
    api.down = True
    kubelet = start()
    assert not kubelet.wait(lambda: bool(api.deleted), within_s=0.2)
    api.down = False
    assert kubelet.wait(lambda: api.slices == set())
