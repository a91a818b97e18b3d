"""`aliquot explain --watch`: prints when a verdict changes, by watching; Ctrl-C ends it."""

import contextlib
import json
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from tests.cluster import kubeconfigs
from tests.cluster.api_server import ApiServer, Fault
from tests.cluster.interruptible import COMMAND

pytestmark = pytest.mark.enable_socket

DUMP = Path(__file__).parent.parent / "cases" / "dumps" / "counted-gpu-taken" / "dump.yaml"
PODS = "/api/v1/pods"
WAITING = "serving-01/embedder-79fd548968-f78t8"
HOLDER = ("v1", "Pod", "serving-01", "llm-a-867f6d4cd5-w92pk")
SECONDS = 40


class Watching:
    """A running `aliquot explain --watch`."""

    def __init__(self, *arguments: str) -> None:
        command = [*COMMAND, "explain", "--watch", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._lines: queue.Queue[str] = queue.Queue()
        self.errors: list[str] = []
        self._threads = [threading.Thread(target=read) for read in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self._lines.put(line.rstrip("\n"))

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            for line in lines:
                self.errors.append(line.rstrip("\n"))

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join()

    def line(self, words: str) -> str:
        """The next line with these words."""
        end = time.monotonic() + SECONDS
        while True:
            line = self._lines.get(timeout=max(0.0, end - time.monotonic()))
            if words in line:
                return line

    def error(self, words: str) -> str:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            for line in self.errors:
                if words in line:
                    return line
            time.sleep(0.05)
        raise AssertionError(self.errors)

    def quiet(self, seconds: float) -> bool:
        """Nothing is printed for so long."""
        with contextlib.suppress(queue.Empty):
            self._lines.get(timeout=seconds)
            return False
        return True

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=SECONDS)


@contextlib.contextmanager
def watching(*arguments: str) -> Iterator[Watching]:
    found = Watching(*arguments)
    try:
        yield found
    finally:
        found.end()


def until(condition: Any) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def objects() -> list[dict[str, Any]]:
    return kubeconfigs.objects_of(DUMP)


@pytest.fixture(name="server")
def server_(objects: list[dict[str, Any]]) -> Iterator[ApiServer]:
    with ApiServer(objects) as server:
        yield server


@pytest.fixture
def config(server: ApiServer, tmp_path: Path) -> list[str]:
    return ["--kubeconfig", str(kubeconfigs.write(tmp_path / "kubeconfig", server.url))]


def holder(objects: list[dict[str, Any]]) -> dict[str, Any]:
    (found,) = (thing for thing in objects if thing["metadata"]["name"] == HOLDER[3] and thing["kind"] == "Pod")
    return found


def test_a_verdict_changes_and_changes_back(
    server: ApiServer, config: list[str], objects: list[dict[str, Any]]
) -> None:
    with watching("--all-pending", "-o", "json", *config) as explain:
        first = json.loads(explain.line("pods"))
        assert [pod["verdict"] for pod in first["pods"]] == ["pending"]
        until(lambda: server.watches(PODS))
        server.delete(*HOLDER)
        changed = json.loads(explain.line("pods"))
        assert [(pod["pod"], pod["verdict"]) for pod in changed["pods"]] == [(WAITING, "placeable")]
        server.put(holder(objects))
        assert json.loads(explain.line("pods"))["pods"][0]["verdict"] == "pending"
        assert server.lists(PODS) == 1  # it watches
        assert explain.interrupt() == 130
        assert explain.errors == []


def test_people_read_what_changed_and_when(server: ApiServer, config: list[str]) -> None:
    with watching(WAITING.partition("/")[2], *config) as explain:
        explain.line(f"✘ {WAITING}  pending")
        until(lambda: server.watches(PODS))
        server.delete(*HOLDER)
        line = explain.line(f"{WAITING}: pending -> placeable")
        assert time.strptime(line.split()[0], "%H:%M:%S")
        explain.line(f"✔ {WAITING}  placeable")
        server.delete("v1", "Pod", *WAITING.split("/"))
        explain.error(f"there's no pod or workload {WAITING.partition('/')[2]} in the input; waiting")
        assert explain.interrupt() == 130


def test_changes_without_another_verdict_print_nothing(
    server: ApiServer, config: list[str], objects: list[dict[str, Any]]
) -> None:
    with watching("--all-pending", "-o", "json", *config) as explain:
        explain.line("pods")
        until(lambda: server.watches(PODS))
        waiting = next(thing for thing in objects if thing["metadata"]["name"] == WAITING.partition("/")[2])
        server.put({**waiting, "metadata": {**waiting["metadata"], "labels": {"touched": "yes"}}})
        assert explain.quiet(2.5)


def test_a_version_that_is_too_old_is_listed_again(server: ApiServer, config: list[str]) -> None:
    """What vanished while nobody watched is gone afterwards."""
    with watching("--all-pending", "-o", "json", *config) as explain:
        explain.line("pods")
        until(lambda: server.watches(PODS))
        with server._changed:  # one moment for the watch
            server.delete(*HOLDER)
            server.compact()
        assert json.loads(explain.line("pods"))["pods"][0]["verdict"] == "placeable"
        until(lambda: server.lists(PODS) == 2)
        assert explain.errors == []


def test_a_connection_that_breaks_goes_on_where_it_was(server: ApiServer, config: list[str]) -> None:
    with watching("--all-pending", "-o", "json", *config) as explain:
        explain.line("pods")
        until(lambda: server.watches(PODS))
        server.faults[PODS] = [Fault(503, "starting"), Fault(503, "starting")]
        explain.error("pods: starting (503): trying again ...")
        server.delete(*HOLDER)
        assert json.loads(explain.line("pods"))["pods"][0]["verdict"] == "placeable"
        explain.error("pods: connected again")
        assert server.lists(PODS) == 1
        assert explain.interrupt() == 130


def test_a_file(tmp_path: Path, objects: list[dict[str, Any]]) -> None:
    dump = tmp_path / "dump.json"

    def write(things: list[dict[str, Any]]) -> None:
        dump.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": things}))

    write(objects)
    with watching("--all-pending", "-o", "json", "-f", str(dump)) as explain:
        assert json.loads(explain.line("pods"))["pods"][0]["verdict"] == "pending"
        text = dump.read_text()
        dump.write_text(text[: len(text) // 2])  # kubectl is still writing
        time.sleep(0.2)
        write([thing for thing in objects if thing is not holder(objects)])
        assert json.loads(explain.line("pods"))["pods"][0]["verdict"] == "placeable"
        write([thing for thing in objects if thing["metadata"]["name"] != WAITING.partition("/")[2]])
        assert json.loads(explain.line("gone"))["gone"] == [WAITING]
        assert explain.interrupt() == 130
        assert explain.errors == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-f", "-"], "standard input can't be watched"),
        (["-f", str(DUMP), "-o", "html"], "--watch can't write html"),
        (["-f", "nowhere.yaml"], "none of the files given by -f could be opened"),
    ],
)
def test_what_cant_be_watched(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "--all-pending", "--watch", *arguments]) == 2
    assert words in capsys.readouterr().err
