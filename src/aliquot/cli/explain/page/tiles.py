"""Nodes on the map: each with its bars, its links and its holders."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from aliquot.advisor.causes.cause import number
from aliquot.advisor.gpus import PRODUCT
from aliquot.advisor.inventory.value import Device, Hold, Inventory
from aliquot.cli.explain.page.bars import Bar, Palette, by_owner, clock, of_counted
from aliquot.cli.explain.page.device_bars import of_chip, of_devices, states
from aliquot.cli.explain.page.links import Link, links
from aliquot.kube.node import Node

CLIQUE = "nvidia.com/gpu.clique"
ZONE = "topology.kubernetes.io/zone"
INSTANCE = "node.kubernetes.io/instance-type"
HOLDERS = 12
PODS = 3
PLAIN = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Holder:
    """An owner's part of a node."""

    style: str
    who: str
    namespace: str
    amount: str
    pods: str
    state: str


@dataclass(frozen=True, slots=True)
class Tile:
    """A node, or a pool that no single node has."""

    anchor: str
    name: str
    bars: tuple[Bar, ...]
    links: tuple[Link, ...]
    holders: tuple[Holder, ...]
    more_holders: int
    devices: tuple[str, ...]
    """Published ones in words, those in the same state together."""
    badges: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    offers: tuple[str, ...]
    free: int
    """Of all that it has, as far as units can be added: for the filter."""
    closed: bool
    """What is free there no new pod can get: it's cordoned or not ready."""

    @property
    def known(self) -> bool:
        """Whether it's known who holds what."""
        return all(bar.known for bar in self.bars)

    @property
    def namespaces(self) -> str:
        """Of its holders."""
        return " ".join(sorted({one.namespace for one in self.holders if one.namespace}))


def tile(anchor: str, node: Node | None, has: Inventory, palette: Palette) -> Tile:
    """A node's picture."""
    bars = (
        *(of_counted(one, palette) for one in has.counted),
        *of_devices(has.devices, palette),
        *(of_chip(one, palette) for one in has.chips),
    )
    holders = _holders(has, palette)
    return Tile(
        anchor,
        has.name,
        bars,
        tuple(links(has, palette)),
        tuple(holders[:HOLDERS]),
        max(0, len(holders) - HOLDERS),
        tuple(states(_published(has))),
        tuple(_badges(node, has)),
        tuple(_facts(node, has)),
        tuple(sorted(offered(has))),
        sum(bar.free for bar in bars),
        node is not None and (node.unschedulable or node.ready is False),
    )


def offered(has: Inventory) -> set[str]:
    """Resources and drivers by which pods ask for what is there."""
    devices = [*has.devices, *(device for chip in has.chips for device in chip.published)]
    return {one.resource for one in has.counted} | {one.id.driver for one in devices}


def hardware(node: Node | None, has: Inventory) -> str:
    """What it has, in words that are equal for nodes with the same hardware."""
    devices = [*has.devices, *(device for chip in has.chips for device in chip.published)]
    products = sorted({one.product for one in devices if one.product})
    label = node.meta.labels.get(PRODUCT, "") if node is not None else ""
    said = {PLAIN.sub(" ", product) for product in products}
    return " + ".join([*([label] if label and PLAIN.sub(" ", label) not in said else []), *products])


def _published(has: Inventory) -> list[Device]:
    """One by one; of what could be cut from a chip only what is."""
    return [*has.devices, *(part.device for chip in has.chips for part in chip.parts)]


def _holders(has: Inventory, palette: Palette) -> list[Holder]:
    what: dict[str, list[Hold]] = {}
    for one in has.counted:
        what.setdefault(one.resource, []).extend(one.holds)
    for device in _published(has):
        unit = device.profile or f"of {device.id.driver}"
        what.setdefault(unit, []).extend(
            Hold(hold.owner, hold.pods, 1, hold.claim, hold.since, hold.terminating) for hold in device.holds
        )
    return [_holder(hold, name, palette) for name, holds in what.items() for hold in by_owner(holds)]


def _holder(hold: Hold, what: str, palette: Palette) -> Holder:
    pods = list(dict.fromkeys(hold.pods))
    named = ", ".join(one.partition("/")[2] for one in pods[:PODS])
    more = f" and {len(pods) - PODS} more" if len(pods) > PODS else ""
    return Holder(
        palette.of(hold.owner),
        hold.owner.short,
        hold.owner.namespace,
        f"{number(hold.amount, 'device')} {what}" if what.startswith("of ") else f"{hold.amount} {what}",
        f"{named}{more}",
        "terminating" if hold.terminating else f"since {clock(hold.since)}" if hold.since else "",
    )


def _badges(node: Node | None, has: Inventory) -> Sequence[str]:
    found = ["pool incomplete"] if has.incomplete else []
    if node is None:
        return found
    if node.unschedulable:
        found.append("cordoned")
    if node.ready is False:
        found.append("not ready")
    return found


def _facts(node: Node | None, has: Inventory) -> Sequence[tuple[str, str]]:
    found = [("Incomplete pool", text) for text in has.incomplete]
    if node is None:
        return [*found, ("Reached from", "several nodes, by a selector, or from all")]
    labels = node.meta.labels
    taints = ", ".join(map(str, node.taints))
    known = (
        ("Taints", taints),
        ("Zone", labels.get(ZONE, "")),
        ("Type", labels.get(INSTANCE, "")),
        ("NVLink domain", labels.get(CLIQUE, "")),
    )
    return [*found, *((name, text) for name, text in known if text)]
