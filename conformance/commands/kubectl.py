"""The Go program of ``conformance/kubectl``: kubectl's own command tree and patching, built outside of the checkout."""

import functools
import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from conformance import lines
from conformance.reference import MissingReferenceError
from conformance.runtimes.programs import cache

SOURCES: Final = Path(__file__).parent.parent / "kubectl"


@functools.cache
def built() -> Path:
    """The program, built if its sources changed since.

    Raises:
        MissingReferenceError: Go is missing, or can't get its modules.
    """
    sources = sorted([*SOURCES.glob("*.go"), *SOURCES.glob("go.*")])
    stamp = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    path = cache() / f"kubectl-check-{stamp}"
    if path.exists():
        return path
    go = shutil.which("go")
    if go is None:
        raise MissingReferenceError("the Go toolchain is missing: kubectl's code is Go modules")
    path.parent.mkdir(parents=True, exist_ok=True)
    print("building kubectl's command tree ...", flush=True)
    new = path.with_suffix(".new")
    done = subprocess.run(
        [go, "build", "-trimpath", "-o", os.fspath(new), "."],
        cwd=SOURCES,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise MissingReferenceError(f"`go build` failed for conformance/kubectl:\n{done.stderr.strip()[-2000:]}")
    new.replace(path)
    return path


def ask(questions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What kubectl says of each command, in order."""
    done = subprocess.run([built()], input=lines.dump(questions), capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"kubectl's program failed: {done.stderr.decode()[-2000:]}")
    return list(lines.parse(done.stdout))
