"""daemon.json as dockerd reads it (measured with dockerd 29's `--validate` and `docker info`)."""

import pytest

from tests.cdi.runtime_config.judged import judged


@pytest.mark.parametrize(
    ("text", "version", "on", "dirs"),
    [
        ('{"cdi-spec-dirs": ["/etc/cdi/"]}', "28.2.2", True, ("/etc/cdi/",)),
        ('{"cdi-spec-dirs": [""]}', "28.2.2", False, ()),
        ('{"features": {"cdi": true}, "cdi-spec-dirs": []}', "25.0.6", False, ()),
        ('{"cdi-spec-dirs": ["", "/x"]}', "28.2.2", True, ("/x",)),
        ('{"cdi-spec-dirs": null}', "28.2.2", True, ("/etc/cdi", "/var/run/cdi")),
        ('{"features": {"cdi": null}}', "28.2.2", False, None),
        ('{"features": null}', "28.2.2", True, ("/etc/cdi", "/var/run/cdi")),
        ('\ufeff{"features": {"cdi": false}}', "29.0.0", False, None),
        ('{"features": {"cdi": false}}', "29.0.0", False, None),
        ("", "28.2.2", True, ("/etc/cdi", "/var/run/cdi")),
    ],
)
def test_on_and_where(text: str, version: str, on: bool, dirs: tuple[str, ...] | None) -> None:
    found = judged("docker", version, text)
    assert (found.on, found.spec_dirs, found.starts) == (on, dirs, True)


@pytest.mark.parametrize(
    ("text", "path", "hint"),
    [
        ('{"features": {"cdi": "true"}}', "features.cdi", "take the quotes away: true"),
        ('{"features": {"cdi": 1}}', "features.cdi", "make it a boolean"),
        ('{"features": {"buildkit": "false"}}', "features.buildkit", "take the quotes away: false"),
        ('{"features": ["cdi"]}', "features: ", "make it an object"),
        ('{"cdi-spec-dirs": "/etc/cdi"}', "cdi-spec-dirs", "make it a list of strings"),
        ('{"cdi-spec-dirs": [1]}', "cdi-spec-dirs", "make it a list of strings"),
        ('{"debug": "true"}', "debug", "take the quotes away: true"),
        ('{"mtu": "1500"}', "mtu", "take the quotes away: 1500"),
        ('{"log-opts": {"max-file": 3}}', "log-opts.max-file", "make it a string"),
        ('{"cdiSpecDirs": []}', "cdiSpecDirs", "call it cdi-spec-dirs"),
        ('{"Features": {}}', "Features", "call it features"),
        ('{"cdi": true}', "cdi: ", "features.cdi"),
    ],
)
def test_what_dockerd_refuses(text: str, path: str, hint: str) -> None:
    found = judged("docker", "28.2.2", text)
    assert (found.on, found.starts) == (False, False)
    assert path in found.reason
    assert hint in found.fix


@pytest.mark.parametrize(
    ("dirs", "missing"),
    [
        ('["/etc/cdi/"]', ["/var/run/cdi"]),
        ('["/run/cdi"]', ["/etc/cdi"]),
        ('["/run//cdi/", "/etc/./cdi"]', []),
        ('["/opt"]', ["/etc/cdi", "/var/run/cdi"]),
    ],
)
def test_folders_are_compared_by_what_they_are(dirs: str, missing: list[str]) -> None:
    notes = " ".join(judged("docker", "28.2.2", f'{{"cdi-spec-dirs": {dirs}}}').notes)
    assert ("doesn't look into" in notes) == bool(missing)
    assert f"doesn't look into {' and '.join(missing)}" in f"{notes} doesn't look into "


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"cdi-spec-dir": ["/x"]}', "it's called cdi-spec-dirs"),
        ('{"features": {"CDI": true}}', "it's called features.cdi"),
    ],
)
def test_names_without_effect(text: str, said: str) -> None:
    for version in ("25.0.3", "28.2.2"):
        assert said in " ".join(judged("docker", version, text).notes)


def test_a_relative_folder_is_told() -> None:
    assert "'x'" in " ".join(judged("docker", "28.2.2", '{"cdi-spec-dirs": ["x", "/etc/cdi", "/run/cdi"]}').notes)
