"""The CDI folders of a machine, and what stands there."""

from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Final

from aliquot.cdi.host.tree import Tree
from aliquot.cdi.machine.folders import DEFAULT_FOLDERS, Folders
from aliquot.node.doctor.found import RuntimeFound, SpecFolders
from aliquot.node.doctor.looking.folders import look_at_folder
from aliquot.node.neighbours.spec_files import nvidia_specs

_MOST_PROBLEMS: Final = 20


def look_at_specs(tree: Tree, runtimes: Sequence[RuntimeFound]) -> SpecFolders:
    """The folders that the runtimes read; where that isn't known, the usual ones."""
    named = [folder for one in runtimes if one.assessment is not None for folder in one.assessment.spec_dirs or ()]
    paths = [Path(_on_machine(tree, folder)) for folder in dict.fromkeys(named or DEFAULT_FOLDERS)]
    registry = Folders(paths).registry()
    return SpecFolders(
        folders=tuple(look_at_folder(path) for path in paths),
        devices=len(registry.devices),
        files=len(registry.files),
        problems=tuple(problem for problems in registry.errors.values() for problem in problems)[:_MOST_PROBLEMS],
        nvidias=nvidia_specs(PurePath(file.path).name for file in registry.files),
    )


def _on_machine(tree: Tree, folder: str) -> str:
    """This machine's path: /var/run is a link to /run, which below another root leads out of it."""
    parts, rest = folder.rstrip("/"), ""
    while parts:
        found = tree.resolve(parts)
        if found is not None:
            return tree.host_path(f"{found.rstrip('/')}{rest}")
        parts, _, last = parts.rpartition("/")
        rest = f"/{last}{rest}"
    return tree.host_path(folder)
