"""The programs: containerd of several releases and crictl, built from Go modules outside of the checkout, and kept.

They lie in $XDG_CACHE_HOME (or ~/.cache) under aliquot-conformance; each is some minutes of building the first time.
Debian's containerd is taken where it's installed: it's the old one that knows no CDI.
"""

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from conformance.reference import MissingReferenceError

RELEASES: Final = ("1.7.29", "2.1.5", "2.3.7", "2.4.2")
CRI_TOOLS: Final = "1.36.0"
SHIM: Final = "containerd-shim-runc-v2"
"""What containerd starts a container's processes with: it must be of the same release."""


def cache() -> Path:
    """Where built programs are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "aliquot-conformance"


def containerds() -> Mapping[str, Path]:
    """Each release with its program: Debian's, where there's one, and those that are built.

    Raises:
        MissingReferenceError: Go is missing, or can't get its modules.
    """
    found = {release: built("containerd", release) for release in RELEASES}
    installed = shutil.which("containerd")
    if installed is not None:
        said = subprocess.run([installed, "--version"], capture_output=True, text=True, check=False).stdout
        match = re.search(r" v?(\d+\.\d+\.\d+)", said)
        if match is not None and match[1] not in found:
            return {match[1]: Path(installed), **found}
    return found


@functools.cache
def built(program: str, release: str) -> Path:
    """One program, built if it isn't there yet.

    Raises:
        MissingReferenceError: Go is missing, or can't get its modules.
    """
    folder = cache() / f"{program}-{release}"
    path = folder / program
    if path.exists():
        return path
    go = shutil.which("go")
    if go is None:
        raise MissingReferenceError("the Go toolchain is missing: containerd is built from Go modules")
    module = "sigs.k8s.io/cri-tools"
    if program != "crictl":
        module = "github.com/containerd/containerd" + ("" if release.startswith("1.") else "/v2")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "go.mod").write_text(f"module aliquot.example/built\n\ngo 1.24\n\nrequire {module} v{release}\n")
    print(f"building {program} {release} ...", flush=True)
    done = subprocess.run(
        [go, "build", "-mod=mod", "-trimpath", "-o", f"{program}.new", f"{module}/cmd/{program}"],
        cwd=folder,
        env={**os.environ, "CGO_ENABLED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise MissingReferenceError(f"`go build` failed for {program} {release}:\n{done.stderr.strip()[-2000:]}")
    (folder / f"{program}.new").replace(path)
    return path
