"""Plugins that show themselves in plugins_registry."""

from dataclasses import replace
from pathlib import Path

import pytest

from aliquot.node.protos.services import DRA_PLUGIN, DRA_V1, DRA_V1BETA1
from aliquot.sandbox.kubelet.kubelet import Kubelet
from aliquot.sandbox.kubelet.timing import BRISK
from tests.sandbox.driver import GPU, Driver
from tests.sandbox.kubelet.conftest import Start


def connected(kubelet: Kubelet) -> list[str]:
    return [Path(plugin.endpoint).name for plugin in kubelet.plugins() if plugin.connected]


def test_a_driver_is_found_taken_and_told(root: Path, start: Start) -> None:
    kubelet = start()
    with Driver(root) as driver:
        assert kubelet.wait(lambda: connected(kubelet) == ["dra.sock"])
        (plugin,) = kubelet.plugins()
        assert (plugin.kind, plugin.name, plugin.service) == (DRA_PLUGIN, GPU, DRA_V1)
        assert plugin.endpoint == str(root / "plugins" / GPU / "dra.sock")
        assert plugin.socket == str(root / "plugins_registry" / f"{GPU}-reg.sock")
        assert kubelet.wait(lambda: driver.told == [(True, "")])


def test_a_socket_that_is_there_before_the_kubelet_is_found(root: Path, start: Start) -> None:
    with Driver(root):
        kubelet = start()
        assert kubelet.wait(lambda: connected(kubelet) == ["dra.sock"])


@pytest.mark.parametrize(
    ("minor", "versions", "chosen"),
    [
        pytest.param(37, [DRA_V1, DRA_V1BETA1], DRA_V1, id="both, v1 first"),
        pytest.param(37, [DRA_V1BETA1, DRA_V1], DRA_V1BETA1, id="the plugin's order decides"),
        pytest.param(36, [DRA_V1BETA1], DRA_V1BETA1, id="an older driver"),
        pytest.param(33, [DRA_V1, DRA_V1BETA1], DRA_V1BETA1, id="an older kubelet"),
        pytest.param(34, ["v1.DRAResourceHealth", "v9.DRAPlugin", DRA_V1], DRA_V1, id="others are passed over"),
    ],
)
def test_which_version_is_spoken(root: Path, start: Start, minor: int, versions: list[str], chosen: str) -> None:
    kubelet = start(minor)
    with Driver(root, versions=versions):
        assert kubelet.wait(lambda: connected(kubelet) == ["dra.sock"])
        assert kubelet.plugins()[0].service == chosen


@pytest.mark.parametrize(
    ("minor", "kind", "versions", "why"),
    [
        pytest.param(
            33,
            DRA_PLUGIN,
            [DRA_V1],
            'none of services supported by the plugin (["v1.DRAPlugin"]) are supported by the kubelet '
            '(["v1beta1.DRAPlugin"])',
            id="too new",
        ),
        pytest.param(37, DRA_PLUGIN, ["v1alpha3.Node"], 'are supported by the kubelet (["v1.DRAPlugin" ', id="too old"),
        pytest.param(
            37, DRA_PLUGIN, [], "empty list of supported gRPC services (aka supported versions)", id="no versions"
        ),
        pytest.param(37, "CSIPlugin", ["1.0"], "no handler registered for plugin type: CSIPlugin", id="another kind"),
        pytest.param(
            37, "DevicePlugin", ["v1alpha"], "manager supported version [v1beta1]", id="device plugin's version"
        ),
    ],
)
def test_a_plugin_that_is_refused_is_told_why_over_and_over(
    root: Path, start: Start, minor: int, kind: str, versions: list[str], why: str
) -> None:
    kubelet = start(minor)
    with Driver(root, kind=kind, versions=versions) as driver:
        assert kubelet.wait(lambda: len(driver.told) >= 2)
        assert all(not registered and why in error for registered, error in driver.told)
        assert why in kubelet.refused()[str(driver.registration)]
        assert kubelet.plugins() == ()
    assert kubelet.wait(lambda: not kubelet.refused())


def test_without_an_endpoint_it_is_the_registration_socket(root: Path, start: Start) -> None:
    kubelet = start()
    with Driver(root, endpoint="") as driver:
        assert kubelet.wait(lambda: bool(kubelet.plugins()))
        assert kubelet.plugins()[0].endpoint == str(driver.registration)


def test_an_endpoint_belongs_to_one_registration(root: Path, start: Start) -> None:
    kubelet = start()
    with Driver(root) as first:
        assert kubelet.wait(lambda: bool(kubelet.plugins()))
        with Driver(root, instance="2", endpoint=first.endpoint) as second:
            assert kubelet.wait(lambda: bool(second.told))
            why = (
                f"plugin registration failed: endpoint {first.endpoint} already registered for DRA driver plugin {GPU}"
            )
            assert second.told[0] == (False, why)


def test_a_driver_that_goes_is_deregistered_and_comes_back(root: Path, start: Start) -> None:
    kubelet = start()
    driver = Driver(root)
    for _ in range(2):
        driver.told.clear()
        driver.start()
        assert kubelet.wait(lambda: connected(kubelet) == ["dra.sock"] and driver.told == [(True, "")])
        driver.stop()
        assert kubelet.wait(lambda: kubelet.plugins() == ())


def test_a_driver_that_was_killed_stays_registered_until_its_next_life(root: Path, start: Start) -> None:
    kubelet = start()
    driver = Driver(root)
    driver.start()
    assert kubelet.wait(lambda: connected(kubelet) == ["dra.sock"])
    driver.die()
    assert kubelet.wait(lambda: connected(kubelet) == [])
    assert [plugin.name for plugin in kubelet.plugins()] == [GPU]
    driver.start()
    assert kubelet.wait(lambda: connected(kubelet) == ["dra.sock"] and len(driver.told) == 2)
    driver.stop()


def test_a_socket_that_nobody_serves_is_tried_until_somebody_does(root: Path, start: Start) -> None:
    driver = Driver(root)
    driver.start()
    driver.die()
    kubelet = start(timing=replace(BRISK, dial_s=0.2))
    assert kubelet.wait(lambda: str(driver.registration) in kubelet.refused())
    assert kubelet.refused()[str(driver.registration)] == f"dialling {driver.registration} took more than 0.2 s"
    driver.start()
    assert kubelet.wait(lambda: connected(kubelet) == ["dra.sock"])
    assert kubelet.wait(lambda: kubelet.refused() == {})
    driver.stop()


def test_a_driver_that_is_not_ready_is_asked_again(root: Path, start: Start) -> None:
    kubelet = start()
    driver = Driver(root)
    driver.mute = True
    with driver:
        asked = f"GetInfo at {driver.registration}: rpc error: code = Internal desc = not ready"
        assert kubelet.wait(lambda: kubelet.refused() == {str(driver.registration): asked})
        driver.mute = False
        assert kubelet.wait(lambda: connected(kubelet) == ["dra.sock"])


def test_sockets_in_folders_are_found_and_hidden_ones_are_not(root: Path, start: Start) -> None:
    kubelet = start()
    with Driver(root, registry="below"), Driver(root, "hidden.example.com", registry=".away"):
        assert kubelet.wait(lambda: bool(connected(kubelet)))
        assert [plugin.name for plugin in kubelet.plugins()] == [GPU]
        (root / "plugins_registry/plain-reg.sock").write_text("no socket")
        assert not kubelet.wait(lambda: bool(kubelet.refused()), within_s=0.2)


def test_in_a_rolling_update_the_newest_connected_plugin_is_asked(root: Path, start: Start) -> None:
    kubelet = start()
    old, new = Driver(root, instance="old"), Driver(root, instance="new")
    old.start()
    assert kubelet.wait(lambda: connected(kubelet) == ["dra-old.sock"])
    new.start()
    assert kubelet.wait(lambda: connected(kubelet) == ["dra-old.sock", "dra-new.sock"])
    new.die()
    assert kubelet.wait(lambda: connected(kubelet) == ["dra-old.sock"])
    new.start()
    assert kubelet.wait(lambda: connected(kubelet) == ["dra-old.sock", "dra-new.sock"])
    old.stop()
    assert kubelet.wait(lambda: connected(kubelet) == ["dra-new.sock"])
    new.stop()


def test_before_1_33_a_new_plugin_replaces_the_old_one(root: Path, start: Start) -> None:
    kubelet = start(32)
    with Driver(root, instance="old"):
        assert kubelet.wait(lambda: connected(kubelet) == ["dra-old.sock"])
        with Driver(root, instance="new"):
            assert kubelet.wait(lambda: connected(kubelet) == ["dra-new.sock"])
            assert len(kubelet.plugins()) == 1


def test_a_restarted_kubelet_finds_its_plugins_again(root: Path, start: Start) -> None:
    kubelet = start()
    with Driver(root) as driver:
        assert kubelet.wait(lambda: connected(kubelet) == ["dra.sock"])
        kubelet.restart()
        assert kubelet.wait(lambda: connected(kubelet) == ["dra.sock"])
        assert kubelet.wait(lambda: driver.told == [(True, ""), (True, "")])
