"""A node's story for a person."""

from collections.abc import Sequence

from rich.console import Console

from aliquot.advisor.about.asking import Asking
from aliquot.advisor.about.devices import Counters, PoolSeen, Seen
from aliquot.advisor.about.node import AboutNode
from aliquot.advisor.amounts import about as amount_of
from aliquot.advisor.case import is_extended
from aliquot.advisor.causes.cause import listed, number
from aliquot.cli.explain.lines import Words, command_lines, console, indented, unbroken, written
from aliquot.cli.mig_bars import drawn

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
        _pool(out, pool, known=about.claims_known)
    _holds(out, about)
    for trouble in about.published.troubles:
        indented(out, f"! pool {trouble.driver}/{trouble.pool}: {trouble.state}: {trouble.detail}", 2, "yellow")
    _waiting(out, about.asking, ways)
    return written(out)


def _counted(out: Console, about: AboutNode) -> None:
    wide = max(len(one.resource) for one in about.counted)
    out.print()
    head = f"{'resource':{wide}}  {'capacity':>9} {'allocatable':>11} {'held':>9} {'free':>9}"
    unbroken(out, f"  {head}", "bold cyan")
    for one in about.counted:
        held, free = ("?" if each is None else amount_of(one.resource, each) for each in (one.held, one.free))
        amounts = f"{amount_of(one.resource, one.capacity):>9} {amount_of(one.resource, one.allocatable):>11}"
        unbroken(out, f"  {one.resource:{wide}}  {amounts} {held:>9} {free:>9}")
        for holder in one.holders[:HOLDERS_SHOWN]:
            indented(out, f"{holder.amount} held by {holder.words}", 4, "dim")
        if len(one.holders) > HOLDERS_SHOWN:
            indented(out, f"and {number(len(one.holders) - HOLDERS_SHOWN, 'owner')} more (-o json)", 4, "dim")
    spare = [
        f"{one.free} {one.resource}" for one in about.counted if is_extended(one.resource) and one.free and one.free > 0
    ]
    if spare:
        indented(out, f"The most devices that one pod could still ask for here: {listed(spare, last='or')}.", 2)


def _pool(out: Console, pool: PoolSeen, *, known: bool) -> None:
    out.print()
    unbroken(out, f"  {pool.driver}/{pool.pool}: {number(len(pool.devices), 'device')}", "bold cyan")
    kinds: dict[tuple[str, str], list[Seen]] = {}
    for one in pool.devices:
        kinds.setdefault((one.model or "model unknown", _state(one, known=known)), []).append(one)
    shown = list(kinds.items())[:MODELS_SHOWN]
    for (model, state), devices in shown:
        names = listed([one.device.name for one in devices])
        indented(out, f"{model}: {number(len(devices), 'device')} {state}: {names}", 4)
    if len(kinds) > len(shown):
        indented(out, f"and {number(len(kinds) - len(shown), 'group')} of devices more (-o json)", 4, "dim")
    partly = [one for one in pool.counters if one.used]
    for counters in partly[:COUNTERS_SHOWN]:
        _counters(out, counters)
    if len(partly) > COUNTERS_SHOWN:
        indented(out, f"and {number(len(partly) - COUNTERS_SHOWN, 'counter set')} more (-o json)", 4, "dim")


def _state(one: Seen, *, known: bool) -> str:
    if one.claims and not one.device.allow_multiple:
        return f"held by {listed(one.claims)}"
    parts = [f"shared by {listed(one.claims)}"] if one.claims else []
    if one.short_of:
        parts.append(
            f"used up: {listed(one.short_of)}"
            if one.claims
            else f"not free, for want of {listed(one.short_of, most=1)}"
        )
    parts += [f"tainted {taint}" for taint in one.taints]
    if not parts and not known:
        return "(whether free or held is unknown)"
    return ", ".join(parts) or "free, each by itself"


def _counters(out: Console, one: Counters) -> None:
    if one.slices:
        held = f"{one.held_slices} of {number(one.slices, 'memory slice')}"
        verb = "is" if one.held_slices == 1 else "are"
        indented(out, f"{one.name}: {held} {verb} held by {listed(one.claims)}", 4)
        if len({start for start, _, _ in one.spans}) == len(one.spans):
            for line in drawn(one.slices, one.spans):
                unbroken(out, f"      {line}")
        return
    used = [f"{one.used[name]} of {total} {name}" for name, total in one.total.items() if name in one.used]
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
    causes: dict[tuple[bool, tuple[str, ...]], list[Asking]] = {}
    for one in asking:
        causes.setdefault((one.gated, one.reasons), []).append(one)
    for (gated, reasons), several in sorted(causes.items(), key=lambda item: bool(item[0][1])):
        fits = not reasons and not gated
        whom = listed([_who(one) for one in several])
        sign, style = ("✔", "green") if fits else ("◌", "yellow") if gated else ("✘", "red")
        words = (
            "this node would take the first of them now" if fits else "; ".join(reasons) or "the node has room for it"
        )
        gate = "held back by its scheduling gates; " if gated else ""
        indented(out, Words.assemble((f"{sign} ", style), (whom, "bold"), f": {gate}{words}"), 4)
        for one in several if ways != 0 else ():
            if one.way is not None:
                tried = " (tried)" if one.way.simulated else ""
                indented(out, f"what would{tried}: {one.way.title}  [{one.way.risk.level} risk]", 6, "dim")
                for change in one.way.changes:
                    for line in command_lines(change.command):
                        unbroken(out, f"        $ {line}", "green")
            elif one.sought:
                indented(out, f"no way out of {one.pods[0].key} that was tried ends on this node", 6, "dim")


def _who(one: Asking) -> str:
    more = f" and {len(one.pods) - 1} more like it" if len(one.pods) > 1 else ""
    return f"{one.pods[0].key}{more} (asks for {one.asks})"
