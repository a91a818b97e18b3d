"""Is CDI on, by version and configuration; and switching it on, once, with comments kept."""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.cdi.problems import SpecError
from aliquot.cdi.runtime_config import RUNTIMES, Runtime, assess, configured

OLD_CRI = 'plugins."io.containerd.grpc.v1.cri"'
NEW_CRI = 'plugins."io.containerd.cri.v1.runtime"'


@pytest.mark.parametrize(
    ("runtime", "version", "text", "on"),
    [
        # containerd, docs/cri/config.md: off in 1.7, on since 2.0
        ("containerd", "1.6.33", "", False),
        ("containerd", "1.7.22", "", False),
        ("containerd", "1.7.22", f"version = 2\n[{OLD_CRI}]\nenable_cdi = true\n", True),
        ("containerd", "2.0.0", "", True),
        ("containerd", "2.3.1", f"version = 3\n[{NEW_CRI}]\nenable_cdi = false\n", False),
        ("containerd", "2.1.0", f"version = 2\n[{OLD_CRI}]\nenable_cdi = false\n", False),
        ("containerd", "1.7.22", "[plugins.cri]\nenable_cdi = true\n", True),
        ("containerd", "", "", None),
        ("containerd", "", f"version = 2\n[{OLD_CRI}]\nenable_cdi = true\n", True),
        ("crio", "1.23.0", "", False),
        ("crio", "1.28.0", "", True),
        ("crio", "1.28.0", "[crio.runtime]\ncdi_spec_dirs = []\n", False),
        ("crio", "", "", None),
        ("docker", "24.0.7", '{"features": {"cdi": true}}', False),
        ("docker", "25.0.0", "", False),
        ("docker", "28.1.1", "{}", False),
        ("docker", "28.1.1", '{"features": {"cdi": true}}', True),
        ("docker", "28.2.0", "{}", True),
        ("docker", "29.0.0", '{"features": {"cdi": false}}', False),
        ("docker", "", "", None),
        ("podman", "3.1.0", "", False),
        ("podman", "4.3.1", "", True),
        ("podman", "", "", None),
    ],
)
def test_on_or_off(runtime: Runtime, version: str, text: str, on: bool | None) -> None:
    found = assess(runtime, text, version)
    assert found.on is on
    assert found.reason
    assert bool(found.fix) == (on is not True and (runtime, version) not in {("crio", ""), ("podman", "")})


@pytest.mark.parametrize(
    ("runtime", "version", "text", "note"),
    [
        ("podman", "4.0.3", "", "before 4.1"),
        ("crio", "1.26.1", "", "from annotations only"),
        (
            "crio",
            "1.30",
            '[crio.runtime]\ncdi_spec_dirs = ["/opt/cdi", "/etc/cdi"]\n',
            "doesn't look into /var/run/cdi",
        ),
        ("docker", "29.0", '{"cdi-spec-dirs": ["/opt/cdi"]}', "doesn't look into /etc/cdi and /var/run/cdi"),
        (
            "containerd",
            "2.0",
            f'version = 3\n[{NEW_CRI}]\ncdi_spec_dirs = ["/var/run/cdi"]\n',
            "doesn't look into /etc/cdi",
        ),
        ("containerd", "2.0", 'imports = ["/etc/containerd/conf.d/*.toml"]\n', "containerd config dump"),
    ],
)
def test_notes(runtime: Runtime, version: str, text: str, note: str) -> None:
    assert any(note in one for one in assess(runtime, text, version).notes)


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
    text = configured("containerd", CONTAINERD, "1.7.22")
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
        ("1.7.22", "version = 3\n", 3, "io.containerd.cri.v1.runtime"),
        ("2.0.1", f"version = 3\n[{NEW_CRI}]\nenable_cdi = false\n", 3, "io.containerd.cri.v1.runtime"),
        ("2.0.1", f"version = 2\n[{OLD_CRI}]\nenable_cdi = false\n", 2, "io.containerd.grpc.v1.cri"),
        ("1.7.0", "[plugins.cri]\nsystemd_cgroup = true\n", None, "cri"),
        ("1.7.0", "[plugins]\n[plugins.other]\nx = 1\n", None, "cri"),
        ("1.7.0", "version = 9\n", 9, "io.containerd.cri.v1.runtime"),
    ],
)
def test_containerds_plugin_has_its_name_by_the_files_own_version(
    version: str, text: str, schema: int | None, plugin: str
) -> None:
    after = configured("containerd", text, version)
    data = tomllib.loads(after)
    assert data.get("version") == schema
    assert data["plugins"][plugin]["enable_cdi"] is True
    assert configured("containerd", after, version) == after


def test_a_switch_that_is_there_is_turned_whatever_the_files_version_is() -> None:
    text = f"[{NEW_CRI}]\nenable_cdi = false\n[{OLD_CRI}]\nenable_cdi = false\n"
    after = tomllib.loads(configured("containerd", text))["plugins"]
    assert [section["enable_cdi"] for section in after.values()] == [True, True]


def test_docker_keeps_its_members_and_indentation() -> None:
    text = configured("docker", '{\n\t"data-root": "/big",\n\t"features": {"x": true}\n}\n', "27.1")
    assert json.loads(text) == {"data-root": "/big", "features": {"x": True, "cdi": True}}
    assert '\n\t"data-root"' in text
    assert configured("docker", "", "27.1") == '{\n  "features": {\n    "cdi": true\n  }\n}\n'


def test_crio() -> None:
    text = configured("crio", "[crio.runtime]\ncdi_spec_dirs = []  # off\n", "1.30")
    assert tomllib.loads(text)["crio"]["runtime"]["cdi_spec_dirs"] == ["/etc/cdi", "/var/run/cdi"]
    fresh = configured("crio", "", "")
    assert tomllib.loads(fresh)["crio"]["runtime"]["cdi_spec_dirs"] == ["/etc/cdi", "/var/run/cdi"]


def test_podman_has_nothing_to_configure() -> None:
    assert configured("podman", "", "") == ""


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
        configured(runtime, text, version)


VALUES: st.SearchStrategy[Any] = st.sampled_from([True, False, 1, "x", [], ["/etc/cdi"]])


@pytest.mark.law
@given(
    runtime=st.sampled_from(RUNTIMES),
    version=st.sampled_from(["", "1.7.2", "2.1", "25.0", "28.2", "1.30"]),
    members=st.dictionaries(st.sampled_from(["enable_cdi", "cdi_spec_dirs", "cdi", "x"]), VALUES, max_size=3),
    schema=st.sampled_from([None, 1, 2, 3]),
)
def test_configuring_twice_is_configuring_once(
    runtime: Runtime, version: str, members: dict[str, Any], schema: int | None
) -> None:
    if runtime == "docker":
        text = json.dumps({"features": members})
    else:
        lines = [f"{key} = {json.dumps(value)}" for key, value in members.items()]
        head = {"containerd": f"[{OLD_CRI if schema == 2 else NEW_CRI}]", "crio": "[crio.runtime]", "podman": ""}[
            runtime
        ]
        text = "\n".join([*([f"version = {schema}"] if schema else []), head, *lines, ""])
    try:
        once = configured(runtime, text, version)
    except SpecError:
        return
    assert configured(runtime, once, version) == once
    assert assess(runtime, once, version).on or runtime == "podman"
