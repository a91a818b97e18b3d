"""Switching CDI on: once, with comments kept, and never so that the runtime doesn't start."""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.cdi.problems import SpecError
from aliquot.cdi.runtime_config.config_files import GivenFiles
from aliquot.cdi.runtime_config.configure import configured
from aliquot.cdi.runtime_config.releases import RUNTIMES, Runtime
from tests.cdi.runtime_config.judged import NEW_CRI, OLD, OLD_CRI, changed, judged

CONTAINERD = f"""\
# our own settings
version = 2
root = "/var/lib/containerd"  # big disk

[{OLD_CRI}]
  sandbox_image = "pause:3.9"  # pinned
  [{OLD_CRI}.containerd]
    default_runtime_name = "runc"
"""


def test_comments_and_order_stay() -> None:
    text = changed("containerd", CONTAINERD, "1.7.22")
    assert set(CONTAINERD.splitlines()) <= set(text.splitlines())
    added = [line.strip() for line in text.splitlines() if line not in CONTAINERD.splitlines()]
    assert added == ["enable_cdi = true"]
    section = tomllib.loads(text)["plugins"]["io.containerd.grpc.v1.cri"]
    assert section["enable_cdi"] is True
    assert section["sandbox_image"] == "pause:3.9"


@pytest.mark.parametrize(
    ("version", "text", "schema", "plugin"),
    [
        ("1.7.22", "", 2, "io.containerd.grpc.v1.cri"),
        ("", "", 2, "io.containerd.grpc.v1.cri"),
        ("1.7.22", "# nothing but a comment about the version\n", 2, "io.containerd.grpc.v1.cri"),
        ("2.0.1", f"version = 3\n[{NEW_CRI}]\nenable_cdi = false\n", 3, "io.containerd.cri.v1.runtime"),
        ("2.0.1", f"version = 2\n[{OLD_CRI}]\nenable_cdi = false\n", 2, "io.containerd.grpc.v1.cri"),
        ("1.7.0", "[plugins.cri]\nsystemd_cgroup = true\n", None, "cri"),
        ("1.7.0", "[plugins]\n[plugins.other]\nx = 1\n", None, "cri"),
    ],
)
def test_containerds_plugin_has_its_name_by_the_files_own_version(
    version: str, text: str, schema: int | None, plugin: str
) -> None:
    after = changed("containerd", text, version)
    data = tomllib.loads(after)
    assert data.get("version") == schema
    assert data["plugins"][plugin]["enable_cdi"] is True
    assert changed("containerd", after, version) == after


def test_a_switch_that_is_there_is_turned_whatever_the_files_version_is() -> None:
    text = f"[{NEW_CRI}]\nenable_cdi = false\n[{OLD_CRI}]\nenable_cdi = false\n"
    after = changed("containerd", text)
    assert judged("containerd", "", after).on
    assert all(judged("containerd", version, after).on for version in ("1.7.0", "1.7.29", "2.0.0", "2.1.5", "2.3.7"))


def test_docker_keeps_its_members_and_indentation() -> None:
    text = changed("docker", '{\n\t"data-root": "/big",\n\t"features": {"x": true}\n}\n', "27.1")
    assert json.loads(text) == {"data-root": "/big", "features": {"x": True, "cdi": True}}
    assert '\n\t"data-root"' in text
    assert changed("docker", "", "27.1") == '{\n  "features": {\n    "cdi": true\n  }\n}\n'


def test_crio() -> None:
    text = changed("crio", "[crio.runtime]\ncdi_spec_dirs = []  # off\n", "1.30")
    assert tomllib.loads(text)["crio"]["runtime"]["cdi_spec_dirs"] == ["/etc/cdi", "/var/run/cdi"]
    assert changed("crio", "", "") == "", "it's on in every release that knows CDI"


def test_podman_has_nothing_to_configure() -> None:
    assert changed("podman", "", "") == ""


@pytest.mark.parametrize(
    ("runtime", "text", "version", "said"),
    [
        ("containerd", "version = ", "1.7", "isn't TOML"),
        ("crio", "[a\n", "", "isn't TOML"),
        ("docker", "{", "27.0", "isn't JSON"),
        ("docker", "[]", "27.0", "isn't an object"),
        ("docker", '{"features": 3}', "27.0", "isn't an object"),
        ("docker", "[" * 100_000, "27.0", "isn't JSON"),
        ("containerd", "", "one", "isn't a version"),
        ("containerd", "", "1.5.0", "knows no CDI"),
        ("containerd", 'version = 2\nplugins = "x"\n', "1.7", "plugins: it isn't a table"),
    ],
)
def test_what_cant_be_configured(runtime: Runtime, text: str, version: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        changed(runtime, text, version)


# As Docker's package leaves it: no version, so short names are right (containerd/containerd#10905)
PACKAGED = '# a comment\ndisabled_plugins = ["cri"]\n\n#root = "/var/lib/containerd"\n'


@pytest.mark.parametrize("version", ["1.7.0", "1.7.29", "2.0.0", "2.1.5", "2.3.7", "2.4.2", ""])
def test_dockers_packaged_file_keeps_its_version_and_loses_only_cri(version: str) -> None:
    after = changed("containerd", PACKAGED, version)
    data = tomllib.loads(after)
    assert "version" not in data
    assert data["disabled_plugins"] == []
    assert "# a comment" in after
    assert judged("containerd", version, after).on


def test_other_disabled_plugins_stay() -> None:
    after = changed("containerd", 'disabled_plugins = ["restart", "cri"]\n', "2.1.5")
    assert tomllib.loads(after)["disabled_plugins"] == ["restart"]


@pytest.mark.parametrize(
    ("version", "text", "said"),
    [
        ("1.7.29", "version = 3\n", "refuses version = 3"),
        ("1.7.29", "version = 2\n[plugins.cri]\nx = 1\n", '"cri" is a short name'),
        ("2.1.5", "version = 4\n", "refuses version = 4"),
        ("2.1.5", 'version = 2\ndisabled_plugins = ["restart"]\n', '"restart" is a short name'),
    ],
)
def test_a_file_that_stops_it_isnt_touched(version: str, text: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        changed("containerd", text, version)


def test_the_switch_goes_into_the_imported_file_whose_section_counts() -> None:
    path = "/etc/containerd/config.toml"
    files = GivenFiles(
        {
            path: f'version = 2\nimports = ["conf.d/*.toml"]\n[{OLD_CRI}]\nenable_cdi = true\n',
            "/etc/containerd/conf.d/a.toml": f"[{OLD_CRI}.registry]\nx = 1\n",
        }
    )
    texts = configured("containerd", path, files, "1.7.29").texts
    assert list(texts) == ["/etc/containerd/conf.d/a.toml"]
    assert "enable_cdi = true" in texts["/etc/containerd/conf.d/a.toml"]


def test_what_no_change_of_the_files_can_do() -> None:
    path = "/etc/containerd/config.toml"
    text = f'version = 2\nimports = ["/gone.toml"]\n[{OLD_CRI}]\nenable_cdi = true\n'
    with pytest.raises(SpecError, match="make it, or take it out"):
        changed("containerd", text, "2.1.5")
    # the last word is said in a file that is broken for this change: what stands there isn't a table
    files = GivenFiles({path: f"version = 3\n[{NEW_CRI}]\nenable_cdi = false\n"})
    assert configured("containerd", path, files, "2.1.5").texts


def test_folders_are_named_where_there_was_none() -> None:
    after = json.loads(changed("docker", '{"cdi-spec-dirs": []}', "28.2.2"))
    assert after == {"cdi-spec-dirs": ["/etc/cdi", "/var/run/cdi"], "features": {"cdi": True}}
    assert '"/etc/cdi"' in changed("podman", "[engine]\ncdi_spec_dirs = [] # none\n", "5.6.0")
    assert changed("docker", '{"features": {"cdi": "true"}}', "27.0").count("true") == 1


VALUES: st.SearchStrategy[Any] = st.sampled_from([True, False, 1, "x", [], ["/etc/cdi"]])
VERSIONS = {
    "containerd": ["", "1.7.0", "1.7.29", "2.0.1", "2.1.5", "2.3.2", "2.4.2"],
    "crio": ["", "1.25.0", "1.30.0"],
    "docker": ["", "25.0.3", "28.2.2"],
    "podman": ["", "4.9.3", "5.5.1", "5.8.0"],
}


@st.composite
def configurations(draw: st.DrawFn) -> tuple[Runtime, str, str]:
    """A runtime, a version, and a configuration with some of what can go wrong."""
    runtime = draw(st.sampled_from(RUNTIMES))
    version = draw(st.sampled_from(VERSIONS[runtime]))
    names = st.sampled_from(["enable_cdi", "cdi_spec_dirs", "cdi", "x"])
    members = draw(st.dictionaries(names, VALUES, max_size=3))
    if runtime == "docker":
        dirs = draw(st.sampled_from([None, [], [""], ["/x"]]))
        return runtime, version, json.dumps({"features": members, "cdi-spec-dirs": dirs})
    lines = [f"{key} = {json.dumps(value)}" for key, value in members.items()]
    head = {"crio": "[crio.runtime]", "podman": "[engine]"}.get(runtime, "")
    top: list[str] = []
    if runtime == "containerd":
        schema = draw(st.sampled_from([None, 1, 2, 3, 4]))
        head = f"[{draw(st.sampled_from([OLD_CRI, NEW_CRI, 'plugins.cri']))}]"
        top += [f"version = {schema}"] if schema else []
        disabled = draw(
            st.lists(st.sampled_from(["cri", OLD, "restart", "io.containerd.internal.v1.restart"]), max_size=2)
        )
        top += [f"disabled_plugins = {json.dumps(disabled)}"] if disabled else []
    return runtime, version, "\n".join([*top, head, *lines, ""])


@pytest.mark.law
@given(case=configurations())
def test_configuring_twice_is_configuring_once(case: tuple[Runtime, str, str]) -> None:
    runtime, version, text = case
    try:
        once = changed(runtime, text, version)
    except SpecError:
        return
    assert changed(runtime, once, version) == once
    assert judged(runtime, version, once).on or not version


@pytest.mark.law
@given(case=configurations())
def test_a_runtime_that_started_starts_and_has_cdi_on(case: tuple[Runtime, str, str]) -> None:
    runtime, version, text = case
    try:
        after = changed(runtime, text, version)
    except SpecError:
        return
    able = [one for one in VERSIONS[runtime][1:] if version in {"", one}]
    started = [one for one in able if judged(runtime, one, text).starts]
    assert all(judged(runtime, one, after).on for one in started or able)
