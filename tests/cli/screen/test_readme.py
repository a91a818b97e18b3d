"""Every line that README prints runs as it stands in a fresh clone, and ends with the exit status that it says."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cluster.api_server import ApiServer
from tests.cluster.interruptible import PROGRAM
from tests.cluster.kubeconfigs import objects_of, write
from tests.conftest import ROOT

pytestmark = pytest.mark.enable_socket

DUMP = "examples/second-model-pending/dump.yaml"
STATUS = re.compile(r"#.*\[(\d+)\]$")
SETTING = re.compile(r"export |[A-Z]+=")
OWN_GPUS = "On a node with GPUs"


@dataclass(frozen=True, slots=True)
class Block:
    """Lines to be typed, and the words before them."""

    before: str
    lines: tuple[str, ...]

    def commands(self) -> Iterator[tuple[str, int]]:
        """Each after the settings of its block, with the exit status that's told."""
        settings = [line for line in self.lines if SETTING.match(line)]
        for line in self.lines:
            if line not in settings:
                told = STATUS.search(line)
                yield "\n".join([*settings, line]), int(told[1]) if told else 0


def fenced() -> list[Block]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    parts = text.split("```\n")
    return [Block(parts[at - 1], tuple(parts[at].splitlines())) for at in range(1, len(parts), 2)]


BLOCKS = [block for block in fenced() if not block.lines[0].startswith("✘")]
CLONE_ONLY = ("README.md", "Makefile", "examples", "tools", "pyproject.toml", "requirements.lock")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What README's lines need of a clone, after `make demo`; kubectl is a stand-in that prints the example."""
    folder = tmp_path_factory.mktemp("clone")
    for name in CLONE_ONLY:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name)
        else:
            shutil.copy(ROOT / name, folder / name)
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    script(programs / "aliquot", f"exec '{sys.executable}' -c '{PROGRAM}' \"$@\"")
    script(
        programs / "kubectl",
        f"case $2 in resourceslices) aliquot node slices --host preset:l4-node;; *) cat '{folder / DUMP}';; esac",
    )
    return folder


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def environment(clone: Path, tmp_path: Path) -> Iterator[dict[str, str]]:
    """With the example as the cluster, under the names that README has for anybody's."""
    renamed = tmp_path / "dump.yaml"
    text = (clone / DUMP).read_text(encoding="utf-8")
    renamed.write_text(text.replace("serving-01", "serving").replace("embedder", "llm"), encoding="utf-8")
    with ApiServer(objects_of(renamed)) as server:
        config = write(renamed.with_name("kubeconfig"), server.url)
        path = f"{clone / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        yield {"PATH": path, "PYTHONPATH": str(ROOT / "src"), "KUBECONFIG": str(config), "HOME": str(renamed.parent)}


def run(line: str, folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """Its exit status and all that it prints; one that stays is ended by Ctrl-C after it has said something."""
    stays = "--watch" in line
    with subprocess.Popen(
        ["bash", "-c", line],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline() if stays else ""
        if stays:
            time.sleep(0.3)
            os.killpg(process.pid, signal.SIGINT)
        said += process.communicate(timeout=120)[0]
    return process.returncode, said


def name_of(block: Block) -> str:
    return re.sub(r"\W+", "-", block.lines[0])[:50]


def test_the_blocks_are_found() -> None:
    assert len(BLOCKS) >= 9
    assert sum(len(block.lines) for block in BLOCKS) > 40


@pytest.mark.timeout(600)
@pytest.mark.parametrize("block", BLOCKS, ids=name_of)
def test_every_line_runs_as_printed(block: Block, clone: Path, environment: dict[str, str]) -> None:
    for line, status in block.commands():
        typed = line.replace("make ", "make -n ")  # what it does is run by CI
        ended, said = run(typed, clone, environment)
        assert "Traceback" not in said
        if OWN_GPUS in block.before.rsplit("\n\n", 2)[-2]:
            assert ended == 0 or (ended in (1, 2) and "driver" in said), (line, said)
        else:
            assert ended == status, (line, said)


def test_what_the_demo_is_said_to_print_is_what_it_prints(clone: Path, environment: dict[str, str]) -> None:
    (shown,) = (block.lines for block in fenced() if block.lines[0].startswith("✘"))
    _, said = run(f"aliquot explain --all-pending -f {DUMP}", clone, environment)
    printed = said.splitlines()
    for line in shown:
        start = line.rstrip(" …")
        assert any(one.startswith(start) for one in printed), line


def test_the_words_of_the_glossary_are_told() -> None:
    words = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Words")[2]
    for word in ("DRA", "ResourceClaim", "ResourceSlice", "DeviceClass", "CEL", "CDI", "MIG", "MPS", "time-slicing"):
        assert re.search(rf"^\| {word} \| \S.{{20,}} \|$", words, re.MULTILINE), word
