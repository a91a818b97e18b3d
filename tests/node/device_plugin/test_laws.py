"""What holds of every question for preferred devices, on every machine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.devices.gpu import Gpu
from aliquot.node.device_plugin.giving.preferred import preferred
from aliquot.node.device_plugin.offering.resource import Resource, Unit
from aliquot.node.device_plugin.offering.settings import Policy

pytestmark = pytest.mark.law


@st.composite
def machines(draw: st.DrawFn) -> tuple[Resource, dict[str, Gpu]]:
    """Up to 20 GPUs on any roots, each offered once or up to 4 times."""
    count = draw(st.integers(1, 20))
    replicas = draw(st.none() | st.integers(2, 4))
    gpus = {
        f"GPU-{number}": Gpu(
            index=number,
            uuid=f"GPU-{number}",
            name="GPU",
            pci=f"0000:{number:02x}:00.0",
            numa_node=draw(st.none() | st.integers(0, 1)),
            pcie_root=draw(st.none() | st.sampled_from("abc")),
        )
        for number in range(count)
    }
    units = tuple(Unit(uuid=uuid, index="0", gpu=uuid, replicas=replicas) for uuid in gpus)
    return Resource(name="nvidia.com/gpu", units=units), gpus


@given(machines(), st.sampled_from(Policy), st.data())
def test_as_many_as_asked_for_and_spread_as_far_as_it_goes(
    machine: tuple[Resource, dict[str, Gpu]], policy: Policy, data: st.DataObject
) -> None:
    resource, gpus = machine
    ids = list(resource.ids)
    available = data.draw(st.lists(st.sampled_from(ids), unique=True))
    must = data.draw(st.lists(st.sampled_from(available), unique=True)) if available else []
    size = data.draw(st.integers(len(must), len(ids)))
    chosen = preferred(resource, gpus, policy, available=available, must=must, size=size)
    assert len(chosen) == len(set(chosen)) == min(size, len(available))
    assert set(must) <= set(chosen) <= set(available)
    assert list(chosen) == sorted(chosen, key=ids.index)
    taken = {unit.uuid: sum(name in chosen for name in unit.ids) for unit in resource.units}
    left = {unit.uuid for unit in resource.units if any(name in available and name not in chosen for name in unit.ids)}
    added = {resource.ids[name].uuid for name in chosen if name not in must}
    for one in added:
        assert all(taken[other] >= taken[one] - 1 for other in left), "another had room, and less of this container"
    again = preferred(resource, gpus, policy, available=reversed(available), must=must[::-1], size=size)
    assert again == chosen, "the order of a question changes nothing"
