"""Injection beyond the cases: the defects of the Go library that ours doesn't have, warnings, odd OCI specs."""

import copy
from typing import Any

import pytest

from aliquot.cdi.host_nodes import GivenNodes, HostNode
from aliquot.cdi.injection.inject import apply_edits, inject
from aliquot.cdi.injection.node_completion import complete
from aliquot.cdi.injection.oci_spec import OciSpec
from aliquot.cdi.injection.requests import take_requests
from aliquot.cdi.problems import SpecError
from aliquot.cdi.registry import Registry, SpecFile, registry_of
from aliquot.cdi.spec import ContainerEdits, Device, DeviceNode, Hook, IntelRdt, Mount, NetDevice, Spec
from aliquot.cdi.versions import minimum_version

GPU0 = HostNode("c", 195, 0, 0o660)
USERNS = {"linux": {"namespaces": [{"type": "user"}]}}


def registry(edits: ContainerEdits, *others: Device) -> Registry:
    spec = Spec(version="1.1.0", kind="acme.test/gpu", devices=(Device(name="a", edits=edits), *others))
    return registry_of([SpecFile("a.json", 0, spec)])


def node(**members: Any) -> ContainerEdits:
    return ContainerEdits(device_nodes=(DeviceNode(**members),))


def test_the_second_injection_reads_the_host_again() -> None:
    """Defect 1 of the Go library: the first injection writes the numbers into the cached spec."""
    gpus = registry(node(path="/dev/gpu0"))
    spec = gpus.devices["acme.test/gpu=a"].spec
    first = inject({}, ["acme.test/gpu=a"], gpus, GivenNodes({"/dev/gpu0": GPU0}))
    second = inject({}, ["acme.test/gpu=a"], gpus, GivenNodes({"/dev/gpu0": HostNode("c", 511, 7, 0o600)}))
    assert [device["major"] for done in (first, second) for device in done.oci["linux"]["devices"]] == [195, 511]
    assert spec.devices[0].edits.device_nodes == (DeviceNode(path="/dev/gpu0"),)
    assert minimum_version(spec) == "0.3.0"
    with pytest.raises(SpecError, match="the host has no device node '/dev/gpu0': there's no such file"):
        inject({}, ["acme.test/gpu=a"], gpus, GivenNodes())


def test_an_injected_spec_is_the_callers_own() -> None:
    """The registry keeps its edits ready-made: a caller's changes mustn't reach the next container."""
    edits = ContainerEdits(
        env=("A=1",),
        device_nodes=(DeviceNode(path="/dev/gpu0", type="c", major=195, file_mode=0o600), DeviceNode(path="/dev/gpu1")),
        mounts=(Mount(host_path="/h", container_path="/c", options=("bind",)),),
        hooks=(Hook(hook_name="prestart", path="/h", args=("h",), env=("E=1",)),),
        intel_rdt=IntelRdt(schemata=("L3:0=f",)),
    )
    gpus, host = registry(edits), GivenNodes({"/dev/gpu1": GPU0})
    for oci in ({}, USERNS):
        first = inject(oci, ["acme.test/gpu=a"], gpus, host).oci
        untouched = copy.deepcopy(first)
        for entries in (first["linux"]["devices"], first["linux"]["resources"]["devices"]):
            for entry in entries:
                entry["major"] = -1
        first["mounts"][0]["options"].append("spoilt")
        first["hooks"]["prestart"][0]["args"].append("spoilt")
        first["hooks"]["prestart"][0]["env"].append("spoilt")
        first["linux"]["intelRdt"]["schemata"].append("spoilt")
        assert inject(oci, ["acme.test/gpu=a"], gpus, host).oci == untouched


def test_a_node_that_says_everything_needs_no_host() -> None:
    class NoHost:
        def lstat(self, path: str) -> HostNode | str:
            raise AssertionError(path)

    edits = node(path="/dev/gpu0", type="c", major=195, file_mode=0o600)
    (device,) = apply_edits({}, edits, NoHost()).oci["linux"]["devices"]
    assert device == {"path": "/dev/gpu0", "type": "c", "major": 195, "minor": 0, "fileMode": 0o600}


@pytest.mark.parametrize(
    ("before", "asked", "after"),
    [
        ((), ("/a", "/a"), ("/a:1",)),
        (("/a",), ("/a", "/a"), ("/a:1",)),
        (("/a", "/a", "/b"), ("/a", "/a"), ("/b:2", "/a:0", "/a:1")),
        (("/a", "/a", "/b"), ("/a",), ("/a:1", "/b:2", "/a:0")),
        (("/a", "/a"), ("/a", "/a", "/a"), ("/a:1", "/a:2")),
        (("/a/b", "/"), ("/b", "/b/c"), ("/:1", "/b:0", "/a/b:0", "/b/c:1")),
        (("/a/",), ("/a",), ("/a/:0", "/a:0")),
    ],
)
def test_a_mount_takes_the_place_of_the_first_one_there(
    before: tuple[str, ...], asked: tuple[str, ...], after: tuple[str, ...]
) -> None:
    """What's stacked on one place goes one by one, as in Go."""
    oci = {"mounts": [{"destination": path, "source": str(i)} for i, path in enumerate(before)]}
    mounts = tuple(Mount(host_path=str(i), container_path=path, type="tmpfs") for i, path in enumerate(asked))
    mounted = apply_edits(oci, ContainerEdits(mounts=mounts), GivenNodes()).oci["mounts"]
    assert tuple(f"{entry['destination']}:{entry['source']}" for entry in mounted) == after


def test_a_failing_node_leaves_nothing_behind() -> None:
    """Defect 2 of the Go library: the variable and the first node stay in the OCI spec."""
    edits = ContainerEdits(env=("A=1",), device_nodes=(DeviceNode(path="/dev/gpu0"), DeviceNode(path="/dev/gone")))
    oci = {"process": {"env": ["B=1"]}, "linux": {"devices": []}}
    before = copy.deepcopy(oci)
    with pytest.raises(SpecError, match="'/dev/gone'"):
        inject(oci, ["acme.test/gpu=a"], registry(edits), GivenNodes({"/dev/gpu0": GPU0}))
    assert oci == before


def test_every_missing_node_is_told_with_the_file_that_asks_for_it() -> None:
    edits = ContainerEdits(
        device_nodes=(DeviceNode(path="/dev/gpu0"), DeviceNode(path="/dev/gone", host_path="/h/gone"))
    )
    spec = Spec(
        version="1.1.0", kind="acme.test/gpu", devices=(Device(name="a", edits=edits),), edits=node(path="/dev/none")
    )
    with pytest.raises(SpecError) as error:
        inject({}, ["acme.test/gpu=a"], registry_of([SpecFile("a.json", 0, spec)]), GivenNodes({"/dev/gpu0": GPU0}))
    assert [(problem.file, problem.path) for problem in error.value.problems] == [
        ("a.json", "containerEdits.deviceNodes[0]"),
        ("a.json", "devices[0].containerEdits.deviceNodes[1]"),
    ]


def test_all_unresolvable_names_are_told() -> None:
    with pytest.raises(SpecError) as error:
        inject(
            {}, ["x", "acme.test/gpu=a", "acme.test/gpu=b", "x"], registry(ContainerEdits(env=("A=1",))), GivenNodes()
        )
    assert error.value.category == "unresolvable"
    assert [problem.message.split("'")[1] for problem in error.value.problems] == ["x", "acme.test/gpu=b", "x"]


def test_everything_at_once() -> None:
    edits = ContainerEdits(
        env=("A=2", "N=1"),
        net_devices=(NetDevice(host_interface_name="eth1", name="net1"),),
        hooks=(Hook(hook_name="poststop", path="/h", args=("h",), env=("E=1",), timeout=3),),
        mounts=(Mount(host_path="/h", container_path="/c", options=("bind",), type="none"),),
        intel_rdt=IntelRdt(clos_id="gold", schemata=("L3:0=f",), enable_monitoring=True, enable_cmt=True),
        additional_gids=(0, 44, 5),
    )
    oci = {"process": {"env": ["A=1"], "user": {"additionalGids": [5]}}, "annotations": {"x": "y"}}
    done = apply_edits(oci, edits, GivenNodes())
    assert not done.warnings
    assert done.oci == {
        "process": {
            "env": ["A=2", "N=1"],
            "user": {"uid": 0, "gid": 0, "additionalGids": [5, 44]},
            "cwd": "",
        },
        "annotations": {"x": "y"},
        "linux": {
            "netDevices": {"eth1": {"name": "net1"}},
            "intelRdt": {"closID": "gold", "schemata": ["L3:0=f"], "enableMonitoring": True, "enableCMT": True},
        },
        "mounts": [{"destination": "/c", "source": "/h", "type": "none", "options": ["bind"]}],
        "hooks": {"poststop": [{"path": "/h", "args": ["h"], "env": ["E=1"], "timeout": 3}]},
    }
    assert done.oci["annotations"] is oci["annotations"]


def test_a_node_belongs_to_the_process_unless_it_says_otherwise() -> None:
    oci = {"process": {"user": {"uid": 1000, "gid": 1001}}}
    edits = ContainerEdits(
        device_nodes=(DeviceNode(path="/dev/a", type="p"), DeviceNode(path="/dev/b", type="p", uid=0, gid=5))
    )
    devices = apply_edits(oci, edits, GivenNodes()).oci["linux"]["devices"]
    assert [(device["uid"], device["gid"]) for device in devices] == [(1000, 1001), (0, 5)]


@pytest.mark.parametrize(
    ("options", "kind", "added"),
    [
        (("bind",), "", "idmap"),
        (("rbind",), "", "ridmap"),
        (("rbind", "ro", "bind"), "", "idmap"),
        (("bind", "rbind"), "", "ridmap"),
        ((), "bind", "idmap"),
        ((), "rbind", None),
        ((), "tmpfs", None),
        (("ro",), "", None),
        (("bind", "ridmap"), "", None),
        (("rbind", "idmap"), "bind", None),
    ],
)
def test_binds_are_mapped_in_a_user_namespace(options: tuple[str, ...], kind: str, added: str | None) -> None:
    edits = ContainerEdits(mounts=(Mount(host_path="/h", container_path="/c", options=options, type=kind),))
    (plain,) = apply_edits({}, edits, GivenNodes()).oci["mounts"]
    (mapped,) = apply_edits(USERNS, edits, GivenNodes()).oci["mounts"]
    assert plain.get("options", []) == list(options)
    assert mapped.get("options", []) == [*options, *([added] if added else [])]


def test_a_node_elsewhere_cant_be_made_in_a_user_namespace() -> None:
    edits = node(path="/dev/gpu0", host_path="/host/gpu0")
    host = GivenNodes({"/host/gpu0": GPU0})
    done = apply_edits(USERNS, edits, host)
    (warning,) = done.warnings
    assert "--userns-bind" in warning.hint
    assert done.oci["linux"]["devices"][0]["path"] == "/dev/gpu0"
    bound = apply_edits(USERNS, edits, host, bind_in_user_namespace=True)
    assert not bound.warnings
    assert bound.oci["mounts"] == [{"destination": "/dev/gpu0", "source": "/host/gpu0", "options": ["bind", "idmap"]}]
    assert "devices" not in bound.oci["linux"]
    outside = apply_edits({}, edits, host, bind_in_user_namespace=True)
    assert not outside.warnings
    assert "mounts" not in outside.oci


def test_warnings_of_what_fails_later() -> None:
    edits = ContainerEdits(mounts=(Mount(host_path="/h", container_path="/c", options=("ro",)),))
    (warning,) = apply_edits({}, edits, GivenNodes()).warnings
    assert "neither a type nor the option bind or rbind" in warning.message
    other = Device(name="b", edits=ContainerEdits(env=("A=2", "B=1")))
    (clash,) = inject(
        {}, ["acme.test/gpu=a", "acme.test/gpu=b"], registry(ContainerEdits(env=("A=1", "B=1")), other), GivenNodes()
    ).warnings
    assert clash.message == "acme.test/gpu=a sets A=1, acme.test/gpu=b then sets A=2"


@pytest.mark.parametrize(
    ("given", "host", "wanted"),
    [
        (DeviceNode(path="/d"), GPU0, DeviceNode(path="/d", type="c", major=195, minor=0, file_mode=0o660)),
        (DeviceNode(path="/d", minor=9), GPU0, DeviceNode(path="/d", type="c", major=195, minor=0, file_mode=0o660)),
        (DeviceNode(path="/d", major=9), GPU0, DeviceNode(path="/d", type="c", major=9, file_mode=0o660)),
        (
            DeviceNode(path="/d", type="b", major=9, file_mode=0),
            GPU0,
            DeviceNode(path="/d", type="b", major=9, file_mode=0),
        ),
        (DeviceNode(path="/d", type="u", major=9), None, DeviceNode(path="/d", type="u", major=9)),
        (DeviceNode(path="/d", type="p"), None, DeviceNode(path="/d", type="p")),
        (
            DeviceNode(path="/d"),
            HostNode("p", 1, 2, 0o644),
            DeviceNode(path="/d", type="p", file_mode=0o644),
        ),
        (DeviceNode(path="/d", type="u"), GPU0, "is of type 'c' on the host, the spec says 'u'"),
        (DeviceNode(path="/d", major=9, minor=1), None, "there's no such file"),
    ],
)
def test_nodes_are_completed_from_the_host(given: DeviceNode, host: HostNode | None, wanted: DeviceNode | str) -> None:
    nodes = GivenNodes({} if host is None else {"/d": host})
    if isinstance(wanted, str):
        with pytest.raises(SpecError, match=wanted):
            complete(given, nodes)
    else:
        assert complete(given, nodes) == wanted


def test_what_isnt_a_device_node_is_refused() -> None:
    with pytest.raises(SpecError, match="it isn't a device node"):
        complete(DeviceNode(path="/d"), GivenNodes(others=frozenset({"/d"})))


@pytest.mark.parametrize(
    ("oci", "path"),
    [
        ({"process": []}, "process"),
        ({"process": {"env": "A"}}, "process.env"),
        ({"process": {"user": 0}}, "process.user"),
        ({"linux": {"resources": []}}, "linux.resources"),
        ({"linux": {"devices": {}}}, "linux.devices"),
    ],
)
def test_a_broken_oci_spec_is_told(oci: dict[str, Any], path: str) -> None:
    edits = ContainerEdits(env=("A=1",), device_nodes=(DeviceNode(path="/d", type="c", major=1),))
    with pytest.raises(SpecError) as error:
        apply_edits(oci, edits, GivenNodes())
    assert (error.value.category, error.value.problems[0].path) == ("syntax", path)


def test_null_members_and_odd_entries_do_no_harm() -> None:
    oci: dict[str, Any] = {"process": None, "linux": {"devices": None, "namespaces": [None]}, "mounts": [None, {}]}
    edits = ContainerEdits(
        env=("A=1",),
        device_nodes=(DeviceNode(path="/d", type="p"),),
        mounts=(Mount(host_path="/h", container_path="/a/b", type="tmpfs"),),
    )
    done = apply_edits(oci, edits, GivenNodes()).oci
    assert done["mounts"] == [None, {}, {"destination": "/a/b", "source": "/h", "type": "tmpfs"}]
    assert done["process"]["env"] == ["A=1"]


def test_a_part_is_copied_once() -> None:
    oci = {"linux": {"a": 1}, "process": {"user": {"uid": 1}}}
    spec = OciSpec(oci)
    spec.set_env([("A", "A=1")])
    spec.set_env([("B", "B=2")])
    spec.add_gids([7])
    spec.linux["b"] = 2
    assert spec.linux is spec.root["linux"]
    assert spec.root == {
        "linux": {"a": 1, "b": 2},
        "process": {"user": {"uid": 1, "gid": 0, "additionalGids": [7]}, "cwd": "", "env": ["A=1", "B=2"]},
    }
    assert oci == {"linux": {"a": 1}, "process": {"user": {"uid": 1}}}


def test_requests_among_the_device_nodes() -> None:
    oci = {
        "linux": {"devices": [{"path": "v/c=1"}, {"path": "/dev/x", "major": 1}, {"path": "v/c=1"}, {"path": "/dev/x"}]}
    }
    assert take_requests(oci) == (("v/c=1",), {"linux": {"devices": [{"path": "/dev/x"}]}})
    assert take_requests({"a": 1}) == ((), {"a": 1})
    with pytest.raises(SpecError, match=r"linux\.devices isn't a list"):
        take_requests({"linux": {"devices": 1}})
