"""Explanations with everything that is known: `-o wide`."""

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from aliquot.advisor.alike import Alike
from aliquot.advisor.causes.cause import listed, number
from aliquot.advisor.dra.device_story import grouped, pool_words
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.holders import Holding
from aliquot.advisor.verdicts import told, why
from aliquot.advisor.wayout import WayOut, outcome
from aliquot.allocation.answer import Story
from aliquot.cli.explain.grouped import mark, together
from aliquot.cli.explain.lines import Words, console, shell, unbroken, undo_lines, written
from aliquot.cli.explain.text import given, verdicts
from aliquot.cli.terminal import page

GROUPS_SHOWN = 12
DEVICE_GROUPS_SHOWN = 6
HOLDERS_SHOWN = 12
NAMES_SHOWN = 3
NODES_SHOWN = 20


def show(stories: Sequence[Explanation], *, release: str, source: str, ways: int) -> None:
    """Print them; pods with the same story together."""
    out = console()
    for story, twins in together(stories):
        one(out, story, twins, release, ways)
    if len(stories) > 1:
        out.print(Words(f"{len(stories)} pods: {verdicts(stories)}.", style="bold"))
    elif not stories:
        out.print("No pod waits in what was asked for.")
    out.print(Words(f"kube-scheduler {release} ({source}).", style="dim"))
    page(written(out))


def one(out: Console, story: Explanation, twins: list[Explanation], release: str, ways: int) -> None:
    """One story."""
    sign, style = mark(story)
    head = Words.assemble((f"{sign} ", style), (story.pod.key, "bold"), (f"  {story.verdict}", style))
    if story.owner.templated:
        head.append(f"  ({story.owner.short})", "dim")
    if twins:
        head.append(f"  and {len(twins)} more like it", "dim")
    out.print(head)
    out.print(Padding(Words(story.sentence), (0, 0, 0, 2)))
    if story.devices:
        out.print(Padding(Words(given(story, len(story.devices))), (0, 0, 0, 2)))
    if len(story.feasible) > 1:
        out.print(Padding(Words(f"Nodes with room: {listed(story.feasible, NODES_SHOWN)}."), (0, 0, 0, 2)))
    if story.no_room:
        out.print(Padding(Words(story.no_room, "yellow"), (0, 0, 0, 2)))
    if story.forecast:
        out.print(Padding(Words(story.forecast, "yellow"), (0, 0, 0, 2)))
    if story.note:
        out.print(Padding(Words(story.note, "yellow"), (0, 0, 0, 2)))
    for unchecked in story.not_checked:
        out.print(Padding(Words(f"Not checked: {unchecked}", "yellow"), (0, 0, 0, 2)))
    if story.verdict in ("pending", "blocked", "gated"):
        if story.scheduler_message:
            _heading(out, f"kube-scheduler {release} says")
            # unbroken, so that it can be searched for
            out.print(Words(f"  {story.scheduler_message}", "italic"), soft_wrap=True)
        _nodes(out, story.alike)
        _devices(out, story)
        _holders(out, story.holdings)
        if story.verdict in ("pending", "blocked"):
            where = f" on {listed(story.only_nodes, last='or')}" if story.only_nodes else ""
            _ways(out, story.ways_out, ways, len(twins) + 1, where)
        if story.advice:
            _heading(out, "Advice (can't be tried on a dump)")
            for advice in story.advice:
                out.print(Padding(Words(f"• {advice.text}"), (0, 0, 0, 2)))
                if advice.command:
                    _command(out, advice.command)
    out.print()


def _heading(out: Console, text: str) -> None:
    out.print()
    out.print(Words(text, style="bold cyan"))


def _nodes(out: Console, groups: Sequence[Alike]) -> None:
    if not groups:
        return
    _heading(out, "Nodes")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    noted = False
    for group in groups[:GROUPS_SHOWN]:
        lines = Words()
        for index, reason in enumerate(told(group.reasons)):
            hidden = reason.filter != group.reasons[0].filter
            lines.append(Text("\n" if index else ""))
            lines.append(why(reason, group))
            if hidden:
                lines.append("  (hidden: the scheduler stops at the first)" if not noted else "  (hidden)", "dim")
                noted = True
        table.add_row(Words(_names(group.nodes)), lines)
    out.print(Padding(table, (0, 0, 0, 2)))
    if len(groups) > GROUPS_SHOWN:
        rest = sum(len(group.nodes) for group in groups[GROUPS_SHOWN:])
        words = f"and {number(rest, 'node')} more, in {number(len(groups) - GROUPS_SHOWN, 'group')} (-o json has all)"
        _indented(out, words, 2, "dim")


def _devices(out: Console, story: Explanation) -> None:
    """Of the nodes whose devices were looked at one by one: those with equal stories together."""
    told: dict[tuple[tuple[object, ...], ...], list[str]] = {}
    for node, one in story.stories.items():
        lines = tuple(
            (request.request, request.wanted, request.usable, grouped(request)) for request in one.requests
        ) + tuple((pool_words(pool),) for pool in one.pools)
        told.setdefault(lines, []).append(node)
    if not told:
        return
    _heading(out, "Devices")
    for nodes in list(told.values())[:GROUPS_SHOWN]:
        out.print(Padding(Words(_names(nodes), "bold"), (0, 0, 0, 2)))
        _story(out, story.stories[nodes[0]])
    if story.conflict:
        _indented(out, "Of what it asks for, this can't hold together (other such sets may exist):", 2)
        for line in story.conflict:
            _indented(out, f"• {line}", 4)
    if story.possible is not None:
        devices = ", ".join(story.possible.devices)
        _indented(
            out, f"A correct allocation exists: {devices} on {story.possible.node}; the scheduler doesn't find it.", 2
        )


def _story(out: Console, story: Story) -> None:
    for pool in story.pools:
        _indented(out, pool_words(pool), 4)
    for request in story.requests:
        wanted = "all" if request.wanted is None else request.wanted
        _indented(
            out, f"request {request.request}: {wanted} wanted, {request.usable} of {len(request.devices)} would do", 4
        )
        for group in grouped(request)[:DEVICE_GROUPS_SHOWN]:
            names = ", ".join(group.devices[:NAMES_SHOWN])
            more = f" and {len(group.devices) - NAMES_SHOWN} more" if len(group.devices) > NAMES_SHOWN else ""
            _indented(out, f"{names}{more}: {'; '.join(group.reasons)}", 6)
        rest = grouped(request)[DEVICE_GROUPS_SHOWN:]
        if rest:
            count = sum(len(group.devices) for group in rest)
            _indented(
                out, f"and {number(count, 'device')} more, for {number(len(rest), 'other reason')} (-o json has all)", 6
            )


def _indented(out: Console, text: str, columns: int, style: str = "") -> None:
    out.print(Padding(Words(text, style), (0, 0, 0, columns)))


def _names(nodes: Sequence[str]) -> str:
    if len(nodes) == 1:
        return nodes[0]
    shown = ", ".join(nodes[:NAMES_SHOWN]) if len(nodes) <= NAMES_SHOWN else f"{nodes[0]} …"
    return f"{len(nodes)} nodes: {shown}"


def _holders(out: Console, holdings: Sequence[Holding]) -> None:
    if not holdings:
        return
    names = ", ".join(sorted({one.resource for one in holdings}))
    _heading(out, f"Who holds {names}")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    for column in range(5):
        table.add_column(no_wrap=column != 2, overflow="fold")
    for held in holdings[:HOLDERS_SHOWN]:
        since = f"since {held.since[:16].replace('T', ' ')}" if held.since else ""
        state = "  terminating" if held.pod.terminating else ""
        table.add_row(
            Words(held.node),
            f"{held.amount} of {held.total}",
            Words(f"{held.pod.key}{state}"),
            Words(since),
            f"priority {held.pod.priority}",
        )
    out.print(Padding(table, (0, 0, 0, 2)))
    if len(holdings) > HOLDERS_SHOWN:
        rest = holdings[HOLDERS_SHOWN:]
        where = number(len({one.node for one in rest}), "node")
        _indented(out, f"and {len(rest)} more on {where}", 2, "dim")


def _ways(out: Console, ways: Sequence[WayOut], most: int, alike: int, where: str) -> None:
    none = f"Ways out: none of those tried places it{where}"
    _heading(out, "Ways out (each was tried on a copy of this snapshot)" if ways else none)
    for nth, way in enumerate(ways[:most], 1):
        out.print(
            Padding(Words.assemble((f"{nth}. ", "bold"), (way.title, "bold"), (f"  [{way.kind}]", "dim")), (0, 0, 0, 2))
        )
        out.print(Padding(Words(outcome(way, alike)), (0, 0, 0, 5)))
        facts = f"risk {way.risk.level}: {way.risk.text}; cost: {way.cost.text}"
        out.print(Padding(Words(facts, "dim"), (0, 0, 0, 5)))
        if way.isolates is not None:
            out.print(Padding(Words(way.isolates.text, "dim"), (0, 0, 0, 5)))
        for change in way.changes:
            _command(out, change.command)
        for line in undo_lines(way.changes):
            unbroken(out, f"     {line}", "dim")
    if len(ways) > most:
        kinds = ", ".join(sorted({way.kind for way in ways[most:]}))
        out.print(Padding(Words(f"{len(ways) - most} more ({kinds}): --ways {len(ways)}", "dim"), (0, 0, 0, 2)))


def _command(out: Console, command: str) -> None:
    """On lines of its own and unbroken, to be copied."""
    for line in shell(command):
        unbroken(out, f"     {line}", "green")
