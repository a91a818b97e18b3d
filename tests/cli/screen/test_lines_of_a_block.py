"""What stands in a block: the undo of each way, the one other reason, MIG advice that fits, which release answers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from scenarios.api.cluster import node, pod

Told = Callable[..., dict[str, Any]]
CUT = {"nvidia.com/mig.capable": "true"}


def test_the_undo_of_a_share_stands_beside_it_however_long(told: Told) -> None:
    found = told(node("a0", gpu=1), pod("h", on="a0", gpu=1), pod("p", gpu=1))
    way = next(way for way in found["waysOut"] if way["kind"] == "share")
    typed = [change["undo"].partition("  # ")[0] for change in reversed(way["changes"])]
    assert all(typed)
    assert f"undo: {' && '.join(typed)}" in found["text"]


def test_what_cant_be_undone_is_no_command(told: Told) -> None:
    found = told(node("a0", gpu=2), *(pod(name, on="a0", gpu=1) for name in ("h", "i")), pod("p", gpu=2))
    assert any(len(way["changes"]) > 1 for way in found["waysOut"])
    assert "&& no undo" not in found["text"]
    assert "no undo: no controller makes it again, and what it did is lost" in found["text"]


def test_the_only_other_reason_is_named(told: Told) -> None:
    found = told(node("a0", gpu=1), node("c0"), node("c1"), pod("h", on="a0", gpu=1), pod("p", gpu=1))
    assert "2 nodes (c0 …): offers no nvidia.com/gpu" in found["text"]
    assert "other reason" not in found["text"]


def test_several_other_reasons_are_counted(told: Told) -> None:
    tainted = node("t0", taints=[{"key": "team", "value": "x", "effect": "NoSchedule"}])
    found = told(node("a0", gpu=1), node("c0"), tainted, pod("h", on="a0", gpu=1), pod("p", gpu=1))
    assert "and 2 nodes more, for 2 other reasons (-o wide)" in found["text"]


@pytest.mark.parametrize(
    ("gpus", "holders", "words"),
    [
        (
            1,
            1,
            "a0 could be cut into nvidia.com/mig-1g.5gb too, but its only GPU is held by ml/h0, which must go first",
        ),
        (2, 2, "too, but all its 2 GPUs are held by ml/h0 and ml/h1, which must go first"),
        (2, 1, "too: 1 of its 2 GPUs is held by nobody, the rest by ml/h0: cut only that one, with a mig-parted"),
    ],
)
def test_mig_advice_fits_what_is_held(told: Told, gpus: int, holders: int, words: str) -> None:
    able = node("a0", gpu=gpus, labels={**CUT, "nvidia.com/gpu.count": str(gpus)})
    held = [pod(f"h{number}", on="a0", gpu=1) for number in range(holders)]
    found = told(able, *held, pod("p", requests={"nvidia.com/mig-1g.5gb": 1}))
    (advice,) = found["advice"]
    assert words in advice["text"]


def test_mig_advice_where_instances_are_held(told: Told) -> None:
    mixed = {"nvidia.com/mig-2g.10gb": 3, "nvidia.com/gpu": 0}
    able = node("a0", gpu=0, labels={**CUT, "nvidia.com/gpu.count": "1"}, more=mixed)
    holder = pod("h", on="a0", requests={"nvidia.com/mig-2g.10gb": 1})
    found = told(able, holder, pod("p", requests={"nvidia.com/mig-1g.5gb": 1}))
    assert "but parts of its GPUs are held by ml/h, and a GPU can be cut anew only while" in found["advice"][0]["text"]


@pytest.mark.parametrize("target", ["pod/p", "node/a0"])
@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("1.30", "Kubernetes 1.30 isn't known, so this is what kube-scheduler 1.31 would do, the oldest known"),
        ("1.99", "Kubernetes 1.99 isn't known, so this is what kube-scheduler 1.37 would do, the newest known"),
    ],
)
def test_another_release_answers_with_a_warning(
    told: Told, tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str, asked: str, words: str
) -> None:
    told(node("a0", gpu=1), pod("p", gpu=2))
    run(["explain", target, "-f", str(tmp_path / "dump.json"), "--kubernetes", asked, "-o", "json"])
    captured = capsys.readouterr()
    assert f"warning: --kubernetes: {words}" in captured.err
    assert words in captured.out
    run(["explain", target, "-f", str(tmp_path / "dump.json"), "--kubernetes", "1.36"])
    assert "isn't known" not in capsys.readouterr().err


def test_a_cluster_of_a_release_that_isnt_known(told: Told, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = node("a0", gpu=1)
    old["status"]["nodeInfo"]["kubeletVersion"] = "v1.29.4"
    told(old, pod("p", gpu=2))
    run(["explain", "pod/p", "-f", str(tmp_path / "dump.json")])
    assert "warning: nodes' kubelets: Kubernetes 1.29 isn't known" in capsys.readouterr().err
