from dataclasses import replace

from aliquot.cdi.diff import diff
from aliquot.cdi.spec import ContainerEdits, Device, DeviceNode, Hook, IntelRdt, Mount, Spec

OLD = Spec(
    version="0.5.0",
    kind="acme.test/gpu",
    annotations={"a": "1"},
    devices=(
        Device(
            name="0",
            edits=ContainerEdits(
                env=("A=1", "B=1"),
                device_nodes=(DeviceNode(path="/dev/a"), DeviceNode(path="/dev/b")),
                hooks=(Hook(hook_name="prestart", path="/x"), Hook(hook_name="prestart", path="/y")),
                additional_gids=(1, 2),
            ),
        ),
        Device(name="1", edits=ContainerEdits(env=("A=1",))),
    ),
)
NEW = Spec(
    version="0.7.0",
    kind="acme.test/gpu",
    devices=(
        Device(
            name="0",
            annotations={"x": "y"},
            edits=ContainerEdits(
                env=("B=1", "A=2"),
                device_nodes=(DeviceNode(path="/dev/b", major=1), DeviceNode(path="/dev/c")),
                hooks=(Hook(hook_name="prestart", path="/y"),),
                mounts=(Mount(host_path="/h", container_path="/c"),),
                additional_gids=(2,),
                intel_rdt=IntelRdt(),
            ),
        ),
        Device(name="2", edits=ContainerEdits(env=("A=1",))),
    ),
)


def test_every_kind_of_change() -> None:
    assert [str(change) for change in diff(OLD, NEW)] == [
        "~ cdiVersion: 0.5.0 -> 0.7.0",
        "- annotation a: 1",
        "+ device 0: annotation x: y",
        "~ device 0: env A: 1 -> 2",
        '- device 0: deviceNodes /dev/a: {"path": "/dev/a"}',
        "~ device 0: deviceNodes /dev/b: major absent -> 1",
        "~ device 0: hooks prestart 1: path /x -> /y",
        '- device 0: hooks prestart 2: {"hookName": "prestart", "path": "/y"}',
        "- device 0: additionalGids 1: 1",
        '+ device 0: deviceNodes /dev/c: {"path": "/dev/c"}',
        '+ device 0: mounts /c: {"hostPath": "/h", "containerPath": "/c"}',
        "+ device 0: intelRdt: {}",
        '- device 1: {"env": ["A=1"]}',
        '+ device 2: {"env": ["A=1"]}',
    ]


def test_the_order_of_what_isnt_run_doesnt_count() -> None:
    first, second = OLD.devices
    swapped = replace(
        OLD, devices=(second, replace(first, edits=replace(first.edits, env=("B=1", "A=1"), additional_gids=(2, 1))))
    )
    assert diff(OLD, swapped) == ()
