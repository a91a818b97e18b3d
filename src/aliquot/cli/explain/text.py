"""Explanations for a person: a line for each cause first, then a block for each, read in seconds."""

from collections.abc import Mapping, Sequence

from rich.console import Console

from aliquot.advisor.alike import Alike
from aliquot.advisor.case import device_requests
from aliquot.advisor.causes.cause import listed, number
from aliquot.advisor.explanation.value import Explanation, counts
from aliquot.advisor.holders import totals
from aliquot.advisor.verdicts import asks, told, why
from aliquot.advisor.wayout import WayOut, outcome
from aliquot.cli.explain.grouped import in_order, mark
from aliquot.cli.explain.lines import Words, console, indented, shell, shortened, unbroken, undoing, written
from aliquot.cli.explain.summary import summary
from aliquot.cli.terminal import page

BLOCK_LINES = 24
"""A block's lines: what doesn't fit is in `-o wide`."""
WAYS_SHOWN = 3
HOLDERS_SHOWN = 3
GROUPS_SHOWN = 4


def show(stories: Sequence[Explanation], *, release: str, source: str, ways: int | None, of: str = "") -> None:
    """Print them.

    Args:
        stories: of the asked pods.
        release: kube-scheduler's.
        source: where that is from.
        ways: how many ways out of each; None: as many as fit.
        of: how many pods there are, asked for or not, in words.
    """
    out = console()
    groups = in_order(stories)
    if len(stories) > 1:
        summary(out, groups)
    for story, twins in groups:
        block(out, story, twins, release, ways)
    if len(stories) > 1:
        out.print(Words(f"{len(stories)} pods: {verdicts(stories)}.", style="bold"))
    elif not stories:
        out.print(f"No pod waits{f', of {of}' if of else ' of those asked for'}.")
    out.print(Words(f"kube-scheduler {release} ({source}). -o wide tells everything.", style="dim"))
    page(written(out))


def verdicts(stories: Sequence[Explanation]) -> str:
    """How many of each; what has room only until others are placed isn't counted with the rest in silence."""
    told: list[str] = []
    for verdict, count in sorted(counts(stories).items()):
        late = sum(1 for story in stories if story.verdict == verdict and story.forecast)
        told.append(f"{count} {verdict}" + (f" ({late} only until the others are placed)" if late else ""))
    return ", ".join(told)


# --- blocks ----------------------------------------------------------------------------------------------------------


def block(out: Console, story: Explanation, twins: Sequence[Explanation], release: str, ways: int | None) -> None:
    """One story: the cause, the ways out, who holds what, and the scheduler's own words."""
    for shown in range(GROUPS_SHOWN, -1, -1):
        parts = _block(story, twins, release, ways, shown)
        if ways is not None or _height(parts) <= BLOCK_LINES:
            break
    out.file.write(parts.file.getvalue())  # type: ignore[attr-defined]
    out.print()


def _block(
    story: Explanation, twins: Sequence[Explanation], release: str, ways: int | None, groups_shown: int
) -> Console:
    """With so many groups of nodes at most."""
    parts = console()
    _head(parts, story, twins)
    if story.verdict in ("pending", "blocked", "gated"):
        tail = console()
        _facts(tail, story, release, groups_shown)
        room = BLOCK_LINES - _height(parts) - _height(tail)
        if story.ways_out or story.verdict == "pending":
            where = f" on {listed(story.only_nodes, last='or')}" if story.only_nodes else ""
            _ways(parts, story.ways_out, ways, room, 1 + max(len(twins), story.siblings), where)
        parts.file.write(tail.file.getvalue())  # type: ignore[attr-defined]
        for advice in story.advice[:2] if ways is None or ways else ():
            if _height(parts) < BLOCK_LINES - 1:
                indented(parts, f"• {advice.text}", 2, "dim")
                if advice.command and not story.ways_out:
                    unbroken(parts, f"    $ {advice.command}", "green")
    return parts


def given(story: Explanation, most: int = 4) -> str:
    """The devices that its claims would get."""
    return f"On {story.node} it would get {listed(story.devices, most)}."


def _height(out: Console) -> int:
    return written(out).count("\n")


def _head(out: Console, story: Explanation, twins: Sequence[Explanation]) -> None:
    sign, style = mark(story)
    head = Words.assemble((f"{sign} ", style), (story.pod.key, "bold"), (f"  {story.verdict}", style))
    if story.owner.templated:
        head.append(f"  ({story.owner.short})", "dim")
    more = max(len(twins), story.siblings)
    if more:
        head.append(f"  and {more} more like it", "dim")
    out.print(head)
    indented(out, story.sentence, 2)
    if story.devices:
        indented(out, given(story), 2)
    if story.cause is not None and story.verdict != "gated":
        indented(out, f"Asks for {asks(story.pod)}.", 2, "dim")
    for line in (story.no_room, story.forecast, story.note, *(f"Not checked: {one}" for one in story.not_checked)):
        if line:
            indented(out, line, 2, "yellow")


def _facts(out: Console, story: Explanation, release: str, groups_shown: int) -> None:
    """Holders, nodes, and the scheduler's message, in a few lines."""
    for held in _holders(story)[:HOLDERS_SHOWN]:
        indented(out, held, 2, "dim")
    asked = device_requests(story.pod)
    relevant = [group for group in story.alike if _has_hardware(group, asked)]
    groups = (relevant or list(story.alike))[:groups_shown]
    for group in groups:
        indented(out, shortened(_refusing(group), 2 * out.width - 8), 2, "dim")
    rest = [group for group in story.alike if group not in groups]
    if len(rest) == 1:
        indented(out, shortened(_refusing(rest[0]), out.width - 4), 2, "dim")
    elif rest:
        count = sum(len(group.nodes) for group in rest)
        indented(out, f"and {number(count, 'node')} more, for {len(rest)} other reasons (-o wide)", 2, "dim")
    if story.scheduler_message:
        unbroken(out, f"  kube-scheduler {release}: {story.scheduler_message}", "italic dim")


def _refusing(group: Alike) -> str:
    """`2 nodes (a …): tainted; nvidia.com/gpu: 0 free of 1, 1 asked`."""
    names = group.nodes[0] if len(group.nodes) == 1 else f"{len(group.nodes)} nodes ({group.nodes[0]} …)"
    return f"{names}: {'; '.join(why(reason, group) for reason in told(group.reasons))}"


def _has_hardware(group: Alike, asked: Mapping[str, int]) -> bool:
    """The nodes of the group offer every device resource that's asked for."""
    return all(group.total.get(name, (1, 1))[1] > 0 for name in asked)


def _holders(story: Explanation) -> list[str]:
    """One line an owner: how much of which resource its pods hold, and since when."""
    asked = device_requests(story.pod)
    scarce = {reason.subject for group in story.groups for reason in group.reasons if reason.total_amount}
    if not story.pod.claims and not scarce & asked.keys():
        return []  # who holds them is beside the point: something else is in the way
    lines: list[str] = []
    for one in totals(story.holdings):
        if asked and one.resource not in asked and not story.pod.claims:
            continue
        since = one.since[:16].replace("T", " ")
        whose = f"{one.owner.short} in {one.owner.namespace} ({number(len(one.pods), 'pod')})"
        who = one.pods[0] if len(one.pods) == 1 else whose
        lines.append(f"held: {one.amount} {one.resource} by {who}{f' since {since}' if since else ''}")
    if len(lines) > HOLDERS_SHOWN:
        lines = [*lines[: HOLDERS_SHOWN - 1], f"and {number(len(lines) - HOLDERS_SHOWN + 1, 'owner')} more"]
    return lines


def _ways(out: Console, ways: Sequence[WayOut], most: int | None, room: int, alike: int, where: str) -> None:
    """The best ones that fit; a person who asks for more by --ways gets them all the same."""
    if not ways:
        indented(out, f"Ways out: none of those tried places it{where}.", 2, "bold cyan")
        return
    indented(out, "Ways out (tried on a copy of the input):", 2, "bold cyan")
    used = 1
    shown = 0
    for number_of, way in enumerate(ways, 1):
        if shown >= (most if most is not None else WAYS_SHOWN):
            break
        made = console()
        _way(made, number_of, way, alike)
        height = _height(made)
        if most is None and shown and used + height > room - 1:
            break
        out.file.write(made.file.getvalue())  # type: ignore[attr-defined]
        used += height
        shown += 1
    if len(ways) > shown:
        kinds = ", ".join(dict.fromkeys(way.kind for way in ways[shown:]))
        indented(
            out, shortened(f"{len(ways) - shown} more: {kinds} (--ways {len(ways)}, -o wide)", out.width - 4), 2, "dim"
        )


def _way(out: Console, nth: int, way: WayOut, alike: int) -> None:
    title = Words.assemble(
        (f"{nth}. ", "bold"), (shortened(way.title, 2 * out.width - 40), "bold"), (f"  [{way.kind}]", "dim")
    )
    indented(out, title, 2)
    after = f"{outcome(way, alike)}; "
    cost = f"; cost: {way.cost.text}" if way.cost.usd_per_hour != 0 else ""
    isolates = f"; {way.isolates.text}" if way.isolates is not None and way.kind in ("share", "combined") else ""
    facts = f"{after}risk {way.risk.level}: {way.risk.text}{cost}{isolates}"
    indented(out, shortened(facts, 2 * out.width - 20), 5, "dim")
    for change in way.changes:
        for line in shell(change.command):
            unbroken(out, f"     {line}", "green")
    back = undoing(way.changes)
    if back:
        unbroken(out, f"     {back}", "dim")
