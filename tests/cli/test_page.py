"""`explain -o html`: what the page says, what it draws, and what names from a cluster can't do to it."""

import json
import random
import xml.etree.ElementTree as ET
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from aliquot.cli.entry import run
from tests.browser.clusters import BIDI, COUNTED, SHARED, hostile
from tests.browser.tree import Tree, words

CASES = Path(__file__).parent.parent / "cases"
MIXED = CASES / "reports" / "mixed-cluster-40" / "dump.json.gz"
DUMPS = sorted(path for kind in ("dumps", "reports") for path in (CASES / kind).glob("*/dump.*"))


def page_of(capsys: pytest.CaptureFixture[str], *arguments: object) -> Tree:
    run(["explain", *map(str, arguments), "-o", "html"])
    return Tree(capsys.readouterr().out)


def bars(tree: Tree, node: str) -> dict[str, ET.Element]:
    """Resource -> its bar on the map, of a node."""
    return {
        bar.attrib["aria-label"].partition(": ")[0]: bar for bar in tree.all("span", "bar", within=tree.by_id(node))
    }


def pieces(bar: ET.Element) -> list[tuple[str, int, str]]:
    """Style (owners' colours as `held`), width, and what is told."""
    return [
        (
            " ".join("held" if style[0] == "o" else style for style in one.get("class", "").split()),
            int(one.get("style", "--n:1").removeprefix("--n:")),
            one.get("title", ""),
        )
        for one in bar
    ]


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.parent.name)
def test_it_holds_what_the_json_holds_and_loads_nothing(dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["explain", "--all-pending", "-f", str(dump), "-o", "json"])
    told = json.loads(capsys.readouterr().out)["pods"]
    tree = page_of(capsys, "--all-pending", "-f", dump)
    holds_all(tree, told)
    ids = list(tree.values("id"))
    assert len(ids) == len(set(ids))
    assert {link.removeprefix("#") for link in tree.values("href")} <= set(ids)
    assert set(tree.values("aria-labelledby")) <= set(ids)
    assert not list(tree.values("src"))
    assert not {"link", "img", "iframe", "object"} & {one.tag for one in tree.root.iter()}
    style = words(tree.all("style")[0])
    assert "url(" not in style
    assert "@import" not in style
    (policy,) = (one.attrib["content"] for one in tree.all("meta") if one.get("http-equiv"))
    assert policy.startswith("default-src 'none';")
    assert len(tree.all("h1")) == 1


def holds_all(tree: Tree, told: list[dict[str, Any]]) -> None:
    """Sentences, messages, ways out and their commands, as in the JSON; of pods with one owner those of the first."""
    text = words(tree.by_id("causes"))
    commands = {"".join(one.itertext()).strip() for one in tree.all("code")}
    names = " ".join(tree.values("data-words"))
    first = {pod["owner"]: pod for pod in reversed(told)}
    for pod in told:
        assert pod["pod"].lower() in names
        if first[pod["owner"]] is pod:
            assert " ".join(pod["sentence"].split()) in text
            waits = pod["verdict"] in ("pending", "blocked", "gated")
            assert not waits or " ".join(pod["schedulerMessage"].split()) in text
        for way in pod["waysOut"]:
            assert " ".join(way["title"].split()) in text
            assert way["risk"]["text"] in text
            assert {change["command"].strip() for change in way["changes"]} <= commands
    causes = tree.all("article", "cause")
    rows = [row for row in tree.all("tr") if "data-cause" in row.attrib]
    assert [one.attrib["id"] for one in causes] == [row.attrib["data-cause"] for row in rows]


def test_the_mixed_cluster_has_a_line_and_a_block_for_each_cause(capsys: pytest.CaptureFixture[str]) -> None:
    tree = page_of(capsys, "--all-pending", "-f", MIXED)
    assert words(tree.all("h1")[0]) == "Why 16 pods wait"
    counts = [words(label) for label in tree.all("label") if label.find("input[@name='verdict']") is not None]
    assert [count.split()[0] + " " + count.split()[2] for count in counts] == [
        "12 pending",
        "3 blocked",
        "1 gated",
        "1 placeable",
    ]
    rows = {row.attrib["data-cause"]: row for row in tree.all("tr") if "data-cause" in row.attrib}
    assert len(rows) == 15
    cells = [words(cell) for cell in rows["cause-train-ft-nightly"]]
    assert cells[0] == "✘ pending train/ft-nightly"
    assert cells[1].startswith("All 12 nvidia.com/gpu on l40s-1, l40s-2 and l40s-3, which it selects, are taken")
    assert cells[2:] == ["4 nvidia.com/gpu", "Uncordon l40s-4", "medium"]
    assert words(rows["cause-ml-embed-v2"][0]).endswith("×3")
    assert words(rows["cause-train-pretrain-xl"][3]) == (
        "Add a node like h100-1 ($55.04/h), or, at high risk, ask for 4 devices instead of 8 (request gpu)"
    )
    assert words(rows["cause-train-queued"][3]).startswith(
        "Have Kueue admit it: that takes away kueue.x-k8s.io/admission"
    )
    assert words(tree.by_id("summary")).endswith("? would be placed, as far as checked or until others are")
    assert [words(cell) for cell in rows["cause-prod-chat"][3:]] == [
        "None needed: on a100-7 it preempts ml/llm-serve-67288581-6qqj8",
        "high",
    ]
    assert words(rows["cause-prod-chat"][1]).startswith("It asks for 4 nvidia.com/gpu on one node, and the most that")
    block = tree.by_id("cause-train-ft-nightly")
    assert "Who holds it 12 nvidia.com/gpu" in words(block)
    assert "12 nvidia.com/gpu deployment/ft in train, 3 pods since 2026-11-29 08:00" in words(block)
    assert not tree.all("a", "onmap", within=tree.by_id("cause-ml-whisper"))  # no node offers what it asks for
    to_map = tree.all("a", "onmap", within=tree.by_id("cause-ml-embed-v2"))
    assert [words(one) for one in to_map] == ["NVIDIA-A100-SXM4-80GB (8 nodes)"]


def test_the_map_draws_counted_devices_and_their_holders(capsys: pytest.CaptureFixture[str]) -> None:
    tree = page_of(capsys, "--all-pending", "-f", MIXED)
    a100 = bars(tree, "node-a100-1")
    assert {name: bar.attrib["aria-label"].partition(": ")[2] for name, bar in a100.items()} == {
        "nvidia.com/gpu": "1 of 4 free",
        "nvidia.com/mig-1g.10gb": "0 of 14 free",
        "nvidia.com/mig-3g.40gb": "2 of 4 free",
    }
    drawn = pieces(a100["nvidia.com/gpu"])
    assert [piece[:2] for piece in drawn] == [("held", 2), ("held", 1), ("f", 1)]
    assert drawn[0][2].startswith("ml/llm-serve-")
    assert drawn[0][2].endswith("· 2 nvidia.com/gpu · since 2026-11-29 08:00")
    assert [piece[:2] for piece in pieces(bars(tree, "node-h100-6")["gpu.nvidia.com"])] == [("held", 1)] * 4 + [
        ("f", 1)
    ] * 4
    shared = tree.by_id("node-t4-1")
    assert "time-slicing, 4 shares a GPU" in words(shared)
    assert "shared" in bars(tree, "node-t4-1")["nvidia.com/gpu"].attrib["class"]
    cordoned = tree.by_id("node-l40s-4")
    assert "closed" in cordoned.attrib["class"]
    assert "data-free" not in cordoned.attrib
    assert words(cordoned).startswith("l40s-4 cordoned")
    groups = [words(one) for one in tree.all("h3") if one in list(tree.by_id("map").iter())]
    assert groups == ["NVIDIA H100 80GB HBM3", "NVIDIA-A100-SXM4-80GB", "NVIDIA-L40S", "Tesla-T4-SHARED"]
    assert "0 of 16 free, 4 more on nodes that are cordoned or not ready" in words(tree.by_id("map"))
    assert "14 nodes without devices: cpu-1, cpu-2" in words(tree.by_id("map"))


def test_mig_slices_are_drawn_where_they_lie(capsys: pytest.CaptureFixture[str]) -> None:
    tree = page_of(capsys, "--all-pending", "-f", CASES / "reports" / "gate-seen-in-slices")
    (bar,) = bars(tree, "node-gpu-h100-1").values()
    assert bar.attrib["aria-label"].endswith("1 of 8 memory slices free")
    assert [piece[:2] for piece in pieces(bar)] == [("held", 4), ("held", 2), ("held", 1), ("f", 1)]
    assert [one.text for one in bar][:2] == ["4g.40gb", "2g.20gb"]
    tree = page_of(capsys, "--all-pending", "-f", CASES / "dumps" / "dra-mig-partitions")
    node = tree.by_id("node-gpu-node-1")
    assert "none of its published devices fits in what is left" in words(node)
    (bar,) = bars(tree, "node-gpu-node-1").values()
    assert ["serving-11/llm-a-" in piece[2] for piece in pieces(bar)] == [True, False]


def test_counters_without_numbers_are_drawn_in_units(capsys: pytest.CaptureFixture[str]) -> None:
    tree = page_of(capsys, "--all-pending", "-f", CASES / "reports" / "counters-committed")
    (bar,) = bars(tree, "node-worker-1").values()
    assert bar.attrib["aria-label"] == "counterset0: 1 of 4 of counter c free"
    assert [piece[:2] for piece in pieces(bar)] == [("held s", 3), ("f", 1)]
    assert "still fits: device1 in 1 place" in words(tree.by_id("node-worker-1"))


def test_links_join_what_slices_say_is_joined(capsys: pytest.CaptureFixture[str]) -> None:
    tree = page_of(capsys, "--all-pending", "-f", CASES / "dumps" / "dra-gpu-nic-pcieroot")
    labels = [one.attrib["aria-label"] for one in tree.all("span", "link")]
    assert labels == ["PCIe root pci0000:15 joins mlx5-0, gpu-0", "PCIe root pci0000:37 joins mlx5-1, gpu-1"]
    first = tree.all("span", "link")[0]
    assert [one.attrib["class"] for one in first if one.tag == "i"] == ["f", "o0"]
    told = [words(one) for one in tree.all("li", within=tree.by_id("node-gpu-node-1"))]
    assert "gpu-0 (numaNode 0, pcieRoot pci0000:15): held by train-12/embedder-5f98d8c95f-cbx42" in told
    assert "mlx5-0 (numaNode 0, pcieRoot pci0000:15), gpu-1 (numaNode 0, pcieRoot pci0000:37): free" in told


def test_what_nobody_can_get_is_marked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = page_of(capsys, "--all-pending", "-f", CASES / "reports" / "unhealthy-device-dra")
    drawn = pieces(bars(tree, "node-z-1")["gpu.nvidia.com"])
    assert [piece[0] for piece in drawn] == ["f", "f", "x", "f"]
    assert drawn[2][2] == "gpu-2 · taint gpu.nvidia.com/xid=79:NoSchedule"
    incomplete = page_of(capsys, "--all-pending", "-f", CASES / "dumps" / "dra-pool-incomplete")
    node = incomplete.by_id("node-gpu-node-1")
    assert words(node).startswith("gpu-node-1 pool incomplete")
    assert {piece[0] for bar in bars(incomplete, "node-gpu-node-1").values() for piece in pieces(bar)} == {"x"}
    cluster = deepcopy(COUNTED)
    cluster["items"][0]["status"]["allocatable"]["amd.com/gpu"] = "6"
    (tmp_path / "c.json").write_text(json.dumps(cluster), "utf-8")
    lost = page_of(capsys, "-A", "-f", tmp_path / "c.json")
    assert [piece[0] for piece in pieces(bars(lost, "node-n")["amd.com/gpu"])] == ["f"] * 6 + ["x"] * 2
    assert "2 of capacity 8 not allocatable" in words(lost.by_id("node-n"))


def test_a_large_count_is_drawn_in_proportion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster = deepcopy(COUNTED)
    cluster["items"][0]["status"] = {
        "allocatable": {"amd.com/gpu": "100", "pods": "9"},
        "capacity": {"amd.com/gpu": "101"},
    }
    (tmp_path / "c.json").write_text(json.dumps(cluster), "utf-8")
    tree = page_of(capsys, "-A", "-f", tmp_path / "c.json")
    assert [piece[:2] for piece in pieces(bars(tree, "node-n")["amd.com/gpu"])] == [("f", 100), ("x", 1)]


def test_a_shared_device_shows_what_is_left_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c.json").write_text(json.dumps(SHARED), "utf-8")
    tree = page_of(capsys, "-A", "-f", tmp_path / "c.json")
    (bar,) = bars(tree, "node-n").values()
    assert bar.attrib["aria-label"] == "gpu.example.com · gpu-0: 75 % of memory left, 1 claim"
    assert [piece[:2] for piece in pieces(bar)] == [("held s", 250), ("f", 750)]
    assert pieces(bar)[0][2] == "t/user · 25 % of memory"
    (pool,) = tree.all("details", "node", within=tree.by_id("hardware-fabric-example-com"))
    assert pool.attrib["id"] == "pool-fabric-example-com-fabric"
    assert "several nodes" in words(pool)


def test_devices_of_one_slice_lie_on_the_nodes_that_they_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster = deepcopy(COUNTED)
    cluster["items"].append(deepcopy(cluster["items"][0]))
    for node, name in zip((cluster["items"][0], cluster["items"][2]), ("a.b", "a-b"), strict=True):
        node["metadata"]["name"] = name
    up: dict[str, Any] = {"fabric.example.com/fabricUp": {"bool": True}}
    spec = {
        "driver": "fabric.example.com",
        "perDeviceNodeSelection": True,
        "pool": {"name": "fabric", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": f"nic-{nth}", "nodeName": "a-b", "attributes": up} for nth in range(2)],
    }
    cluster["items"].append(
        {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "f"}, "spec": spec}
    )
    (tmp_path / "c.json").write_text(json.dumps(cluster), "utf-8")
    tree = page_of(capsys, "-A", "-f", tmp_path / "c.json")
    nodes = {words(tree.all("b", within=one)[0]): one for one in tree.all("details", "node")}
    assert {name: one.attrib["data-offers"] for name, one in nodes.items()} == {
        "a.b": "amd.com/gpu",
        "a-b": "amd.com/gpu fabric.example.com",
    }
    assert {one.attrib["id"] for one in nodes.values()} == {"node-a-b", "node-a-b-2"}
    told = words(nodes["a-b"])
    assert "nic-0 (fabricUp true), nic-1 (fabricUp true): whether held is unknown" in told
    assert "The input has no ResourceClaims: who holds these devices is unknown." in told
    claim: dict[str, Any] = {"metadata": {"name": "waits", "namespace": "ml"}, "spec": {"devices": {"requests": []}}}
    cluster["items"].append({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", **claim})
    (tmp_path / "c.json").write_text(json.dumps(cluster), "utf-8")
    tree = page_of(capsys, "-A", "-f", tmp_path / "c.json")
    told = " ".join(words(one) for one in tree.all("details", "node"))
    assert "nic-0 (fabricUp true), nic-1 (fabricUp true): free" in told
    assert "fabric.example.com 2 of 2 free" in told
    assert "unknown" not in told
    assert not tree.all("span", "link")  # that both are up joins them to nothing


def test_ids_stay_the_same_whatever_the_order_of_the_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump = CASES / "dumps" / "counted-three-nodes-three-reasons" / "dump.yaml"
    items = [one for one in yaml.safe_load_all(dump.read_text("utf-8")) if one]
    items = [item for one in items for item in (one["items"] if one["kind"].endswith("List") else [one])]
    random.Random(7).shuffle(items)
    (tmp_path / "d.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), "utf-8")
    first = set(page_of(capsys, "--all-pending", "-f", dump).values("id"))
    assert set(page_of(capsys, "--all-pending", "-f", tmp_path / "d.json").values("id")) == first


def test_names_from_the_cluster_stay_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "d.json").write_text(json.dumps(hostile()), "utf-8")
    run(["explain", "--all-pending", "-f", str(tmp_path / "d.json"), "-o", "html"])
    text = capsys.readouterr().out
    tree = Tree(text)
    assert len(tree.all("script")) == 1
    assert not list(tree.values("onmouseover"))
    assert "<script>alert(1)" not in text.replace(words(tree.all("script")[0]), "")
    assert BIDI not in text
    assert "\u0007" not in text
    assert "{{ 7*7 }}" in words(tree.by_id("map"))
    assert "\ufffd" in words(tree.by_id("map"))


def test_nothing_waits_and_what_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster = deepcopy(COUNTED)
    pod = cluster["items"][1]
    pod["spec"]["nodeName"] = "n"
    pod["status"] = {"phase": "Running", "startTime": "2026-11-30T10:00:00Z"}
    (tmp_path / "d.json").write_text(json.dumps(cluster), "utf-8")
    tree = page_of(capsys, "--all-pending", "-f", tmp_path / "d.json")
    assert words(tree.all("h1")[0]) == "No pod waits"
    assert not tree.all("article")
    tree = page_of(capsys, "pod/waits", "-f", tmp_path / "d.json")
    assert words(tree.all("h1")[0]) == "Why ml/waits is running"
    assert "ml/waits runs on n." in words(tree.by_id("cause-ml-waits"))
    held = pieces(bars(tree, "node-n")["amd.com/gpu"])
    assert held[0] == ("held", 1, "ml/waits · 1 amd.com/gpu · since 2026-11-30 10:00")
