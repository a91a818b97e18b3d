"""MIG profiles: their names, what they hold, and which is the smallest that will do."""

import pytest

from aliquot.devices.catalogue import find
from aliquot.devices.mig import (
    Geometry,
    Profile,
    all_geometries,
    geometry,
    geometry_of,
    memory_of,
    profile_name,
    sources,
)

EVERY = [pytest.param(g, p, id=f"{g.key} {p.name}") for g in all_geometries() for p in g.profiles]


def known(key: str) -> Geometry:
    found = geometry(key)
    assert found is not None
    return found


@pytest.mark.parametrize(("gpu", "profile"), EVERY)
def test_every_profile_is_found_by_its_names(gpu: Geometry, profile: Profile) -> None:
    assert gpu.profile(profile.name) is profile
    assert gpu.profile(profile.resource_name) is profile
    assert "+" not in profile.resource_name
    assert profile.source in sources()


@pytest.mark.parametrize(("gpu", "profile"), EVERY)
def test_every_profile_lies_within_its_gpu(gpu: Geometry, profile: Profile) -> None:
    if gpu.memory_units is None:
        assert (profile.memory_slices, profile.starts) == (None, ())
        return
    assert profile.memory_slices is not None
    assert profile.starts
    assert all(0 <= start <= gpu.memory_units - profile.memory_slices for start in profile.starts)
    assert profile.max_instances <= gpu.max_instances
    if profile.memory_mib is not None:
        assert profile.memory_mib == min(profile.memory_mib_observed)
        assert profile.memory_mib >= int(profile.label_gib * 1024 * 0.88)


@pytest.mark.parametrize(
    ("name", "resource"),
    [("1g.5gb", "nvidia.com/mig-1g.5gb"), ("1g.5gb+me", "nvidia.com/mig-1g.5gb.me")],
)
def test_resource_names(name: str, resource: str) -> None:
    profile = known("A100-40GB").profile(name)
    assert profile is not None
    assert profile.resource_name == resource
    assert profile_name(resource) == name


@pytest.mark.parametrize(
    ("gpu", "drifted", "name"),
    [
        ("A100-80GB", "7g.79gb", "7g.80gb"),
        ("A100-80GB", "nvidia.com/mig-3g.39gb", "3g.40gb"),
        ("A100-80GB", "4g.39gb", "4g.40gb"),
        ("H100-80GB", "1g.11gb+me", "1g.10gb+me"),
    ],
)
def test_names_that_drift_by_one(gpu: str, drifted: str, name: str) -> None:
    profile = known(gpu).profile(drifted)
    assert profile is not None
    assert profile.name == name


@pytest.mark.parametrize("name", ["1g.7gb", "5g.20gb", "nonsense", "1g.5gb+gfx", "1g.40gb"])
def test_names_that_it_has_not(name: str) -> None:
    assert known("A100-40GB").profile(name) is None


def test_a_name_means_different_things_on_different_gpus() -> None:
    double, single = known("H200-141GB").profile("1g.35gb"), known("GB300").profile("1g.35gb")
    assert double is not None
    assert single is not None
    assert (double.kind, double.max_instances) == ("1g2", 4)
    assert (single.kind, single.max_instances) == ("1g", 7)


def test_geometries_are_found_by_key_id_and_model() -> None:
    assert known("A100-40GB") is known("20b0") is known("0x20F6") is known("10de:20b0")
    assert geometry("ffff") is None
    a100, l4 = find("A100-40GB"), find("L4")
    assert a100 is not None
    assert l4 is not None
    assert geometry_of(a100) is known("A100-40GB")
    assert geometry_of(l4) is None


# facts/planner.md, worked case 2: the label says 18, the instance holds 16.00 GiB
def test_17_gib_on_an_h200_need_more_than_1g_18gb() -> None:
    assert [p.name for p in known("H200-141GB").smallest_holding(17 * 1024)] == ["1g.35gb", "2g.35gb"]
    assert [p.name for p in known("H200-141GB").smallest_holding(16 * 1024)] == ["1g.18gb"]


@pytest.mark.parametrize(
    ("gpu", "mib", "names"),
    [
        ("A100-40GB", 1024, ["1g.5gb"]),  # worked case 1
        ("A100-40GB", 4864, ["1g.5gb"]),
        ("A100-40GB", 4865, ["1g.10gb", "2g.10gb"]),
        ("A100-40GB", 15000, ["3g.20gb", "4g.20gb"]),
        ("A100-40GB", 50000, []),
        ("RTX-PRO-5000", 20000, ["1g.24gb"]),  # of its placements only the names are known
    ],
)
def test_the_smallest_that_holds(gpu: str, mib: int, names: list[str]) -> None:
    assert [p.name for p in known(gpu).smallest_holding(mib)] == names


def test_what_a_node_reports_counts_more_than_the_table() -> None:
    b200 = known("B200")
    assert [p.name for p in b200.smallest_holding(22000)] == ["1g.45gb", "2g.45gb"]
    assert [p.name for p in b200.smallest_holding(22000, {"1g.23gb": 22528})] == ["1g.23gb"]


@pytest.mark.parametrize(
    ("gpu", "profile", "reported", "expected"),
    [
        ("H200-141GB", "1g.18gb", None, (16384, "table")),
        ("H200-141GB", "1g.18gb", {"1g.18gb": 16500}, (16500, "node")),
        ("H200-141GB", "1g.18gb", {"1g.35gb": 33024}, (16384, "table")),
        ("B300", "1g.34gb", None, (30638, "label")),  # 34 GiB x 0.88
    ],
)
def test_who_says_how_much_memory(
    gpu: str, profile: str, reported: dict[str, int] | None, expected: tuple[int, str]
) -> None:
    found = known(gpu).profile(profile)
    assert found is not None
    memory = memory_of(found, reported)
    assert (memory.mib, memory.source) == expected
