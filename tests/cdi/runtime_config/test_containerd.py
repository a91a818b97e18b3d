"""containerd's files as each release reads them: what was measured with the programs themselves, and why."""

import pytest

from aliquot.cdi.runtime_config.assess import assess
from aliquot.cdi.runtime_config.config_files import GivenFiles
from tests.cdi.runtime_config.judged import MAIN, NEW, NEW_CRI, OLD, OLD_CRI, judged

NO_START = "no start"
V2_NEW = f"version = 2\n[{NEW_CRI}]\nenable_cdi = true\n"
V2_SHORT = "version = 2\n[plugins.cri]\nenable_cdi = true\n"
V3_NEW = f"version = 3\n[{NEW_CRI}]\nenable_cdi = true\n"
V3_OLD = f"version = 3\n[{OLD_CRI}]\nenable_cdi = false\n"
V2_DISABLED = f'version = 2\ndisabled_plugins = ["cri"]\n[{OLD_CRI}]\nenable_cdi = true\n'
V1_SHORT = "[plugins.cri]\nenable_cdi = false\n"
V1_OLD = f"[{OLD_CRI}]\nenable_cdi = true\n"
BOTH = f"version = 2\n[{NEW_CRI}]\nenable_cdi = false\n[{OLD_CRI}]\nenable_cdi = true\n"


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        (V2_NEW, {"1.6.20": False, "1.7.29": False, "2.1.5": True, "2.3.7": True, "2.4.2": True}),
        (V2_SHORT, {"1.6.20": NO_START, "1.7.29": NO_START, "2.1.5": True, "2.4.2": True}),
        (V3_NEW, {"1.6.20": False, "1.7.29": NO_START, "1.7.16": False, "2.1.5": True, "2.4.2": True}),
        (V3_OLD, {"1.6.20": False, "1.7.29": NO_START, "2.1.5": True, "2.3.7": False, "2.4.2": True}),
        (V2_DISABLED, {"1.6.20": NO_START, "1.7.29": NO_START, "2.1.5": NO_START, "2.4.2": NO_START}),
        (V1_SHORT, {"1.7.29": False, "2.1.5": True, "2.3.7": False, "2.4.2": True}),
        (V1_OLD, {"1.7.29": False, "2.1.5": True}),
        (BOTH, {"1.7.29": True, "2.0.0": True, "2.0.2": False, "2.3.7": False}),
        ("version = 4\n", {"1.7.29": NO_START, "2.2.1": NO_START, "2.3.0": True}),
        ("version = 5\n", {"2.4.2": NO_START}),
        ('version = "2"\n', {"1.7.29": NO_START, "2.1.5": NO_START}),
        (f'version = 2\n[{OLD_CRI}]\nenable_cdi = "true"\n', {"1.7.29": NO_START, "2.1.5": NO_START, "2.4.2": True}),
        (f"version = 2\n[{OLD_CRI}]\nenable_cdi = true\ncdi_spec_dirs = []\n", {"1.7.29": False, "2.4.2": False}),
        ('disabled_plugins = ["cri"]\n', {"1.7.29": False, "2.1.5": False, "2.4.2": False}),
        (f'disabled_plugins = ["{OLD}"]\n[plugins.cri]\nenable_cdi = true\n', {"1.7.29": True, "2.1.5": False}),
        (f'version = 3\ndisabled_plugins = ["{NEW}"]\n', {"2.1.5": False, "2.4.2": False}),
        (f'disabled_plugins = ["cri"]\n[{NEW_CRI}]\ncdi_spec_dirs = "x"\n', {"1.7.29": False, "2.1.5": NO_START}),
        (f'disabled_plugins = ["{NEW}"]\n[{NEW_CRI}]\ncdi_spec_dirs = "x"\n', {"2.1.5": False}),
        (f'version = 2\nrequired_plugins = ["{OLD}"]\ndisabled_plugins = ["{OLD}"]\n', {"1.7.29": NO_START}),
        (f'version = 2\nrequired_plugins = ["{NEW}"]\n', {"1.7.29": NO_START, "2.1.5": True}),
        (f'required_plugins = ["{OLD}"]\n', {"1.7.29": NO_START, "2.1.5": True}),
        ('required_plugins = ["cri"]\n', {"1.7.29": False, "2.1.5": True}),
    ],
)
def test_measured(text: str, answers: dict[str, bool | str]) -> None:
    for version, answer in answers.items():
        found = judged("containerd", version, text)
        assert (found.on if found.starts else NO_START) == answer, (version, found.reason)
        assert bool(found.fix) == (found.on is False)


@pytest.mark.parametrize(
    ("version", "text", "said"),
    [
        ("1.7.29", V2_NEW, f'[plugins."{NEW}"] of {MAIN} isn\'t read by containerd 1.7.29 in a file of version 2'),
        ("1.7.29", V2_NEW, f'it belongs into [plugins."{OLD}"]'),
        ("2.1.5", V3_OLD, f'it belongs into [plugins."{NEW}"]'),
        ("2.1.5", f"version = 2\n[{OLD_CRI}.containerd]\nenable_cdi = true\n", f'[plugins."{OLD}".containerd]'),
        ("2.1.5", "version = 2\nenable_cdi = true\n", "enable_cdi in the top"),
        ("1.7.29", f"version = 2\n[{OLD_CRI}]\nenable-cdi = true\n", "it's called enable_cdi"),
        ("2.4.2", V3_OLD, "enable_cdi in"),
        ("2.9.0", "", "newer than what is known here"),
    ],
)
def test_what_isnt_read_is_said(version: str, text: str, said: str) -> None:
    assert any(said in note for note in judged("containerd", version, text).notes)


IMPORTING = f'version = 2\nimports = ["conf.d/*.toml"]\n[{OLD_CRI}]\nenable_cdi = true\ncdi_spec_dirs = ["/a"]\n'


def imported(version: str, text: str, main: str = IMPORTING) -> object:
    files = GivenFiles({MAIN: main, "/etc/containerd/conf.d/a.toml": text})
    return assess("containerd", MAIN, files, version)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        (f"version = 2\n[{OLD_CRI}.registry]\nx = 1\n", {"1.7.29": False, "2.1.5": True, "2.3.7": True}),
        (f"version = 2\n[{OLD_CRI}]\nenable_cdi = false\n", {"1.7.29": False, "2.1.5": False, "2.3.7": False}),
        (f"version = 2\n[{NEW_CRI}]\nenable_cdi = false\n", {"1.7.29": True, "2.1.5": False, "2.3.7": False}),
        # a version 3 in an imported file makes the whole one of version 3, where the first file's section isn't read
        ("version = 3\n", {"1.7.29": NO_START, "2.1.5": True, "2.3.0": NO_START, "2.3.5": True}),
        ('disabled_plugins = ["cri"]\n', {"1.7.29": NO_START, "2.1.5": False, "2.3.7": False}),
        (f"[{OLD_CRI}]\ncdi_spec_dirs = []\n", {"1.7.29": False, "2.1.5": False}),
        ("[plugins.cri]\nenable_cdi = false\n", {"1.7.29": NO_START, "2.1.5": False, "2.3.7": False}),
    ],
)
def test_imports_are_merged_as_the_release_merges(text: str, answers: dict[str, bool | str]) -> None:
    for version, answer in answers.items():
        found = imported(version, text)
        assert (found.on if found.starts else NO_START) == answer, (version, found.reason)  # type: ignore[attr-defined]


def test_what_an_import_takes_away_is_named() -> None:
    found = judged("containerd", "1.7.29", IMPORTING, conf__mirrors=f"[{OLD_CRI}.registry]\nx = 1\n")
    assert "conf.d/mirrors.toml is imported" in found.reason
    assert [row.topic for row in found.rows] == ["imports", "cdi"]


def test_folders_that_an_import_takes_away_are_told() -> None:
    found = judged("containerd", "1.7.29", IMPORTING, conf__a=f"[{OLD_CRI}]\nenable_cdi = true\n")
    assert (found.on, found.spec_dirs) == (True, ("/etc/cdi", "/var/run/cdi"))
    assert any("cdi_spec_dirs in" in note and "is lost" in note for note in found.notes)


def test_what_cant_be_foretold_is_told() -> None:
    text = f"[plugins.cri]\nenable_cdi = true\n[{OLD_CRI}]\nenable_cdi = false\n"
    assert any("by chance" in note for note in judged("containerd", "2.1.5", text).notes)


def test_patterns_are_sought_beside_the_file_or_where_it_was_started() -> None:
    files = GivenFiles({MAIN: IMPORTING, "/etc/containerd/conf.d/a.toml": f"[{OLD_CRI}]\nenable_cdi = false\n"})
    assert assess("containerd", MAIN, files, "1.7.15").on
    assert not assess("containerd", MAIN, files, "1.7.16").on


def test_a_missing_import_stops_it_and_a_circle_doesnt() -> None:
    assert not judged("containerd", "2.1.5", 'version = 2\nimports = ["/none.toml"]\n').starts
    assert judged("containerd", "2.1.5", 'version = 2\nimports = ["config.toml"]\n').on


def test_a_release_that_isnt_known() -> None:
    found = judged("containerd", "", V2_NEW)
    assert found.on is None
    assert "CDI is off from 1.7.0 on" in found.reason
    assert "CDI is on from 2.0.0 on" in found.reason
    assert judged("containerd", "1.7", V3_NEW).on is None
    assert judged("containerd", "1.7", V2_NEW).on is False
    assert "it doesn't start from 1.7.17 on" in judged("containerd", "", V3_NEW).reason
