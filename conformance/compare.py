"""Two sides, one question: where their answers differ, and the smallest case that still shows it.

The reference is random in places (Go's map order decides which of two errors is told, stable's pools come in any
order), so a difference counts only if the reference, asked again several times, never agrees with us.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance import reference

Json = dict[str, Any]
AGAIN = 8
"""How often the reference is asked again about a case on which we differ."""
SHRINKING_ROUNDS = 60


@dataclass(frozen=True, slots=True)
class Subject:
    """Something that both sides can be asked."""

    name: str
    verb: str
    """Of the Go program."""
    ours: Callable[[Json], Json]
    differs: Callable[[Json, Json], Sequence[str]]
    """(reference's answer, ours) -> what is different, the worst first; empty: they agree."""
    smaller: Callable[[Json], Iterable[Json]]
    """Simpler variants of a case, the simplest first."""
    flags: tuple[str, ...] = ()
    tolerated: frozenset[str] = frozenset()
    """Differences that are counted and shown, but are no failure."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A case that the two sides answer differently."""

    what: tuple[str, ...]
    case: Json
    reference: Json
    ours: Json


@dataclass(slots=True)
class Outcome:
    """What a comparison found."""

    subject: Subject
    kubernetes: str
    asked: int = 0
    skipped: int = 0
    differences: list[Difference] = field(default_factory=list[Difference])

    def counts(self) -> Counter[str]:
        """How many cases differ in what."""
        return Counter(what for each in self.differences for what in each.what)

    @property
    def failures(self) -> list[Difference]:
        """The differences that aren't tolerated."""
        return [each for each in self.differences if set(each.what) - self.subject.tolerated]


def answered(subject: Subject, case: Json) -> Json:
    """Our answer; a crash of ours is an answer too, and always a difference."""
    try:
        return subject.ours(case)
    except Exception as error:  # noqa: BLE001  the comparison goes on, the crash is reported as a difference
        return {"crash": f"{type(error).__name__}: {error}"}


def compared(subject: Subject, kubernetes: str, cases: Sequence[Json]) -> Outcome:
    """Ask both sides every case."""
    outcome = Outcome(subject, kubernetes)
    theirs = reference.ask(kubernetes, subject.verb, cases, *subject.flags)
    found: list[Difference] = []
    for case, given in zip(cases, theirs, strict=True):
        if timed_out(given):
            outcome.skipped += 1
            continue
        outcome.asked += 1
        ours = answered(subject, case)
        what = different(subject, given, ours)
        if what:
            found.append(Difference(what, case, given, ours))
    outcome.differences = steady(subject, kubernetes, found)
    return outcome


def different(subject: Subject, given: Json, ours: Json) -> tuple[str, ...]:
    """What is different between two answers; a crash of ours always is."""
    return ("crash",) if "crash" in ours else tuple(subject.differs(given, ours))


def timed_out(answer: Json) -> bool:
    """The reference was stopped: there's nothing to compare with."""
    return any(node.get("timedOut") for node in answer.get("nodes", ()))


def steady(subject: Subject, kubernetes: str, found: Sequence[Difference]) -> list[Difference]:
    """The differences that are left when the reference is asked again several times."""
    if not found:
        return []
    again = iter(reference.ask(kubernetes, subject.verb, [each.case for each in found] * AGAIN, *subject.flags))
    left = [set(each.what) for each in found]
    for _ in range(AGAIN):
        for each, what in zip(found, left, strict=True):
            what &= set(different(subject, next(again), each.ours))
    return [
        Difference(tuple(each for each in old.what if each in what), old.case, old.reference, old.ours)
        for old, what in zip(found, left, strict=True)
        if what
    ]


def shrunk(subject: Subject, kubernetes: str, difference: Difference) -> Difference:
    """A smaller case with the same (first) difference, found by trying simpler variants in rounds."""
    best = difference
    for _ in range(SHRINKING_ROUNDS):
        variants = list(subject.smaller(best.case))
        if not variants:
            break
        try:
            theirs = reference.ask(kubernetes, subject.verb, variants, *subject.flags)
        except RuntimeError:  # a variant that isn't a proper case any more
            break
        smaller = first_with(subject, kubernetes, difference.what[0], zip(variants, theirs, strict=True))
        if smaller is None:
            break
        best = smaller
    return best


def first_with(
    subject: Subject, kubernetes: str, wanted: str, answers: Iterable[tuple[Json, Json]]
) -> Difference | None:
    """The first of several cases that differs in ``wanted``, every time."""
    for case, given in answers:
        if timed_out(given):
            continue
        ours = answered(subject, case)
        what = different(subject, given, ours)
        if wanted in what:
            kept = steady(subject, kubernetes, [Difference(what, case, given, ours)])
            if kept and wanted in kept[0].what:
                return kept[0]
    return None


# --- simpler variants ------------------------------------------------------------------------------------------------


def without_one(case: Json, path: Sequence[str]) -> Iterator[Json]:
    """The case without one item of the list at ``path`` (``*`` in it: every item), or without the whole list."""
    for keys in paths(case, path):
        items = at(case, keys)
        if not isinstance(items, list):
            continue
        if len(items) > 3:
            half = len(items) // 2
            yield replaced(case, keys, items[:half])
            yield replaced(case, keys, items[half:])
        for index in range(len(items)):
            yield replaced(case, keys, items[:index] + items[index + 1 :])


def without_key(case: Json, path: Sequence[str]) -> Iterator[Json]:
    """The case without each of the members of the object at ``path``."""
    for keys in paths(case, path):
        members = at(case, keys)
        if isinstance(members, dict):
            for name in members:
                yield replaced(case, keys, {key: value for key, value in members.items() if key != name})


def paths(case: Any, path: Sequence[str], before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in ``case`` that a path with ``*`` names."""
    if not path:
        yield before
        return
    head, rest = path[0], path[1:]
    if head == "*" and isinstance(case, list):
        for index, item in enumerate(case):
            yield from paths(item, rest, (*before, index))
    elif isinstance(case, dict) and head in case:
        yield from paths(case[head], rest, (*before, head))


def at(case: Any, keys: Sequence[Any]) -> Any:
    """The value at a place."""
    for key in keys:
        case = case[key]
    return case


def replaced(case: Any, keys: Sequence[Any], value: Any) -> Any:
    """The case with another value at a place; the rest is shared."""
    if not keys:
        return value
    copy = list(case) if isinstance(case, list) else dict(case)
    copy[keys[0]] = replaced(copy[keys[0]], keys[1:], value)
    return copy
