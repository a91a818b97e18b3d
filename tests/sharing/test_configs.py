"""The configuration for NVIDIA's device plugin and mig-parted."""

import pytest

from aliquot.devices.mig import Geometry, all_geometries, geometry
from aliquot.devices.mig.legal_layouts import uniform_layouts
from aliquot.sharing.configs import balanced_counts, device_plugin_config, mig_parted_config, uniform_config
from aliquot.sharing.plugin_config.read import read_plugin_config
from aliquot.sharing.plugin_config.values import Replicas, Replicated
from aliquot.sharing.strategies import Strategy


@pytest.mark.parametrize(("strategy", "key"), [(Strategy.TIME_SLICING, "timeSlicing"), (Strategy.MPS, "mps")])
def test_device_plugin(strategy: Strategy, key: str) -> None:
    assert device_plugin_config(strategy, 4) == {
        "version": "v1",
        "sharing": {
            key: {"failRequestsGreaterThanOne": True, "resources": [{"name": "nvidia.com/gpu", "replicas": 4}]}
        },
    }


def test_device_plugin_with_another_name() -> None:
    config = device_plugin_config(Strategy.TIME_SLICING, 2, rename=True, fail_requests_greater_than_one=False)
    shared = {"name": "nvidia.com/gpu", "replicas": 2}
    assert config["sharing"] == {
        "timeSlicing": {"failRequestsGreaterThanOne": False, "renameByDefault": True, "resources": [shared]}
    }


@pytest.mark.parametrize("strategy", [Strategy.TIME_SLICING, Strategy.MPS])
@pytest.mark.parametrize("rename", [False, True])
def test_the_plugin_reads_what_is_written(strategy: Strategy, rename: bool) -> None:
    config, passed_over = read_plugin_config(device_plugin_config(strategy, 4, rename=rename))
    assert passed_over == ()
    name = "nvidia.com/gpu.shared" if rename else None
    assert config.sharing == Replicas(strategy, (Replicated("nvidia.com/gpu", 4, name),), True)


def test_strategies_without_replicas() -> None:
    with pytest.raises(ValueError, match="mig makes no replicas"):
        device_plugin_config(Strategy.MIG, 2)


def test_all_1g_gives_seven_per_gpu() -> None:
    a100 = geometry("A100-40GB")
    assert a100 is not None
    layout = uniform_layouts(a100)[0]
    assert uniform_config(layout) == {
        "version": "v1",
        "mig-configs": {"all-1g.5gb": [{"devices": "all", "mig-enabled": True, "mig-devices": {"1g.5gb": 7}}]},
    }


def test_profiles_stand_in_order() -> None:
    config = mig_parted_config("mixed", {"3g.20gb": 1, "1g.5gb": 2})
    assert list(config["mig-configs"]["mixed"][0]["mig-devices"]) == ["1g.5gb", "3g.20gb"]


@pytest.mark.parametrize("known", all_geometries(), ids=lambda gpu: gpu.key)
def test_balanced(known: Geometry) -> None:
    counts = balanced_counts(known)
    if known.compute_units == 7:
        assert counts is not None
        assert list(counts.values()) == [2, 1, 1]
        profiles = {known.profile(name): count for name, count in counts.items()}
        assert sum(p.compute_slices * count for p, count in profiles.items() if p) == 7
    else:
        assert counts is None
