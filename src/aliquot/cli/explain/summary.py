"""The summary of many pods: a line or a few for each cause, with the best way out and its risk."""

import re
from collections.abc import Sequence
from itertools import zip_longest
from textwrap import wrap

from rich.console import Console

from aliquot.advisor.causes.cause import number
from aliquot.advisor.owners import OwnerRef
from aliquot.advisor.wayout import WayOut
from aliquot.cli.explain.grouped import Group, by_cause, mark
from aliquot.cli.explain.lines import Words

LINES = 38
"""Of all causes together; with the head and the end it's 40."""
MOST_OF_ONE = 3
LONGEST_NAMES = 26
RISK = 6
LISTED = re.compile(r"\(([^\s,()]+), [^()]*? and \d+ more\)")
"""Nodes by name behind their number: the first is enough here."""
ASIDE = re.compile(r" \((?:as far as the input shows|\S+ has it free[^()]*)\)")
VENDOR = re.compile(r"([\w.-]+)/(?:gpu|mig-|vgpu)")
DOMAIN = re.compile(r"nvidia\.com/(?!gpu[=:])")
"""But not of a taint, which is written down as it stands."""
GAPS = 8
"""Blanks between the columns, and the sign."""


def summary(out: Console, groups: Sequence[Group]) -> None:
    """What, for whom, and the best way out with its risk."""
    causes = by_cause(groups)
    shown = _brief([_cells(several) for several in causes[:LINES]])
    names = min(max((len(one[0]) for one in shown), default=0), LONGEST_NAMES, out.width // 4)
    names = max(names, len("pods"))
    cause = (out.width - names - RISK - GAPS) * 3 // 5
    best = out.width - names - RISK - cause - GAPS
    out.print(Words(f"  {'pods':{names}}  {'cause':{cause}}  {'best way out':{best}}  risk", "bold cyan"))
    needs = [max(len(_lines(what, cause)), len(_lines(how, best))) for _, what, how in shown]
    for several, (who, what, how), height in zip(causes, shown, heights(needs), strict=False):
        story = several[0][0]
        sign, style = mark(story)
        risk = story.ways_out[0].risk.level if story.ways_out else ""
        cells = ([_named(who, several, names)], folded(what, cause, height), folded(how, best, height))
        for nth, (left, middle, right) in enumerate(zip_longest(*cells, fillvalue="")):
            line = Words("  " if nth else f"{sign} ", style)
            line.append(f"{left:{names}}  {middle:{cause}}  {right:{best}}  {'' if nth else risk}")
            out.print(line, soft_wrap=True)
    if len(causes) > LINES:
        out.print(Words(f"and {number(len(causes) - LINES, 'more cause')}", "dim"))
    out.print()


def heights(needs: Sequence[int]) -> list[int]:
    """Lines for each row: one for all; what is left of LINES goes round, first rows first, as far as it's needed."""
    given = [1] * len(needs)
    left = LINES - len(needs)
    for most in range(2, MOST_OF_ONE + 1):
        # rows that this line completes come before those that stay cut
        for row in sorted(range(len(needs)), key=lambda row: needs[row] > most):
            if left > 0 and needs[row] >= most and given[row] == most - 1:
                given[row] = most
                left -= 1
    return given


def _cells(several: Sequence[Group]) -> tuple[str, str, str]:
    story = several[0][0]
    owners = ", ".join(dict.fromkeys(_owner_words(one.owner) for one, _ in several))
    advice = next((one.text for one in story.advice), "none found")
    none = advice if story.verdict in ("pending", "blocked") else ""
    what = story.forecast if story.forecast and story.cause is None else story.sentence
    return owners + _times(several), what, _best(story.ways_out[0]) if story.ways_out else none


def _brief(cells: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Without what the blocks say again: names of more nodes, sizes, a vendor's domain where it's the only one."""
    vendors = {vendor for _, what, how in cells for vendor in VENDOR.findall(f"{what} {how}")}
    alone = bool(vendors) and all(one.endswith("nvidia.com") for one in vendors)

    def short(text: str) -> str:
        text = ASIDE.sub("", LISTED.sub(r"(\1 …)", text))
        return DOMAIN.sub("", text) if alone else text

    return [(who, short(what), short(how)) for who, what, how in cells]


def _times(several: Sequence[Group]) -> str:
    count = sum(1 + len(twins) for _, twins in several)
    return f" ×{count}" if count > 1 else ""


def _named(who: str, several: Sequence[Group], columns: int) -> str:
    """Cut where it's too long, but never how many there are."""
    times = _times(several)
    return cut(who.removesuffix(times), columns - len(times)) + times


def _lines(text: str, columns: int) -> list[str]:
    return wrap(text, columns, break_on_hyphens=False) or [""]


def folded(text: str, columns: int, most: int) -> list[str]:
    """At most so many lines; what is left out is marked."""
    lines = _lines(text, columns)
    if len(lines) > most:
        lines = [*lines[: most - 1], cut(" ".join(lines[most - 1 :]), columns)]
    return lines


def cut(text: str, most: int) -> str:
    """At most so many characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _owner_words(owner: OwnerRef) -> str:
    return f"{owner.namespace}/{owner.name}" if owner.namespace else owner.name


def _best(way: WayOut) -> str:
    """Its title, and who else takes what it gives."""
    return f"{way.title} ({way.after.first[0]} goes first)" if way.after.first else way.title
