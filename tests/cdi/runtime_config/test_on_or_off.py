"""Is CDI on, by version and configuration."""

import pytest

from aliquot.cdi.runtime_config.releases import Runtime
from tests.cdi.runtime_config.judged import NEW_CRI, OLD_CRI, judged


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
        ("crio", "", "", True),  # in every release that knows CDI
        ("docker", "24.0.7", '{"features": {"cdi": true}}', False),
        ("docker", "25.0.0", "", False),
        ("docker", "28.1.1", "{}", False),
        ("docker", "28.1.1", '{"features": {"cdi": true}}', True),
        ("docker", "28.2.0", "{}", True),
        ("docker", "29.0.0", '{"features": {"cdi": false}}', False),
        ("docker", "", "", None),
        ("podman", "3.1.0", "", False),
        ("podman", "4.3.1", "", True),
        ("podman", "", "", True),
    ],
)
def test_on_or_off(runtime: Runtime, version: str, text: str, on: bool | None) -> None:
    found = judged(runtime, version, text)
    assert found.on is on
    assert found.reason
    assert bool(found.fix) == (on is not True)


@pytest.mark.parametrize(
    ("runtime", "version", "text", "note"),
    [
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
    ],
)
def test_notes(runtime: Runtime, version: str, text: str, note: str) -> None:
    assert any(note in one for one in judged(runtime, version, text).notes)


def test_what_podman_up_to_4_0_reads() -> None:
    assert judged("podman", "4.0.3", "").reads == "0.2.0"
