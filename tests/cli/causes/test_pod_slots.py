"""A node takes so many pods and no more: that has words of its own, since a pod asks for one slot only."""

from collections.abc import Callable
from typing import Any

from scenarios.api.cluster import node, pod

Told = Callable[..., dict[str, Any]]


def test_no_slot_is_left(told: Told) -> None:
    found = told(node("a0", gpu=4, pods=1), pod("other", on="a0"), pod("p", gpu=1))
    assert found["sentence"] == (
        "There's room for 1 nvidia.com/gpu on a0, but no pod slot is left on a0 (1 of 1 taken)."
    )


def test_nor_on_any_of_several(told: Told) -> None:
    nodes = [node(name, gpu=4, pods=1) for name in ("a0", "a1")]
    found = told(*nodes, pod("x", on="a0"), pod("y", on="a1"), pod("p", gpu=1))
    assert found["sentence"].endswith("but no pod slot is left on a0 and a1 (all are taken).")


def test_nor_is_there_memory(told: Told) -> None:
    found = told(node("a0", gpu=4, pods=1), pod("other", on="a0"), pod("p", gpu=1, requests={"memory": "300Gi"}))
    assert "no pod slot is left on a0 (1 of 1 taken), and too little memory is left: 300Gi asked" in found["text"]
