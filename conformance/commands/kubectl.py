"""The Go program of ``conformance/kubectl``: kubectl's own command tree and patching."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from conformance import go_programs, lines

SOURCES: Final = Path(__file__).parent.parent / "kubectl"


def built() -> Path:
    """The program.

    Raises:
        MissingReferenceError: Go is missing, or can't get its modules.
    """
    return go_programs.built(SOURCES, "kubectl-check", "kubectl's command tree")


def ask(questions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What kubectl says of each command, in order."""
    done = subprocess.run([built()], input=lines.dump(questions), capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"kubectl's program failed: {done.stderr.decode()[-2000:]}")
    return list(lines.parse(done.stdout))
