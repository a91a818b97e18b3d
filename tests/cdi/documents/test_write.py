import json

import yaml

from aliquot.cdi.documents.write import to_data, to_json, to_yaml
from aliquot.cdi.documents.yaml_text import to_text
from aliquot.cdi.spec import ContainerEdits, Device, DeviceNode, Hook, IntelRdt, Mount, NetDevice, Spec

SPEC = Spec(
    version="1.1.0",
    kind="acme.test/gpu",
    annotations={"b": "on", "a": "0600"},
    devices=(
        Device(
            name="0",
            annotations={"x": ""},
            edits=ContainerEdits(
                env=("A=1",),
                device_nodes=(DeviceNode(path="/dev/x", host_path="/y", file_mode=0, uid=0, gid=44),),
                net_devices=(NetDevice(host_interface_name="eth0", name="net1"),),
                hooks=(Hook(hook_name="prestart", path="/h", args=("h", "a b"), timeout=0),),
                mounts=(Mount(host_path="/a", container_path="/b", options=("ro", "bind"), type="none"),),
                intel_rdt=IntelRdt(clos_id="/", schemata=(), enable_cmt=False, enable_mbm=True),
                additional_gids=(0, 44),
            ),
        ),
    ),
    edits=ContainerEdits(intel_rdt=IntelRdt()),
)
YAML = """\
---
cdiVersion: 1.1.0
kind: acme.test/gpu
annotations:
    a: "0600"
    b: "on"
devices:
    - name: "0"
      annotations:
        x: ""
      containerEdits:
        env:
            - A=1
        deviceNodes:
            - path: /dev/x
              hostPath: /y
              fileMode: 0
              uid: 0
              gid: 44
        netDevices:
            - hostInterfaceName: eth0
              name: net1
        hooks:
            - hookName: prestart
              path: /h
              args:
                - h
                - a b
              timeout: 0
        mounts:
            - hostPath: /a
              containerPath: /b
              options:
                - ro
                - bind
              type: none
        intelRdt:
            closID: /
            schemata: []
            enableCMT: false
            enableMBM: true
        additionalGids:
            - 0
            - 44
containerEdits:
    intelRdt: {}
"""


def test_every_field_has_its_place() -> None:
    assert to_yaml(SPEC) == YAML
    assert json.loads(to_json(SPEC)) == yaml.safe_load(YAML) == to_data(SPEC)
    assert list(to_data(SPEC)) == ["cdiVersion", "kind", "annotations", "devices", "containerEdits"]


def test_what_is_empty_is_left_out() -> None:
    assert to_data(Spec(version="", kind="v/c", devices=(Device(name=""),))) == {
        "kind": "v/c",
        "devices": [{"name": "", "containerEdits": {}}],
    }


def test_scalars_and_lists_alone() -> None:
    assert to_text(None) == "null\n"
    assert to_text("") == '""\n'
    assert to_text([]) == "[]\n"
    assert to_text([[1, True], {"a": [{}]}, []]) == "- - 1\n  - true\n- a:\n    - {}\n- []\n"


def test_json_is_yaml_too() -> None:
    spec = Spec(
        version="1.1.0", kind="v/c", devices=(Device(name="d", edits=ContainerEdits(env=("A=\x7f\u2028\x85é",))),)
    )
    assert "\\u007f\\u2028\\u0085é" in to_json(spec)
    assert yaml.safe_load(to_json(spec)) == yaml.safe_load(to_yaml(spec)) == to_data(spec)
