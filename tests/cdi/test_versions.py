import pytest

from aliquot.cdi.spec import ContainerEdits, Device, DeviceNode, IntelRdt, Mount, NetDevice, Spec
from aliquot.cdi.versions import minimum_version, needs, normal, rank

GIDS = ContainerEdits(additional_gids=(0,))


def spec(edits: ContainerEdits = GIDS, **members: object) -> Spec:
    return Spec(version="1.1.0", **({"kind": "v/c", "edits": edits} | members))  # type: ignore[arg-type]  # a table's row


@pytest.mark.parametrize(
    ("edits", "version", "paths"),
    [
        (ContainerEdits(), "0.3.0", []),
        (ContainerEdits(mounts=(Mount(host_path="a", container_path="b", type="x"),)), "0.4.0", ["mounts[0].type"]),
        (ContainerEdits(device_nodes=(DeviceNode(path="a", host_path="a"),)), "0.5.0", ["deviceNodes[0].hostPath"]),
        (GIDS, "0.7.0", ["additionalGids"]),
        (ContainerEdits(intel_rdt=IntelRdt()), "0.7.0", ["intelRdt"]),
        (ContainerEdits(intel_rdt=IntelRdt(schemata=())), "1.1.0", ["intelRdt", "intelRdt.schemata"]),
        (
            ContainerEdits(intel_rdt=IntelRdt(enable_monitoring=True)),
            "1.1.0",
            ["intelRdt", "intelRdt.enableMonitoring"],
        ),
        (ContainerEdits(net_devices=(NetDevice(host_interface_name="", name=""),)), "1.1.0", ["netDevices"]),
    ],
)
def test_edits_need_versions_wherever_they_stand(edits: ContainerEdits, version: str, paths: list[str]) -> None:
    everywhere = spec(edits)
    assert minimum_version(everywhere) == version
    assert [need.path for need in needs(everywhere)] == [f"containerEdits.{path}" for path in paths]
    # also on the first of several devices (the Go library 1.1.0 looks at the last one only)
    device = spec(ContainerEdits(), devices=(Device(name="a", edits=edits), Device(name="b")))
    assert minimum_version(device) == version
    assert [need.path for need in needs(device)] == [f"devices[0].containerEdits.{path}" for path in paths]


def test_names_and_annotations_need_versions() -> None:
    empty = ContainerEdits()
    assert minimum_version(spec(empty, kind="v.w/c")) == "0.3.0"
    assert minimum_version(spec(empty, kind="v/c.d")) == "0.6.0"
    assert minimum_version(spec(empty, kind="v.w")) == "0.3.0"
    assert minimum_version(spec(empty, annotations={"a": ""})) == "0.6.0"
    assert minimum_version(spec(empty, devices=(Device(name="a", annotations={"a": ""}),))) == "0.6.0"
    assert minimum_version(spec(empty, devices=(Device(name="0a"),))) == "0.5.0"
    assert minimum_version(spec(empty, devices=(Device(name="٣"),))) == "0.3.0"


def test_one_v_may_stand_before_a_version() -> None:
    assert normal("v1.1.0") == normal("1.1.0") == "1.1.0"
    assert [normal(version) for version in ("vv1.1.0", "1.1", "1.2.0", "", " 1.1.0", "1.1.0-rc1")] == [None] * 6
    assert rank("v0.3.0") < rank("1.0.0")
    with pytest.raises(ValueError, match="not in tuple"):
        rank("2.0.0")
