"""What no longer fits a host, given as data: each finding with its fix. And this host, asked for real."""

from dataclasses import replace
from pathlib import Path

import pytest

from aliquot.cdi.host.local_host import LocalHost
from aliquot.cdi.host_check import check_host, driver_of
from aliquot.cdi.host_findings import FileFacts
from aliquot.cdi.host_nodes import HostNode
from aliquot.cdi.spec import ContainerEdits, Device, DeviceNode, Hook, Mount, Spec
from tests.cdi.given_host import Host

OPEN, PROGRAM = FileFacts(0o644), FileFacts(0o755)
LIB = "/usr/lib/x86_64-linux-gnu"


def spec(edits: ContainerEdits, common: ContainerEdits | None = None) -> Spec:
    devices = (Device(name="0", edits=edits),)
    return Spec(version="0.7.0", kind="example.com/gpu", devices=devices, edits=common or ContainerEdits())


def node(path: str = "/dev/nvidia0", **changes: object) -> ContainerEdits:
    return ContainerEdits(device_nodes=(replace(DeviceNode(path=path), **changes),))  # type: ignore[arg-type] # a table's columns


def mount(path: str, *options: str, type_: str = "") -> ContainerEdits:
    given = options or ("ro", "rbind")
    return ContainerEdits(mounts=(Mount(host_path=path, container_path="/x", options=given, type=type_),))


def hook(path: str, stage: str = "createContainer") -> ContainerEdits:
    return ContainerEdits(hooks=(Hook(hook_name=stage, path=path),))


NODE = HostNode("c", 195, 0)
ONE_NODE = {"/dev/nvidia0": NODE}


@pytest.mark.parametrize(
    ("edits", "host", "said"),
    [
        (node(), Host(nodes=ONE_NODE), []),
        (node(major=195), Host(nodes=ONE_NODE), []),
        (node(type="u"), Host(nodes=ONE_NODE), []),
        (node(), Host(), ["error devices[0].containerEdits.deviceNodes[0] the device node /dev/nvidia0 isn't there"]),
        (node("/dev/x", host_path="/r/dev/nvidia0"), Host(nodes=ONE_NODE), ["error * /r/dev/nvidia0 isn't there"]),
        (node(type="c", major=195), Host(), ["warning * the container gets one all the same"]),
        (node(type="p"), Host(), ["warning * the container gets one all the same"]),
        (node(type="c"), Host(), ["error * isn't there"]),
        (node(major=511, minor=1), Host(nodes=ONE_NODE), ["error * it is 195:0, the spec says 511:1"]),
        (node(type="b"), Host(nodes=ONE_NODE), ["error * of type 'c', the spec says 'b'"]),
        (node(gid=44, file_mode=0o660), Host(nodes=ONE_NODE), ["warning * only root and group 44"]),
        (
            node(gid=44),
            Host(nodes={"/dev/nvidia0": HostNode("c", 195, 0, 0o660)}),
            ["warning * only root and group 44"],
        ),
        (node(gid=44, file_mode=0o660, permissions="none"), Host(nodes=ONE_NODE), []),
        (replace(node(gid=44, file_mode=0o660), additional_gids=(44,)), Host(nodes=ONE_NODE), []),
        (mount("/a"), Host({"/a": OPEN}), []),
        (mount("/a"), Host(), ["error devices[0].containerEdits.mounts[0].hostPath /a isn't there"]),
        (mount("tmpfs", "nosuid", type_="tmpfs"), Host(), []),
        (mount("/a", "x", type_="bind"), Host(), ["error * /a isn't there"]),
        (mount("/a"), Host({"/a": FileFacts(0o640)}), ["warning * users without root can't read /a"]),
        (mount("/a"), Host({"/a": FileFacts(0o644, reachable=False)}), ["warning * users without root can't read /a"]),
        (
            mount(f"{LIB}/libx.so.1.2"),
            Host({f"{LIB}/libx.so.1.3": OPEN, f"{LIB}/liby.so.1.9": OPEN}),
            ["error * isn't there"],
        ),
        (hook("/h"), Host({"/h": PROGRAM}), []),
        (hook("/h"), Host(), ["error devices[0].containerEdits.hooks[0].path the hook /h isn't there"]),
        (hook("/h", "startContainer"), Host(), []),
        (hook("/h"), Host({"/h": OPEN}), ["error * isn't a program"]),
        (hook("/h"), Host({"/h": FileFacts(0o755, folder=True)}), ["error * isn't a program"]),
        (hook("/h"), Host({"/h": FileFacts(0o750)}), ["warning * users without root can't run"]),
        (hook("/h"), Host({"/h": FileFacts(0o755, reachable=False)}), ["warning * users without root can't run"]),
    ],
)
def test_one_entry(edits: ContainerEdits, host: Host, said: list[str]) -> None:
    findings = check_host(spec(edits), host)
    assert len(findings) == len(said)
    for finding, text in zip(findings, said, strict=True):
        severity, path, message = text.split(" ", 2)
        assert finding.severity == severity
        assert path in {"*", finding.problem.path}
        assert message in finding.problem.message
        assert finding.problem.hint


def test_another_version_beside_a_missing_file_is_named() -> None:
    (finding,) = check_host(spec(mount(f"{LIB}/libx.so.1.2")), Host({f"{LIB}/libx.so.1.3": OPEN}))
    assert "there is version 1.3 of it" in finding.problem.hint


# As in NVIDIA/nvidia-container-toolkit#856: a spec for driver 580 on a host that has 595 by now
STALE = spec(node(), mount(f"{LIB}/libcuda.so.580.65.06"))


@pytest.mark.parametrize("version", ["595.10", None])
def test_a_driver_that_changed(version: str | None) -> None:
    host = Host({f"{LIB}/libcuda.so.595.10": OPEN}, ONE_NODE, version)
    driver, missing = check_host(STALE, host)
    assert driver.problem.message.startswith("the driver changed from 580.65.06 to 595.10")
    assert "libcuda.so.580.65.06 isn't there" in missing.problem.message
    assert "aliquot cdi generate" in driver.problem.hint


def test_a_driver_that_stayed() -> None:
    host = Host({f"{LIB}/libcuda.so.580.65.06": OPEN}, ONE_NODE, "580.65.06")
    assert check_host(STALE, host) == ()
    assert check_host(STALE, replace(host, version=None)) == ()
    assert driver_of(STALE) == "580.65.06"
    assert driver_of(spec(node())) is None


def test_two_versions_beside_each_other_tell_nothing() -> None:
    host = Host({f"{LIB}/libcuda.so.{v}": OPEN for v in ("580.65.06", "595.10")}, ONE_NODE)
    assert check_host(STALE, host) == ()


def test_a_spec_that_was_made_too_early() -> None:
    nodes = {f"/dev/{name}": NODE for name in ("nvidia0", "nvidia1", "nvidia-uvm", "nvidiactl")}
    found = check_host(spec(node(), node("/dev/nvidiactl")), Host(nodes=nodes))
    assert [finding.problem.message for finding in found] == [
        "the host has /dev/nvidia-uvm, the spec hasn't: a program may need it",
        "the host has /dev/nvidia1, the spec hasn't: no device of the spec has it",
    ]


def test_the_same_below_a_dev_root() -> None:
    nodes = {f"/r/dev/{name}": NODE for name in ("nvidia0", "nvidia1")}
    found = check_host(spec(node(host_path="/r/dev/nvidia0")), Host(nodes=nodes))
    assert [finding.severity for finding in found] == ["warning"]


@pytest.mark.parametrize(
    ("facts", "count"), [(OPEN, 0), (FileFacts(0o600), 1), (FileFacts(0o644, reachable=False), 1), (None, 0)]
)
def test_a_spec_that_only_root_can_read(facts: FileFacts | None, count: int) -> None:
    files = {} if facts is None else {"/etc/cdi/x.yaml": facts}
    found = check_host(spec(node()), Host(files, ONE_NODE), file="/etc/cdi/x.yaml")
    assert len(found) == count
    assert all("users without root" in finding.problem.message for finding in found)


def test_what_several_devices_share_is_told_for_each_place_once() -> None:
    edits = node()
    twice = replace(spec(edits), devices=(Device(name="0", edits=edits), Device(name="1", edits=edits)))
    assert [finding.problem.path for finding in check_host(twice, Host())] == [
        "devices[0].containerEdits.deviceNodes[0]",
        "devices[1].containerEdits.deviceNodes[0]",
    ]


def test_this_host(tmp_path: Path) -> None:
    host = LocalHost()
    (tmp_path / "a").write_text("x")
    (tmp_path / "a").chmod(0o640)
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed/b").write_text("x")
    (tmp_path / "closed").chmod(0o700)
    facts = host.file(str(tmp_path / "a"))
    assert facts is not None
    assert (facts.mode, facts.folder) == (0o640, False)
    inner = host.file(str(tmp_path / "closed/b"))
    assert inner is not None
    assert not inner.reachable
    assert host.file("/") == FileFacts(Path("/").stat().st_mode & 0o7777, folder=True, reachable=True)
    assert host.file(str(tmp_path / "none")) is None
    assert host.file("a\0b") is None
    assert host.names(str(tmp_path)) == ("a", "closed")
    assert host.names(str(tmp_path / "none")) == ()
    assert host.driver_version() is None or "." in str(host.driver_version())
    assert isinstance(host.lstat("/dev/null"), HostNode)
