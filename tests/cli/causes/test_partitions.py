"""Devices that are cut from GPUs: what no device has, which GPU has most memory slices free, and who holds the rest."""

from collections.abc import Callable
from typing import Any

import pytest

from scenarios.drivers import Json

Told = Callable[..., dict[str, Any]]
Hgx = Callable[..., list[Json]]
WHOLE = {"deviceClassName": "gpu.nvidia.com"}


def mig(profile: str) -> Json:
    expression = f"device.attributes['gpu.nvidia.com'].profile == '{profile}'"
    return {"deviceClassName": "mig.nvidia.com", "selectors": [{"cel": {"expression": expression}}]}


@pytest.mark.parametrize(
    ("kind", "largest"), [("gpu", "81152Mi (gpu-0 on hgx-h100)"), ("mig", "81152Mi (gpu-0-mig-7g80gb-0-0 on hgx-h100)")]
)
def test_a_capacity_that_no_device_has(told: Told, hgx: Hgx, kind: str, largest: str) -> None:
    asked = {"deviceClassName": f"{kind}.nvidia.com", "capacity": {"requests": {"memory": "200Gi"}}}
    found = told(*hgx(asked=asked))
    assert found["cause"]["kind"] == "larger-than-any"
    assert found["sentence"] == (
        f"Request r asks for 200Gi of memory of one device, and no device has that much: the largest has {largest}."
    )
    assert found["waysOut"][0]["kind"] == "shrink"


def test_too_small_ones_arent_counted_with_the_others(told: Told, hgx: Hgx) -> None:
    asked = {"deviceClassName": "mig.nvidia.com", "capacity": {"requests": {"memory": "80000Mi"}}, "count": 9}
    found = told(*hgx(asked=asked))
    assert found["cause"]["kind"] == "larger-than-any"
    assert found["sentence"].startswith("Request r wants 9 devices on one node, more than any node has: the most is 8")
    assert found["sentence"].endswith(" others there have too little memory.")


def test_whole_gpus_that_are_held_are_told_as_held(told: Told, hgx: Hgx) -> None:
    found = told(*hgx(held={"train": [f"gpu-{number}" for number in range(8)]}, asked=WHOLE))
    assert found["cause"]["kind"] == "held"
    assert found["sentence"] == (
        "No device is left for request r (8 such devices on hgx-h100): 8 devices on hgx-h100 are held by ml/train."
    )


def test_a_gpu_of_which_a_slice_is_held(told: Told, hgx: Hgx) -> None:
    held = {"train": [f"gpu-{number}" for number in range(7)], "small": ["gpu-7-mig-1g10gb-19-0"]}
    found = told(*hgx(held=held, asked=WHOLE))
    assert (
        "gpu-7 needs all 8 of its memory slices, and 7 of 8 are free: the others are held by ml/small "
        "(gpu-7-mig-1g10gb-19-0); 7 devices on hgx-h100 are held by ml/train."
    ) in found["sentence"]


def test_the_gpu_with_most_memory_slices_free(told: Told, hgx: Hgx) -> None:
    held = {"train": [f"gpu-{number}" for number in range(7)], "small": ["gpu-7-mig-1g10gb-19-0"]}
    found = told(*hgx(held=held, asked=mig("7g.80gb")))
    assert found["cause"]["kind"] == "partitioned"
    assert (
        "gpu-7-mig-7g80gb-0-0 needs 8 memory slices of gpu-7 (gpu-7-counter-set), and 7 of 8 are free, the most of any "
        "GPU: the others are held by ml/small (gpu-7-mig-1g10gb-19-0); on other GPUs by ml/train."
    ) in found["sentence"]


def test_no_slice_free_anywhere(told: Told, hgx: Hgx) -> None:
    found = told(*hgx(held={"train": [f"gpu-{number}" for number in range(8)]}, asked=mig("3g.40gb")))
    assert "and none is free, there or on any other GPU: held by ml/train (gpu-0)." in found["sentence"]


def test_enough_slices_but_not_where_the_profile_may_stand(told: Told, hgx: Hgx) -> None:
    held = {"train": [f"gpu-{number}" for number in range(7)]}
    held["small"] = ["gpu-7-mig-1g10gb-19-0", "gpu-7-mig-1g10gb-19-4"]
    found = told(*hgx(held=held, asked=mig("3g.40gb")))
    assert (
        "needs 4 memory slices of gpu-7 (gpu-7-counter-set), and 6 of 8 are free, but not those, " in found["sentence"]
    )


def test_the_devices_that_it_would_get(told: Told, hgx: Hgx) -> None:
    found = told(*hgx(asked={**WHOLE, "count": 2}))
    assert found["verdict"] == "placeable"
    words = "On hgx-h100 it would get gpu.nvidia.com/hgx-h100/gpu-0 and gpu.nvidia.com/hgx-h100/gpu-1."
    assert words in found["text"]
    assert words in found["wide"]
