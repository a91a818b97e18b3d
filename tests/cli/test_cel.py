"""`aliquot cel check` and `aliquot cel eval`: what they print, and their exit codes."""

import json
from pathlib import Path

import pytest
import yaml

from aliquot.cli.entry import run

DEVICE = {"name": "gpu-0", "driver": "d.io", "attributes": {"t": {"string": "a"}}, "capacity": {"m": {"value": "1Gi"}}}
SLICE = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceSlice",
    "metadata": {"name": "s"},
    "spec": {
        "driver": "d.io",
        "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
        "devices": [
            {"name": "gpu-0", "attributes": {"t": {"string": "a"}}},
            {"name": "gpu-1", "attributes": {"t": {"string": "b"}}},
        ],
    },
}


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = run(["cel", *words])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return status, out, err


def file(path: Path, value: object) -> str:
    path.write_text(json.dumps(value), encoding="utf-8")
    return str(path)


def test_a_valid_expression(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "check", "device.driver == 'd.io'")
    assert status == 0
    assert "valid" in out


def test_a_refused_expression_has_a_caret_and_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, "check", "device.drivr == 'd.io'")
    assert status == 2
    assert "^" in out + err
    assert "did you mean device.driver?" in out + err
    assert "\x1b" not in out + err


@pytest.mark.parametrize("output", ["json", "yaml"])
def test_check_for_machines(capsys: pytest.CaptureFixture[str], output: str) -> None:
    status, out, _ = call(capsys, "check", "device.drivr == 'd.io'", "-o", output)
    assert status == 2
    assert "drivr" in json.dumps(yaml.safe_load(out))
    status, out, _ = call(capsys, "check", "true", "-o", output)
    assert status == 0
    assert yaml.safe_load(out)


def test_an_unknown_version(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = call(capsys, "check", "true", "--kubernetes", "9.9")
    assert status == 2
    assert "9.9" in err


def test_one_device(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    device = file(tmp_path / "d.json", DEVICE)
    assert call(capsys, "eval", "device.attributes['d.io'].t == 'a'", "--device", device)[0] == 0
    assert call(capsys, "eval", "device.attributes['d.io'].t == 'b'", "--device", device)[0] == 1
    status, out, err = call(capsys, "eval", "device.attributes['d.io'].nope == 'b'", "--device", device)
    assert status == 3
    assert "no such key: nope" in out + err
    assert call(capsys, "eval", "1 +", "--device", device)[0] == 2


def test_every_device_of_a_list(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    slices = file(tmp_path / "s.json", {"apiVersion": "v1", "kind": "List", "items": [SLICE]})
    status, out, _ = call(capsys, "eval", "device.attributes['d.io'].t == 'a'", "--device", slices)
    assert status == 0
    assert "gpu-0" in out
    assert "gpu-1" in out
    status, out, _ = call(capsys, "eval", "device.attributes['d.io'].t == 'a'", "--device", slices, "-o", "json")
    assert status == 0
    assert "gpu-1" in out
    json.loads(out)


@pytest.mark.parametrize(
    "content", ["", "{", "[1, 2]", "null", '{"kind": "Pod"}', '{"attributes": {"a": {"int": "x"}}}']
)
def test_files_that_say_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(content, encoding="utf-8")
    status, _, err = call(capsys, "eval", "true", "--device", str(path))
    assert status == 2
    assert "broken.json" in err


def test_a_missing_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, _, err = call(capsys, "eval", "true", "--device", str(tmp_path / "none.json"))
    assert status == 2
    assert "none.json" in err
