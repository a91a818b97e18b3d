"""Devices published under a name that no node of the input has: of which driver, and which node is probably meant."""

from collections.abc import Callable
from typing import Any

import pytest

ASKED = {"deviceClassName": "gpu.nvidia.com"}


@pytest.mark.parametrize(
    ("name", "meant"),
    [("hgx-h100.ec2.internal", True), ("hgx-h101", True), ("elsewhere", False)],
    ids=["the whole host name", "a slip", "another node"],
)
def test_a_node_of_another_name(
    told: Callable[..., Any], hgx: Callable[..., list[Any]], name: str, meant: bool
) -> None:
    found = hgx(asked=ASKED)
    found[0]["metadata"]["name"] = name
    answer = told(*found)
    sentence = (
        "The ResourceSlices of gpu.nvidia.com (208 devices) name hgx-h100 as their node, and no node of the input"
    )
    assert answer["sentence"].startswith(sentence)
    assert "No node publishes" not in answer["text"]
    assert (f"{name} is probably meant by hgx-h100" in answer["sentence"]) == meant
    (advice,) = answer["advice"]
    assert (f"publish as node {name}, not hgx-h100" in advice["text"]) == meant
    assert ("Node hgx-h100 isn't in the input" in advice["text"]) != meant
