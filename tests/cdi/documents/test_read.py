"""Reading and checking: every problem at once, with its line; the two strengths."""

from dataclasses import replace
from typing import Any

import pytest

from aliquot.cdi.check import Strength, check, check_device, check_edits, check_version
from aliquot.cdi.documents.decode import decode_edits
from aliquot.cdi.documents.decoder import Decoder
from aliquot.cdi.documents.read import inspect, read
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.spec import ContainerEdits, Device, DeviceNode, Hook, IntelRdt, Mount, NetDevice, Spec

GOOD = 'cdiVersion: 1.1.0\nkind: acme.test/gpu\ndevices:\n- name: d\n  containerEdits:\n    env: ["A=1"]\n'
SPEC = Spec(
    version="1.1.0",
    kind="acme.test/gpu",
    devices=(Device(name="d", edits=ContainerEdits(env=("A=1",))),),
)


def test_a_good_spec() -> None:
    assert read(GOOD) == read(GOOD.encode()) == read("\ufeff" + GOOD) == read(GOOD.encode("utf-16")) == SPEC
    assert SPEC.device("d") is SPEC.devices[0]
    assert SPEC.device("e") is None


def test_every_problem_comes_at_once_with_its_place() -> None:
    text = """\
cdiVersion: 0.4.0
kind: acme.test/gpu.x
colour: red
containerEdits:
  env: [A]
devices:
- name: -d
  containerEdits:
    deviceNodes:
    - {type: f, major: one}
    - null
- name: 0
- name: e
  containerEdits: {env: ["A=1"]}
- name: e
  containerEdits: {env: ["A=1"], Env: []}
"""
    reading = inspect(text, file="a.yaml", strength="strict")
    assert [(problem.line, problem.path, problem.category) for problem in reading.problems] == [
        (3, "colour", "syntax"),
        (10, "devices[0].containerEdits.deviceNodes[0].major", "syntax"),
        (11, "devices[0].containerEdits.deviceNodes[1]", "syntax"),
        (12, "devices[1].name", "syntax"),
        (16, "devices[3].containerEdits.Env", "syntax"),
        (2, "kind", "version"),
        (5, "containerEdits.env[0]", "edits"),
        (7, "devices[0].name", "name"),
        (10, "devices[0].containerEdits.deviceNodes[0].path", "edits"),
        (10, "devices[0].containerEdits.deviceNodes[0].type", "edits"),
        (12, "devices[1].containerEdits", "edits"),
        (15, "devices[3].name", "duplicate"),
    ]
    with pytest.raises(SpecError) as error:
        reading.value()
    assert error.value.problems == reading.problems
    assert str(error.value).startswith("a.yaml:3: colour: unknown field 'colour' (known here: ")


def test_a_problem_says_what_it_knows() -> None:
    problem = Problem("edits", "it's wrong")
    assert str(problem) == "it's wrong"
    assert str(replace(problem, line=3, hint="mend it")) == "line 3: it's wrong (mend it)"
    assert str(replace(problem, path="a.b").inside("f")) == "f: a.b: it's wrong"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "there's no spec"),
        (b"null", "there's no spec"),
        (b"- a", "a list stands where an object is due"),
        (b"a\xff: 1", "the bytes aren't UTF-8 text"),
        (b"\n\n\xff", "line 3"),
        (b"\xff\xfe\x00", "the bytes aren't UTF-16 text"),
        (b"{", "did not find expected node content"),
    ],
)
def test_what_isnt_a_spec_at_all(text: bytes, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        read(text)


def with_edits(**edits: Any) -> dict[str, Any]:
    return edits


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        ({"mount": []}, "did you mean 'mounts'?"),
        ({"colour": 1}, "known here: env, deviceNodes"),
        ({"env": "A=1"}, ""),
        ({"deviceNodes": [{"path": "x", "fileMode": "0600"}]}, "write 384, which is octal 0600"),
        ({"deviceNodes": [{"path": "x", "fileMode": "rw"}]}, ""),
        ({"deviceNodes": [{"path": "x", "major": 1.5}]}, ""),
        ({"deviceNodes": [{"path": "x", "uid": -1}]}, ""),
        ({"deviceNodes": [{"path": "x", "uid": True}]}, ""),
        ({"additionalGids": [2**32]}, ""),
        ({"additionalGids": [-0.0]}, ""),
        ({"deviceNodes": [None]}, "remove it"),
        ({"hooks": [None]}, "remove it"),
        ({"mounts": [None]}, "remove it"),
        ({"netDevices": [None]}, "remove it"),
        ({"intelRdt": {"enableMonitoring": "true"}}, ""),
        ({"intelRdt": {"enableCMT": True}}, "1.1.0 dropped it: remove it, or use enableMonitoring"),
        ({"env": [{}]}, ""),
    ],
)
def test_wrong_shapes(data: dict[str, Any], hint: str) -> None:
    shape = Decoder()
    decode_edits(data, shape)
    (problem,) = shape.problems
    assert problem.category == "syntax"
    assert problem.hint.startswith(hint)


def test_the_list_of_the_specifications_example_is_recognised() -> None:
    (problem, *_) = inspect(GOOD + "containerEdits: []\n").problems
    assert problem.hint == "SPEC.md prints a list there by mistake"


@pytest.mark.parametrize(
    ("text", "faithful", "strict"),
    [
        (GOOD, None, None),
        (GOOD.replace("1.1.0", "v1.1.0"), None, "version"),
        (GOOD.replace("kind", "KIND"), None, "syntax"),
        (GOOD.replace("name: d", "name: 1"), None, "syntax"),
        (GOOD.replace("name: d", "name: 1.5"), None, "syntax"),
        (GOOD.replace("name: d", "name: true"), None, "syntax"),
        (GOOD.replace("name: d", "name: [d]"), "syntax", "syntax"),
        (GOOD + "---\na: 1\n", None, "syntax"),
        (GOOD + "---\n[", None, "syntax"),
        ('{"cdiVersion": "1.1.0"}\n--- {}', "kind", "syntax"),
        (GOOD.replace("acme.test", "a_cme.test"), None, "kind"),
        (GOOD.replace("acme.test", "a" * 64), None, "kind"),
        (GOOD.replace("acme.test", ("a" * 63 + ".") * 3 + "b" * 62), None, "kind"),
        (GOOD.replace("gpu", "g" * 64), None, "kind"),
        (GOOD + "annotations: {a b: c}\n", None, "name"),
        (GOOD + "annotations: {a: 1}\n", None, "syntax"),
        (GOOD + "annotations: [a]\n", "syntax", "syntax"),
        (GOOD.replace("- name", "- annotations: {a/b/c: x}\n  name"), None, "name"),
        (GOOD + f"annotations: {{a: {'x' * 256 * 1024}}}\n", None, "name"),
        (GOOD + "    hooks: [{hookName: prestart, path: x}]\n", None, "edits"),
        (GOOD + "    hooks: [{hookName: prestart, path: /x, timeout: 0}]\n", None, "edits"),
        (GOOD + "    hooks: [{hookName: prestart, path: /x, timeout: 1}]\n", None, None),
        (GOOD + "    deviceNodes: [{path: /x, permissions: none}]\n", None, "edits"),
        (GOOD + "    deviceNodes: [{path: /x, major: 1.0}]\n", None, "syntax"),
        (GOOD.replace("1.1.0", "0.7.0") + "    intelRdt: {enableCMT: true, enableMBM: false}\n", "syntax", None),
        (GOOD + "    intelRdt: {enableCMT: true}\n", "syntax", "version"),
    ],
)
def test_strengths(text: str, faithful: str | None, strict: str | None) -> None:
    strengths: tuple[tuple[Strength, str | None], ...] = (("faithful", faithful), ("strict", strict))
    for strength, wanted in strengths:
        problems = inspect(text, strength=strength).problems
        assert (problems[0].category if problems else None) == wanted


def test_fields_of_older_versions_can_be_taken_from_files_of_their_time() -> None:
    older = GOOD.replace("1.1.0", "1.0.0") + "    intelRdt: {enableCMT: true, enableMBM: false}\n"
    rdt = read(older, older_fields=True).devices[0].edits.intel_rdt
    assert rdt == IntelRdt(enable_cmt=True, enable_mbm=False)
    (one, other) = inspect(older.replace("1.0.0", "1.1.0"), older_fields=True).problems
    assert (one.category, one.path) == ("version", "devices[0].containerEdits.intelRdt.enableCMT")
    assert other.path.endswith("enableMBM")


def test_a_field_in_two_cases_counts_once_as_in_go() -> None:
    for text in (GOOD + "KIND: other.test/x\n", "KIND: other.test/x\n" + GOOD):
        assert read(text).kind == "acme.test/gpu"


@pytest.mark.parametrize(
    ("version", "paths"),
    [
        ("0.2.0", ["devices[0].name"]),
        ("0.4.0", ["devices[0].name"]),
        ("0.5.0", []),
        ("1.2.0", ["cdiVersion"]),
        ("", ["cdiVersion"]),
    ],
)
def test_versions_are_held_against_the_fields(version: str, paths: list[str]) -> None:
    spec = replace(SPEC, version=version, devices=(Device(name="0", edits=ContainerEdits(env=("A=1",))),))
    assert [problem.path for problem in check_version(spec)] == paths


def test_a_version_that_was_never_released_is_too_old() -> None:
    (problem,) = check(replace(SPEC, version="0.2.0"))
    assert problem.message == "0.2.0 is too old"


@pytest.mark.parametrize(
    ("edits", "paths"),
    [
        (ContainerEdits(env=("A=", "é=1", "A B=c")), []),
        (ContainerEdits(env=("", "=b", "A")), ["env[0]", "env[1]", "env[2]"]),
        (ContainerEdits(device_nodes=(DeviceNode(path=""),)), ["deviceNodes[0].path"]),
        (ContainerEdits(device_nodes=(DeviceNode(path="a", type="char"),)), ["deviceNodes[0].type"]),
        (ContainerEdits(device_nodes=(DeviceNode(path="a", permissions="rx"),)), ["deviceNodes[0].permissions"]),
        (
            ContainerEdits(mounts=(Mount(host_path="", container_path=""),)),
            ["mounts[0].hostPath", "mounts[0].containerPath"],
        ),
        (
            ContainerEdits(hooks=(Hook(hook_name="preStart", path="", env=("A",)),)),
            ["hooks[0].hookName", "hooks[0].path", "hooks[0].env[0]"],
        ),
        (
            ContainerEdits(
                net_devices=(NetDevice(host_interface_name="", name="a"), NetDevice(host_interface_name="b", name="a"))
            ),
            ["netDevices[0].hostInterfaceName", "netDevices[1].name"],
        ),
        *(
            (ContainerEdits(intel_rdt=IntelRdt(clos_id=clos)), [] if good else ["intelRdt.closID"])
            for clos, good in (
                ("", 1),
                ("/", 1),
                ("x" * 4095, 1),
                (".", 0),
                ("..", 0),
                ("a/b", 0),
                ("a\n", 0),
                ("x" * 4096, 0),
            )
        ),
    ],
)
def test_edits(edits: ContainerEdits, paths: list[str]) -> None:
    assert [problem.path for problem in check_edits(edits)] == paths
    assert [problem.path for problem in check_edits(edits, at="x")] == [f"x.{path}" for path in paths]


def test_a_device_needs_edits_of_its_own() -> None:
    assert check_device(Device(name="d", edits=ContainerEdits(intel_rdt=IntelRdt()))) == ()
    (problem,) = check_device(Device(name="d"))
    assert "'d' has no edits of its own" in problem.message
    assert "the global edits don't count" in problem.hint


def test_devices_are_needed_once_each() -> None:
    (problem,) = check(replace(SPEC, devices=()))
    assert problem.message == "there are no devices"
    (problem,) = check(replace(SPEC, devices=SPEC.devices * 2))
    assert problem.category == "duplicate"
