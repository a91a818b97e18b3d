"""Does a device reach a container? A spec, a configuration that we switched on, and a pod through the CRI."""

import hashlib
import io
import json
import shutil
import subprocess
import tarfile
import time
from pathlib import Path
from typing import Final

from aliquot.cdi.machine.runtimes import LocalConfigFiles
from aliquot.cdi.runtime_config.configure import configured
from aliquot.cdi.runtime_config.containerd_files import NEW, SHORT
from aliquot.cdi.runtime_config.toml_text import with_value
from conformance.runtimes.compared import laid
from conformance.runtimes.programs import CRI_TOOLS, SHIM, built
from conformance.runtimes.running import Run, running

IMAGE: Final = "localhost/aliquot-conformance:1"
PROOF: Final = "CDI_PROOF=yes"
SPEC: Final = f"""\
cdiVersion: 0.5.0
kind: example.com/gpu
devices: [{{name: "0", containerEdits: {{env: [{PROOF}]}}}}]
"""
PACKAGED: Final = 'disabled_plugins = ["cri"]\n'
"""As Docker's package leaves it."""


class MissingProgramError(Exception):
    """What a pod needs isn't installed here."""


def resolves(program: Path, release: str, room: Path) -> str:
    """Docker's packaged file, configured by us: "" where containerd starts with it, CRI on, and a pod gets its device.

    Raises:
        MissingProgramError: ctr, runc or a static busybox is missing.
    """
    missing = [name for name in ("ctr", "runc", "busybox") if shutil.which(name) is None]
    if missing:
        raise MissingProgramError(f"{', '.join(missing)} missing: apt-get install containerd runc busybox-static")
    (room / "cdi").mkdir(parents=True)
    (room / "cdi/test.yaml").write_text(SPEC)
    main = room / "config.toml"
    main.write_text(PACKAGED)
    laid(Path("/"), configured("containerd", str(main), LocalConfigFiles(), release).texts)
    after = main.read_text()
    _sandbox(main, room, release)
    with running(program, main, room / "run", programs=built(SHIM, release).parent) as run:
        if not run.cri_runs:
            return f"it doesn't start with CRI on:\n{after}\n{run.said[-2000:]}"
        return _pod(run, room)


def starts_with_cri(program: Path, release: str, room: Path) -> str:
    """A release that knows no CDI: "" where Docker's packaged file, as 1.7 gets it, starts it with CRI on."""
    del release
    main = room / "config.toml"
    main.write_text(PACKAGED)
    laid(Path("/"), configured("containerd", str(main), LocalConfigFiles(), "1.7.29").texts)
    with running(program, main, room / "run") as run:
        return "" if run.cri_runs else f"it doesn't start with CRI on:\n{main.read_text()}\n{run.said[-2000:]}"


def _sandbox(main: Path, room: Path, release: str) -> None:
    """What a pod needs here beside CDI: no registry, no CNI, no cgroups, and a folder of specs of our own."""
    name = SHORT if release.startswith("1.") else NEW
    values: dict[tuple[str, ...], object] = {
        (name, "disable_cgroup"): True,
        (name, "restrict_oom_score_adj"): True,
        (name, "cdi_spec_dirs"): [f"{room}/cdi"],
        (name, "cni", "conf_dir"): f"{room}/cni",
    }
    if name == SHORT:
        values[name, "sandbox_image"] = IMAGE
    else:
        values["io.containerd.cri.v1.images", "pinned_images", "sandbox"] = IMAGE
    text = main.read_text()
    for (*tables, key), value in values.items():
        text = with_value(text, ("plugins", *tables), key, value)
    main.write_text(text)


def _pod(run: Run, room: Path) -> str:
    archive = room / "image.tar"
    archive.write_bytes(image())
    said = _called(["ctr", "-a", run.socket, "-n", "k8s.io", "images", "import", archive])
    if said is not None:
        return f"the image can't be imported: {said}"
    (room / "pod.json").write_text(
        json.dumps(
            {
                "metadata": {"name": "p", "namespace": "default", "uid": f"u{time.time_ns()}", "attempt": 1},
                "log_directory": str(room),
                "linux": {"security_context": {"namespace_options": {"network": 2}}},
            }
        )
    )
    (room / "container.json").write_text(
        json.dumps(
            {
                "metadata": {"name": "c"},
                "image": {"image": IMAGE},
                "command": ["/bin/sleep", "100"],
                "log_path": "c.log",
                "linux": {},
                "CDI_devices": [{"name": "example.com/gpu=0"}],
            }
        )
    )
    crictl: list[str | Path] = [
        built("crictl", CRI_TOOLS),
        "--runtime-endpoint",
        f"unix://{run.socket}",
        "--timeout",
        "60s",
    ]
    pod = subprocess.run([*crictl, "runp", room / "pod.json"], capture_output=True, text=True, check=False)
    if pod.returncode != 0:
        return f"the pod doesn't start: {pod.stderr[-1500:]}"
    sandbox = pod.stdout.strip()
    try:
        command = [*crictl, "create", "--no-pull", sandbox, room / "container.json", room / "pod.json"]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            return f"the container can't be created: {made.stderr[-1500:]}"
        info = subprocess.run(
            ["ctr", "-a", run.socket, "-n", "k8s.io", "containers", "info", made.stdout.strip()],
            capture_output=True,
            text=True,
            check=False,
        )
        return "" if PROOF in info.stdout else f"the container hasn't got its device: {info.stdout[-1500:]}"
    finally:
        subprocess.run([*crictl, "stopp", sandbox], capture_output=True, check=False)
        subprocess.run([*crictl, "rmp", "-f", sandbox], capture_output=True, check=False)


def _called(command: list[str | Path]) -> str | None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else done.stderr[-1500:]


def image() -> bytes:
    """An image of busybox alone, as `docker save` writes it."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as tar:
        for folder in ("bin", "dev", "etc", "proc", "sys", "tmp"):
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(entry)
        _add(tar, "bin/busybox", Path(shutil.which("busybox") or "/bin/busybox").read_bytes())
        link = tarfile.TarInfo("bin/sleep")
        link.type, link.linkname = tarfile.SYMTYPE, "busybox"
        tar.addfile(link)
    config = {
        "architecture": "amd64",
        "os": "linux",
        "config": {"Cmd": ["/bin/sleep", "1000"], "Env": ["PATH=/bin"]},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer.getvalue()).hexdigest()}"]},
    }
    text = json.dumps(config).encode()
    name = f"{hashlib.sha256(text).hexdigest()}.json"
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as tar:
        _add(tar, name, text)
        _add(tar, "layer.tar", layer.getvalue())
        manifest = [{"Config": name, "RepoTags": [IMAGE], "Layers": ["layer.tar"]}]
        _add(tar, "manifest.json", json.dumps(manifest).encode())
    return whole.getvalue()


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), 0o755
    tar.addfile(entry, io.BytesIO(content))
