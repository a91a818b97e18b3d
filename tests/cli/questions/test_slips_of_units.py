"""Amounts that can hardly be meant: the slip is named, and the corrected amount is tried."""

from collections.abc import Callable
from typing import Any

import pytest

from scenarios.api.cluster import node, pod

Told = Callable[..., dict[str, Any]]


@pytest.mark.parametrize("gpu", [0, 1])
def test_millicores_without_their_m(told: Told, gpu: int) -> None:
    nodes = [node(name, gpu=2) for name in ("a0", "a1")]
    found = told(*nodes, pod("p", gpu=gpu, requests={"cpu": "16000"}))
    assert "asks for 16000 whole cores of cpu: 16000m, which is 16, is probably meant." in found["sentence"]
    (way,) = found["waysOut"]  # no node of 16000 cores is for sale
    assert way["title"] == "Ask for 16 (16000m) of cpu instead of 16000"
    assert way["risk"]["level"] == "low"
    assert way["changes"][0]["patch"]["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "16"}


def test_half_a_core(told: Told) -> None:
    found = told(node("a0"), pod("p", requests={"cpu": "500"}))
    assert found["waysOut"][0]["title"] == "Ask for 500m of cpu instead of 500"


def test_the_limit_goes_with_the_request_and_what_was_injected_stays(told: Told) -> None:
    waiting = pod("p", owner="Deployment/web", requests={"cpu": "2"})
    big = {"requests": {"cpu": "4000"}, "limits": {"cpu": "4000"}}
    waiting["spec"]["initContainers"] = [{"name": "first", "resources": big}]
    found = told(node("a0"), waiting)
    (container,) = found["waysOut"][0]["changes"][0]["patch"]["spec"]["template"]["spec"]["initContainers"]
    assert container == {"name": "first", "resources": {"requests": {"cpu": "4"}, "limits": {"cpu": "4"}}}


def test_gi_for_mi(told: Told) -> None:
    found = told(node("a0"), pod("p", requests={"memory": "64000Gi"}))
    assert "asks for 64000Gi of memory: 64000Mi is probably meant." in found["sentence"]
    assert [way["title"] for way in found["waysOut"]] == ["Ask for 64000Mi of memory instead of 64000Gi"]


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        ("40", "Container main asks for only 40 bytes of memory: a unit is probably missing or wrong (Mi, Gi)."),
        ("8Ki", "Container main asks for only 8Ki of memory: a unit is probably missing or wrong (Mi, Gi)."),
        ("512m", "a byte of memory at most (m means thousandths, so 512m is half a byte): Mi is probably meant."),
    ],
)
@pytest.mark.parametrize("held", [False, True])
def test_a_unit_forgotten_is_said_whether_it_waits_or_not(told: Told, amount: str, words: str, held: bool) -> None:
    holder = [pod("holder", on="a0", gpu=1)] if held else []
    found = told(node("a0", gpu=1), *holder, pod("p", gpu=1, requests={"memory": amount}))
    assert found["verdict"] == ("pending" if held else "placeable")
    assert words in found["note"]
    assert words in found["text"]


def test_what_may_be_meant_is_no_slip(told: Told) -> None:
    found = told(node("a0", memory="30Gi"), pod("p", requests={"memory": "1000Gi", "cpu": "128"}))
    assert "probably meant" not in found["text"]
