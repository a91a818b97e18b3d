"""The map: nodes with the same hardware side by side, those first that offer what is asked for."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

from aliquot.advisor.causes.cause import number
from aliquot.advisor.inventory.nodes import elsewhere, of_node
from aliquot.advisor.inventory.value import Inventory
from aliquot.advisor.owners import OwnerRef
from aliquot.cli.explain.page.anchors import Anchors
from aliquot.cli.explain.page.bars import Bar, Palette, Segment
from aliquot.cli.explain.page.causes import owner_words
from aliquot.cli.explain.page.device_bars import PARTITIONABLE
from aliquot.cli.explain.page.tiles import Tile, hardware, offered, tile
from aliquot.kube.node import Node
from aliquot.snapshot.snapshot import Snapshot

DENSE = 24
"""Nodes of one kind from which their tiles are small, and those with something free come first."""
VAST = 100
"""Nodes of one kind from which they scroll in a box of their own."""
FOLDED = 200
"""Nodes of one kind that stay closed until they are asked for, unless a pod asks for what they have."""
NAMES = 12
DIGITS = re.compile(r"(\d+)")
LEGEND = 8
CHIPS = "partitionable devices"


@dataclass(frozen=True, slots=True)
class Hardware:
    """Nodes with the same devices."""

    anchor: str
    title: str
    offers: tuple[str, ...]
    tiles: tuple[Tile, ...]
    totals: tuple[Bar, ...]
    asked: bool

    @property
    def dense(self) -> bool:
        """Many: drawn small."""
        return len(self.tiles) > DENSE

    @property
    def vast(self) -> bool:
        """So many that they'd push everything else away."""
        return len(self.tiles) > VAST

    @property
    def folded(self) -> bool:
        """Very many, and nobody asks for them."""
        return len(self.tiles) > FOLDED and not self.asked

    @property
    def nodes(self) -> str:
        """How many, in words."""
        return number(len(self.tiles), "node")


@dataclass(frozen=True, slots=True)
class Map:
    """All of it."""

    groups: tuple[Hardware, ...]
    bare: str
    """Nodes without devices, in words."""
    owners: tuple[tuple[str, str], ...]
    """For the legend: a style and the owner that has it, those that hold most first."""
    more_owners: int


def cluster_map(snapshot: Snapshot, asked: Collection[str], anchors: Anchors) -> Map:
    """Of the whole snapshot; `asked`: the resources and drivers that the explained pods ask for."""
    palette = _palette(snapshot)
    kinds: dict[tuple[str, tuple[str, ...]], list[tuple[Node | None, Inventory]]] = {}
    bare: list[str] = []
    for node, has in _inventories(snapshot):
        if has.empty:
            bare.append(has.name)
        else:
            key = (hardware(node, has), tuple(sorted(offered(has))))
            kinds.setdefault(key, []).append((node, has))
    titles = Counter(title for title, _ in kinds)
    groups = [
        _hardware(title, offers, members, asked, anchors, palette, shared=titles[title] > 1)
        for (title, offers), members in kinds.items()
    ]
    groups.sort(key=lambda one: (not one.asked, natural(one.title)))
    owners = [(palette.of(owner), owner_words(owner)) for owner in list(palette.given)[:LEGEND]]
    names = sorted(bare, key=natural)
    more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
    told = f"{number(len(names), 'node')} without devices: {', '.join(names[:NAMES])}{more}" if names else ""
    return Map(tuple(groups), told, tuple(owners), max(0, len(palette.given) - LEGEND))


def natural(name: str) -> list[tuple[int, str]]:
    """Sorts `gpu-9` before `gpu-10`."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in DIGITS.split(name)]


def _inventories(snapshot: Snapshot) -> Iterator[tuple[Node | None, Inventory]]:
    for name, node in snapshot.nodes.items():
        yield node, of_node(snapshot, name)
    for pool in elsewhere(snapshot):
        yield None, pool


def _palette(snapshot: Snapshot) -> Palette:
    """Those who hold most get their colours first, so that the largest differ."""
    palette = Palette()
    held = Counter(_held(has for _, has in _inventories(snapshot)))
    for owner, _ in sorted(held.items(), key=lambda one: (-one[1], one[0].full)):
        palette.of(owner)
    return palette


def _held(inventories: Iterable[Inventory]) -> Iterator[OwnerRef]:
    """The owner of each unit."""
    for has in inventories:
        for hold in (hold for one in has.counted for hold in one.holds):
            yield from repeat(hold.owner, hold.amount)
        for device in (*has.devices, *(part.device for chip in has.chips for part in chip.parts)):
            yield from (hold.owner for hold in device.holds)


def _hardware(
    title: str,
    offers: tuple[str, ...],
    members: Sequence[tuple[Node | None, Inventory]],
    asked: Collection[str],
    anchors: Anchors,
    palette: Palette,
    *,
    shared: bool,
) -> Hardware:
    """`shared`: other nodes have the same hardware and offer it in another way, so that the title says in which."""
    tiles = [
        tile(anchors.of("node" if node is not None else "pool", has.name), node, has, palette)
        for node, has in sorted(members, key=lambda one: natural(one[1].name))
    ]
    if len(tiles) > DENSE:
        tiles.sort(key=lambda one: one.closed or not one.free)
    shown = title if title and not shared else " · ".join(filter(None, [title, ", ".join(offers)]))
    anchor = anchors.of("hardware", f"{title} {' '.join(offers)}")
    return Hardware(anchor, shown, offers, tuple(tiles), tuple(_totals(tiles)), not set(offers).isdisjoint(asked))


def _totals(tiles: Sequence[Tile]) -> list[Bar]:
    """What all of them have together, by the bars' names; what is cut from chips counts as chips."""
    found: dict[str, list[tuple[Bar, bool]]] = {}
    for one in tiles:
        for bar in one.bars:
            name = CHIPS if bar.badge == PARTITIONABLE else bar.name
            found.setdefault(name, []).append((bar, one.closed))
    return [_total(name, bars) for name, bars in found.items()]


def _total(name: str, bars: Sequence[tuple[Bar, bool]]) -> Bar:
    total, lost = sum(bar.total for bar, _ in bars), sum(bar.lost for bar, _ in bars)
    free = sum(bar.free for bar, closed in bars if not closed)
    shut = sum(bar.free for bar, closed in bars if closed)
    within = sum(bar.lost for bar, _ in bars if bar.badge.startswith("DRA"))
    pieces = (("t", total - free - shut - within), ("f", free), ("f closed", shut), ("x", lost))
    words = f"{free} of {total} {'with room' if name == CHIPS else 'free'}"
    more = f", {shut} more on nodes that are cordoned or not ready" if shut else ""
    if not all(bar.known for bar, _ in bars):
        return Bar(name, f"{total}, which are held is unknown", 0, total, (Segment("u", total, ""),), scaled=True)
    drawn = tuple(Segment(style, width, "") for style, width in pieces if width > 0)
    return Bar(name, words + more, free, total, drawn, shared=bars[0][0].shared, scaled=True)
