"""CRI-O's main file and drop-in files, in the order in which they're read."""

from collections.abc import Mapping

import pytest

from aliquot.cdi.runtime_config.assess import assess
from aliquot.cdi.runtime_config.assessment import Assessment
from aliquot.cdi.runtime_config.config_files import GivenFiles

DIR = "/etc/crio/crio.conf.d"


def dirs(*folders: str) -> str:
    return f"[crio.runtime]\ncdi_spec_dirs = {list(folders)}\n"


def judged(files: Mapping[str, str], path: str = "/etc/crio/crio.conf", version: str = "1.30.0") -> Assessment:
    return assess("crio", path, GivenFiles(files), version)


@pytest.mark.parametrize(
    ("files", "looked"),
    [
        ({}, ("/etc/cdi", "/var/run/cdi")),
        ({"/etc/crio/crio.conf": dirs("/a")}, ("/a",)),
        ({"/etc/crio/crio.conf": dirs("/a"), f"{DIR}/10.conf": dirs("/b"), f"{DIR}/20.conf": "x = 1\n"}, ("/b",)),
        ({f"{DIR}/10.conf": dirs("/b"), f"{DIR}/10.conf.bak": dirs("/c")}, ("/c",)),  # whatever its name ends in
        ({f"{DIR}/10.conf": dirs("/b"), f"{DIR}/sub/x": dirs("/d")}, ("/d",)),
        ({"/etc/crio/crio.conf": dirs("/a"), f"{DIR}/10.conf": dirs()}, ()),
    ],
)
@pytest.mark.parametrize("path", ["/etc/crio/crio.conf", f"{DIR}/99-cdi.conf"])
def test_the_last_file_wins(files: Mapping[str, str], looked: tuple[str, ...], path: str) -> None:
    found = judged(files, path)
    assert found.spec_dirs == looked
    assert found.on == bool(looked)


@pytest.mark.parametrize("text", ['[crio.runtime]\ncdi_spec_dirs = "/x"\n', "[crio]\nruntime = 1\n", "crio = 1\n"])
def test_types_that_stop_it(text: str) -> None:
    found = judged({f"{DIR}/10.conf": text})
    assert (found.on, found.starts) == (False, False)
    assert f"{DIR}/10.conf" in found.reason


def test_a_key_in_the_wrong_place() -> None:
    notes = judged({"/etc/crio/crio.conf": '[crio.image]\ncdi_spec_dirs = ["/x"]\n'}).notes
    assert "belongs into [crio.runtime]" in " ".join(notes)
    notes = judged({"/etc/crio/crio.conf": '[crio.runtime]\ncdi-spec-dirs = ["/x"]\n'}).notes
    assert "it's called cdi_spec_dirs" in " ".join(notes)


@pytest.mark.parametrize(("version", "told"), [("1.24.0", True), ("1.27.8", True), ("1.28.0", False)])
def test_requests(version: str, told: bool) -> None:
    assert any("annotations only" in note for note in judged({}, version=version).notes) == told
