"""The page: templates, one style sheet and one script, put into one file that loads nothing."""

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined

from aliquot import __version__
from aliquot.advisor.causes.cause import number
from aliquot.advisor.explanation.value import Explanation, counts
from aliquot.cli.explain.grouped import MARKS, ORDER, SIGNS, by_cause, in_order
from aliquot.cli.explain.page.anchors import Anchors
from aliquot.cli.explain.page.causes import asked_of, block
from aliquot.cli.explain.page.cluster_map import cluster_map
from aliquot.cli.explain.page.safe import plain
from aliquot.snapshot.snapshot import Snapshot

WAITING = ("pending", "blocked", "gated")
MEANINGS = {
    "pending": "no node takes it",
    "blocked": "it has room or a node, and can't come to run",
    "gated": "its scheduling gates keep it from the queue",
    "placeable": "there's room for it now",
    "running": "it has its node",
}


def page(snapshot: Snapshot, stories: Sequence[Explanation], *, release: str, source: str) -> str:
    """The page; what comes from the cluster is escaped, whatever it's named."""
    anchors = Anchors()
    asked = {name for story in stories for name in asked_of(snapshot, story.pod)}
    drawn = cluster_map(snapshot, asked, anchors)
    blocks = [block(snapshot, groups, anchors) for groups in by_cause(in_order(stories))]
    verdicts = counts(stories)
    environment = _environment()
    script = environment.get_template("page.js").render()
    return environment.get_template("page.html.j2").render(
        version=__version__,
        release=release,
        source=source,
        size=f"{number(len(snapshot.nodes), 'node')}, {number(len(snapshot.pods), 'pod')}",
        blocks=blocks,
        verdicts=[(name, verdicts[name]) for name in ORDER if name in verdicts],
        namespaces=sorted({name for one in blocks for name in one.namespaces}),
        map=drawn,
        signs=SIGNS,
        meanings=MEANINGS,
        unsure=MARKS["?"],
        pods=number(len(stories), "pod"),
        waiting=sum(verdicts.get(name, 0) for name in WAITING),
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        anchors=anchors,
    )


def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=plain,
        loader=FunctionLoader(_text),
    )
    environment.filters["number"] = number
    return environment


def _text(name: str) -> str:
    return files("aliquot.cli.explain.page").joinpath("templates", name).read_text("utf-8")
