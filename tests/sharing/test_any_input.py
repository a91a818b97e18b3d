"""Whatever stands in a configuration, reading it answers or tells faults: it never fails otherwise."""

import copy
import math
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.kube.reading.shape import FaultsError
from aliquot.sharing.claim_configs.read import read_config
from aliquot.sharing.plugin_config.read import read_plugin_config

CLAIM = {
    "apiVersion": "resource.nvidia.com/v1beta1",
    "kind": "GpuConfig",
    "sharing": {
        "strategy": "MPS",
        "timeSlicingConfig": {"interval": "Long"},
        "mpsConfig": {
            "defaultActiveThreadPercentage": 50,
            "defaultPinnedDeviceMemoryLimit": "10Gi",
            "defaultPerDevicePinnedMemoryLimit": {"0": "8Gi", "GPU-1": 5},
            "multiUser": True,
        },
    },
}
PLUGIN = {
    "version": "v1",
    "flags": {"migStrategy": "mixed", "plugin": {"deviceListStrategy": ["envvar"]}, "gfd": {"sleepInterval": "60s"}},
    "resources": {"gpus": [{"pattern": "*", "name": "gpu"}]},
    "sharing": {
        "timeSlicing": {"resources": [{"name": "gpu", "replicas": 2, "devices": [0, "1:0"], "rename": "x"}]},
        "mps": {"renameByDefault": True, "resources": [{"name": "gpu", "replicas": 3}]},
    },
    "imex": {"channelIDs": [0]},
}
WORDS = ["MPS", "TimeSlicing", "Long", "all", "", "10Gi", "-1", "1e400", "GPU-x", "nan", "\udcff", "9" * 5000, "١"]
scalars = st.none() | st.booleans() | st.integers() | st.sampled_from(WORDS) | st.text(max_size=5)
scalars |= st.sampled_from([Decimal("1.5"), Decimal("1e30"), 1.5, math.inf, 10**400])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += places(inner, (*path, key))
    return found


@st.composite
def changed(draw: st.DrawFn, whole: Any) -> Any:
    """The document with one or two of its parts replaced."""
    value = copy.deepcopy(whole)
    for _ in range(draw(st.integers(1, 2))):
        path, new = draw(st.sampled_from(places(value))), draw(values)
        if not path:
            return new
        holder = value
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = new
    return value


@pytest.mark.law
@given(changed(CLAIM), st.booleans())
def test_configurations_of_claims(value: Any, strict: bool) -> None:
    with suppress(FaultsError):
        read_config(value, strict=strict)


@pytest.mark.law
@given(changed(PLUGIN))
def test_configurations_of_the_device_plugin(value: Any) -> None:
    with suppress(FaultsError):
        read_plugin_config(value)
