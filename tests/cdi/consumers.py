"""Real container engines for tests: podman with runc and crun, and both runtimes by themselves. As root only.

Two things that virtual machines with reduced privileges need, and that have nothing to do with CDI: limits of a process
can't be raised, so the engine must ask for lower ones; and where both versions of cgroups are mounted, crun wants the
second one out of its sight.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RUNTIMES = ("runc", "crun")
PROGRAMS = ("podman", "busybox", *RUNTIMES)
PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
SPEC_FOLDER = Path("/var/run/cdi")
"""podman 4 looks nowhere else, whatever its configuration says."""
IMAGE = "localhost/aliquot-test"
_HYBRID = Path("/sys/fs/cgroup/unified")
ALIQUOT = Path(sys.executable).with_name("aliquot")


def why_not() -> str:
    """Why no engine can be used here; "" if it can."""
    if os.geteuid() != 0:
        return "needs root"
    missing = [name for name in PROGRAMS if shutil.which(name, path=PATH) is None]
    return f"not installed (tools/install-consumers does it): {', '.join(missing)}" if missing else ""


@dataclass(frozen=True)
class Ran:
    """What a container said."""

    status: int
    output: str
    errors: str

    def lines(self) -> list[str]:
        return self.output.splitlines()


def make_rootfs(folder: Path) -> Path:
    """A root file system that is busybox alone."""
    for name in ("bin", "etc", "dev", "proc", "sys", "tmp", "usr/lib", "var"):
        (folder / name).mkdir(parents=True)
    shutil.copy(shutil.which("busybox", path=PATH) or "", folder / "bin/busybox")
    for name in ("sh", "cat", "ls", "env", "grep", "stat", "readlink", "head", "test", "mount"):
        (folder / "bin" / name).symlink_to("busybox")
    return folder


def _run(command: Sequence[str], runtime: str = "", stdin: str = "", cwd: Path | None = None) -> Ran:
    words = list(command)
    if runtime == "crun" and _HYBRID.is_dir():
        words = ["unshare", "-m", "sh", "-c", f'umount {_HYBRID}; exec "$@"', "sh", *words]
    done = subprocess.run(
        words,
        check=False,
        capture_output=True,
        text=True,
        input=stdin,
        cwd=cwd,
        env=os.environ | {"PATH": PATH},
        timeout=120,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@dataclass(frozen=True)
class Engine:
    """podman, with storage of its own below a folder."""

    folder: Path

    def podman(self, *words: str, runtime: str = "runc") -> Ran:
        store = [f"--root={self.folder}/storage", f"--runroot={self.folder}/run", "--storage-driver=overlay"]
        return _run(["podman", *store, f"--runtime={runtime}", *words], runtime)

    def load(self, rootfs: Path, image: str = IMAGE) -> None:
        archive = self.folder / "image.tar"
        subprocess.run(["tar", "-C", str(rootfs), "-cf", str(archive), "."], check=True)
        loaded = self.podman("import", str(archive), image)
        assert loaded.status == 0, loaded.errors

    def remove(self) -> None:
        """Everything that podman left behind: it keeps its storage mounted onto itself."""
        _run(["umount", f"{self.folder}/storage/overlay"])
        shutil.rmtree(self.folder)

    def run(self, script: str, *devices: str, runtime: str, image: str = IMAGE, more: Sequence[str] = ()) -> Ran:
        """Run a shell script in a container with these devices."""
        asked = [word for device in devices for word in ("--device", device)]
        limits = ["--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024", "--cap-add=SYSLOG"]  # to read /dev/kmsg
        command = ["run", "--rm", "--network=none", *limits, *asked, *more, image, "/bin/sh", "-c", script]
        return self.podman(*command, runtime=runtime)


def run_bundle(runtime: str, bundle: Path, config: dict[str, Any], name: str) -> Ran:
    """Run a bundle (a folder with `rootfs`) by a runtime alone."""
    (bundle / "config.json").write_text(json.dumps(config))
    return _run([runtime, "run", name], runtime, cwd=bundle)


def bundle_config(script: str) -> dict[str, Any]:
    """An OCI spec that runs a shell script as root in namespaces of its own; only the usual devices may be opened."""
    capabilities = ["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_KILL", "CAP_SYSLOG"]
    return {
        "ociVersion": "1.0.2",
        "process": {
            "user": {"uid": 0, "gid": 0},
            "args": ["/bin/sh", "-c", script],
            "env": ["PATH=/bin"],
            "cwd": "/",
            "capabilities": dict.fromkeys(("bounding", "effective", "permitted"), capabilities),
        },
        "root": {"path": "rootfs"},
        "hostname": "bundle",
        "mounts": [
            {"destination": "/proc", "type": "proc", "source": "proc"},
            {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755", "size=64k"]},
        ],
        "linux": {
            "namespaces": [{"type": kind} for kind in ("pid", "ipc", "uts", "mount", "network")],
            "resources": {"devices": [{"allow": False, "access": "rwm"}]},
        },
    }
