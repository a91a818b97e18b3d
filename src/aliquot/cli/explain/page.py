"""Explanations as one self-contained HTML page, with a picture of the nodes and who holds what."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from jinja2 import Environment, StrictUndefined

from aliquot import __version__
from aliquot.advisor.case import device_requests, is_extended
from aliquot.advisor.device_story import grouped, pool_words
from aliquot.advisor.explanation.value import Explanation, counts
from aliquot.advisor.owners import owner_of
from aliquot.advisor.verdicts import told, why
from aliquot.advisor.wayout import outcome
from aliquot.cli.explain.text import together
from aliquot.kube.node import Node
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.snapshot import Snapshot

NODES_SHOWN = 120
CELLS_SHOWN = 64
COLOURS = ("#4f7cac", "#c06e52", "#5b8c5a", "#8e6c8a", "#b3923f", "#4b8f8c", "#a25b7c", "#6b7a8f")


@dataclass(frozen=True, slots=True)
class Cell:
    """One device, or share of one: who has it."""

    holder: str
    colour: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A node's devices of one resource."""

    resource: str
    total: int
    held: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Box:
    """A node in the picture."""

    name: str
    note: str
    bars: tuple[Bar, ...]


def page(snapshot: Snapshot, stories: Sequence[Explanation], *, release: str, source: str) -> str:
    """The page; it loads nothing from anywhere."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"outcome": outcome, "why": why, "told": told, "grouped": grouped, "pool_words": pool_words}
    template = environment.from_string(files("aliquot.cli.explain").joinpath("page.html.j2").read_text("utf-8"))
    boxes = picture(snapshot, stories)
    return template.render(
        version=__version__,
        release=release,
        source=source,
        stories=together(stories),
        counts=counts(stories),
        boxes=boxes[:NODES_SHOWN],
        hidden=max(0, len(boxes) - NODES_SHOWN),
    )


def picture(snapshot: Snapshot, stories: Sequence[Explanation]) -> list[Box]:
    """Nodes with devices; those that offer what's asked for come first."""
    wanted = {name for story in stories for name in device_requests(story.pod)}
    colours: dict[str, str] = {}
    boxes = [(box, bool(wanted & {bar.resource for bar in box.bars})) for box in _boxes(snapshot, colours)]
    return [box for box, _ in sorted(boxes, key=lambda one: (not one[1], one[0].name))]


def _boxes(snapshot: Snapshot, colours: dict[str, str]) -> list[Box]:
    found: list[Box] = []
    for node in snapshot.nodes.values():
        bars = tuple(
            _bar(snapshot, node, name, total, colours)
            for name, total in sorted(node.allocatable.items())
            if is_extended(name) and total > 0
        )
        if bars:
            found.append(Box(node.name, _note(node), bars))
    return found


def _note(node: Node) -> str:
    parts = [node.meta.labels.get("nvidia.com/gpu.product", "")]
    if node.unschedulable:
        parts.append("cordoned")
    parts += [f"taint {taint}" for taint in node.taints if not taint.key.endswith("/unschedulable")]
    return " · ".join(part for part in parts if part)


def _bar(snapshot: Snapshot, node: Node, resource: str, total: int, colours: dict[str, str]) -> Bar:
    cells: list[Cell] = []
    held = 0
    for pod in snapshot.pods_on(node.name):
        amount = effective_request(pod).get(resource, 0)
        if amount:
            owner = owner_of(snapshot, pod).full
            colour = colours.setdefault(owner, COLOURS[len(colours) % len(COLOURS)])
            held += amount
            cells += [Cell(pod.key, colour)] * min(amount, CELLS_SHOWN - len(cells))
    cells += [Cell("", "")] * min(max(0, total - held), CELLS_SHOWN - len(cells))
    return Bar(resource, total, held, tuple(cells))
