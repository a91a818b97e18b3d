"""Which name was probably meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.advisor.amounts import about, show
from aliquot.advisor.nearest import distance, is_near, nearest

TEXT = st.text(alphabet="abcXYZ-./", max_size=12)


@pytest.mark.parametrize(
    ("one", "other", "half_edits"),
    [
        ("", "", 0),
        ("gpu", "gpu", 0),
        ("gpu", "gpus", 2),
        ("SMX4", "SXM4", 2),
        ("productname", "productName", 1),
        ("abc", "xyz", 6),
    ],
)
def test_distance(one: str, other: str, half_edits: int) -> None:
    assert distance(one, other) == half_edits


@given(TEXT, TEXT)
def test_distance_is_symmetric_and_zero_only_for_equals(one: str, other: str) -> None:
    assert distance(one, other) == distance(other, one)
    assert (distance(one, other) == 0) == (one == other)


def test_near_and_nearest() -> None:
    assert is_near("nvidia.com/gpus", "nvidia.com/gpu")
    assert not is_near("a100", "h200")
    assert nearest("tire", ["zone", "tier", "time"])[0] == "tier"


@pytest.mark.parametrize(
    ("resource", "amount", "exact", "rounded"),
    [
        ("cpu", 1500, "1500m", "1500m"),
        ("cpu", 2000, "2", "2"),
        ("memory", 8 << 30, "8Gi", "8Gi"),
        ("memory", (8 << 30) + 1, "8589934593", "8Gi"),
        ("memory", 1536 << 20, "1536Mi", "1.5Gi"),
        ("memory", 0, "0", "0"),
        ("memory", 100, "100", "100"),
        ("hugepages-2Mi", 2 << 20, "2Mi", "2Mi"),
        ("nvidia.com/gpu", 3, "3", "3"),
    ],
)
def test_amounts_in_words(resource: str, amount: int, exact: str, rounded: str) -> None:
    assert show(resource, amount) == exact
    assert about(resource, amount) == rounded
