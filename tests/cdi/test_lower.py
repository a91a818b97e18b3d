from dataclasses import replace

import pytest

from aliquot.cdi.lower import lower
from aliquot.cdi.problems import SpecError
from aliquot.cdi.spec import ContainerEdits, Device, DeviceNode, IntelRdt, Mount, NetDevice, Spec

ENV = ContainerEdits(env=("A=1",))


def spec(edits: ContainerEdits = ENV, kind: str = "acme.test/gpu", **members: object) -> Spec:
    device = Device(name="d", edits=ENV + edits)
    return Spec(version="1.1.0", kind=kind, **({"devices": (device,)} | members))  # type: ignore[arg-type]  # a table's row


def lowered(given: Spec, to: str) -> tuple[ContainerEdits, list[str]]:
    done = lower(given, to)
    assert done.spec is not None
    assert done.spec.version == to
    return done.spec.devices[0].edits, [loss.message for loss in done.losses]


@pytest.mark.parametrize(
    ("to", "given", "left", "loss"),
    [
        ("1.1.0", ContainerEdits(additional_gids=(44,)), ContainerEdits(additional_gids=(44,)), None),
        ("0.6.0", ContainerEdits(additional_gids=(44, 5)), ContainerEdits(), "additionalGids 44, 5 are left out"),
        (
            "1.0.0",
            ContainerEdits(net_devices=(NetDevice(host_interface_name="eth0", name="a"),)),
            ContainerEdits(),
            "the network interfaces eth0 aren't moved",
        ),
        ("0.6.0", ContainerEdits(intel_rdt=IntelRdt()), ContainerEdits(), "intelRdt are left out"),
        (
            "0.7.0",
            ContainerEdits(intel_rdt=IntelRdt(clos_id="x", schemata=())),
            ContainerEdits(intel_rdt=IntelRdt(clos_id="x")),
            None,
        ),
        (
            "1.0.0",
            ContainerEdits(intel_rdt=IntelRdt(schemata=("L3",))),
            ContainerEdits(intel_rdt=IntelRdt()),
            "schemata of intelRdt are left out",
        ),
        (
            "1.0.0",
            ContainerEdits(intel_rdt=IntelRdt(enable_monitoring=True, enable_cmt=True)),
            ContainerEdits(intel_rdt=IntelRdt(enable_cmt=True)),
            "enableMonitoring of intelRdt is left out",
        ),
        (
            "1.1.0",
            ContainerEdits(intel_rdt=IntelRdt(enable_cmt=True)),
            ContainerEdits(intel_rdt=IntelRdt()),
            "enableCMT and enableMBM are left out",
        ),
        (
            "1.1.0",
            ContainerEdits(intel_rdt=IntelRdt(enable_mbm=False)),
            ContainerEdits(intel_rdt=IntelRdt()),
            None,
        ),
        (
            "0.4.0",
            ContainerEdits(device_nodes=(DeviceNode(path="/a", host_path="/a"),)),
            ContainerEdits(device_nodes=(DeviceNode(path="/a"),)),
            None,
        ),
        (
            "0.4.0",
            ContainerEdits(device_nodes=(DeviceNode(path="/a", host_path="/b", type="c", major=1),)),
            ContainerEdits(device_nodes=(DeviceNode(path="/a", type="c", major=1),)),
            None,
        ),
        (
            "0.4.0",
            ContainerEdits(device_nodes=(DeviceNode(path="/a", host_path="/b", type="c"),)),
            ContainerEdits(),
            "the node '/a' is left out",
        ),
        (
            "0.3.0",
            ContainerEdits(mounts=(Mount(host_path="/a", container_path="/b", options=("rbind",), type="none"),)),
            ContainerEdits(mounts=(Mount(host_path="/a", container_path="/b", options=("rbind",)),)),
            None,
        ),
        (
            "0.3.0",
            ContainerEdits(mounts=(Mount(host_path="/a", container_path="/b", options=("ro",), type="bind"),)),
            ContainerEdits(mounts=(Mount(host_path="/a", container_path="/b", options=("ro", "bind")),)),
            None,
        ),
        (
            "0.3.0",
            ContainerEdits(mounts=(Mount(host_path="t", container_path="/b", type="tmpfs"),)),
            ContainerEdits(),
            "the mount on '/b' is left out: its type 'tmpfs'",
        ),
    ],
)
def test_what_an_older_version_cant_say(to: str, given: ContainerEdits, left: ContainerEdits, loss: str | None) -> None:
    edits, losses = lowered(spec(given), to)
    assert edits == ENV + left
    assert [loss in said and said.startswith("device 'd': ") for said in losses if loss] == [True] * bool(loss)
    assert bool(losses) == bool(loss)


def test_global_edits_and_annotations_are_lowered_too() -> None:
    device = Device(name="d", annotations={"c": "d"}, edits=ENV)
    given = spec(devices=(device,), annotations={"a": "b"})
    done = lower(replace(given, edits=ContainerEdits(additional_gids=(1,))), "0.5.0")
    assert done.spec == Spec(version="0.5.0", kind="acme.test/gpu", devices=(Device(name="d", edits=ENV),))
    assert [loss.path for loss in done.losses] == [
        "devices[0].annotations",
        "annotations",
        "containerEdits.additionalGids",
    ]


def test_devices_that_cant_be_kept_are_told() -> None:
    gids = Device(name="gids", edits=ContainerEdits(additional_gids=(1,)))
    given = spec(devices=(Device(name="0", edits=ENV), gids, Device(name="d", edits=ENV)))
    done = lower(given, "0.4.0")
    assert done.spec is not None
    assert [device.name for device in done.spec.devices] == ["d"]
    assert [loss.path for loss in done.losses] == [
        "devices[0].name",
        "devices[1].containerEdits.additionalGids",
        "devices[1]",
    ]


def test_nothing_may_be_left() -> None:
    for given in (spec(kind="acme.test/gpu.mig"), spec(devices=(Device(name="0", edits=ENV),))):
        done = lower(given, "0.4.0")
        assert done.spec is None
        assert done.losses


@pytest.mark.parametrize("to", ["0.2.0", "1.2.0", "", "five"])
def test_only_versions_that_are_read_can_be_written(to: str) -> None:
    with pytest.raises(SpecError, match=r"0\.3\.0 to 1\.1\.0"):
        lower(spec(), to)
    assert lower(spec(), "v0.5.0").spec == lower(spec(), "0.5.0").spec
