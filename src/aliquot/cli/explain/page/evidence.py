"""What shows a cause: who holds what is asked for, which nodes refuse, what each device has against the claims."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from aliquot.advisor.alike import Alike
from aliquot.advisor.amounts import about
from aliquot.advisor.case import device_requests
from aliquot.advisor.causes.cause import number
from aliquot.advisor.dra.device_story import grouped, pool_words
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.holders import Holding
from aliquot.advisor.verdicts import told, why
from aliquot.allocation.answer import RequestStory, Story
from aliquot.cli.explain.page.bars import clock

NODES_NAMED = 10
DEVICES_NAMED = 12


@dataclass(frozen=True, slots=True)
class HeldBy:
    """What an owner has of what is asked for."""

    owner: str
    namespace: str
    amount: str
    pods: tuple[str, ...]
    nodes: tuple[str, ...]
    since: str
    priority: str


@dataclass(frozen=True, slots=True)
class Refusing:
    """Nodes with the same reasons."""

    nodes: tuple[str, ...]
    more: int
    reasons: tuple[tuple[str, bool], ...]
    """In words, and whether the scheduler's own message leaves it out."""
    relevant: bool
    """They have the hardware that is asked for."""

    @property
    def count(self) -> str:
        """In words."""
        return number(len(self.nodes) + self.more, "node")


@dataclass(frozen=True, slots=True)
class Told:
    """Nodes whose devices have the same against the claims."""

    nodes: tuple[str, ...]
    lines: tuple[str, ...]
    requests: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


def holders(story: Explanation) -> Iterator[HeldBy]:
    """One line an owner, those with most first; only of what is asked for."""
    found: dict[object, list[Holding]] = {}
    asked = device_requests(story.pod)
    for one in story.holdings:
        if not asked or one.resource in asked or story.pod.claims:
            found.setdefault((one.owner, one.resource, bool(one.devices)), []).append(one)
    yield from map(_held_by, sorted(found.values(), key=lambda held: -sum(one.amount for one in held)))


def _held_by(several: Sequence[Holding]) -> HeldBy:
    first, amount = several[0], sum(one.amount for one in several)
    low, high = min(one.pod.priority for one in several), max(one.pod.priority for one in several)
    counted = f"{about(first.resource, amount)} {first.resource}"
    return HeldBy(
        first.owner.short,
        first.owner.namespace,
        f"{number(amount, 'device')} of {first.resource}" if first.devices else counted,
        tuple(dict.fromkeys(one.pod.key for one in several)),
        tuple(dict.fromkeys(one.node for one in several)),
        clock(min((one.since for one in several if one.since), default="")),
        str(low) if low == high else f"{low} to {high}",
    )


def refusing(story: Explanation) -> list[Refusing]:
    """Nodes with the asked hardware first."""
    asked = device_requests(story.pod)
    found = [
        Refusing(
            tuple(group.nodes[:NODES_NAMED]),
            max(0, len(group.nodes) - NODES_NAMED),
            tuple((why(reason, group), reason.filter != group.reasons[0].filter) for reason in told(group.reasons)),
            _has_hardware(group, asked),
        )
        for group in story.alike
    ]
    return sorted(found, key=lambda one: not one.relevant)


def _has_hardware(group: Alike, asked: Collection[str]) -> bool:
    return all(group.total.get(name, (1, 1))[1] > 0 for name in asked)


def devices(stories: Mapping[str, Story]) -> Iterator[Told]:
    """Nodes with the same story together."""
    found: dict[tuple[object, ...], list[str]] = {}
    for node, one in stories.items():
        found.setdefault(_lines(one), []).append(node)
    for nodes in found.values():
        one = stories[nodes[0]]
        yield Told(
            tuple(nodes),
            tuple(map(pool_words, one.pools)),
            tuple(
                (
                    _asked(request),
                    tuple((_named(group.devices), "; ".join(group.reasons)) for group in grouped(request)),
                )
                for request in one.requests
            ),
        )


def _lines(one: Story) -> tuple[object, ...]:
    requests = tuple((request.request, request.wanted, request.usable, grouped(request)) for request in one.requests)
    return (*requests, *map(pool_words, one.pools))


def _named(devices: Sequence[str]) -> str:
    more = f" and {len(devices) - DEVICES_NAMED} more" if len(devices) > DEVICES_NAMED else ""
    return ", ".join(devices[:DEVICES_NAMED]) + more


def _asked(request: RequestStory) -> str:
    wanted = "all" if request.wanted is None else request.wanted
    of = number(len(request.devices), "device")
    return f"Request {request.request}: {wanted} wanted, {request.usable} of {of} would do"
