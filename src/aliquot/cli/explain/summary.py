"""The summary of many pods: a line or a few for each cause, with the best way out and its risk."""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap

from rich.console import Console

from aliquot.advisor.causes.cause import number
from aliquot.advisor.owners import OwnerRef
from aliquot.cli.explain.best import best, risk
from aliquot.cli.explain.best import cause as why
from aliquot.cli.explain.grouped import MARKS, Group, by_cause, mark
from aliquot.cli.explain.lines import Words

LINES = 39
"""Of all causes and the legend together; with the head it's 40."""
MOST_OF_ONE = 4
LONGEST_NAMES = 26
RISK = 6
NODES = re.compile(r"(\d+) nodes \(([^\s,()]+)[, ][^()]*? and (?:[^\s()]+|\d+ more)\)")
LISTED = re.compile(r"\(([^\s,()]+), ([^()]*?) and (\d+) more\)")
"""Nodes, or others, by name: the first is enough here, and how many more there are."""
FIRST_OF = re.compile(r" \(\S+ and \d+ more\)")
"""The first of several nodes, behind their number: what can be missed most easily."""
FEWER = re.compile(r"\(there are ([^\s,()]+), ([^()]*?) and [^\s()]+\)")
"""What there is instead, nearest first."""
USUAL = {"PersistentVolumeClaim": "PVC", "ResourceClaimTemplate": "claim template"}
"""Kinds with a shorter name that everybody knows."""
NUMBERED = re.compile(r"\d+ nodes \((\S+ and \d+ more)\)")
"""So said twice."""
ENDS = re.compile(r"(?<=\.) |[;:] ")
"""Where a sentence may stop, and what's said so far still be true and whole."""
LAST_ASIDE = re.compile(r" \([^()]*\)(?=\.?$)")
"""Why, where, or what it was: behind a way out."""
SAID = "no node has that value; "
"""That none matches stands before it."""
ASIDE = re.compile(r" \((?:as far as the input shows|\S+ has it free[^()]*)\)")
VENDOR = re.compile(r"([\w.-]+)/(?:gpu|mig-|vgpu)")
DOMAIN = re.compile(r"nvidia\.com/(?!\S*:(?:NoSchedule|NoExecute|PreferNoSchedule)\b)")
"""But not of a taint, which is written down as it stands."""
GAPS = 8
"""Blanks between the columns, and the sign."""


def summary(out: Console, groups: Sequence[Group]) -> None:
    """What, for whom, and the best way out with its risk."""
    causes = by_cause(groups)
    shown, domain = _brief([_cells(several) for several in causes[:LINES]])
    pods = number(sum(1 + len(twins) for _, twins in groups), "pod")
    size = f"{pods}, {number(len(causes), 'cause')}"
    end = _legend(causes[:LINES], out.width, domain, size)
    rows = LINES - len(end)
    if len(causes) > rows:
        rows -= 1
        end = [f"and {number(len(causes) - rows, 'more cause')}", *end]
    names = min(max((len(one[0]) for one in shown), default=0), LONGEST_NAMES, out.width // 4)
    names = max(names, len("pods"))
    cause = _widest(shown, out.width - names - RISK - GAPS)
    way = out.width - names - RISK - cause - GAPS
    out.print(Words(f"  {'pods':{names}}  {'cause':{cause}}  {'best way out':{way}}  risk", "bold cyan"))
    core = [max(len(_lines(_core(what, cause), cause)), len(_lines(_bare(how), way))) for _, what, how in shown[:rows]]
    most = [max(len(_lines(what, cause)), len(_lines(how, way))) for _, what, how in shown[:rows]]
    for several, (who, what, how), height in zip(causes, shown, heights((core, most), rows), strict=False):
        story = several[0][0]
        sign, style = mark(story)
        cells = ([_named(who, several, names)], folded(what, cause, height), folded(how, way, height))
        for nth, (left, middle, right) in enumerate(zip_longest(*cells, fillvalue="")):
            line = Words("  " if nth else f"{sign} ", style)
            line.append(f"{left:{names}}  {middle:{cause}}  {right:{way}}  {'' if nth else risk(story) or '–'}")
            out.print(line, soft_wrap=True)
    for told in end:
        out.print(Words(told, "dim"), soft_wrap=True)
    out.print()


def _legend(causes: Sequence[Sequence[Group]], columns: int, domain: bool, size: str) -> list[str]:
    """What isn't said by itself: how many there are, marks, and what was left out; folded into lines."""
    signs = dict.fromkeys(mark(several[0][0])[0] for several in causes)
    told = [f"{sign} {meaning}" for sign, meaning in MARKS.items() if sign in signs]
    if domain:
        told.append("nvidia.com/ left out")
    told.append(f"{size}, in full below or by aliquot explain NAMESPACE/POD")
    return wrap("; ".join(told), columns, break_on_hyphens=False)


def _widest(shown: Sequence[tuple[str, str, str]], columns: int) -> int:
    """The column of causes: between a half and two thirds, so that as few lines as possible are needed."""

    def needed(cause: int) -> int:
        cells = [(what, cause) for _, what, _ in shown] + [(how, columns - cause) for _, _, how in shown]
        broken = sum(len(word) > width for text, width in cells for word in text.split())
        lines = sum(max(len(_lines(what, cause)), len(_lines(how, columns - cause))) for _, what, how in shown)
        return lines + broken

    usual = columns * 3 // 5
    return min(range(columns // 2, columns * 2 // 3 + 1), key=lambda cause: (needed(cause), abs(cause - usual)))


def heights(needed: Sequence[Sequence[int]], lines: int = LINES) -> list[int]:
    """Lines for each row: one for all; then those that say all of what it must say, where it needs fewest first.

    Args:
        needed: how many each row needs to say the least, which are given first; to say more; and so on.
        lines: how many there are.
    """
    given = [1] * len(needed[0])
    left = lines - len(given)
    for needs in needed:
        for row in sorted(range(len(given)), key=lambda row: needs[row] - given[row]):
            more = needs[row] - given[row]
            if 0 < more <= left and needs[row] <= MOST_OF_ONE:
                given[row] = needs[row]
                left -= more
    for row, whole in enumerate(needed[-1]):  # what stays cut is cut later
        more = min(left, max(0, min(whole, MOST_OF_ONE) - given[row]))
        given[row] += more
        left -= more
    return given


def _cells(several: Sequence[Group]) -> tuple[str, str, str]:
    story = several[0][0]
    owners = ", ".join(dict.fromkeys(_owner_words(one.owner) for one, _ in several))
    what = story.forecast if story.forecast and story.cause is None else why(story)
    spaces = {one.pod.namespace for one, _ in several}
    if _times(several) == "":
        what = re.sub(rf"^{re.escape(story.pod.key)}(?= would )", "It", what)
        what = what.replace(f"The pods of {several[0][0].owner.name} aren't", "Its pods aren't", 1)
    if len(spaces) == 1:  # it stands in the first column
        what = re.sub(rf"\b([a-z]+/[\w.-]+) in {re.escape(*spaces)}(?![\w-])", r"\1", what)
    return owners + _times(several), what, best(story)


def _brief(cells: Sequence[tuple[str, str, str]]) -> tuple[list[tuple[str, str, str]], bool]:
    """Without what the blocks say again: names of more nodes, sizes, a vendor's domain where it's the only one.

    Also whether such a domain was left out.
    """
    vendors = {vendor for _, what, how in cells for vendor in VENDOR.findall(f"{what} {how}")}
    alone = bool(vendors) and all(one.endswith("nvidia.com") for one in vendors)

    def short(text: str) -> str:
        text = ASIDE.sub("", LISTED.sub(_first_of, NODES.sub(_first_node, text.replace(SAID, ""))))
        for name, usual in USUAL.items():
            text = text.replace(name, usual)
        return DOMAIN.sub("", text) if alone else text

    left_out = alone and any(DOMAIN.search(f"{what} {how}") for _, what, how in cells)
    return [(who, short(what), short(how)) for who, what, how in cells], left_out


def _first_node(listed: re.Match[str]) -> str:
    return f"{listed[1]} nodes ({listed[2]} and {int(listed[1]) - 1} more)"


def _first_of(listed: re.Match[str]) -> str:
    return f"({listed[1]} and {len(listed[2].split(', ')) + int(listed[3])} more)"


def _times(several: Sequence[Group]) -> str:
    count = sum(1 + len(twins) for _, twins in several)
    return f" ×{count}" if count > 1 else ""


def _named(who: str, several: Sequence[Group], columns: int) -> str:
    """Cut where it's too long, but never how many there are."""
    times = _times(several)
    return cut(who.removesuffix(times), columns - len(times)) + times


def _lines(text: str, columns: int) -> list[str]:
    return wrap(NUMBERED.sub(r"\1", text), columns, break_on_hyphens=False) or [""]


def folded(text: str, columns: int, most: int) -> list[str]:
    """At most so many lines: first the asides go, one by one; then whole clauses, which is marked; then words."""
    while len(_lines(text, columns)) > most and (shorter := _without_aside(text)) != text:
        text = shorter
    if len(lines := _lines(text, columns)) <= most:
        return lines
    for whole in _clauses(text, columns * most // 2):
        if len(lines := _lines(f"{whole} …", columns)) <= most:
            return lines
    while text and len(lines := _lines(f"{text} …", columns)) > most:
        text = text.rpartition(" ")[0]
        if text.count("(") > text.count(")") and len(before := text.rpartition(" (")[0]) > columns * most // 3:
            text = before
    return lines if text else [cut(lines[0], columns)]


def _clauses(text: str, least: int) -> Iterator[str]:
    """The text's beginnings, of this length at least: whole sentences first, then clauses; the longest first."""
    found = [text[: end.start()] for end in reversed(list(ENDS.finditer(text)))]
    whole = [one for one in found if len(one) >= least and one.count("(") == one.count(")") and one.count("`") % 2 == 0]
    yield from sorted(whole, key=lambda one: not one.endswith("."))


def _without_aside(text: str) -> str:
    """One less: the first name behind a number, then names that are less near, then what ends it in brackets."""
    if not FIRST_OF.search(text) and FEWER.search(text):
        return FEWER.sub(_nearest, text, count=1)
    return (FIRST_OF if FIRST_OF.search(text) else LAST_ASIDE).sub("", text, count=1)


def _nearest(there: re.Match[str]) -> str:
    return f"(there are {there[1]} and {len(there[2].split(', ')) + 1} more)"


def _bare(text: str) -> str:
    """Without any aside."""
    return LAST_ASIDE.sub("", FEWER.sub(_nearest, FIRST_OF.sub("", text)))


def _core(text: str, columns: int) -> str:
    """The shortest beginning of a cause that tells something: whole clauses that fill a line."""
    return min((_bare(text), *_clauses(_bare(text), columns)), key=len)


def cut(text: str, most: int) -> str:
    """At most so many characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _owner_words(owner: OwnerRef) -> str:
    return f"{owner.namespace}/{owner.name}" if owner.namespace else owner.name
