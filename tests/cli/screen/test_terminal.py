"""What reaches a terminal: no foreign control characters, colours and widths as asked, a pager where it's wanted."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from aliquot.cli.entry import run

Json = dict[str, Any]
TAKEN = str(Path(__file__).parents[2] / "cases" / "dumps" / "counted-gpu-taken" / "dump.yaml")
EXPLAIN = ["explain", "--all-pending", "-f", TAKEN]
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
FOREIGN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
EVIL = "a\x1b[31mb\u202ec\n✔ ml/forged  placeable\nd\x07\r\x9b\u2028\ufeff\t'\n$ rm -rf ~\n"
ASKS: Json = {"containers": [{"name": EVIL, "image": EVIL, "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}
THERE = {"cpu": "8", "memory": "32Gi", "pods": "110", "nvidia.com/gpu": "1"}
HOSTILE: list[Json] = [
    {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": EVIL, "labels": {EVIL: EVIL}},
        "spec": {"taints": [{"key": EVIL, "value": EVIL, "effect": "NoSchedule"}]},
        "status": {"allocatable": THERE, "capacity": THERE, "nodeInfo": {"kubeletVersion": "v1.36.1"}},
    },
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"h{EVIL}", "namespace": "ml"},
        "spec": {**ASKS, "nodeName": EVIL},
        "status": {"phase": "Running"},
    },
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"p{EVIL}", "namespace": EVIL},
        "spec": {**ASKS, "nodeSelector": {EVIL: f"x{EVIL}"}, "schedulerName": EVIL},
        "status": {
            "phase": "Pending",
            "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": EVIL}],
        },
    },
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"q{EVIL}", "namespace": EVIL},
        "spec": {**ASKS, "tolerations": [{"operator": "Exists"}]},
    },
    {"apiVersion": f"v1{EVIL}", "kind": EVIL, "metadata": {"name": EVIL}},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": EVIL, "namespace": 7}, "spec": {"a": EVIL}},
]


@pytest.fixture
def hostile(tmp_path: Path) -> list[str]:
    file = tmp_path / "dump.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": HOSTILE}))
    return ["explain", "--all-pending", "-f", str(file)]


def on_a_terminal(arguments: list[str], **environment: str) -> str:
    """What a person sees of it, stdout and stderr."""
    inside, outside = pty.openpty()
    env = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "COLUMNS", "PAGER", "TERM"}}
    env |= {"TERM": "xterm", "ALIQUOT_PAGER": "cat", **environment}
    command = [sys.executable, "-m", "aliquot", *arguments]
    process = subprocess.Popen(command, stdin=outside, stdout=outside, stderr=outside, env=env)
    os.close(outside)
    seen = b""
    while True:
        try:
            more = os.read(inside, 65536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        seen += more
    os.close(inside)
    process.wait(60)
    return seen.decode().replace("\r\n", "\n")


def forged(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(("✔ ml/forged", "$ rm", "     $ $ rm", "     $ rm"))]


# --- foreign text ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("output", ["text", "wide"])
@pytest.mark.parametrize("color", ["never", "always"])
def test_names_and_messages_come_out_as_visible_escapes(
    hostile: list[str], output: str, color: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*hostile, "-o", output, "--color", color]) == 3
    out, err = capsys.readouterr()
    plain = COLOURS.sub("", out)
    assert FOREIGN.findall(plain + COLOURS.sub("", err)) == []
    assert forged(plain + err) == []
    assert r"a\x1b[31mb\u202ec\n✔ ml/forged  placeable\nd\x07\r\x9b\u2028\ufeff\t" in plain
    assert (out != plain) == (color == "always")


def test_json_says_the_same_in_harmless_characters(hostile: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run([*hostile, "-o", "json"])
    out = capsys.readouterr().out
    assert FOREIGN.findall(out) == []
    assert json.loads(out)["pods"][0]["pod"] == f"{EVIL}/p{EVIL}"


def test_yaml_says_the_same_in_harmless_characters(hostile: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run([*hostile, "-o", "json"])
    right = json.loads(capsys.readouterr().out)
    run([*hostile, "-o", "yaml"])
    out = capsys.readouterr().out
    assert FOREIGN.findall(out) == []
    assert yaml.safe_load(out) == right


def test_html_has_none_either(hostile: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run([*hostile, "-o", "html"])
    assert FOREIGN.findall(capsys.readouterr().out) == []


def test_arguments_are_foreign_text_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*EXPLAIN[:2], "-f", f"no{EVIL}"]) == 2
    assert run(["explain", f"pod/{EVIL}", "-f", TAKEN]) == 2
    assert run([f"un{EVIL}known"]) == 2
    assert run(["cel", "check", f"device.{EVIL}"]) == 2
    err = capsys.readouterr().err
    assert FOREIGN.findall(err) == []
    assert forged(err) == []


def test_a_terminal_gets_none_of_it_from_any_command(tmp_path: Path) -> None:
    spec = {
        "cdiVersion": "0.5.0",
        "kind": "acme.com/gpu",
        "devices": [{"name": "0", "containerEdits": {"env": ["A=x\u202ey\x1b[31mz"]}}],
    }
    (tmp_path / "acme.json").write_text(json.dumps(spec))
    seen = on_a_terminal(["cdi", "show", "acme.com/gpu=0", "--dir", str(tmp_path), "-o", "yaml"])
    assert FOREIGN.findall(seen) == []
    assert "A=x" in seen


# --- colours and widths ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "flags", "coloured"),
    [
        pytest.param({}, [], False, id="a pipe"),
        pytest.param({}, ["--color", "always"], True, id="always"),
        pytest.param({"NO_COLOR": "1"}, ["--color", "always"], True, id="the option beats NO_COLOR"),
        pytest.param({"CLICOLOR_FORCE": "1"}, [], True, id="forced"),
        pytest.param({"CLICOLOR_FORCE": "0"}, [], False, id="not forced"),
        pytest.param({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, [], False, id="NO_COLOR beats CLICOLOR_FORCE"),
        pytest.param({"CLICOLOR_FORCE": "1"}, ["--color", "never"], False, id="never"),
        pytest.param({"TERM": "dumb"}, ["--color", "always"], True, id="always, on a dumb terminal too"),
    ],
)
def test_colours_in_a_pipe(
    environment: dict[str, str],
    flags: list[str],
    coloured: bool,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("NO_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    run([*EXPLAIN, *flags])
    assert bool(COLOURS.search(capsys.readouterr().out)) == coloured


@pytest.mark.parametrize(
    ("environment", "flags", "coloured"),
    [
        pytest.param({}, [], True, id="a terminal"),
        pytest.param({"NO_COLOR": "1"}, [], False, id="NO_COLOR"),
        pytest.param({"NO_COLOR": ""}, [], True, id="NO_COLOR is empty"),
        pytest.param({"TERM": "dumb"}, [], False, id="dumb"),
        pytest.param({}, ["--color", "never"], False, id="never"),
    ],
)
def test_colours_on_a_terminal(environment: dict[str, str], flags: list[str], coloured: bool) -> None:
    assert bool(COLOURS.search(on_a_terminal([*EXPLAIN, *flags], **environment))) == coloured


def test_an_option_lasts_for_one_command(capsys: pytest.CaptureFixture[str]) -> None:
    run([*EXPLAIN, "--color", "always"])
    run(EXPLAIN)
    first, second = capsys.readouterr().out.split("-o wide tells everything", maxsplit=1)
    assert COLOURS.search(first)
    assert not COLOURS.search(second.partition("\n")[2])


@pytest.mark.parametrize("columns", [60, 80, 140])
def test_as_wide_as_columns_says(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    run(EXPLAIN)
    lines = capsys.readouterr().out.splitlines()
    going_on = [False, *(line.endswith("\\") for line in lines)]  # a command's next line
    flowing = [
        line
        for line, goes_on in zip(lines, going_on, strict=False)
        if not goes_on and not line.lstrip().startswith(("$", "#", "undo: ", "kube-scheduler"))
    ]
    assert max(map(len, flowing)) <= columns
    assert max(map(len, flowing)) > columns - 25


def test_progress_is_for_terminals(capsys: pytest.CaptureFixture[str]) -> None:
    run(EXPLAIN)
    assert capsys.readouterr().err == ""
    assert "reading" in on_a_terminal(EXPLAIN)


# --- pager -----------------------------------------------------------------------------------------------------------

PREFIXED = f"{sys.executable} -c \"import sys; [print('P|' + line, end='') for line in sys.stdin]\""


def answer_lines(seen: str) -> list[str]:
    return [
        line for line in COLOURS.sub("", seen).splitlines() if "Ways out" in line or "kube-scheduler 1.36 (" in line
    ]


@pytest.mark.parametrize(
    ("environment", "flags", "paged"),
    [
        pytest.param({"ALIQUOT_PAGER": PREFIXED}, [], True, id="ALIQUOT_PAGER"),
        pytest.param({"ALIQUOT_PAGER": PREFIXED, "PAGER": "false"}, ["-o", "wide"], True, id="it goes first"),
        pytest.param({"ALIQUOT_PAGER": PREFIXED}, ["--no-pager"], False, id="--no-pager"),
        pytest.param({"ALIQUOT_PAGER": PREFIXED, "TERM": "dumb"}, [], False, id="dumb"),
        pytest.param({"ALIQUOT_PAGER": ""}, [], False, id="none"),
        pytest.param({"ALIQUOT_PAGER": "'"}, [], False, id="half a quote"),
        pytest.param({"ALIQUOT_PAGER": "no-such-pager-here"}, [], False, id="not installed"),
    ],
)
def test_the_pager_on_a_terminal(environment: dict[str, str], flags: list[str], paged: bool) -> None:
    lines = answer_lines(on_a_terminal([*EXPLAIN, *flags], **environment))
    assert len(lines) >= 2
    assert all(line.startswith("P|") == paged for line in lines)


def test_a_pager_that_has_seen_enough() -> None:
    seen = on_a_terminal(EXPLAIN, ALIQUOT_PAGER="head -n 1")
    assert "Traceback" not in seen
    assert "error" not in seen


def test_never_in_a_pipe() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "aliquot", *EXPLAIN],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "ALIQUOT_PAGER": PREFIXED},
    )
    assert told.returncode == 3
    assert "P|" not in told.stdout


def test_programs_output_isnt_paged() -> None:
    assert "P|" not in on_a_terminal([*EXPLAIN, "-o", "json"], ALIQUOT_PAGER=PREFIXED)
