"""Repeats go, what is common goes from the devices, the order is fixed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.cdi.generate.simplify import simplified, with_merged
from aliquot.cdi.spec import ContainerEdits, Device, DeviceNode, Mount, Spec

NODE_A, NODE_B, DEEP = (DeviceNode(path=path) for path in ("/dev/b", "/dev/c", "/dev/a/z"))


def spec(*devices: ContainerEdits, common: ContainerEdits | None = None) -> Spec:
    named = tuple(Device(name=f"d{9 - i}", edits=edits) for i, edits in enumerate(devices))
    return Spec(version="1.1.0", kind="a.b/c", devices=named, edits=common or ContainerEdits())


def test_order_by_depth_then_path() -> None:
    edits = ContainerEdits(
        device_nodes=(DEEP, NODE_B, NODE_A, NODE_B),
        mounts=tuple(Mount(host_path="/x", container_path=path) for path in ("/b/c", "/d", "/a/../e/f")),
        additional_gids=(9, 3, 9),
    )
    found = simplified(spec(edits, edits)).devices
    assert [device.name for device in found] == ["d8", "d9"]
    assert found[0].edits.device_nodes == (NODE_A, NODE_B, DEEP)
    assert [mount.container_path for mount in found[0].edits.mounts] == ["/d", "/a/../e/f", "/b/c"]
    assert found[0].edits.additional_gids == (3, 9)


@pytest.mark.parametrize(
    ("own", "left"),
    [
        (ContainerEdits(device_nodes=(NODE_A, NODE_B)), ContainerEdits(device_nodes=(NODE_B,))),
        (ContainerEdits(device_nodes=(NODE_A,)), ContainerEdits(device_nodes=(NODE_A,))),  # else it had none
        (
            ContainerEdits(device_nodes=(NODE_A,), additional_gids=(5,)),
            ContainerEdits(device_nodes=(NODE_A,), additional_gids=(5,)),
        ),
        (ContainerEdits(device_nodes=(NODE_A,), additional_gids=(5, 6)), ContainerEdits(additional_gids=(6,))),
    ],
)
def test_what_is_common_goes(own: ContainerEdits, left: ContainerEdits) -> None:
    common = ContainerEdits(device_nodes=(NODE_A,), additional_gids=(5,))
    assert simplified(spec(own, common=common)).devices[0].edits == left


def test_a_merged_device_has_everything_once() -> None:
    merged = with_merged(spec(ContainerEdits(env=("A=1", "B=1")), ContainerEdits(env=("A=1",), device_nodes=(NODE_A,))))
    assert merged.device("all") == Device(name="all", edits=ContainerEdits(env=("A=1", "B=1"), device_nodes=(NODE_A,)))
    assert with_merged(merged) == merged
    assert with_merged(spec()) == spec()


EDITS = st.builds(
    ContainerEdits,
    env=st.lists(st.sampled_from(["A=1", "B=2", "C=3"]), max_size=4).map(tuple),
    device_nodes=st.lists(st.sampled_from([NODE_A, NODE_B, DEEP]), max_size=4).map(tuple),
    additional_gids=st.lists(st.integers(1, 3), max_size=3).map(tuple),
)


@pytest.mark.law
@given(st.lists(EDITS, max_size=3), EDITS)
def test_simplifying_twice_changes_nothing_and_loses_nothing(
    devices: list[ContainerEdits], common: ContainerEdits
) -> None:
    before = spec(*devices, common=common)
    after = simplified(before)
    assert simplified(after) == after
    for device in before.devices:
        found = after.device(device.name)
        assert found is not None
        together, wanted = after.edits + found.edits, before.edits + device.edits
        assert set(together.env) == set(wanted.env)
        assert set(together.device_nodes) == set(wanted.device_nodes)
        assert set(together.additional_gids) == set(wanted.additional_gids)
        assert bool(found.edits) == bool(device.edits)
