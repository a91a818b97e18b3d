"""Which specs a release can't read, and the way out."""

from dataclasses import replace

import pytest

from aliquot.cdi.runtime_config.readers import unreadable
from aliquot.cdi.runtime_config.releases import Runtime
from aliquot.cdi.runtime_config.table import TABLE
from aliquot.cdi.spec import ContainerEdits, Device, Spec
from aliquot.cdi.versions import VERSIONS

GIDS = Device(name="gpu0", edits=ContainerEdits(env=("A=b",), additional_gids=(44,)))
SPEC = Spec(version="0.7.0", kind="a.b/gpu", devices=(GIDS,))


@pytest.mark.parametrize(
    ("runtime", "version", "knows"),
    [
        ("podman", "4.3.1", "0.5.0"),
        ("podman", "4.9.3", "0.6.0"),
        ("podman", "5.0.3", "0.6.0"),
        ("podman", "5.1.0", ""),
        ("containerd", "1.7.11", "0.5.0"),
        ("containerd", "1.7.16", ""),
        ("docker", "26.0.2", "0.6.0"),
        ("docker", "25.0.17", ""),
        ("crio", "1.29.1", "0.6.0"),
        ("crio", "1.30", ""),
        ("podman", "", ""),
        ("containerd", "1.6.20", ""),  # it reads none at all, which is said elsewhere
    ],
)
def test_spec_against_reader(runtime: Runtime, version: str, knows: str) -> None:
    problem = unreadable(SPEC, "/etc/cdi/x.yaml", runtime, version)
    assert (problem is not None) == bool(knows)
    if problem is not None:
        assert f"knows up to {knows}" in problem.message
        assert f"aliquot cdi lower /etc/cdi/x.yaml --to {knows}" in problem.hint
        assert "uses fields of 0.7.0" in problem.hint


def test_a_declared_version_counts_whatever_is_used() -> None:
    plain = replace(SPEC, version="1.0.0", devices=(replace(GIDS, edits=ContainerEdits(env=("A=b",))),))
    problem = unreadable(plain, "x.yaml", "podman", "4.9.3")
    assert problem is not None
    assert "lost" not in problem.hint


def test_too_old_to_be_lowered_for() -> None:
    problem = unreadable(replace(SPEC, version="0.3.0"), "x.yaml", "podman", "4.0.0")
    assert problem is not None
    assert problem.hint == "update podman"


def test_the_table_is_whole() -> None:
    assert all(row.value in VERSIONS for row in TABLE if row.topic == "specs")
    assert all(row.source and row.does and row.releases for row in TABLE)
    assert len({(row.runtime, row.topic, row.since) for row in TABLE}) == len(TABLE)
