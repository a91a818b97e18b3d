"""Device nodes that no longer fit: who makes them, which were renumbered, what stands there instead, and groups."""

import os
from pathlib import Path

import pytest

from aliquot.cdi.host.local_host import LocalHost
from aliquot.cdi.host_check import check_host
from aliquot.cdi.host_findings import FileFacts
from aliquot.cdi.host_nodes import HostNode
from aliquot.cdi.node_makers import how_made
from aliquot.cdi.spec import ContainerEdits, Device, DeviceNode, Spec
from tests.cdi.given_host import Host

NODE = HostNode("c", 226, 128)


def spec(*paths: str, gids: tuple[int, ...] = ()) -> Spec:
    edits = ContainerEdits(device_nodes=tuple(DeviceNode(path=path) for path in paths), additional_gids=gids)
    return Spec(version="0.7.0", kind="example.com/gpu", devices=(Device(name="0", edits=edits),))


@pytest.mark.parametrize(
    ("path", "said", "not_said"),
    [
        ("/dev/dri/renderD128", "DRM driver", "nvidia-modprobe"),
        ("/dev/dri/card7", "amdgpu", "nvidia-modprobe"),
        ("/r/dev/dri/card0", "DRM driver", "nvidia-modprobe"),
        ("/dev/dri/by-path/pci-0000:01:00.0-card", "udev", "nvidia-modprobe"),
        ("/dev/nvidia3", "nvidia-modprobe -c", "-u"),
        ("/dev/nvidiactl", "nvidia-modprobe", "DRM"),
        ("/dev/nvidia-uvm-tools", "nvidia-modprobe -u", "DRM"),
        ("/dev/nvidia-modeset", "nvidia-modprobe -m", "DRM"),
        ("/dev/nvidia-caps/nvidia-cap3", "MIG", "-u"),
        ("/dev/kfd", "amdgpu", "nvidia"),
        ("/dev/dxg", "WSL", "nvidia"),
        ("/dev/infiniband/uverbs0", "RDMA", "nvidia"),
        ("/dev/gdrdrv", "gdrdrv", "nvidia"),
        ("/dev/vfio/12", "vfio-pci", "nvidia"),
        ("/dev/acme0", "its driver", "nvidia"),
        ("/acme0", "its driver", "nvidia"),
    ],
)
def test_the_fix_fits_the_path(path: str, said: str, not_said: str) -> None:
    assert said in how_made(path)
    assert not_said not in how_made(path)
    (finding,) = check_host(spec(path), Host())
    assert said in finding.problem.hint
    assert "aliquot cdi generate" in finding.problem.hint


def test_a_renumbered_node_names_its_sibling() -> None:
    host = Host(nodes={"/dev/dri/renderD128": NODE, "/dev/dri/card0": NODE, "/dev/dri/cardreader1": NODE})
    findings = check_host(spec("/dev/dri/renderD129", "/dev/dri/card1"), host)
    assert [(one.severity, one.problem.message) for one in findings] == [
        ("error", "the device node /dev/dri/renderD129 isn't there: there's no such file; /dev/dri/renderD128 is"),
        ("error", "the device node /dev/dri/card1 isn't there: there's no such file; /dev/dri/card0 is"),
    ]
    assert all("renumbered" in one.problem.hint and "cdi generate" in one.problem.hint for one in findings)


def test_a_sibling_that_the_spec_has_already_says_nothing() -> None:
    host = Host(nodes={"/dev/dri/renderD128": NODE})
    (finding,) = check_host(spec("/dev/dri/renderD128", "/dev/dri/renderD129"), host)
    assert "renderD128" not in finding.problem.message
    assert "DRM driver" in finding.problem.hint


def test_what_stands_there_instead(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("/dev/null")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "fifo").chmod(0o666)  # whoever runs the test, everybody may open it
    paths = [str(tmp_path / name) for name in ("file", "folder", "link", "none", "fifo")]
    told = [one.problem for one in check_host(spec(*paths), LocalHost())]
    assert [problem.message for problem in told] == [
        f"{paths[0]} isn't a device node: it's a regular file, not a device node",
        f"{paths[1]} isn't a device node: it's a folder, not a device node",
        f"{paths[2]} isn't a device node: it's a symbolic link, not a device node",
        f"the device node {paths[3]} isn't there: No such file or directory",
    ]
    assert f"rm {paths[0]}" in told[0].hint
    assert "points at" in told[2].hint


GROUP = HostNode("c", 226, 128, 0o660, 44)


@pytest.mark.parametrize(
    ("runtimes", "gids", "said", "not_said"),
    [
        (("podman",), (), "--group-add keep-groups", "supplementalGroups"),
        (("podman",), (44,), "--group-add keep-groups", "supplementalGroups"),
        (("docker",), (), "setfacl -m u:USER:rw /dev/dri/renderD128", "keep-groups"),
        (("containerd",), (), "supplementalGroups: [44]", "keep-groups"),
        (("podman", "crio"), (), "supplementalGroups: [44]", "setfacl"),
    ],
)
def test_a_group_is_told_with_the_way_for_the_runtime(
    runtimes: tuple[str, ...], gids: tuple[int, ...], said: str, not_said: str
) -> None:
    host = Host({}, {"/dev/dri/renderD128": GROUP})
    (finding,) = check_host(spec("/dev/dri/renderD128", gids=gids), host, runtimes=runtimes)
    assert finding.severity == "warning"
    assert "group 44" in finding.problem.message
    assert said in finding.problem.hint
    assert not_said not in finding.problem.hint


def test_what_the_spec_adds_is_enough_for_a_runtime_that_runs_as_root() -> None:
    host = Host({"/etc/cdi/x.yaml": FileFacts(0o644)}, {"/dev/dri/renderD128": GROUP})
    assert check_host(spec("/dev/dri/renderD128", gids=(44,)), host, runtimes=("containerd", "crio")) == ()
    assert check_host(spec("/dev/dri/renderD128"), Host(nodes={"/dev/dri/renderD128": NODE})) == ()
