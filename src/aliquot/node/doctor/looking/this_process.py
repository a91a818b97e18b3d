"""This process: who it is, what it may do, which C library it has."""

import os
import re

from aliquot.cdi.host.tree import Tree
from aliquot.node.doctor.found import ProcessFound


def look_at_process(tree: Tree) -> ProcessFound:
    """As the machine's /proc tells of whoever reads it."""
    status = tree.text("/proc/self/status") or ""
    uid = re.search(r"^Uid:\s+\d+\s+(\d+)", status, re.MULTILINE)
    capabilities = re.search(r"^CapEff:\s+([0-9a-f]+)", status, re.MULTILINE)
    return ProcessFound(
        uid=int(uid.group(1)) if uid is not None else None,
        capabilities=int(capabilities.group(1), 16) if capabilities is not None else None,
        read_only_root=_read_only(tree.text("/proc/self/mounts")),
        libc=_libc(),
    )


def _read_only(mounts: str | None) -> bool | None:
    """Of the last thing mounted at /."""
    at_root = [words[3] for words in map(str.split, (mounts or "").splitlines()) if len(words) > 3 and words[1] == "/"]
    return "ro" in at_root[-1].split(",") if at_root else None


def _libc() -> str | None:
    try:
        return os.confstr("CS_GNU_LIBC_VERSION")
    except (ValueError, OSError):
        return None
