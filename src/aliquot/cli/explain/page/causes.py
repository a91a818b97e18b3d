"""Causes as the page tells them: a block for each, with all whom it keeps waiting."""

from collections.abc import Sequence
from dataclasses import dataclass

from aliquot.advisor.case import device_requests
from aliquot.advisor.dra.claims import wanted_drivers
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.owners import OwnerRef
from aliquot.advisor.verdicts import asks
from aliquot.advisor.wayout import WayOut
from aliquot.cli.explain.best import best, cause, risk
from aliquot.cli.explain.grouped import SIGNS, Group, unsure
from aliquot.cli.explain.page.anchors import Anchors
from aliquot.cli.explain.page.evidence import HeldBy, Refusing, Told, devices, holders, refusing
from aliquot.kube.pod import Pod
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Part:
    """Pods of one owner under one cause."""

    story: Explanation
    pods: tuple[str, ...]
    holders: tuple[HeldBy, ...]
    refusing: tuple[Refusing, ...]
    devices: tuple[Told, ...]
    whose: str
    """Of a way out: `it runs`, `one of the 3 runs`."""

    @property
    def name(self) -> str:
        """`deployment ml/embed`, or the pod."""
        return self.story.owner.full if self.story.owner.templated else f"pod {self.story.pod.key}"


@dataclass(frozen=True, slots=True)
class Block:
    """A cause."""

    anchor: str
    verdict: str
    sign: str
    tone: str
    """Its class in the style sheet: the verdict, or `unsure`."""
    sentence: str
    asked: str
    names: tuple[str, ...]
    namespaces: tuple[str, ...]
    count: int
    parts: tuple[Part, ...]
    way: WayOut | None
    best: str
    """The best way out as the summary tells it; empty: nothing is tried or advised."""
    risk: str
    """Its level; empty: nothing was tried."""
    why: str
    """The sentence of the summary."""
    offered: tuple[str, ...]
    """What its pods ask for, as the map's `offers` name it."""

    @property
    def words(self) -> str:
        """What the text filter looks in."""
        pods = (pod for part in self.parts for pod in part.pods)
        return " ".join((*self.names, *pods, self.sentence, self.asked)).lower()


def block(snapshot: Snapshot, groups: Sequence[Group], anchors: Anchors) -> Block:
    """One cause, and all whom it keeps waiting."""
    story = groups[0][0]
    parts = tuple(_part(one, twins) for one, twins in groups)
    names = tuple(dict.fromkeys(owner_words(one.owner) for one, _ in groups))
    helped = next((one for one, _ in groups if one.ways_out), story)
    return Block(
        anchors.of("cause", names[0]),
        story.verdict,
        "?" if unsure(story) else SIGNS[story.verdict],
        "unsure" if unsure(story) else story.verdict,
        story.sentence,
        asks(story.pod),
        names,
        tuple(dict.fromkeys(one.pod.namespace for one, _ in groups)),
        sum(len(part.pods) for part in parts),
        parts,
        helped.ways_out[0] if helped.ways_out else None,
        best(helped),
        risk(helped),
        cause(story),
        tuple(sorted(asked_of(snapshot, story.pod))),
    )


def owner_words(owner: OwnerRef) -> str:
    """`ml/embed`."""
    return f"{owner.namespace}/{owner.name}" if owner.namespace else owner.name


def asked_of(snapshot: Snapshot, pod: Pod) -> set[str]:
    """Resources and drivers that a pod asks for devices of."""
    return {*device_requests(pod), *(wanted_drivers(snapshot, pod) if pod.claims else ())}


def _part(story: Explanation, twins: Sequence[Explanation]) -> Part:
    alike = 1 + max(len(twins), story.siblings)
    return Part(
        story,
        tuple(one.pod.key for one in (story, *twins)),
        tuple(holders(story)),
        tuple(refusing(story)),
        tuple(devices(story.stories)),
        "it runs" if alike == 1 else f"one of the {alike} runs",
    )
