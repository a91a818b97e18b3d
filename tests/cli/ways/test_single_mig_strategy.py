"""A node that counts MIG instances as GPUs (strategy single): they are what is asked for, and aren't cut again."""

from collections.abc import Callable
from typing import Any

import pytest

from scenarios.api.cluster import node, pod

LABELS = {
    "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb",
    "nvidia.com/gpu.count": "7",
    "nvidia.com/mig.strategy": "single",
}


@pytest.mark.parametrize(
    ("asked", "level", "words"),
    [("1g.10gb", "low", "MIG strategy single"), ("2g.20gb", "high", "less memory than was asked for")],
)
def test_its_instances(told: Callable[..., Any], asked: str, level: str, words: str) -> None:
    wants = pod("p", requests={f"nvidia.com/mig-{asked}": 1})
    found = told(node("a", gpu=7, labels=LABELS), wants)
    swap = next(way for way in found["waysOut"] if way["kind"] == "change-request")
    assert swap["risk"]["level"] == level
    assert words in swap["risk"]["text"]
    assert "Cut the" not in found["text"]
    assert "cut by MIG" not in found["text"]
