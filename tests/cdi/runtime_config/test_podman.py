"""Where Podman looks: containers.conf, its drop-in files, another default in 5.5 (containers/podman#26569)."""

import pytest

from aliquot.cdi.runtime_config.assess import assess
from aliquot.cdi.runtime_config.assessment import Assessment
from aliquot.cdi.runtime_config.config_files import GivenFiles

BOTH = ("/etc/cdi", "/var/run/cdi")
A, B = "/usr/share/containers/containers.conf", "/etc/containers/containers.conf"


def dirs(text: str) -> str:
    return f"[engine]\ncdi_spec_dirs = {text}\n"


def judged(version: str, *texts: str) -> Assessment:
    return assess("podman", f"{A}:{B}", GivenFiles(dict(zip((A, B, f"{B}.d/x.conf"), texts, strict=False))), version)


@pytest.mark.parametrize(
    ("version", "texts", "looked"),
    [
        ("4.9.3", (), BOTH),
        ("5.4.2", (), BOTH),
        ("5.5.0", (), ("/etc/cdi",)),
        ("5.5.2", (), ("/etc/cdi",)),
        ("5.6.0", (), BOTH),
        ("5.4.2", (dirs('["/x"]'),), BOTH),
        ("5.5.1", (dirs('["/x"]'),), ("/x",)),
        ("5.6.0", (dirs('["/x"]'), dirs('["/y"]')), ("/y",)),
        ("5.6.0", (dirs('["/x"]'), "[engine]\n", dirs('["/z", {append = true}]')), ("/x", "/z")),
        ("5.6.0", (dirs('["/x", {append = true}]'), dirs('["/y"]')), (*BOTH, "/x", "/y")),  # it stays in force
        ("5.6.0", (dirs("[]"),), ()),
        ("5.6.0", (dirs('[""]'),), ()),
    ],
)
def test_where_it_looks(version: str, texts: tuple[str, ...], looked: tuple[str, ...]) -> None:
    found = judged(version, *texts)
    assert found.spec_dirs == looked
    assert found.on == bool(looked)
    assert bool(found.fix) != found.on


def test_what_is_said() -> None:
    assert "/var/run/cdi" in " ".join(judged("5.5.1").notes)
    assert "--cdi-spec-dir" in " ".join(judged("5.5.1").notes)
    assert not judged("5.6.0").notes
    assert "has no effect" in " ".join(judged("4.9.3", dirs('["/x"]')).notes)
    assert "belongs into [engine]" in " ".join(judged("5.6.0", '[containers]\ncdi_spec_dirs = ["/x"]\n').notes)
    assert "it's called cdi_spec_dirs" in " ".join(judged("5.6.0", '[engine]\ncdi-spec-dirs = ["/x"]\n').notes)


@pytest.mark.parametrize("text", [dirs('"/x"'), dirs("[1]"), dirs("[{prepend = true}]"), "engine = 1\n"])
def test_types_that_stop_it(text: str) -> None:
    found = judged("5.6.0", text)
    assert (found.on, found.starts) == (False, False)
    assert A in found.reason
    assert judged("5.4.2", text).starts or "engine = 1" in text
