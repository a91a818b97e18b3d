"""Every help text: at 80 columns, with examples that can be copied and that this program understands."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator

import pytest
from cyclopts import App

from aliquot.cli.app import app
from aliquot.cli.entry import run

EXAMPLE_SECTION = re.compile(r"^Examples:\n((?:  .*\n)+)", re.MULTILINE)


def commands(parent: App, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], bool]]:
    """(words, whether it's a leaf) of every command."""
    names = [name for name in parent if not name.startswith("-")]
    yield path, not names
    for name in names:
        yield from commands(parent[name], (*path, name))


ALL = list(commands(app))
LEAVES = [path for path, leaf in ALL if leaf]


def words(path: tuple[str, ...]) -> str:
    return " ".join(path) or "aliquot"


def help_of(path: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", "80")
    assert run([*path, "--help"]) == 0
    return capsys.readouterr().out


def examples(text: str) -> list[str]:
    found = EXAMPLE_SECTION.search(text)
    return [line[2:] for line in found[1].splitlines()] if found else []


def calls(lines: list[str]) -> Iterator[list[str]]:
    """The arguments of each call of this program among lines for a shell."""
    for line in lines:
        called: list[str] | None = None
        tokens = shlex.shlex(line, posix=True, punctuation_chars="|&;<>()")
        tokens.whitespace_split = True
        for token in (*tokens, "&&"):
            if not token.strip("|&;<>()"):
                if called is not None:
                    yield called
                called = None
            elif token == "aliquot":
                called = []
            elif called is not None:
                called.append(token)


def test_every_command_is_found() -> None:
    assert ("explain",) in LEAVES
    assert ("cdi", "hook", "chmod") in LEAVES
    assert len(LEAVES) > 20


@pytest.mark.parametrize("path", [path for path, _ in ALL], ids=words)
def test_no_line_is_wider_than_the_terminal(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = [line for line in help_of(path, capsys, monkeypatch).splitlines() if len(line) > 80]
    assert wide == []


@pytest.mark.parametrize("path", [path for path, _ in ALL], ids=words)
def test_no_example_and_no_status_is_broken(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line that the terminal breaks goes on in the first column."""
    sections = [part.splitlines() for part in help_of(path, capsys, monkeypatch).split("\n\n")]
    listed = [lines[1:] for lines in sections if lines and lines[0] in ("Examples:", "Exit status:")]
    assert listed
    assert [line for lines in listed for line in lines if not line.startswith("  ")] == []


@pytest.mark.parametrize("path", LEAVES, ids=words)
def test_examples_can_be_copied_and_are_understood(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = examples(help_of(path, capsys, monkeypatch))
    assert lines, "no examples"
    # one that a terminal of 80 columns breaks would begin in the first column
    assert any(line.startswith(" ".join(("aliquot", *path))) or f"aliquot {' '.join(path)}" in line for line in lines)
    parsed = [app.parse_args(call, exit_on_error=False, print_error=False)[0] for call in calls(lines)]
    assert len(parsed) >= 1


def test_groups_answer_questions(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    text = help_of((), capsys, monkeypatch)
    titles = [line.split("─")[1].strip() for line in text.splitlines() if line.startswith("╭")]
    assert titles == [
        "Why doesn't it start?",
        "What does it need?",
        "On this node",
        "In this cluster",
        "The standards",
        "This program",
    ]
    assert "explain  Why a pod is pending, and what would place it." in text


def test_help_imports_no_command() -> None:
    code = (
        "import sys\nfrom aliquot.cli.entry import run\nrun(['--help'])\n"
        "print([name for name in sys.modules if name.startswith(('aliquot.advisor', 'aliquot.cdi', 'lightkube'))],"
        " file=sys.stderr)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert told.stderr.strip() == "[]"


def test_paragraphs_fill_the_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    text = help_of(("explain",), capsys, monkeypatch)
    paragraph = text.split("\n\n")[2].splitlines()
    assert len(paragraph) == 5
    assert all(len(line) > 60 for line in paragraph[:-1])
