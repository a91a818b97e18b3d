"""A node's story for a person."""

from collections.abc import Sequence

from rich.console import Console

from aliquot.advisor.about.asking import Asking
from aliquot.advisor.about.devices import PoolSeen
from aliquot.advisor.about.node import AboutNode
from aliquot.advisor.amounts import in_one_unit
from aliquot.advisor.case import is_extended
from aliquot.advisor.causes.cause import listed, number
from aliquot.advisor.inventory.value import SLICES, Chip, Counted, Device
from aliquot.advisor.wayout import WayOut
from aliquot.cli.explain.lines import Words, console, indented, shell, unbroken, written
from aliquot.cli.mig_bars import drawn

HEADINGS = ("capacity", "allocatable", "held", "free")
HOLDERS_SHOWN = 8
COUNTERS_SHOWN = 4
MODELS_SHOWN = 8


def node_text(about: AboutNode, ways: int | None) -> str:
    """All of it; `ways` 0 leaves ways out away."""
    out = console()
    out.print(Words.assemble((f"node {about.node.name}", "bold"), (f"  {about.product}", "dim")))
    indented(out, about.sentence, 2)
    for line in (*about.obstacles, *about.unknown):
        indented(out, f"! {line}", 2, "yellow")
    if about.counted:
        _counted(out, about)
    for pool in about.published.pools:
        _pool(out, pool)
    _holds(out, about)
    for trouble in about.published.troubles:
        indented(out, f"! pool {trouble.driver}/{trouble.pool}: {trouble.state}: {trouble.detail}", 2, "yellow")
    _waiting(out, about.asking, ways)
    return written(out)


def _counted(out: Console, about: AboutNode) -> None:
    out.print()
    rows = [("resource", *HEADINGS), *(_amounts(one) for one in about.counted)]
    first, *others = (max(map(len, column)) for column in zip(*rows, strict=True))
    lines = [
        f"  {name:{first}}" + "".join(f"  {text:>{wide}}" for text, wide in zip(texts, others, strict=True))
        for name, *texts in rows
    ]
    unbroken(out, lines[0], "bold cyan")
    for one, line in zip(about.counted, lines[1:], strict=True):
        unbroken(out, line)
        holders = about.holders.get(one.resource, ())
        for holder in holders[:HOLDERS_SHOWN]:
            indented(out, f"{holder.amount} held by {holder.words}", 4, "dim")
        if len(holders) > HOLDERS_SHOWN:
            indented(out, f"and {number(len(holders) - HOLDERS_SHOWN, 'owner')} more (-o json)", 4, "dim")
    spare = [f"{one.free} {one.resource}" for one in about.counted if is_extended(one.resource) and one.free]
    if spare:
        indented(out, f"The most devices that one pod could still ask for here: {listed(spare, last='or')}.", 2)


def _amounts(one: Counted) -> tuple[str, ...]:
    """A line of the table, in one unit, so that what is held and what is left can be seen to make up the whole."""
    amounts = [one.capacity, one.allocatable, *([one.held, one.left] if one.left is not None else [])]
    return (one.resource, *in_one_unit(one.resource, amounts), *(["?", "?"] if one.left is None else []))


def _pool(out: Console, pool: PoolSeen) -> None:
    out.print()
    unbroken(out, f"  {pool.driver}/{pool.pool}: {number(len(pool.devices), 'device')}", "bold cyan")
    kinds: dict[tuple[str, str], list[Device]] = {}
    for one in pool.devices:
        kinds.setdefault((one.model or "model unknown", _state(one)), []).append(one)
    shown = list(kinds.items())[:MODELS_SHOWN]
    for (model, state), devices in shown:
        names = listed([one.id.device for one in devices])
        indented(out, f"{model}: {number(len(devices), 'device')} {state}: {names}", 4)
    if len(kinds) > len(shown):
        indented(out, f"and {number(len(kinds) - len(shown), 'group')} of devices more (-o json)", 4, "dim")
    partly = [one for one in pool.chips if one.used]
    for counters in partly[:COUNTERS_SHOWN]:
        _counters(out, counters)
    if len(partly) > COUNTERS_SHOWN:
        indented(out, f"and {number(len(partly) - COUNTERS_SHOWN, 'counter set')} more (-o json)", 4, "dim")


def _state(one: Device) -> str:
    if one.taken:
        return ", ".join([f"held by {listed(one.claims)}", *one.unready])
    parts = [f"shared by {listed(one.claims)}"] if one.claims else []
    if one.short_of:
        parts.append(
            f"used up: {listed(one.short_of)}"
            if one.claims
            else f"not free, for want of {listed(one.short_of, most=1)}"
        )
    parts += [*(f"tainted {taint}" for taint in one.taints), *one.unready]
    if not one.closed and not one.known:
        return "(whether free or held is unknown)"
    return ", ".join(parts) or "free, each by itself"


def _counters(out: Console, one: Chip) -> None:
    if one.unit == SLICES:
        held = f"{one.held} of {number(one.total, 'memory slice')}"
        indented(out, f"{one.name}: {held} {'is' if one.held == 1 else 'are'} held by {listed(one.claims)}", 4)
        spans = {
            part.start: (part.length, part.device.profile or part.device.id.device)
            for part in one.parts
            if part.start is not None
        }
        if len(spans) == len(one.parts):
            for line in drawn(one.total, [(start, *rest) for start, rest in spans.items()]):
                unbroken(out, f"      {line}")
        return
    used = [f"{one.used[name]} of {total} {name}" for name, total in one.counters.items() if name in one.used]
    indented(out, f"{one.name}: {listed(used)} held by {listed(one.claims)}", 4)


def _holds(out: Console, about: AboutNode) -> None:
    if about.holds:
        out.print()
        unbroken(out, "  who holds its devices", "bold cyan")
    for one in about.holds[:HOLDERS_SHOWN]:
        indented(out, f"{number(one.devices, 'device')} by {one.words}", 4)
    if len(about.holds) > HOLDERS_SHOWN:
        indented(out, f"and {number(len(about.holds) - HOLDERS_SHOWN, 'owner')} more (-o json)", 4, "dim")


def _waiting(out: Console, asking: Sequence[Asking], ways: int | None) -> None:
    """Those it would take, then those that it doesn't, by cause."""
    if not asking:
        return
    out.print()
    unbroken(out, "  pods that wait and ask for devices like these", "bold cyan")
    causes: dict[tuple[bool, tuple[str, ...], str], list[Asking]] = {}
    for one in asking:
        causes.setdefault((one.gated, one.reasons, one.blocked), []).append(one)
    for several in sorted(causes.values(), key=lambda alike: (bool(alike[0].reasons), not alike[0].fits)):
        first = several[0]
        sign, style = ("✔", "green") if first.fits else ("◌", "yellow") if not first.reasons else ("✘", "red")
        whom = listed([_who(one) for one in several])
        indented(out, Words.assemble((f"{sign} ", style), (whom, "bold"), f": {_answer(first)}"), 4)
        if ways != 0:
            _ways(out, several)


def _ways(out: Console, several: Sequence[Asking]) -> None:
    """What would help them: what helps several is told once, and who still waits after it."""
    same: dict[tuple[str, tuple[str, ...]], list[tuple[str, WayOut]]] = {}
    for one in several:
        if one.way is not None:
            key = one.way.title, tuple(change.command for change in one.way.changes)
            same.setdefault(key, []).append((one.pods[0].key, one.way))
        elif one.sought:
            indented(out, f"no way out of {one.pods[0].key} that was tried ends on this node", 6, "dim")
    for found in same.values():
        _way(out, found)


def _way(out: Console, found: Sequence[tuple[str, WayOut]]) -> None:
    """One for the pods that these keys stand for."""
    way = found[0][1]
    served = [key for key, each in found if not each.after.first]
    left = [key for key, each in found if each.after.first]
    firsts = sorted({key for _, each in found for key in each.after.first})
    would = "what would" if served else "what would make room"
    line = f"{would}{' (tried)' if way.simulated else ''}: {way.title}  [{way.risk.level} risk]"
    if left:
        waits, takes = ("waits" if len(left) == 1 else "wait"), ("takes" if len(firsts) == 1 else "take")
        line += f"; {listed(left)} still {waits} then: {listed(firsts)} {takes} it first"
    indented(out, line, 6, "dim")
    for change in way.changes:
        for each in shell(change.command):
            unbroken(out, f"        {each}", "green")


def _answer(one: Asking) -> str:
    if one.fits:
        return "this node would take the first of them now"
    words = "; ".join(one.reasons) or "the node has room for it"
    if one.gated:
        return f"held back by its scheduling gates; {words}"
    return f"{words}, which isn't enough: {one.blocked}" if one.blocked else words


def _who(one: Asking) -> str:
    more = f" and {len(one.pods) - 1} more like it" if len(one.pods) > 1 else ""
    return f"{one.pods[0].key}{more} (asks for {one.asks})"
