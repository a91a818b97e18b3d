"""Specs, injections and generated specs in real containers: podman with runc and crun, and both runtimes alone."""

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from aliquot.cdi.host.local_nodes import LocalNodes
from aliquot.cdi.injection.inject import inject
from aliquot.cdi.machine.files import write_spec
from aliquot.cdi.machine.folders import Folders
from aliquot.cdi.spec import ContainerEdits, Device, DeviceNode, Hook, Mount, Spec
from tests.cdi.consumers import (
    ALIQUOT,
    RUNTIMES,
    SPEC_FOLDER,
    Engine,
    Ran,
    bundle_config,
    make_rootfs,
    run_bundle,
    why_not,
)
from tests.cdi.host.driver_root import VERSION, build_driver_root

pytestmark = [
    pytest.mark.skipif(bool(why_not()), reason=why_not()),
    pytest.mark.xdist_group("consumers"),
]

LIBS = "/usr/lib/x86_64-linux-gnu"
Publish = Callable[[Spec], str]


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    folder = Path(tempfile.mkdtemp(prefix="podman-", dir="/tmp"))  # podman refuses run folders of over 50 letters
    made = Engine(folder)
    made.load(make_rootfs(folder / "rootfs"))
    yield made
    made.remove()


@pytest.fixture
def publish() -> Iterator[Publish]:
    """Puts a spec where podman looks, for the time of one test."""
    written: list[Path] = []

    def put(spec: Spec) -> str:
        written.append(Path(write_spec(SPEC_FOLDER, f"aliquot-test-{uuid4().hex}", spec)))
        return spec.kind

    yield put
    for path in written:
        path.unlink()


def kind() -> str:
    """A kind that no other test uses at this moment."""
    return f"t{uuid4().hex[:12]}.example.com/thing"


def thing(folder: Path) -> Spec:
    """A spec with one of each: variable, node with a rule, mount, hook; and a second device."""
    (folder / "given.txt").write_text("from the host\n")
    hook = folder / "hook.sh"
    hook.write_text(f'#!/bin/sh\n/bin/cat > {folder}/state.json\necho "$WORD $1" > {folder}/hook.txt\n')
    hook.chmod(0o755)
    first = ContainerEdits(
        env=("CDI_FIRST=1", "CDI_BOTH=first"),
        # kernel messages: no runtime allows 1:11 by itself, so that the rule is the spec's
        device_nodes=(DeviceNode(path="/dev/first", host_path="/dev/kmsg", permissions="r", file_mode=0o640),),
        mounts=(Mount(host_path=f"{folder}/given.txt", container_path="/etc/given.txt", options=("ro", "bind")),),
        hooks=(Hook(hook_name="createRuntime", path=str(hook), args=("hook.sh", "argument"), env=("WORD=hook",)),),
    )
    second = ContainerEdits(
        env=("CDI_SECOND=2", "CDI_BOTH=second"),
        device_nodes=(DeviceNode(path="/dev/second", host_path="/dev/kmsg", permissions="rw", file_mode=0o600),),
    )
    return Spec(
        version="0.5.0",
        kind=kind(),
        devices=(Device(name="first", edits=first), Device(name="second", edits=second)),
        edits=ContainerEdits(env=("CDI_COMMON=0",)),
    )


LOOK = """env | grep ^CDI_ | busybox sort
for node in /dev/first /dev/second; do
  test -e $node || continue
  stat -c '%n %t:%T %a' $node
  (: < $node) 2>&1 && echo reads
  (: >> $node) 2>&1 && echo writes
done
cat /etc/given.txt
(: > /etc/given.txt) 2> /dev/null || echo read-only"""
DENIED = "Operation not permitted"


def saw_first(lines: list[str]) -> bool:
    denied = [line for line in lines if "/dev/first" in line and DENIED in line]
    return {"CDI_COMMON=0", "CDI_FIRST=1", "/dev/first 1:b 640", "reads", "from the host", "read-only"} <= set(
        lines
    ) and len(denied) == 1


def saw_hook(folder: Path) -> bool:
    state = json.loads((folder / "state.json").read_text())
    return (folder / "hook.txt").read_text() == "hook argument\n" and "bundle" in state


@pytest.mark.parametrize("runtime", RUNTIMES)
class TestPodman:
    def test_one_device(self, runtime: str, engine: Engine, publish: Publish, tmp_path: Path) -> None:
        name = publish(thing(tmp_path))
        ran = engine.run(LOOK, f"{name}=first", runtime=runtime)
        assert ran.status == 0, ran.errors
        assert saw_first(ran.lines())
        assert "CDI_BOTH=first" in ran.lines()
        assert "writes" not in ran.lines()
        assert not any("second" in line for line in ran.lines())
        assert saw_hook(tmp_path)

    def test_several_devices(self, runtime: str, engine: Engine, publish: Publish, tmp_path: Path) -> None:
        name = publish(thing(tmp_path))
        ran = engine.run(LOOK, f"{name}=first", f"{name}=second", runtime=runtime)
        assert ran.status == 0, ran.errors
        assert {"CDI_FIRST=1", "CDI_SECOND=2", "CDI_BOTH=second"} <= set(ran.lines())
        # both nodes are 1:11, and rules add up: the second one's writing is allowed for the number
        assert ran.lines().count("writes") == 2

    def test_an_unknown_device_is_refused(self, runtime: str, engine: Engine, publish: Publish, tmp_path: Path) -> None:
        name = publish(thing(tmp_path))
        ran = engine.run("true", f"{name}=first", f"{name}=third", runtime=runtime)
        assert ran.status == 126
        assert "unresolvable CDI devices" in ran.errors
        assert f"{name}=third" in ran.errors

    def test_without_the_device_nothing_is_there(self, runtime: str, engine: Engine) -> None:
        ran = engine.run("env | grep ^CDI_; ls /dev/first /etc/given.txt", runtime=runtime)
        assert ran.status != 0
        assert ran.output == ""


def injected(spec: Spec, folder: Path, names: list[str], script: str) -> dict[str, Any]:
    write_spec(folder / "specs", "thing", spec)
    asked = [f"{spec.kind}={name}" for name in names]
    return inject(bundle_config(script), asked, Folders([folder / "specs"]).registry(), LocalNodes()).oci


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("names", [["first"], ["first", "second"]])
def test_our_injection_gives_the_same_container_as_podman(
    runtime: str, names: list[str], engine: Engine, publish: Publish, tmp_path: Path
) -> None:
    bundle = tmp_path / "bundle"
    make_rootfs(bundle / "rootfs")
    spec = thing(tmp_path)
    ours = run_bundle(runtime, bundle, injected(spec, tmp_path, names, LOOK), f"aliquot-{uuid4().hex}")
    assert ours.status == 0, ours.errors
    assert saw_hook(tmp_path)
    name = publish(spec)
    theirs = engine.run(LOOK, *(f"{name}={one}" for one in names), runtime=runtime)
    assert ours.lines() == theirs.lines()


# --- generated specs --------------------------------------------------------------------------------------------------
LOOK_AT_DRIVER = f"""cd {LIBS}
for link in libcuda.so libcuda.so.1 libGLX_indirect.so.0 vdpau/libvdpau_nvidia.so.1 gbm/nvidia-drm_gbm.so; do
  echo "$link $(readlink $link)"
done
cat /dev/dri/by-path/pci-0000:07:00.0-card 2>&1 | head -c 0
echo "card $(readlink /dev/dri/by-path/pci-0000:07:00.0-card)"
test -f libcuda.so && echo library
test -S /run/nvidia-persistenced/socket && echo socket
test -x /usr/bin/nvidia-smi && echo program
test -f /lib/firmware/nvidia/{VERSION}/gsp_ga10x.bin && echo firmware
stat -c '%n %t:%T' /dev/nvidia0 /dev/nvidiactl /dev/nvidia-uvm
grep -c -a libvdpau_nvidia.so.1 /etc/ld.so.cache
cat /etc/ld.so.conf.d/*.conf"""
DRIVER_SEEN = [
    "libcuda.so libcuda.so.1",
    f"libcuda.so.1 libcuda.so.{VERSION}",
    f"libGLX_indirect.so.0 libGLX_nvidia.so.{VERSION}",
    f"vdpau/libvdpau_nvidia.so.1 libvdpau_nvidia.so.{VERSION}",
    "gbm/nvidia-drm_gbm.so ../libnvidia-allocator.so.1",
    "card ../card0",
    *("library", "socket", "program", "firmware"),
    *("/dev/nvidia0 c3:0", "/dev/nvidiactl c3:ff", "/dev/nvidia-uvm 1fe:0"),
    "1",
    *(LIBS, f"{LIBS}/vdpau"),
]


def generate(root: Path, output: Path, *flags: str) -> None:
    command = [str(ALIQUOT), "cdi", "generate", "--driver-root", str(root), "--output", str(output)]
    done = subprocess.run([*command, "--hook-path", str(ALIQUOT), *flags], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("runtime", RUNTIMES)
class TestGenerated:
    def test_in_podman(self, runtime: str, engine: Engine, tmp_path: Path) -> None:
        root = build_driver_root(tmp_path / "driver")
        vendor = kind().partition("/")[0]
        output = SPEC_FOLDER / f"aliquot-test-{uuid4().hex}.yaml"
        generate(root, output, "--vendor", vendor, "--no-additional-gids")
        try:
            ran = engine.run(LOOK_AT_DRIVER, f"{vendor}/gpu=0", runtime=runtime)
        finally:
            output.unlink()
        assert ran.status == 0, ran.errors
        assert ran.lines() == DRIVER_SEEN

    def test_in_a_bundle_of_ours(self, runtime: str, tmp_path: Path) -> None:
        ran = self.bundle(runtime, tmp_path, LOOK_AT_DRIVER)
        assert ran.status == 0, ran.errors
        assert ran.lines() == DRIVER_SEEN

    def test_an_image_with_hostile_links_changes_nothing_outside(self, runtime: str, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        outside.mkdir()
        for place in ("usr/lib/x86_64-linux-gnu/gbm", "etc/ld.so.conf.d"):
            (outside / place).mkdir(parents=True)

        def spoil(rootfs: Path) -> None:
            inner = rootfs / str(outside)[1:]  # where the links lead within the container
            for place in ("etc", "usr/lib/x86_64-linux-gnu/gbm"):
                (inner / place).mkdir(parents=True)
            (rootfs / "etc").rmdir()
            (rootfs / "etc").symlink_to(outside / "etc")
            (rootfs / "usr/lib/x86_64-linux-gnu").mkdir()
            (rootfs / "usr/lib/x86_64-linux-gnu/gbm").symlink_to(f"../../../../../../../../..{outside}")

        ran = self.bundle(runtime, tmp_path, "true", spoil)
        assert ran.status == 0, ran.errors
        assert sorted(path.name for path in outside.rglob("*")) == [
            "etc",
            "gbm",
            "ld.so.conf.d",
            "lib",
            "usr",
            "x86_64-linux-gnu",
        ]

    def bundle(self, runtime: str, folder: Path, script: str, spoil: Callable[[Path], None] = lambda _: None) -> Ran:
        root = build_driver_root(folder / "driver")
        generate(root, folder / "specs/nvidia.yaml")
        make_rootfs(folder / "bundle/rootfs")
        spoil(folder / "bundle/rootfs")
        registry = Folders([folder / "specs"]).registry()
        oci = inject(bundle_config(script), ["nvidia.com/gpu=0"], registry, LocalNodes()).oci
        return run_bundle(runtime, folder / "bundle", oci, f"aliquot-{uuid4().hex}")
