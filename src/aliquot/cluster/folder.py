"""Which files of a folder are manifests."""

import re
from pathlib import Path

from aliquot.cluster.problem import Problem

_SUFFIXES = {".yaml", ".yml", ".json"}
_BEGINNING_BYTES = 4096
_OBJECT = re.compile(rb"^(?:apiVersion|kind):|\A\s*[\[{]|\A\x1f\x8b", re.MULTILINE)


def manifests(folder: Path) -> tuple[list[Path], list[Problem]]:
    """All manifests below a folder, sorted by path, and a note about the files that are none.

    Names that end in .yaml, .yml or .json (also with .gz) are manifests; other files are if they begin like one.
    Hidden files and folders are left out, as are the container logs of `kubectl cluster-info dump`.
    """
    taken: list[Path] = []
    others: list[str] = []
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        if any(part.startswith(".") for part in inner.parts) or not path.is_file():
            continue
        if _is_manifest(path):
            taken.append(path)
        elif path.name != "logs.txt":
            others.append(str(inner))
    notes: list[Problem] = []
    if others:
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        notes.append(Problem(str(folder), f"skipped, since they aren't manifests: {', '.join(others[:3])}{more}"))
    if not taken:
        notes.append(Problem(str(folder), "there is no manifest in this folder", hint="give YAML or JSON files"))
    return taken, notes


def _is_manifest(path: Path) -> bool:
    plain = path.with_suffix("") if path.suffix == ".gz" else path
    if plain.suffix.lower() in _SUFFIXES:
        return True
    if path.name == "logs.txt":
        return False
    try:
        with path.open("rb") as file:
            return _OBJECT.search(file.read(_BEGINNING_BYTES)) is not None
    except OSError:
        return True  # reading it tells what is wrong
