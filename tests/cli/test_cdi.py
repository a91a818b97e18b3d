"""`aliquot cdi …` as a person calls it: output, exit status, no traceback for a mistake."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from aliquot.cdi.documents.read import read
from aliquot.cdi.registry import Registry
from aliquot.cli.cdi.registry import difference
from aliquot.cli.entry import run

SPEC = """\
cdiVersion: 0.7.0
kind: acme.test/gpu
containerEdits:
  env: [GLOBAL=1]
devices:
- name: "0"
  containerEdits:
    deviceNodes: [{path: /dev/null}]
    additionalGids: [44]
- name: "1"
  containerEdits:
    deviceNodes: [{path: /dev/nope}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "gpu.yaml").write_text(SPEC)
    return tmp_path / "etc"


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = run(["cdi", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def feed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))


def test_list(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "gpu.json").write_text(json.dumps(yaml.safe_load(SPEC)))
    (tmp_path / "run" / "bad.json").write_text("{")
    status, out, err = call(capsys, "list", "-d", folder)
    assert (status, out.splitlines()[0]) == (0, f"acme.test/gpu=0  {folder}/gpu.yaml")
    assert err == ""
    status, out, err = call(capsys, "list", "-d", folder, "-d", tmp_path / "run")
    assert f"{tmp_path}/run/gpu.json  (hides {folder}/gpu.yaml)" in out
    assert "warning:" in err
    assert "bad.json:1" in err
    status, out, _ = call(capsys, "list", "acme.test", "-d", folder, "-o", "yaml")
    assert [entry["name"] for entry in yaml.safe_load(out)["devices"]] == ["acme.test/gpu=0", "acme.test/gpu=1"]
    status, out, _ = call(capsys, "list", "other.test", "-d", folder)
    assert (status, out) == (0, f"no devices in {folder}\n")


def test_list_json(capfdbinary: pytest.CaptureFixture[bytes], folder: Path) -> None:
    assert run(["cdi", "list", "-d", str(folder), "-o", "json"]) == 0
    sys.stdout.flush()
    listed = json.loads(capfdbinary.readouterr().out)
    assert listed["devices"][0] == {
        "name": "acme.test/gpu=0",
        "file": f"{folder}/gpu.yaml",
        "priority": 0,
        "hides": [],
    }


def test_show(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    status, out, _ = call(capsys, "show", "acme.test/gpu=0", "-d", folder)
    shown = yaml.safe_load(out)
    assert (status, shown["device"]["name"], shown["minimumVersion"]) == (0, "0", "0.7.0")
    assert shown["containerEdits"] == {"env": ["GLOBAL=1"]}
    status, out, _ = call(capsys, "show", folder / "gpu.yaml")
    assert read(out) == read(SPEC)
    status, out, _ = call(capsys, "show", folder / "gpu.yaml", "-o", "json")
    assert read(out) == read(SPEC)
    status, _, err = call(capsys, "show", "acme.test/gpu=9", "-d", folder)
    assert (status, "there is" in err) == (1, True)
    status, _, err = call(capsys, "show", folder / "nothing.yaml")
    assert (status, "it can't be read" in err) == (2, True)


def test_explain(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    run_folder = tmp_path / "run"
    run_folder.mkdir()
    (run_folder / "gpu.json").write_text(json.dumps(yaml.safe_load(SPEC)))
    status, out, _ = call(capsys, "explain", "acme.test/gpu=0", "-d", folder, "-d", run_folder)
    assert status == 0
    assert out.splitlines() == [
        f"acme.test/gpu=0 is defined by {run_folder}/gpu.json (priority 1, cdiVersion 0.7.0 or later)",
        f"  hides {folder}/gpu.yaml (priority 0, with the same content)",
    ]
    (run_folder / "again.json").write_text((run_folder / "gpu.json").read_text())
    status, out, err = call(
        capsys, "explain", "acme.test/gpu=0", "-d", folder, "-d", run_folder, "-d", tmp_path / "missing"
    )
    assert status == 1
    assert "both define it" in err
    assert f"  {tmp_path}/missing doesn't exist" in out.splitlines()
    assert f"  {folder}/gpu.yaml (priority 0) defines it" in out.splitlines()
    status, out, _ = call(capsys, "explain", "acme.test/gpu=0", "-d", folder, "-d", run_folder, "-o", "yaml")
    told = yaml.safe_load(out)
    assert (status, told["resolvable"], told["winner"], len(told["others"])) == (1, False, None, 3)
    status, out, _ = call(capsys, "explain", "acme.test/gpu=0", "-d", folder, "-o", "yaml")
    assert yaml.safe_load(out)["winner"]["file"] == f"{folder}/gpu.yaml"


def test_validate(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    status, out, err = call(capsys, "validate", folder / "gpu.yaml")
    assert (status, err) == (0, "")
    assert out == f"{folder}/gpu.yaml: good; acme.test/gpu, 2 devices, cdiVersion 0.7.0, needs 0.7.0\n"
    feed(monkeypatch, SPEC.replace("0.7.0", "v0.7.0"))
    assert call(capsys, "validate", "-")[0] == 0
    feed(monkeypatch, SPEC.replace("0.7.0", "v0.7.0"))
    status, _, err = call(capsys, "validate", "--strict", "-")
    assert (status, "-:1: cdiVersion: 'v0.7.0' isn't a semantic version" in err) == (1, True)
    bad = folder / "bad.yaml"
    bad.write_text("kind: x\ndevices: []\n")
    status, out, _ = call(capsys, "validate", bad, folder / "gpu.yaml", "-o", "yaml")
    first, second = yaml.safe_load(out)["files"]
    assert (status, first["valid"], second["valid"]) == (1, False, True)
    assert [problem["category"] for problem in first["problems"]] == ["version", "kind", "syntax"]
    assert call(capsys, "validate", folder / "nothing.yaml", bad)[0] == 2
    status, _, err = call(capsys, "validate")
    assert (status, "say which files" in err) == (2, True)


def test_lower(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    status, out, err = call(capsys, "lower", folder / "gpu.yaml", "--to", "0.5.0")
    assert status == 0
    assert read(out).version == "0.5.0"
    assert "device '0': additionalGids 44 are left out" in err
    status, out, err = call(capsys, "lower", folder / "gpu.yaml", "--to", "0.5.0", "--strict")
    assert (status, out) == (1, "")
    assert "can't be lowered to 0.5.0 without loss" in err
    status, out, _ = call(capsys, "lower", folder / "gpu.yaml", "--to", "0.7.0", "--strict", "-o", "json")
    assert (status, read(out)) == (0, read(SPEC))
    status, out, err = call(capsys, "lower", folder / "gpu.yaml", "--to", "0.3.0")
    assert (status, out, "no device is left" in err) == (1, "", True)
    assert call(capsys, "lower", folder / "gpu.yaml", "--to", "9")[0] == 2


def test_diff(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    other = folder / "other.yaml"
    other.write_text(SPEC.replace("GLOBAL=1", "GLOBAL=2"))
    assert call(capsys, "diff", folder / "gpu.yaml", folder / "gpu.yaml") == (0, "", "")
    assert call(capsys, "diff", folder / "gpu.yaml", other) == (1, "~ env GLOBAL: 1 -> 2\n", "")
    _, out, _ = call(capsys, "diff", folder / "gpu.yaml", other, "-o", "yaml")
    assert yaml.safe_load(out)["changes"] == [
        {"kind": "changed", "where": None, "what": "env GLOBAL", "old": "1", "new": "2"}
    ]
    assert call(capsys, "diff", folder / "gpu.yaml", folder / "nothing")[0] == 2


def test_inject_prints(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Defect 8 of the Go tool: -d is ignored, the output isn't an OCI spec, an unknown name is skipped."""
    feed(monkeypatch, '{"process": {"cwd": "/"}}')
    status, out, err = call(capsys, "inject", "--spec", "-", "--device", "acme.test/gpu=0", "-d", folder)
    oci = json.loads(out)
    assert (status, err) == (0, "")
    assert oci["process"] == {
        "cwd": "/",
        "user": {"uid": 0, "gid": 0, "additionalGids": [44]},
        "env": ["GLOBAL=1"],
    }
    assert oci["linux"]["devices"][0]["major"] == 1
    for name, said in (("acme.test/gpu=9", "can't be resolved"), ("acme.test/gpu=1", "no device node '/dev/nope'")):
        feed(monkeypatch, "{}")
        status, out, err = call(capsys, "inject", "--spec", "-", "-D", "acme.test/gpu=0", "-D", name, "-d", folder)
        assert (status, out) == (1, "")
        assert said in err


def test_inject_writes_back(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"linux": {"devices": [{"path": "acme.test/gpu=0"}, {"path": "/dev/x", "type": "p"}]}}')
    config.chmod(0o600)
    link = tmp_path / "link.json"
    link.symlink_to(config)
    status, out, _ = call(capsys, "inject", "--spec", link, "--resolve", "-d", folder, "--in-place")
    assert (status, out) == (0, "")
    assert [device["path"] for device in json.loads(config.read_text())["linux"]["devices"]] == ["/dev/x", "/dev/null"]
    assert link.is_symlink()
    assert config.stat().st_mode & 0o777 == 0o600
    before = config.read_text()
    assert call(capsys, "inject", "--spec", config, "-D", "acme.test/gpu=1", "-d", folder, "-i")[0] == 1
    assert config.read_text() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.json", "etc", "link.json"]


def test_inject_by_annotations(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    oci: dict[str, Any] = {"annotations": {"cdi.k8s.io/x": "acme.test/gpu=0", "other": 1}}
    feed(monkeypatch, json.dumps(oci))
    status, out, _ = call(capsys, "inject", "--spec", "-", "--annotations", "-D", "acme.test/gpu=0", "-d", folder)
    assert (status, json.loads(out)["process"]["env"]) == (0, ["GLOBAL=1"])
    assert len(json.loads(out)["linux"]["resources"]["devices"]) == 1
    oci["annotations"]["cdi.k8s.io/y"] = "gpu"
    feed(monkeypatch, json.dumps(oci))
    status, _, err = call(capsys, "inject", "--spec", "-", "--annotations", "-d", folder)
    assert (status, "invalid device 'gpu'" in err) == (2, True)


def test_inject_warns(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    (folder / "gpu.yaml").write_text(SPEC.replace("path: /dev/null", "path: /dev/x, hostPath: /dev/null"))
    userns = '{"linux": {"namespaces": [{"type": "user"}]}}'
    feed(monkeypatch, userns)
    status, _, err = call(capsys, "inject", "--spec", "-", "-D", "acme.test/gpu=0", "-d", folder)
    assert (status, "--userns-bind" in err) == (0, True)
    feed(monkeypatch, userns)
    status, out, err = call(capsys, "inject", "--spec", "-", "-D", "acme.test/gpu=0", "-d", folder, "--userns-bind")
    assert (status, err) == (0, "")
    assert json.loads(out)["mounts"][0]["source"] == "/dev/null"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "isn't JSON"),
        ("[" * 100_000, "isn't JSON"),
        ("[]", "isn't an OCI runtime spec"),
        ('{"annotations": []}', "isn't an OCI runtime spec"),
        ('{"process": []}', "process isn't an object"),
        ("\ud800", "isn't JSON"),
    ],
)
def test_inject_into_garbage(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path, text: str, said: str
) -> None:
    config = tmp_path / "config.json"
    config.write_bytes(text.encode(errors="surrogatepass"))
    status, _, err = call(capsys, "inject", "--spec", config, "-D", "acme.test/gpu=0", "-d", folder)
    assert (status, said in err) == (2, True)


def test_inject_needs_something_to_do(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    assert call(capsys, "inject", "--spec", config)[0] == 2
    config.write_text("{}")
    status, _, err = call(capsys, "inject", "--spec", config)
    assert (status, "no device is asked for" in err) == (2, True)


def test_inject_into_a_full_or_closed_folder(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.json"
    config.write_text("{}")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fchmod", refuse)
    status, _, err = call(capsys, "inject", "--spec", config, "-D", "acme.test/gpu=0", "-d", folder, "-i")
    assert (status, "No space left" in err) == (2, True)
    assert config.read_text() == "{}"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.json", "etc"]


def test_watch(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    # Python takes over SIGINT only where the parent doesn't ignore it, as a shell does for its background jobs
    program = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    program += "from aliquot.cli.entry import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "cdi", "watch", "-d", str(folder)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == f"+ acme.test/gpu=0  {folder}/gpu.yaml\n"
    assert process.stdout.readline() == f"+ acme.test/gpu=1  {folder}/gpu.yaml\n"
    (folder / "gpu.yaml").unlink()
    assert [process.stdout.readline() for _ in range(2)] == ["- acme.test/gpu=0\n", "- acme.test/gpu=1\n"]
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130
    process.stdout.close()
    assert call(capsys, "watch", "--changes", "-1")[0] == 2


def test_watch_ends_after_so_many_changes(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("aliquot.cdi.machine.inotify.Inotify.__init__", refuse)
    monkeypatch.setattr(time, "sleep", lambda _: (folder / "gpu.yaml").unlink(missing_ok=True))
    status, out, _ = call(capsys, "watch", "-d", folder, "--changes", "1")
    assert status == 0
    assert "# looking every second" in out.splitlines()[0]
    assert out.splitlines()[-1] == "- acme.test/gpu=1"


def test_differences_between_two_looks(folder: Path) -> None:
    from aliquot.cdi.machine.folders import Folders

    folders = Folders([folder])
    first = folders.registry()
    (folder / "gpu.yaml").write_text(SPEC.replace("nope", "other"))
    (folder / "bad.yaml").write_text("[")
    second = folders.registry()
    changed, error = difference(first, second)
    assert changed == f"~ acme.test/gpu=1  {folder}/gpu.yaml"
    assert error.startswith(f"! {folder}/bad.yaml:1")
    assert difference(second, second) == []
    assert len(difference(Registry(), first)) == 2


def test_names_that_arent_utf8_are_told_with_escapes(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    """Linux takes any bytes as a file's name."""
    odd = os.path.join(tmp_path, os.fsdecode(b"\xff.yaml"))  # noqa: PTH118 it's bytes that matter
    Path(odd).write_text(SPEC)
    for form, load in (("json", json.loads), ("yaml", yaml.safe_load)):
        assert run(["cdi", "list", "-d", str(tmp_path), "-o", form]) == 0
        sys.stdout.flush()
        (device, *_) = load(capfdbinary.readouterr().out)["devices"]
        assert device["file"] == f"{tmp_path}/\\udcff.yaml"


def test_half_a_character_pair_in_an_oci_spec_stays(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"hostname": "\\ud800"}')
    status, out, _ = call(capsys, "inject", "--spec", config, "-D", "acme.test/gpu=0", "-d", folder)
    assert (status, json.loads(out)["hostname"]) == (0, "\ud800")


def test_a_broken_oci_spec_is_named(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    (folder / "bad.yaml").write_text("kind: [")  # another matter
    config.write_text('{"process": 3}')
    status, _, err = call(capsys, "inject", "--spec", config, "-D", "acme.test/gpu=0", "-d", folder)
    assert (status, err) == (2, f"error: {config}: process: the OCI spec's process isn't an object\n")


def test_every_verbs_help_is_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "--help")
    assert "aliquot cdi lower /etc/cdi/nvidia.yaml" in out
    for verb in ("list", "show", "explain", "watch", "validate", "lower", "diff", "inject", "generate", "check"):
        status, out, _ = call(capsys, verb, "--help")
        assert status == 0
        assert "Exit status:\n  0  yes\n" in out
        assert "kubectl" not in out
        assert "()" not in out
