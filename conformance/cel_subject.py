"""CEL, compared: verdicts must agree; costs and words are counted."""

import re
from collections.abc import Iterator
from typing import Final

from conformance import cel
from conformance.compare import Json, Subject, without_key


def cel_differs(given: Json, ours: Json) -> list[str]:
    """Verdict, then both costs, then the words of the error; those of a syntax error apart (ANTLR's recovery)."""
    if given["verdict"] == "P":
        return []  # the reference fell over: there's nothing to compare with
    what = [each for each in ("verdict", "max_cost", "actual_cost") if given.get(each) != ours.get(each)]
    if given["error"] != ours["error"]:
        what.append("syntax words" if "Syntax error" in (given["error"] or "") else "words")
    return what


def cel_smaller(case: Json) -> Iterator[Json]:
    """The case with a part of its expression for the whole, with a literal for a part, or with less of a device."""
    text = case["expr"] if "expr" in case else case["expression"]
    key = "expr" if "expr" in case else "expression"
    parts = sorted(set(sub_expressions(text)), key=len)
    for part in parts:
        if part != text:
            yield case | {key: part}
            yield case | {key: f"dyn({part}) == dyn({part})"} if len(part) + 20 < len(text) else case | {key: part}
    for part in reversed(parts):
        if len(part) > 5:
            for literal in ("true", "1", "'a'", "[]"):
                yield case | {key: text.replace(part, literal, 1)}
    yield from without_key(case, ("device", "attributes"))
    yield from without_key(case, ("device", "capacity"))


def sub_expressions(text: str) -> Iterator[str]:
    """Pieces of an expression between operators, commas and brackets; many are expressions themselves."""
    opened: list[int] = []
    for index, sign in enumerate(text):
        if sign in "([{":
            opened.append(index)
        elif sign in ")]}" and opened:
            start = opened.pop()
            inside = text[start + 1 : index].strip()
            if inside:
                yield inside
                yield from (piece.strip() for piece in re.split(r",(?![^(\[{]*[)\]}])", inside) if piece.strip())
            called = re.search(r"[\w.]+$", text[:start])
            yield text[called.start() if called else start : index + 1]
    yield from (piece.strip() for piece in re.split(r"\|\||&&|[!=<>]=|[?:<>]", text) if piece.strip())


CEL: Final = Subject(
    "cel",
    "cel",
    cel.answer,
    cel_differs,
    cel_smaller,
    tolerated=frozenset({"max_cost", "actual_cost", "words", "syntax words"}),
)
