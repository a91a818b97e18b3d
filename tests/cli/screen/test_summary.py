"""The summary of many pods: each cause with what makes it, a way out that can be taken, and what the marks mean."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aliquot.cli.entry import run
from scenarios.api.cluster import node, pod

MIXED = Path(__file__).parents[2] / "cases" / "reports" / "mixed-cluster-40" / "dump.json.gz"
NEEDED = {
    "data/bigmem": [
        "memory",
        "200Gi",
        "64Gi",
        "no node that it may use has more than 128Gi.",
        "Ask for 64Gi of memory",
    ],
    "ml/cache": ["models", "StorageClass is nope, of which the input says nothing", "Have a volume provisioned"],
    "ml/embed-v2 ×3": ["mig-1g.10gb", "deployment/embed", "Ask for mig-3g.40gb"],
    "ml/llama-405b": ["8 gpu", "h100", "by DRA only (at most 4 unallocated)", "Ask for 2 gpu instead of 8 (2 free on"],
    "ml/whisper": ["mig-2g.20gb", "16 free of 32 on 8 nodes", "Ask for mig-3g.40gb"],
    "train/debug": ["productname", "productName", "claim template h100-typo: the attribute is productName"],
    "train/ft-nightly": ["l40s-4", "cordoned", "deployment/ft", "Uncordon l40s-4"],
    "train/pretrain-xl": ["h100", "deployment/pretrain", "ask for 4 devices instead of 8", "$55.04/h"],
    "vision/ocr": ["Tesla-T4", "Tesla-T4-SHARED", "gpu.product is Tesla-T4-SHARED"],
    "vision/seg": [
        "present:NoSchedule on 19 nodes, all with 1 gpu that it may use otherwise …",
        "Tolerate nvidia.com/gpu=present:NoSchedule",
    ],
    "train/gang": ["volcano", "no pod of it is in the input", "Have default-scheduler schedule it"],
    "prod/broken": ["ImagePullBackOff", "image", "Look at the image's name"],
    "vision/tracker": ["Its pods aren't created", "gpu-quota", "26", "Raise ResourceQuota gpu-quota to 28"],
    "train/queued": ["it names no queue", "Have Kueue admit it: that takes away kueue.x-k8s.io/admission"],
    "prod/chat": ["4 gpu", "the most that any has free is 2", "it preempts ml/llm-serve-67288581-6qqj8"],
}
BLOCKED = {"train/gang", "prod/broken", "vision/tracker"}
"""Who -> what a reader must find of the cause, and of a way that a real control plane has proved."""


def rows(out: str) -> dict[str, str]:
    """Who -> the text of its cells, whatever lines they were folded into."""
    head, *lines = out.split("\n\n", maxsplit=1)[0].splitlines()
    cause, way, risk = (head.index(title) for title in ("cause", "best way out", "risk"))
    found: dict[str, list[list[str]]] = {}
    cells: list[list[str]] = []
    for line in lines:
        if line.startswith("✘ can't be placed"):
            break
        if line[0] != " ":
            cells = found[line[2:cause].strip()] = [[], []]
        cells[0].append(line[cause:way].strip())
        cells[1].append(line[way:risk].strip())
    return {who: " | ".join(" ".join(lines).strip() for lines in cells) for who, cells in found.items()}


@pytest.fixture
def summary(capsys: pytest.CaptureFixture[str]) -> Callable[[Path], str]:
    """As printed."""

    def printed(dump: Path) -> str:
        run(["explain", "--all-pending", "-f", str(dump)])
        return capsys.readouterr().out

    return printed


def test_the_first_40_lines_tell_cause_and_way_of_every_pod(summary: Callable[[Path], str]) -> None:
    first = "\n".join(summary(MIXED).splitlines()[:40])
    found = rows(first)
    assert found.keys() == NEEDED.keys()
    assert {who: [words for words in needed if words not in found[who]] for who, needed in NEEDED.items()} == {
        who: [] for who in NEEDED
    }
    assert " ".join(first.splitlines()[-2:]) == (
        "✘ can't be placed, or can't start; ◌ gated: the scheduler doesn't look at it yet; ? would be placed, as far as"
        " checked or until others are; nvidia.com/ left out; 17 pods, 15 causes, in full below or by aliquot explain"
        " NAMESPACE/POD"
    )


def test_every_row_has_a_risk_or_none(summary: Callable[[Path], str]) -> None:
    head, *lines = summary(MIXED).splitlines()[:38]
    risks = {line[2 : head.index("cause")].strip(): line[head.index("risk") :] for line in lines if line[0] in "✘◌?"}
    assert set(risks.values()) == {"low", "medium", "high", "–"}
    assert [who for who, risk in risks.items() if risk == "–"] == ["prod/broken", "train/queued"]
    assert risks["prod/chat"] == "high"
    assert list(risks) == sorted(risks, key=lambda who: ("chat" in who, "queued" in who, who in BLOCKED, who))


def test_what_is_cut_is_whole(summary: Callable[[Path], str]) -> None:
    for cells in rows(summary(MIXED)).values():
        for cell in cells.split(" | "):
            assert cell.count("(") == cell.count(")"), cell


@pytest.mark.parametrize("columns", [80, 100, 160])
def test_the_summary_keeps_to_40_lines_of_the_width(
    columns: int, summary: Callable[[Path], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = summary(MIXED).split("\n\n")[0].splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= columns


def test_marks_that_say_it_themselves_have_no_legend(summary: Callable[[Path], str], tmp_path: Path) -> None:
    dump = tmp_path / "dump.json"
    items = [node("a0", gpu=1), pod("p", gpu=2), pod("q", requests={"cpu": "900"})]
    dump.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    last = summary(dump).split("\n\n")[0].splitlines()[-1]
    assert not last.startswith(("◌", "?"))
