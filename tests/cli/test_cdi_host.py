"""`aliquot cdi generate|check|hook|runtime` as a person or a container runtime calls them."""

import io
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from aliquot.cdi.documents.read import read
from aliquot.cli.cdi import runtime
from aliquot.cli.entry import run
from tests.cdi.host.driver_root import build_driver_root
from tests.conftest import ROOT

INVENTORY = ROOT / "conformance" / "cdi_host.json"


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    data = json.loads(INVENTORY.read_text())
    data["gpus"] = [{"index": 0, "minor": 0, "uuid": "GPU-1"}, {"index": 1, "minor": 5}]
    path = tmp_path / "inventory.json"
    path.write_text(json.dumps(data))
    return path


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = run(["cdi", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def test_generate(capsys: pytest.CaptureFixture[str], inventory: Path) -> None:
    status, out, err = call(capsys, "generate", "--inventory", inventory, "--hook-path", "/usr/bin/nvidia-ctk")
    assert status == 0
    spec = yaml.safe_load(out)
    assert [device["name"] for device in spec["devices"]] == ["0", "GPU-1", "all"]
    assert spec["containerEdits"]["hooks"][0]["args"][:2] == ["nvidia-ctk", "hook"]
    assert "the device 1 is left out" in err
    status, out, _ = call(capsys, "generate", "--inventory", inventory, "--format", "json", "--device-id", "0")
    assert (status, json.loads(out)["kind"]) == (0, "nvidia.com/gpu")


def test_generate_writes_a_file_that_everybody_can_read(
    capsys: pytest.CaptureFixture[str], inventory: Path, tmp_path: Path
) -> None:
    target = tmp_path / "cdi/nvidia.json"
    status, out, _ = call(capsys, "generate", "--inventory", inventory, "--output", target, "--class", "card")
    assert (status, out) == (0, "")
    assert target.stat().st_mode & 0o777 == 0o644
    assert read(target.read_text()).kind == "nvidia.com/card"


def test_generate_reads_an_inventory_from_standard_input(
    capsys: pytest.CaptureFixture[str], inventory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(inventory.read_bytes())))
    status, out, _ = call(capsys, "generate", "--inventory", "-", "--mode", "gdrcopy")
    assert (status, yaml.safe_load(out)["kind"]) == (0, "nvidia.com/gdrcopy")


def test_the_inventory_that_is_shown_can_be_read_again(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    root = build_driver_root(tmp_path / "root", nodes=False)
    assert run(["cdi", "generate", "--driver-root", str(root), "--show-inventory"]) == 0
    sys.stdout.flush()
    shown = json.loads(capfdbinary.readouterr().out)
    assert shown["driver"]["version"] == "550.54.15"
    nodes = [{"path": "/dev/nvidia0", "major": 195, "minor": 0}]
    (tmp_path / "shown.json").write_text(json.dumps({**shown, "nodes": nodes, "gpus": [{"index": 0, "minor": 0}]}))
    assert run(["cdi", "generate", "--inventory", str(tmp_path / "shown.json")]) == 0
    assert yaml.safe_load(capfdbinary.readouterr().out)["devices"][0]["name"] == "0"


@pytest.mark.parametrize(
    ("data", "mode"),
    [
        ({"wsl": {"required": []}, "nodes": [{"path": "/dev/dxg", "major": 10, "minor": 1}]}, "wsl"),
        ({"drmGpus": [{"vendor": "intel", "address": "a", "drmNodes": ["renderD1"]}]}, "intel"),
        ({"drmGpus": [{"vendor": "amd", "address": "a", "drmNodes": ["renderD1"]}]}, "amd"),
        (
            {
                "drmGpus": [{"vendor": "amd", "address": "a", "drmNodes": ["renderD1"]}],
                "gpus": [{"index": 0, "minor": 0}],
            },
            "nvidia",
        ),
    ],
)
def test_the_mode_is_what_the_host_has(
    data: dict[str, Any], mode: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    data.setdefault("nodes", [{"path": "/dev/dri/renderD1", "major": 226, "minor": 1}])
    data["nodes"].append({"path": "/dev/nvidia0", "major": 195, "minor": 0})
    data["driver"] = {"version": "550.1"} if mode == "nvidia" else None
    (tmp_path / "i.json").write_text(json.dumps({key: value for key, value in data.items() if value is not None}))
    status, out, err = call(capsys, "generate", "--inventory", tmp_path / "i.json")
    assert status == 0, err
    assert yaml.safe_load(out)["kind"] == {"amd": "amd.com/gpu", "intel": "intel.com/gpu"}.get(mode, "nvidia.com/gpu")
    assert ("/dev/dxg" in out) == (mode == "wsl")


def test_the_hook_is_nvidias_where_it_is_installed_else_ours(
    capsys: pytest.CaptureFixture[str], inventory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aliquot.cli.cdi.generate.NVIDIA_HOOK", str(tmp_path / "none/nvidia-cdi-hook"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    _, out, err = call(capsys, "generate", "--inventory", inventory)
    path = yaml.safe_load(out)["containerEdits"]["hooks"][0]["path"]
    assert Path(path).is_absolute()
    assert Path(path).name == "aliquot"
    assert "can't do the hooks enable-cuda-compat" in err
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/nvidia-cdi-hook").write_text("#!/bin/sh\n")
    (tmp_path / "bin/nvidia-cdi-hook").chmod(0o755)
    _, out, err = call(capsys, "generate", "--inventory", inventory)
    assert yaml.safe_load(out)["containerEdits"]["hooks"][0]["path"] == str(tmp_path / "bin/nvidia-cdi-hook")
    assert "can't do" not in err


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--vendor", "x-", "--class", "y-"], 2, "error: vendor: "),
        (["--device-id", "9"], 2, "there's no device '9'"),
        (["--mode", "intel"], 1, "there's no device for the mode 'intel'"),
        (["--output", "x.txt"], 2, "doesn't end in .yaml or .json"),
        (["--output", "x.yaml", "--format", "json"], 2, "hint: name it x.json"),
        (["--mode", "nothing"], 2, "error: "),
    ],
)
def test_mistakes(
    arguments: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str], inventory: Path
) -> None:
    found, out, err = call(capsys, "generate", "--inventory", inventory, *arguments)
    assert (found, out) == (status, "")
    assert said in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("text", "said"), [("{", "isn't JSON"), ('{"x": 1}', "i.json: x: unknown field"), (None, "it can't be read")]
)
def test_broken_inventories(text: str | None, said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "i.json").write_text(text)
    status, _, err = call(capsys, "generate", "--inventory", tmp_path / "i.json")
    assert status == 2
    assert said in err


# --- check ------------------------------------------------------------------------------------------------------------
GOOD = "cdiVersion: 0.3.0\nkind: a.test/b\ndevices: [{name: x, containerEdits: {deviceNodes: [{path: /dev/null}]}}]\n"
STALE = """\
cdiVersion: 0.5.0
kind: example.com/gpu
containerEdits:
  mounts: [{hostPath: /usr/lib/none/libcuda.so.580.65.06, containerPath: /x, options: [bind]}]
devices: [{name: "0", containerEdits: {deviceNodes: [{path: /dev/null, type: c, major: 511, minor: 3}]}}]
"""


def test_check(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text(GOOD)
    status, out, _ = call(capsys, "check", tmp_path / "good.yaml")
    assert status == 0
    assert out.endswith("fits this host\n") or "users without root" in out
    (tmp_path / "stale.yaml").write_text(STALE)
    (tmp_path / "bad.yaml").write_text("kind: [")
    status, out, _ = call(capsys, "check", "-d", tmp_path)
    assert status == 1
    assert "libcuda.so.580.65.06 isn't there" in out
    assert "/dev/null has moved: it is 1:3, the spec says 511:3" in out
    assert "fix: " in out
    assert "bad.yaml" in out


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_check_for_programs(form: str, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    (tmp_path / "stale.yaml").write_text(STALE)
    status = run(["cdi", "check", str(tmp_path / "stale.yaml"), str(tmp_path / "none.yaml"), "-o", form])
    sys.stdout.flush()
    answer = yaml.safe_load(capfdbinary.readouterr().out)
    assert status == 1
    assert answer["checked"] == [str(tmp_path / "stale.yaml")]
    errors = [finding for finding in answer["findings"] if finding["severity"] == "error"]
    assert errors[0]["file"] == str(tmp_path / "none.yaml")
    assert all(finding["fix"] for finding in errors[1:])


def test_a_machine_without_the_driver_tells_what_is_missing_in_a_few_lines(
    capsys: pytest.CaptureFixture[str], inventory: Path, tmp_path: Path
) -> None:
    """A person reads three lines and their fixes, a program every path."""
    path = tmp_path / "nvidia.yaml"
    call(capsys, "generate", "--inventory", inventory, "--hook-path", "/none/nvidia-cdi-hook", "--output", path)
    status, out, _ = call(capsys, "check", path)
    assert status == 1
    nodes = "/opt/nvroot/dev/nvidia-modeset, /opt/nvroot/dev/nvidia-uvm, /opt/nvroot/dev/nvidia-uvm-tools and 2 more"
    lines = out[out.index("error: ") :].splitlines()  # perhaps after a warning: whose folder it lies in
    first, *fixes = lines[:5]
    assert first == (
        f"error: {path}: 5 device nodes aren't there: {nodes} (No such file or directory); "
        "the first is containerEdits.deviceNodes[0]"
    )
    assert fixes == [
        "  fix: load nvidia-modeset: nvidia-modprobe -m",
        "  fix: load nvidia-uvm: nvidia-modprobe -u -c 0",
        "  fix: load NVIDIA's driver and let it make its nodes: nvidia-modprobe -c 0 (with the GPU's minor number)",
        "  fix: or generate the spec again: aliquot cdi generate --output FILE",
    ]
    hooks = f"error: {path}: the hook /none/nvidia-cdi-hook isn't there, which 6 places name: no container with"
    assert sum(line.startswith(hooks) for line in lines) == 1
    assert len([line for line in lines if line.startswith("error: ")]) == 3
    findings = json.loads(call(capsys, "check", path, "-o", "json")[1])["findings"]
    missing = [each["message"] for each in findings if "the device node" in each["message"]]
    assert len(set(missing)) == 5
    assert all(each["path"] and each["fix"] for each in findings if each["severity"] == "error")


def test_nothing_to_check(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert call(capsys, "check", "-d", tmp_path) == (2, "there's no spec to check\n", "")
    status, out, _ = call(capsys, "check", tmp_path / "none.yaml")
    assert (status, out) == (2, f"error: {tmp_path}/none.yaml: it can't be read: No such file or directory\n")
    (tmp_path / "bad.yaml").write_text("kind: a.b/c\nfoo: 1\n")
    status, out, _ = call(capsys, "check", tmp_path / "bad.yaml")
    assert (status, out.splitlines()[0]) == (2, f"error: {tmp_path}/bad.yaml:2: foo: unknown field 'foo'")


# --- hook -------------------------------------------------------------------------------------------------------------
def hook(bundle: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """As a runtime runs it: another process, almost no environment, the state on standard input."""
    (bundle / "rootfs/usr/lib").mkdir(parents=True, exist_ok=True)
    (bundle / "config.json").write_text('{"root": {"path": "rootfs"}}')
    state = json.dumps({"ociVersion": "1.0.2", "id": "x", "pid": 1, "bundle": str(bundle)})
    command = [sys.executable, "-m", "aliquot", "cdi", "hook", *arguments]
    return subprocess.run(command, check=False, input=state, capture_output=True, text=True, env={})


def test_hooks(tmp_path: Path) -> None:
    done = hook(tmp_path, "create-symlinks", "--link", "a.so.1::/usr/lib/a.so", "--link", "../b::/usr/lib/x/b")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "rootfs/usr/lib/x/b").readlink() == Path("../b")
    done = hook(tmp_path, "chmod", "--mode", "711", "--path", "/usr/lib", "--path", "/none")
    assert done.returncode == 0
    assert (tmp_path / "rootfs/usr/lib").stat().st_mode & 0o777 == 0o711
    (tmp_path / "ldconfig").write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/said\n')
    (tmp_path / "ldconfig").chmod(0o755)
    done = hook(tmp_path, "update-ldcache", "--folder", "/usr/lib", "--ldconfig-path", str(tmp_path / "ldconfig"))
    assert done.returncode == 0
    assert (tmp_path / "said").read_text().endswith("/usr/lib\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["create-symlinks", "--link", "x"],
        ["chmod", "--mode", "rwx", "--path", "/"],
        ["update-ldcache", "--folder", "x"],
    ],
)
def test_hooks_that_fail_say_why(arguments: list[str], tmp_path: Path) -> None:
    done = hook(tmp_path, *arguments)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


# --- runtime ----------------------------------------------------------------------------------------------------------
def test_runtime(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("# ours\nversion = 2\n")
    flags = ["--runtime", "containerd", "--config", config, "--version", "1.7.22"]
    status, out, _ = call(capsys, "runtime", "check", *flags)
    assert status == 1
    assert out.startswith("containerd 1.7.22: CDI is off")
    assert "fix: aliquot cdi runtime configure --runtime containerd" in out
    status, out, _ = call(capsys, "runtime", "configure", *flags, "--dry-run")
    assert (status, "+enable_cdi = true" in out) == (0, True)
    assert config.read_text() == "# ours\nversion = 2\n"
    status, out, _ = call(capsys, "runtime", "configure", *flags)
    assert (status, f"(before: {config}.bak)" in out) == (0, True)
    status, out, _ = call(capsys, "runtime", "configure", *flags)
    assert (status, "nothing is changed" in out) == (0, True)
    assert call(capsys, "runtime", "check", *flags)[0] == 0


def test_what_configure_did_is_taken_back_by_the_line_it_prints(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    real, link, new = tmp_path / "real it.toml", tmp_path / "config.toml", tmp_path / "new.toml"
    real.write_text("# ours\nversion = 2\n")
    link.symlink_to(real)
    for config in (link, new):
        flags = ["--runtime", "containerd", "--config", config, "--version", "1.7.22"]
        _, out, _ = call(capsys, "runtime", "configure", *flags)
        undo = next(line for line in out.splitlines() if line.startswith("  undo: "))
        assert undo.endswith("; restart containerd")
        subprocess.run(["sh", "-c", undo.removeprefix("  undo: ").partition(";")[0]], check=True, timeout=60)
    assert sorted(tmp_path.iterdir()) == [link, real]
    assert link.is_symlink()
    assert real.read_text() == "# ours\nversion = 2\n"


def test_runtime_notes_and_mistakes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = tmp_path / "daemon.json"
    config.write_text('{"cdi-spec-dirs": ["/x"]}')
    status, out, _ = call(capsys, "runtime", "check", "--runtime", "docker", "--config", config, "--version", "28.2")
    assert (status, "note: it doesn't look into /etc/cdi" in out) == (0, True)
    config.write_text("{")
    for verb in ("check", "configure"):
        status, _, err = call(capsys, "runtime", verb, "--runtime", "docker", "--config", config, "--version", "27")
        assert status == 2
        assert "isn't" in err


@pytest.mark.parametrize("form", ["table", "json", "yaml"])
@pytest.mark.parametrize("version", ["5.8.0", ""])
def test_all_runtimes_that_are_installed(
    form: str,
    version: str,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (tmp_path / "containers.conf").write_text(f'[engine]\ncdi_spec_dirs = ["{tmp_path}"]\n')
    monkeypatch.setenv("CONTAINERS_CONF", str(tmp_path / "containers.conf"))  # whatever specs this machine has
    monkeypatch.setattr(runtime, "installed_version", lambda name: version if name == "podman" else "")
    status = run(["cdi", "runtime", "check", "-o", form])
    sys.stdout.flush()
    out = capfdbinary.readouterr().out.decode()
    assert status == (0 if version else 2)
    if form == "table":
        assert "CDI is on" in out if version else "none of" in out
    else:
        found = yaml.safe_load(out)["runtimes"]
        assert [(one["runtime"], one["cdi"]) for one in found] == ([("podman", True)] if version else [])


def test_a_configuration_belongs_to_a_runtime(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for flag in ("--config", "--version"):
        status, _, err = call(capsys, "runtime", "check", flag, tmp_path / "x")
        assert (status, "say which runtime" in err) == (2, True)


SPEC = """\
cdiVersion: 1.0.0
kind: example.com/gpu
devices: [{name: a, containerEdits: {env: [A=b]}}]
"""


def test_specs_that_the_runtime_cant_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "cdi").mkdir()
    (tmp_path / "cdi/x.yaml").write_text(SPEC)
    config = tmp_path / "daemon.json"
    config.write_text(json.dumps({"cdi-spec-dirs": [str(tmp_path / "cdi")]}))
    flags = ["--runtime", "docker", "--config", config]
    assert call(capsys, "runtime", "check", *flags, "--version", "28.3.0")[0] == 0
    config.write_text(json.dumps({"features": {"cdi": True}, "cdi-spec-dirs": [str(tmp_path / "cdi")]}))
    status, out, _ = call(capsys, "runtime", "check", *flags, "--version", "27.5.0")
    assert status == 1
    assert "CDI is on" in out
    assert "docker 27.5.0 can't read it: cdiVersion 1.0.0, and it knows up to 0.8.0" in out
    assert f"aliquot cdi lower {tmp_path}/cdi/x.yaml --to 0.8.0" in out
    spec = tmp_path / "cdi/x.yaml"
    status, out, _ = call(capsys, "check", spec, "--runtime", "podman", "--version", "4.9.3")
    assert (status, "it knows up to 0.6.0" in out) == (1, True)
    assert call(capsys, "check", spec, "--runtime", "podman", "--version", "5.6.0")[0] == 0
    assert call(capsys, "check", spec, "--runtime", "podman", "--version", "one")[0] == 2
    assert call(capsys, "check", spec, "--version", "5.6.0")[0] == 2


def test_an_installed_runtime_that_cant_read_a_spec_is_a_warning(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aliquot.cli.cdi.check.installed_version", lambda name: "4.3.1" if name == "podman" else "")
    (tmp_path / "x.yaml").write_text(SPEC)
    status, out, _ = call(capsys, "check", tmp_path / "x.yaml")
    assert status == 0
    assert "warning: " in out
    assert "podman 4.3.1 can't read it" in out


def test_the_row_that_decided_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("")
    flags = ["--runtime", "containerd", "--config", tmp_path / "c.toml", "--version", "1.7.29"]
    _, out, _ = call(capsys, "runtime", "check", *flags)
    assert "rule: containerd 1.7: CDI is off unless `enable_cdi` is true (pkg/cri/config/config_unix.go)" in out
    assert "specs: it reads cdiVersion up to 0.8.0" in out


def test_the_fix_names_the_file_that_was_asked_about(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    flags = ["--runtime", "docker", "--config", tmp_path / "d.json", "--version", "27.0.3"]
    status, out, _ = call(capsys, "runtime", "check", *flags)
    assert status == 1
    assert f"fix: aliquot cdi runtime configure --runtime docker --version 27.0.3 --config {tmp_path}/d.json," in out
    assert f"there's no {tmp_path}/d.json" in out


def test_a_refusal_writes_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("version = 3\n")
    flags = ["--runtime", "containerd", "--config", config, "--version", "1.7.29"]
    status, out, err = call(capsys, "runtime", "configure", *flags)
    assert (status, out) == (2, "")
    assert "refuses version = 3" in err
    assert [path.name for path in tmp_path.iterdir()] == ["config.toml"]
    assert config.read_text() == "version = 3\n"
