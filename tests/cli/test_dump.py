"""`aliquot dump`: what explains the pods in one file, without secrets; with --anonymise without names too."""

import gzip
import json
import re
import signal
import stat
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from aliquot.cluster.files import FileCluster
from aliquot.cluster.reading import key_of
from tests.cluster import kubeconfigs
from tests.cluster.api_server import ApiServer, Asked, Fault
from tests.cluster.interruptible import COMMAND

pytestmark = pytest.mark.enable_socket

CLAIMS = Path(__file__).parent.parent / "cases" / "dumps" / "dra-mig-partitions" / "dump.yaml"
MIXED = Path(__file__).parent.parent / "cases" / "reports" / "mixed-cluster-40" / "dump.json.gz"
PODS = "/api/v1/pods"
HIDDEN = "c2VjcmV0"
"""Stands in every place that nobody may see."""

MANIFEST = {"kubectl.kubernetes.io/last-applied-configuration": f'{{"data": {{"password": "{HIDDEN}"}}}}', "note": "x"}
SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "registry-key", "namespace": "ml", "annotations": MANIFEST, "managedFields": [{"x": HIDDEN}]},
    "type": "Opaque",
    "data": {"password": HIDDEN},
}
SETTINGS = {**SECRET, "kind": "ConfigMap", "metadata": {**SECRET["metadata"], "name": "settings"}}  # type: ignore[dict-item]
CONTAINER = {
    "name": "main",
    "image": "registry.example.com/ml/llm:1",
    "command": [HIDDEN],
    "args": ["--token", HIDDEN],
    "env": [{"name": "TOKEN", "value": HIDDEN}, {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": HIDDEN}}}],
    "envFrom": [{"secretRef": {"name": HIDDEN}}],
    "livenessProbe": {"exec": {"command": [HIDDEN]}},
    "lifecycle": {"preStop": {"exec": {"command": [HIDDEN]}}},
    "resources": {"limits": {"nvidia.com/gpu": "1"}},
}
TEMPLATE = {"containers": [CONTAINER], "initContainers": [{**CONTAINER, "name": "first"}]}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "llm", "namespace": "ml", "annotations": MANIFEST, "managedFields": [{"x": HIDDEN}]},
    "spec": TEMPLATE,
    "status": {"containerStatuses": [{"name": "main", "lastState": {"terminated": {"message": HIDDEN}}}]},
}
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "llm", "namespace": "ml"},
    "spec": {"template": {"metadata": {"annotations": MANIFEST}, "spec": TEMPLATE}},
}


@pytest.fixture(name="server")
def server_() -> Iterator[ApiServer]:
    with ApiServer([*kubeconfigs.objects_of(CLAIMS), SECRET, SETTINGS, POD, DEPLOYMENT]) as server:
        yield server


@pytest.fixture
def config(server: ApiServer, tmp_path: Path) -> list[str]:
    (tmp_path / "config").mkdir()
    return ["--kubeconfig", str(kubeconfigs.write(tmp_path / "config" / "kubeconfig", server.url))]


def answer(*arguments: str, capsys: pytest.CaptureFixture[str]) -> Any:
    capsys.readouterr()
    run(["explain", "--all-pending", "-o", "json", *arguments])
    return json.loads(capsys.readouterr().out)


def items(path: Path) -> list[dict[str, Any]]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return json.loads(text)["items"]  # type: ignore[no-any-return]


def test_the_dump_says_what_the_cluster_said(
    server: ApiServer, config: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live = answer(*config, capsys=capsys)
    file = tmp_path / "dump.json.gz"
    assert run(["dump", "--to", str(file), *config]) == 0
    err = capsys.readouterr().err
    assert err.startswith(f"{file}: ")
    assert "1 Secret" in err or "more kinds" in err
    assert answer("-f", str(file), capsys=capsys) == live  # the server's version too
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_nothing_that_decisions_read_is_lost(server: ApiServer, config: list[str], tmp_path: Path) -> None:
    """Object by object the same as from the objects in a file that nobody pruned."""
    things = [*kubeconfigs.objects_of(CLAIMS), SECRET, SETTINGS, POD, DEPLOYMENT]
    (tmp_path / "whole.json").write_text(json.dumps(things))
    whole = {key_of(thing): thing for thing in FileCluster([tmp_path / "whole.json"]).read().objects}
    run(["dump", "--to", str(tmp_path / "dump.json"), *config])
    reading = FileCluster([tmp_path / "dump.json"]).read()
    assert reading.warnings == ()
    taken = {key_of(thing): thing for thing in reading.objects}
    assert taken.keys() == whole.keys()
    for key, thing in whole.items():
        theirs, ours = repr(taken[key]), repr(thing)  # all but the version that the server counts up
        assert theirs.split("resource_version")[0] == ours.split("resource_version")[0], key


def test_secrets_environments_and_commands_never_leave(server: ApiServer, config: list[str], tmp_path: Path) -> None:
    file = tmp_path / "dump.json"
    assert run(["dump", "--to", str(file), *config]) == 0
    assert HIDDEN not in file.read_text()
    assert "password" not in file.read_text()
    by_kind = {thing["kind"]: thing for thing in items(file) if thing["metadata"].get("namespace") == "ml"}
    assert by_kind["Secret"] == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "registry-key", "namespace": "ml"},
    }
    (main,) = by_kind["Pod"]["spec"]["containers"]
    assert main["env"] == [{"name": "TOKEN"}, {"name": "KEY"}]
    assert main["resources"] == {"limits": {"nvidia.com/gpu": "1"}}
    assert by_kind["Pod"]["metadata"]["annotations"] == {"note": "x"}
    for path in ("/api/v1/secrets", "/api/v1/configmaps"):  # their contents weren't even asked for
        (asked,) = (asked for asked in server.asked if asked.path == path)
        assert "as=PartialObjectMetadataList" in asked.headers["Accept"]


def test_the_dump_knows_what_was_absent_and_what_forbidden(
    server: ApiServer, config: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.forbidden.add("/api/v1/secrets")
    assert run(["dump", "--to", str(tmp_path / "d.json"), *config]) == 0
    assert "secrets can't be listed: User" in capsys.readouterr().err
    reading = FileCluster([tmp_path / "d.json"]).read()
    states = {one.resource: one.state for one in reading.listed}
    assert states["pods"] == "listed"
    assert states["secrets"] == "forbidden"
    assert states["clusterqueues.kueue.x-k8s.io"] == "absent"
    assert reading.server == "v1.36.2"


def test_a_list_that_begins_again_is_written_once(server: ApiServer, config: list[str], tmp_path: Path) -> None:
    server.page = 1

    def expire(asked: Asked) -> None:
        if asked.path == PODS and "continue" in asked.query and server.lists(PODS) == 2:
            server.compact()

    server.on_page = expire
    assert run(["dump", "--to", str(tmp_path / "d.json"), *config]) == 0
    found = Counter((thing["kind"], str(thing["metadata"])) for thing in items(tmp_path / "d.json"))
    assert set(found.values()) == {1}
    assert sum(kind == "Pod" for kind, _ in found) == len(server.objects[PODS])


def test_standard_output(server: ApiServer, config: list[str], capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["dump", "--to", "-", *config]) == 0
    sys.stdout.flush()
    written = json.loads(capfdbinary.readouterr().out)
    assert written["kind"] == "List"
    assert len(written["items"]) > 20


def test_a_dump_that_fails_leaves_nothing_and_spoils_nothing(
    server: ApiServer, config: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "dump.json.gz"
    file.write_text("yesterday's")
    server.forbidden.add(PODS)
    assert run(["dump", "--to", str(file), *config]) == 2
    assert "you may not list nodes,pods (403" in capsys.readouterr().err
    assert file.read_text() == "yesterday's"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config", "dump.json.gz"]


def test_ctrl_c_leaves_no_mess(server: ApiServer, config: list[str], tmp_path: Path) -> None:
    server.faults[PODS] = [Fault(0, seconds=20)]
    command = [*COMMAND, "dump", "--to", str(tmp_path / "d.json.gz"), *config]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not server.lists(PODS):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "")
    assert [path.name for path in tmp_path.iterdir()] == ["config"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--to", "dump.yaml"], "hint: --to dump.json.gz"),
        (["--to", "/nowhere/dump.json.gz", "-f", str(CLAIMS)], "/nowhere/dump.json.gz can't be written: No such file"),
        (["--to", "d.json", "-f", "nowhere.yaml"], "nowhere.yaml: can't be opened"),
        (["--to", "d.json", "--context", "x", "--kubeconfig", "nowhere"], "there's no kubeconfig nowhere"),
        ([], "--to"),
    ],
)
def test_mistakes_are_told(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["dump", *arguments]) == 2
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_anonymised_from_the_cluster(
    server: ApiServer, config: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live = answer(*config, capsys=capsys)
    file = tmp_path / "public.json.gz"
    assert run(["dump", "--to", str(file), "--anonymise", *config]) == 0
    assert ", anonymised" in capsys.readouterr().err
    public = answer("-f", str(file), capsys=capsys)
    assert summary(public) == summary(live)
    text = gzip.decompress(file.read_bytes()).decode()
    for pod in live["pods"]:
        namespace, _, name = pod["pod"].partition("/")
        assert not re.search(rf"\b{namespace}\b", text)
        assert not re.search(rf"\b{name}\b", text)
    assert "registry.example.com" not in text


def summary(told: Any) -> Any:
    """What an answer says, without names."""
    return Counter(
        (
            pod["verdict"],
            len(pod["holders"]),
            tuple(way["kind"] for way in pod["waysOut"]),
        )
        for pod in told["pods"]
    )


def test_anonymised_from_a_file_with_other_words_each_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    for file in (first, second):
        assert run(["dump", "-f", str(MIXED), "--to", str(file), "--anonymise"]) == 0
    before = answer("-f", str(MIXED), capsys=capsys)
    assert len(before["pods"]) == 17
    for file in (first, second):
        assert Counter(pod["verdict"] for pod in answer("-f", str(file), capsys=capsys)["pods"]) == Counter(
            pod["verdict"] for pod in before["pods"]
        )
    names = [
        {thing["metadata"]["name"] for thing in items(file) if thing["kind"] == "Namespace"} for file in (first, second)
    ]
    assert names[0] & names[1] == {"kube-system", "prod"}


def test_kinds_that_nobody_reads_are_left_out_of_an_anonymised_dump(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What of them names somebody isn't known."""
    plan = {"apiVersion": "acme.com/v1", "kind": "Plan", "metadata": {"name": "p"}, "spec": {"acme": {"acme": "acme"}}}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    arguments = ["-f", str(MIXED), "-f", str(tmp_path / "plan.json"), "--to", str(tmp_path / "d.json")]
    assert run(["dump", *arguments]) == 0
    assert plan in items(tmp_path / "d.json")
    capsys.readouterr()
    assert run(["dump", *arguments, "--anonymise"]) == 0
    assert "left out, since nobody knows what in them is a name: 1 Plan" in capsys.readouterr().err
    assert "acme" not in (tmp_path / "d.json").read_text()


BROKEN = Path(__file__).parent.parent / "cases" / "broken"


@pytest.mark.parametrize("name", sorted(path.name for path in BROKEN.iterdir() if path.suffix != ".md"))
def test_broken_files_are_told(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = run(["dump", "-f", str(BROKEN / name), "--to", str(tmp_path / "d.json"), "--anonymise"])
    out, err = capsys.readouterr()
    assert status in {0, 2}
    assert "Traceback" not in out + err
    assert (tmp_path / "d.json").exists() == (status == 0)
    if status == 0:
        assert items(tmp_path / "d.json")
