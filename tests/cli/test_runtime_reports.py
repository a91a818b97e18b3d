"""Public bug reports of container runtimes, rebuilt as files, and what every good answer to them must say."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aliquot.cdi.machine.runtimes import LocalConfigFiles
from aliquot.cdi.runtime_config.assess import assess
from aliquot.cli.entry import run

CASES = Path(__file__).parent.parent / "cases" / "runtime-reports"
RELEASES = {"1.7": "1.7.29", "2.1": "2.1.5"}


def runs() -> Iterator[Any]:
    for file in sorted(CASES.glob("*/right.json")):
        for number, case in enumerate(json.loads(file.read_text())):
            yield pytest.param(file.parent, case, id=f"{file.parent.name}-{number}")


def filled(text: str, here: Path, copy: Path) -> str:
    if text.startswith("{TEXT:"):
        return (here / text[6:-1]).read_text().strip()
    return text.replace("{HERE}", str(here)).replace("{COPY}", str(copy))


def test_there_are_enough_of_them() -> None:
    assert len(list(runs())) >= 34


@pytest.mark.parametrize(("here", "case"), list(runs()))
def test_report(here: Path, case: dict[str, Any], capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    copy = Path(shutil.copytree(here, tmp_path / here.name))
    maker = here / "make.sh"
    if maker.is_file() and "{COPY}" in str(case["args"]):
        made = subprocess.run(["sh", str(maker), str(copy)], check=False, capture_output=True)
        if made.returncode:
            pytest.skip("device nodes can only be made by root")
    status = run([filled(one, here, copy) for one in case["args"]])
    said = " ".join("".join(capfd.readouterr()).split()).lower()
    wanted = case["exit"] if isinstance(case["exit"], list) else [case["exit"]]
    assert status in wanted or wanted == [None]
    for phrases in case.get("mustSay", ()):
        assert any(phrase.lower() in said for phrase in phrases), said
    for phrase in case.get("mustNotSay", ()):
        assert phrase.lower() not in said
    for what, name, *release in case.get("then", ()):
        if what == "unchanged":
            assert (copy / name).read_bytes() == (here / name).read_bytes()
        else:
            after = assess("containerd", str(copy / name), LocalConfigFiles(), RELEASES[release[0]])
            assert after.starts
            assert after.on or what == "containerd-starts"
