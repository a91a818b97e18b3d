"""What `aliquot explain` prints: for people, as JSON by its schema, as YAML; its exit statuses."""

import io
import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from aliquot.cli.entry import run

DUMPS = Path(__file__).parent.parent / "cases" / "dumps"
TAKEN = str(DUMPS / "counted-gpu-taken" / "dump.yaml")
HIDDEN = str(DUMPS / "counted-taint-hides-taken-gpu" / "dump.yaml")
BROKEN = Path(__file__).parent.parent / "cases" / "broken"
ALL = [str(path / "dump.yaml") for path in sorted(DUMPS.iterdir())]


@pytest.mark.parametrize("dump", ALL)
def test_json_keeps_its_contract(dump: str, capsys: pytest.CaptureFixture[str]) -> None:
    schema = json.loads(files("aliquot.advisor").joinpath("explain.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    run(["explain", "--all-pending", "-f", dump, "-o", "json"])
    jsonschema.validate(json.loads(capsys.readouterr().out), schema)


def test_broken_objects_are_in_the_json_and_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    run(["explain", "--all-pending", "-f", TAKEN, "-f", str(BROKEN / "wrong-types.yaml"), "-o", "json"])
    out, err = capsys.readouterr()
    warnings = json.loads(out)["warnings"]
    assert warnings
    assert all(one["file"].endswith("wrong-types.yaml") for one in warnings)
    assert err.count("warning:") == len(warnings)


def test_yaml_is_the_same_answer(capsys: pytest.CaptureFixture[str]) -> None:
    run(["explain", "--all-pending", "-f", TAKEN, "-o", "json"])
    as_json = json.loads(capsys.readouterr().out)
    run(["explain", "--all-pending", "-f", TAKEN, "-o", "yaml"])
    as_yaml = capsys.readouterr().out
    assert yaml.safe_load(as_yaml) == as_json
    assert "&id" not in as_yaml


def test_the_screen_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "deployment/embedder", "-n", "serving-02b", "-f", HIDDEN, "-o", "wide"]) == 3
    out = capsys.readouterr().out
    flowing = " ".join(out.split())
    assert "It doesn't tolerate nvidia.com/gpu=present:NoSchedule on gpu-node-1, the only one with " in flowing
    assert " that it may use otherwise." in flowing
    assert "taken there, too: held by serving-02b/llm-a-7b77d88df5-kwqbh (deployment/llm-a)." in flowing
    assert "0/1 nodes are available: 1 node(s) had untolerated taint(s)." in flowing
    assert "(hidden: the scheduler stops at the first)" in flowing
    assert "serving-02b/llm-a-7b77d88df5-kwqbh" in out
    assert "$ kubectl scale deployment llm-a -n serving-02b --replicas=0" in out
    assert "\033[" not in out  # no colours into a pipe
    assert not any(line != line.rstrip() for line in out.splitlines())
    assert "kube-scheduler 1.36 (nodes' kubelets)" in out


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        pytest.param(["explain", "pod/nobody", "-f", TAKEN], 2, "there's no pod/nobody in the input", id="no such pod"),
        pytest.param(
            ["explain", "embeder-79fd548968-f78t8", "-n", "serving-01", "-f", TAKEN],
            2,
            "hint: nearest: embedder-79fd548968-f78t8 (-n serving-01)",
            id="misspelt",
        ),
        pytest.param(["explain", "-f", TAKEN], 2, "say which pod", id="nothing asked"),
        pytest.param(["explain", "x", "--all-pending", "-f", TAKEN], 2, "say which pod", id="two things asked"),
        pytest.param(["explain", "x"], 2, "no cluster to look at", id="no dump"),
        pytest.param(["explain", "x", "-f", "nowhere.yaml"], 2, "nowhere.yaml: can't be opened", id="no such file"),
        pytest.param(["explain", "x", "-f", TAKEN, "--kubernetes", "new"], 2, "not a Kubernetes version", id="version"),
        pytest.param(["explain", "x", "-f", TAKEN, "-o", "xml"], 2, "error:", id="format"),
        pytest.param(["explane"], 2, "Unknown command", id="command"),
    ],
)
def test_mistakes_are_told_with_the_fix(
    arguments: list[str], status: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == status
    out, err = capsys.readouterr()
    assert words in err
    assert "Traceback" not in err
    assert out == ""


def test_asked_for_another_release_the_words_are_that_releases(capsys: pytest.CaptureFixture[str]) -> None:
    run(["explain", "--all-pending", "-f", HIDDEN, "--kubernetes", "1.33", "-o", "json"])
    answer = json.loads(capsys.readouterr().out)
    message = answer["pods"][0]["schedulerMessage"]
    assert message.startswith("0/1 nodes are available: 1 node(s) had untolerated taint {nvidia.com/gpu: present}.")
    assert (answer["kubernetes"], answer["kubernetesFrom"]) == ("1.33", "--kubernetes")
    assert answer["pods"][0]["note"].startswith("The cluster's own message differs")


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(TAKEN).read_bytes())))
    assert run(["explain", "--all-pending", "-f", "-", "-o", "json"]) == 3
    assert len(json.loads(capsys.readouterr().out)["pods"]) == 1


def test_a_workload_is_all_its_pods(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "deploy/llm-a", "-f", TAKEN, "-o", "json"]) == 0
    (pod,) = json.loads(capsys.readouterr().out)["pods"]
    assert pod["verdict"] == "running"


@pytest.mark.parametrize("command", [["-m", "aliquot"], [str(Path(sys.executable).with_name("kubectl-aliquot"))]])
def test_as_a_process(command: list[str]) -> None:
    arguments = [sys.executable, *command] if command[0] == "-m" else command
    done = subprocess.run([*arguments, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("aliquot 0.")
    done = subprocess.run(
        [*arguments, "explain", "--all-pending", "-f", TAKEN], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert "Ways out" in done.stdout
    assert done.stderr == ""


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    command = f"{sys.executable} -m aliquot explain --all-pending -f {TAKEN} | head -n 1"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_large_answers_keep_the_contract_too(monkeypatch: pytest.MonkeyPatch, capfdbinary: Any) -> None:
    run(["explain", "--all-pending", "-f", HIDDEN, "-o", "json"])
    sys.stdout.flush()
    small = json.loads(capfdbinary.readouterr().out)
    monkeypatch.setattr("aliquot.cli.explain.command.LARGE", 0)
    run(["explain", "--all-pending", "-f", HIDDEN, "-o", "json"])
    sys.stdout.flush()
    large = capfdbinary.readouterr().out
    assert json.loads(large) == small
    assert large.count(b"\n") == 1


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["explain", "pod", "embedder-79fd548968-f78t8", "-f", TAKEN], 3, ""),
        (["explain", "deployments.apps/embedder", "-f", TAKEN], 3, ""),
        (["explain", "service/gpu-service-1", "-f", TAKEN], 2, "pods aren't found by 'service'"),
        (["explain", "--all-pending", "-n", "serving01", "-f", TAKEN], 2, "hint: nearest: serving-01"),
        (["explain", "--all-pending", "-f", TAKEN, "--ways", "-1"], 2, "error:"),
    ],
)
def test_targets_and_namespaces(
    arguments: list[str], status: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == status
    assert words in capsys.readouterr().err


def test_an_unknown_release_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    run(["explain", "--all-pending", "-f", HIDDEN, "--kubernetes", "1.20"])
    assert "1.20 isn't known, this is the nearest that is" in " ".join(capsys.readouterr().out.split())
    assert run(["explain", "--all-pending", "-f", HIDDEN, "--kubernetes", "1.36abc"]) == 2


def test_names_cant_take_over_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump = yaml.safe_load(Path(TAKEN).read_text("utf-8"))
    for item in dump["items"]:
        if item["kind"] == "Pod" and item["metadata"]["name"].startswith("embedder"):
            item["metadata"]["name"] = "p[/bold]\x1b[2J[red]x"
    (tmp_path / "d.yaml").write_text(json.dumps(dump, default=str), "utf-8")
    assert run(["explain", "--all-pending", "-f", str(tmp_path / "d.yaml")]) == 3
    out = capsys.readouterr().out
    assert r"serving-01/p[/bold]\x1b[2J[red]x" in out


@pytest.mark.parametrize("closing", [">&-", "</dev/null >/dev/full", "2>&-"])
def test_closed_and_full_streams_give_no_traceback(closing: str) -> None:
    command = f"{sys.executable} -m aliquot explain --all-pending -f {TAKEN} {closing}"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False, env=environment)
    assert "Traceback" not in done.stderr
