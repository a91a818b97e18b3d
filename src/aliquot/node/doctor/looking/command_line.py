"""The flags of a kubelet that runs, where its process can be seen."""

from collections.abc import Mapping
from typing import TypeAlias

from aliquot.cdi.host.tree import Tree

Flags: TypeAlias = Mapping[str, str]
"""By name, without dashes."""


def kubelet_flags(tree: Tree) -> Flags | None:
    """Those of the first process of that name; None: none can be seen."""
    for process in tree.names("/proc"):
        if process.isdecimal() and tree.text(f"/proc/{process}/comm") == "kubelet":
            content = tree.content(f"/proc/{process}/cmdline")
            if content is not None:
                return _flags(content.decode(errors="replace").split("\0")[1:])
    return None


def _flags(words: list[str]) -> Flags:
    found: dict[str, str] = {}
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word.startswith("-"):
            name, equals, value = word.lstrip("-").partition("=")
            found[name] = value if equals or after.startswith("-") else after
    return found


def on_or_off(text: str) -> Mapping[str, bool]:
    """`DRADeviceTaints=true,DynamicResourceAllocation=false`, as the flag has it."""
    pairs = (part.partition("=") for part in text.split(",") if "=" in part)
    return {name.strip(): value.strip().lower() in {"true", "t", "1"} for name, _, value in pairs}
