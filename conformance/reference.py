"""The reference side: the Go programs of ``conformance/go``, built when their sources change, asked in JSON lines."""

import functools
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from conformance import lines

FOLDER = Path(__file__).parent
SOURCES = FOLDER / "go"
BUILT = FOLDER / ".build"

MODULE_FILES = {"1.36": "go.mod", "1.37": "kubernetes-1.37.mod"}
"""Kubernetes minor version -> the module file that pins its code."""


class MissingReferenceError(Exception):
    """The Go program can't be built here; the text says what is missing and what to do."""


def sources_of(kubernetes: str) -> list[Path]:
    """Every file that decides what the program of one Kubernetes version answers."""
    module = SOURCES / MODULE_FILES[kubernetes]
    return [*sorted(SOURCES.glob("*.go")), module, module.with_suffix(".sum")]


@functools.cache
def build(kubernetes: str) -> Path:
    """The program that answers for one Kubernetes version, built if its sources changed since.

    Raises:
        MissingReferenceError: where Go is missing, too old, or can't get its modules.
    """
    program = BUILT / f"reference-{kubernetes}"
    stamp = program.with_suffix(program.suffix + ".sources")
    wanted = hashlib.sha256(b"".join(path.read_bytes() for path in sources_of(kubernetes))).hexdigest()
    if program.exists() and stamp.exists() and stamp.read_text() == wanted:
        return program
    go = shutil.which("go")
    if go is None:
        raise MissingReferenceError(
            "the Go toolchain is missing: the reference implementations are Go code. "
            "Install Go 1.26 or newer and put `go` on PATH.",
        )
    BUILT.mkdir(exist_ok=True)
    print(f"building the reference for Kubernetes {kubernetes} ...", flush=True)
    done = subprocess.run(
        [go, "build", "-trimpath", f"-modfile={MODULE_FILES[kubernetes]}", "-o", os.fspath(program), "."],
        cwd=SOURCES,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise MissingReferenceError(
            f"`go build` failed for Kubernetes {kubernetes}. If it could not download modules, the Go module proxy is "
            f"not reachable: set GOPROXY or fill the module cache. It said:\n{done.stderr.strip()[-2000:]}",
        )
    stamp.write_text(wanted)
    return program


def ask(kubernetes: str, verb: str, cases: Iterable[dict[str, Any]], *flags: str) -> list[dict[str, Any]]:
    """The reference's answers to ``cases``, in order.

    Raises:
        MissingReferenceError: where the program can't be built.
        RuntimeError: if the program fails, which a well-formed case can't cause.
    """
    done = subprocess.run(
        [build(kubernetes), verb, *flags],
        input=lines.dump(cases),
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"the reference for Kubernetes {kubernetes} failed: {done.stderr.decode()[-2000:]}")
    return list(lines.parse(done.stdout))
