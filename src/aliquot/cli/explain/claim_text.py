"""A claim's story for a person."""

from rich.console import Console

from aliquot.advisor.about.claim import AboutClaim, Given
from aliquot.advisor.causes.cause import listed
from aliquot.advisor.explanation.value import Explanation
from aliquot.cli.explain.lines import Words, console, indented, shell, unbroken, written

WAITING_SHOWN = 4
WAYS_SHOWN = 2
STATES = {
    "pending": "pending: no devices yet",
    "allocated": "allocated, reserved for nobody",
    "reserved": "allocated and reserved",
    "deleting": "being deleted",
}


def claim_text(about: AboutClaim, ways: int | None) -> str:
    """All of it; `ways`: how many ways out of each pod that waits."""
    out = console()
    style = "red" if about.pending else "yellow" if about.state == "deleting" else "green"
    out.print(Words.assemble((f"claim {about.claim.meta.key}", "bold"), (f"  {STATES[about.state]}", style)))
    indented(out, about.sentence, 2)
    if about.made_for:
        indented(out, f"Made for {about.made_for}, by its template: it goes with it.", 2, "dim")
    for line in (*about.problems, *about.unknown):
        indented(out, f"! {line}", 2, "yellow")
    _asks(out, about)
    for title, lines in (
        ("devices", [_given(one) for one in about.given]),
        ("kept by", [f"{one.consumer.name}: {one.state}" for one in about.keepers]),
    ):
        if lines:
            unbroken(out, f"  {title}", "bold cyan")
        for line in lines:
            indented(out, line, 4)
    if about.waiting:
        unbroken(out, "  who waits for it", "bold cyan")
    for story in about.waiting[:WAITING_SHOWN]:
        _waiting(out, story, WAYS_SHOWN if ways is None else ways, about.sentence)
    if len(about.waiting) > WAITING_SHOWN:
        indented(out, f"and {len(about.waiting) - WAITING_SHOWN} more (-o json)", 4, "dim")
    return written(out)


def _asks(out: Console, about: AboutClaim) -> None:
    for request in about.claim.spec.requests:
        recipes = (*((request.exactly,) if request.exactly is not None else ()), *request.first_available)
        wanted = [f"{'all' if one.mode == 'All' else one.count} of class {one.class_name}" for one in recipes]
        indented(out, f"Request {request.name}: {listed(wanted, last='else')}.", 2, "dim")


def _given(one: Given) -> str:
    where = f" on {listed(one.nodes)}" if one.nodes else ""
    gone = "; no slice in the input publishes it" if one.published is False else ""
    admin = ", with admin access" if one.result.admin_access else ""
    told = f"; its driver says {listed(one.conditions)}" if one.conditions else ""
    return f"{one.result.request}: {one.result.device}{where}{admin}{gone}{told}"


def _waiting(out: Console, story: Explanation, ways: int, said: str) -> None:
    sentence = "" if story.sentence in said else f": {story.sentence}"
    indented(out, Words.assemble((story.pod.key, "bold"), f"  {story.verdict}{sentence}"), 4)
    for one in story.conflict:
        indented(out, f"part of the conflict: {one}", 6, "dim")
    for way in story.ways_out[:ways]:
        indented(out, f"what would{' (tried)' if way.simulated else ''}: {way.title}  [{way.risk.level} risk]", 6)
        for change in way.changes:
            for line in shell(change.command):
                unbroken(out, f"        {line}", "green")
