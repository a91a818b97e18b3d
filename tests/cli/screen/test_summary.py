"""The summary of many pods: each cause with what makes it, a way out that can be taken, and what the marks mean."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aliquot.cli.entry import run
from scenarios.api.cluster import node, pod

MIXED = Path(__file__).parents[2] / "cases" / "reports" / "mixed-cluster-40" / "dump.json.gz"
NEEDED = {
    "data/bigmem": ["memory", "200Gi", "64Gi", "Ask for 64Gi of memory"],
    "ml/cache": ["models", "nope", "StorageClass", "Have a volume provisioned"],
    "ml/embed-v2 ×3": ["mig-1g.10gb", "deployment/embed", "Ask for mig-3g.40gb"],
    "ml/llama-405b": ["8 gpu", "h100", "Ask for 2 gpu instead of 8"],
    "ml/whisper": ["mig-2g.20gb", "Ask for mig-3g.40gb"],
    "train/debug": ["productname", "productName", "the attribute is productName"],
    "train/ft-nightly": ["l40s-4", "cordoned", "deployment/ft", "Uncordon l40s-4"],
    "train/pretrain-xl": ["h100", "deployment/pretrain", "ask for 4 devices instead of 8", "$55.04/h"],
    "vision/ocr": ["Tesla-T4", "Tesla-T4-SHARED", "gpu.product is Tesla-T4-SHARED"],
    "vision/seg": ["nvidia.com/gpu=present:NoSchedule", "Tolerate nvidia.com/gpu=present:NoSchedule"],
    "train/gang": ["volcano", "Have default-scheduler schedule it"],
    "prod/broken": ["ImagePullBackOff", "image", "Look at the image's name"],
    "vision/tracker": ["gpu-quota", "tracker", "26", "Raise ResourceQuota gpu-quota to 28"],
    "train/queued": ["kueue.x-k8s.io/admission", "whoever set it must take it away"],
    "prod/chat": ["preempting", "ml/llm-serve-67288581-6qqj8"],
}
"""Who -> what a reader must find of the cause, and of a way that a real control plane has proved."""


def rows(out: str) -> dict[str, str]:
    """Who -> the text of its cells, whatever lines they were folded into."""
    head, *lines = out.split("\n\n", maxsplit=1)[0].splitlines()
    cause, way, risk = (head.index(title) for title in ("cause", "best way out", "risk"))
    found: dict[str, list[list[str]]] = {}
    cells: list[list[str]] = []
    for line in lines:
        if line.startswith(("◌ gated,", "? room")):
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
    assert first.splitlines()[-1] == (
        "◌ gated, not yet queued; ? room as far as checked, or until others are placed; nvidia.com/ left out"
    )


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
