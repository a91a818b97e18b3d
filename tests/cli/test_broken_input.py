"""Bad input through the command: the exit status, a message that names file and path, never a traceback."""

import json
from pathlib import Path

import pytest

from aliquot.cli.entry import run

BROKEN = Path(__file__).parent.parent / "cases" / "broken"
EXPECTED = json.loads((BROKEN / "expected.json").read_text("utf-8"))


def test_there_are_enough_of_them() -> None:
    assert len(EXPECTED) >= 30


@pytest.mark.parametrize("name", sorted(EXPECTED))
@pytest.mark.timeout(20)
def test_broken_file(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = run(["explain", "--all-pending", "-f", str(BROKEN / name)])
    out, err = capsys.readouterr()
    assert status == EXPECTED[name]["exit"]
    for words in EXPECTED[name]["contains"]:
        assert words in err
    assert "Traceback" not in out + err
    if status == 2:
        usable = EXPECTED[name].get("usable", False)
        assert ("error: the input has no nodes" if usable else "error: nothing usable in the input") in err
