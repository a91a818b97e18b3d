"""An inventory comes back from JSON as it was; everything that's wrong is told at once."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.cdi.generate.inventory import (
    Driver,
    DriverFile,
    DrmGpu,
    FoundNode,
    Gpu,
    Inventory,
    Library,
    MigDevice,
    Nic,
    WslStore,
)
from aliquot.cdi.generate.inventory_json import inventory_data, inventory_of
from aliquot.cdi.problems import SpecError

TEXTS = st.text(max_size=5)
NUMBERS = st.integers(0, 300)
INVENTORIES = st.builds(
    Inventory,
    driver_root=TEXTS,
    driver=st.none()
    | st.builds(
        Driver,
        version=TEXTS,
        libraries=st.lists(st.builds(Library, path=TEXTS, soname=TEXTS, links=st.tuples(TEXTS)), max_size=2).map(tuple),
        files=st.lists(st.builds(DriverFile, path=TEXTS, kind=st.sampled_from(["gds", "socket"])), max_size=2).map(
            tuple
        ),
    ),
    gpus=st.lists(
        st.builds(
            Gpu,
            index=NUMBERS,
            minor=NUMBERS,
            uuid=TEXTS,
            mig=st.none()
            | st.lists(
                st.builds(
                    MigDevice, index=NUMBERS, gpu_instance=NUMBERS, compute_instance=NUMBERS, graphics=st.booleans()
                ),
                max_size=2,
            ).map(tuple),
        ),
        max_size=2,
    ).map(tuple),
    nodes=st.lists(st.builds(FoundNode, path=TEXTS, major=NUMBERS, minor=NUMBERS, gid=NUMBERS), max_size=2).map(tuple),
    dev_links=st.dictionaries(TEXTS, TEXTS, max_size=2),
    capabilities=st.dictionaries(TEXTS, NUMBERS, max_size=2),
    drm_gpus=st.lists(
        st.builds(DrmGpu, vendor=st.sampled_from(["amd", "intel"]), address=TEXTS, drm_nodes=st.tuples(TEXTS)),
        max_size=1,
    ).map(tuple),
    nics=st.lists(st.builds(Nic, name=TEXTS, nodes=st.tuples(TEXTS)), max_size=1).map(tuple),
    wsl=st.none() | st.builds(WslStore, required=st.tuples(TEXTS)),
    notes=st.tuples(TEXTS),
)


@pytest.mark.law
@given(INVENTORIES)
def test_round_trip(inventory: Inventory) -> None:
    assert inventory_of(json.loads(json.dumps(inventory_data(inventory)))) == inventory


def test_defaults_are_left_out() -> None:
    assert inventory_data(Inventory()) == {}
    assert inventory_data(Inventory(gpus=(Gpu(index=0, minor=1),))) == {"gpus": [{"index": 0, "minor": 1}]}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([], ["it isn't an object"]),
        ({"gpu": []}, ["gpu: unknown field 'gpu'"]),
        ({"gpus": [{"minor": True}]}, ["gpus[0].minor: it isn't a whole number", "gpus[0].index: it's missing"]),
        ({"gpus": {}}, ["gpus: it isn't a list"]),
        ({"notes": [1], "devRoot": None}, ["notes[0]: it isn't text", "devRoot: it isn't text"]),
        (
            {"capabilities": {"a": "1"}, "devLinks": 3},
            ["capabilities.a: it isn't a whole number", "devLinks: it isn't an object"],
        ),
        (
            {"driver": {"version": "1", "files": [{"path": "/a", "kind": "x"}]}},
            ["driver.files[0].kind: 'x' isn't one of"],
        ),
        ({"driver": 7}, ["driver: it isn't an object"]),
        (
            {"gpus": [{"index": 0, "minor": 0, "mig": [{}]}]},
            ["mig[0].index: it's missing", "mig[0].gpuInstance", "mig[0].computeInstance"],
        ),
    ],
)
def test_what_is_wrong(data: Any, said: list[str]) -> None:
    with pytest.raises(SpecError) as caught:
        inventory_of(data)
    assert len(caught.value.problems) == len(said)
    for text in said:
        assert text in str(caught.value)
