"""What reading a configuration of the device plugin leaves: defaults, flags that are given, and no other types."""

from types import MappingProxyType

import pytest

from aliquot.kube.reading.shape import FaultsError
from aliquot.sharing.plugin_config.read import read_plugin_config
from aliquot.sharing.plugin_config.values import MigStrategy, PluginConfig, Replicas, Replicated
from aliquot.sharing.strategies import Strategy


def test_nothing_said() -> None:
    for value in ({}, {"version": "v1"}, {"flags": None, "sharing": None}, {"sharing": {"timeSlicing": None}}):
        assert read_plugin_config(value) == (PluginConfig(), ())


@pytest.mark.parametrize("value", [None, [], "version: v1", 1])
def test_no_object(value: object) -> None:
    with pytest.raises(FaultsError, match="expected an object"):
        read_plugin_config(value)


@pytest.mark.parametrize(
    ("key", "given", "strategy", "fails"),
    [
        ("timeSlicing", None, Strategy.TIME_SLICING, False),
        ("mps", None, Strategy.MPS, True),
        ("timeSlicing", True, Strategy.TIME_SLICING, True),
        ("mps", False, Strategy.MPS, False),
    ],
)
def test_requests_for_several_fail_by_default_under_mps(
    key: str, given: bool | None, strategy: Strategy, fails: bool
) -> None:
    block = {"resources": [{"name": "gpu", "replicas": 2, "devices": "all"}], "failRequestsGreaterThanOne": given}
    config, passed_over = read_plugin_config({"sharing": {key: block}})
    assert passed_over == ()
    assert config.sharing == Replicas(strategy, (Replicated("nvidia.com/gpu", 2),), fails)


def test_flags() -> None:
    flags = {"migStrategy": "single", "gdsEnabled": None, "plugin": {"passDeviceSpecs": True, "nvidiaCTKPath": None}}
    config, _ = read_plugin_config({"flags": flags, "imex": {"channelIDs": [0]}})
    assert config.mig_strategy is MigStrategy.SINGLE
    assert config.flags == MappingProxyType({"migStrategy": "single", "plugin.passDeviceSpecs": True})
