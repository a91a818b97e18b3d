"""The tour of the search room: its worked example gives the numbers that it tells, and the room is sealed."""

import ast
import doctest
import sys
from pathlib import Path

from aliquot.allocation import search

FOLDER = Path(search.__file__).parent


def test_the_worked_example_holds() -> None:
    failed, tried = doctest.testmod(search)
    assert (failed, tried) == (0, 14)


def test_it_imports_nothing_but_itself_and_the_standard_library() -> None:
    for path in sorted(FOLDER.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            for name in names:
                known = name.startswith("aliquot.allocation.search.") or name.split(".")[0] in sys.stdlib_module_names
                assert known, f"{path.name} imports {name}"


def test_the_tour_names_every_file() -> None:
    assert search.__doc__ is not None
    for path in FOLDER.glob("[a-z]*.py"):
        assert f"`{path.stem}`" in search.__doc__, path.name
