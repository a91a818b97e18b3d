"""Go programs with a module of their own, built outside of the checkout when their sources change."""

import functools
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from conformance.reference import MissingReferenceError
from conformance.runtimes.programs import cache


@functools.cache
def built(sources: Path, name: str, what: str) -> Path:
    """The program of a folder, built if its sources changed since.

    Args:
        sources: the folder.
        name: of the program.
        what: what it is, for people who wait for it or lack Go.

    Raises:
        MissingReferenceError: Go is missing, or can't get its modules.
    """
    files = sorted([*sources.glob("*.go"), *sources.glob("go.*")])
    stamp = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    path = cache() / f"{name}-{stamp}"
    if path.exists():
        return path
    go = shutil.which("go")
    if go is None:
        raise MissingReferenceError(f"the Go toolchain is missing: {what} is built from Go modules")
    path.parent.mkdir(parents=True, exist_ok=True)
    print(f"building {what} ...", flush=True)
    new = path.with_suffix(".new")
    done = subprocess.run(
        [go, "build", "-trimpath", "-o", os.fspath(new), "."],
        cwd=sources,
        env={**os.environ, "CGO_ENABLED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise MissingReferenceError(f"`go build` failed for {sources.name}:\n{done.stderr.strip()[-2000:]}")
    new.replace(path)
    return path
