"""`aliquot cel check --new`: as an API server that gets an object for the first time; capacities among attributes."""

import json
from pathlib import Path

import pytest
import yaml

from aliquot.cli.entry import run

A = "device.attributes['gpu.example.com']"
UNCOUNTED = "18,446,744,073,709,551,615"


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = run(["cel", *words])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return status, out, err


@pytest.mark.parametrize(
    ("expression", "hint"),
    [
        (f"{A}.m.split('-').exists_one(x, x.lowerAscii() == 'a')", "lowerAscii() is called on x in every turn"),
        (f"{A}.m.split('-').exists(x, x.matches('a'))", "matches() is called on x in every turn of exists()"),
        (f"{A}.m.split('-').all(x, {A}.m.split('-').all(y, x == y))", "all() stands in the loop of all()"),
        (f"{A}.m.split('-').map(x, x + 'a').exists(y, y == 'b')", "exists() goes through what map() made"),
        (f"{A}.m.split('-').join('').split('b').exists(x, x == 'a')", "exists() goes through what join() made"),
    ],
)
def test_over_the_cost_limit(expression: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = call(capsys, "check", "--new", expression)
    assert (status, out) == (2, "")
    assert UNCOUNTED in err
    assert "the limit is 1,000,000" in err
    assert hint in err
    assert "split it at &&" in err
    status, out, _ = call(capsys, "check", expression)
    assert status == 0, "it's valid for the scheduler"
    assert f"refuse it in a new object: its cost may be {UNCOUNTED}" in out


def test_what_the_hint_says_is_cheap(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = call(capsys, "check", "--new", f"{A}.m.lowerAscii().split('-').exists_one(x, x == 'a')")
    assert status == 0
    assert "at most 282" in out


@pytest.mark.parametrize(("extra", "status"), [(0, 0), (1, 2)])
@pytest.mark.parametrize("letter", ["a", "é"])
def test_ten_kibibytes_are_counted_in_bytes(
    extra: int, status: int, letter: str, capsys: pytest.CaptureFixture[str]
) -> None:
    head, tail = f"{A}.m == '", "'"
    room = 10_240 - len(head) - len(tail) + extra
    text = letter * (room // len(letter.encode())) + "b" * (room % len(letter.encode()))
    found, _, err = call(capsys, "check", "--new", head + text + tail)
    assert found == status
    assert ("10,241 bytes, and the API server takes 10,240 (10 KiB)" in err) == bool(extra)


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_for_programs(form: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["cel", "check", "--new", f"{A}.m.split('-').exists(x, x.matches('a'))", "-o", form]) == 2
    answer = yaml.safe_load(capfd.readouterr().out)
    assert answer["valid"] is False
    assert answer["maxCost"] == 2**64 - 1
    assert answer["problems"][0]["line"] == 1
    assert "the limit is 1,000,000" in answer["problems"][0]["message"]


@pytest.mark.parametrize(
    ("expression", "status"),
    [
        (f"{A}.memory.isGreaterThan(quantity('40Gi'))", 0),
        (f"{A}.memory.compareTo(quantity('40Gi')) >= 0", 0),
        (f"quantity('40Gi') == {A}.memory", 0),
        (f"{A}.memory >= quantity('40Gi')", 2),
    ],
)
def test_an_attribute_that_is_compared_with_a_quantity(
    expression: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    found, out, err = call(capsys, "check", expression)
    assert found == status
    assert "memory is probably a capacity, device.capacity['gpu.example.com'].memory" in out + err
    _, out, err = call(capsys, "check", f"{A}.v.isGreaterThan(semver('1.0.0'))")
    assert "capacity" not in out + err


DEVICE = {
    "name": "gpu-0",
    "driver": "gpu.example.com",
    "attributes": {"type": {"string": "gpu"}},
    "capacity": {"memory": {"value": "80Gi"}},
}


@pytest.mark.parametrize(
    ("expression", "hint"),
    [
        (f"{A}.memory.isGreaterThan(quantity('1Gi'))", "write device.capacity['gpu.example.com'].memory"),
        (f"has({A}.memory) && {A}.memory == 1", "memory is a capacity of gpu.example.com's devices"),
        ("device.capacity['gpu.example.com'].type == quantity('1')", "write device.attributes['gpu.example.com'].type"),
    ],
)
def test_a_devices_own_capacity_among_attributes(
    expression: str, hint: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "device.json").write_text(json.dumps(DEVICE))
    status, _, err = call(capsys, "eval", expression, "--device", str(tmp_path / "device.json"))
    assert status in {1, 3}
    assert hint in err
    assert "did you mean memory?" not in err


def test_very_deep_expressions(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = call(capsys, "check", "--new", f"{'!' * 3000}({A}.m == 'a')")
    assert status in {0, 2}
    assert "Traceback" not in err
