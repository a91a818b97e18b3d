"""A way out of being pending: what to change, what it costs, risks and isolates, and what happens afterwards."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from aliquot.kube.pod import Pod
from aliquot.scheduling.outcome import Preemption
from aliquot.snapshot.snapshot import Snapshot

Kind = Literal[
    "add-toleration",
    "remove-taint",
    "fix-selector",
    "drop-selector",
    "uncordon",
    "change-request",
    "free-device",
    "move",
    "share",
    "partition",
    "add-node",
    "republish",
    "raise-priority",
    "combined",
    "fewer-devices",
    "shrink",
    "admin-access",
    "drop-claim",
    "drop-host-port",
    "use-claim",
    "wait",
    "map-extended-resource",
    "fix-class",
    "fix-claim",
    "fix-taint-rule",
    "fix-rollout",
    "fix-volume",
    "fix-driver",
    "fix-scheduler",
    "raise-quota",
    "label-node",
    "repair",
    "upgrade",
    "resume",
]
Level = Literal["low", "medium", "high"]


Patch = Mapping[str, object]
"""A patch of an object, or a new object, as JSON-like values."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing to do. `target` is for people: `deployment serving/llm-a`."""

    target: str
    command: str
    """What makes it. A line before the last finds what the last leaves open (a name in capital letters)."""
    patch: Patch | None = None
    undo: str = ""
    """The line that takes it back; from # on: what can't be taken back, and what is lost. Empty: nothing is changed."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What it costs in money, where that's known: USD per hour, and from which price list. Zero: nothing extra."""

    usd_per_hour: float | None
    text: str


@dataclass(frozen=True, slots=True)
class Risk:
    """How much can go wrong, and what."""

    level: Level
    text: str


@dataclass(frozen=True, slots=True)
class Isolation:
    """Of a way to share one GPU: what it separates and what it doesn't; each `hardware`, `limit` or `none`."""

    strategy: str
    memory: str
    faults: str
    bandwidth: str
    text: str


@dataclass(frozen=True, slots=True)
class Trial:
    """A world to judge in: the snapshot, and the pod as it would be then."""

    snapshot: Snapshot
    pod: Pod


@dataclass(frozen=True, slots=True)
class After:
    """What the trial gave: where the pod runs then, and who no longer runs."""

    node: str
    victims: tuple[str, ...] = ()
    stopped: tuple[str, ...] = ()
    """Pods that run today and that the change itself stops."""
    first: tuple[str, ...] = ()
    """Pods that wait too, go first, and take that place: the pod still waits then. Empty: it gets it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way out that hasn't been tried yet."""

    kind: Kind
    target: str
    """`pod` (the pending pod or its owner), `claim`, `node` (a new one), `driver`, or `KIND/NAME` of another object."""
    title: str
    changes: tuple[Change, ...]
    apply: Callable[[Trial], Trial]
    risk: Risk
    rank: float
    """Lower is better: how much it changes, from a corrected slip (5) to an eviction (60); see `order`."""
    node: str = ""
    """The node that it aims at: it's tried there, and combined only with what aims there too."""
    cost: Cost = Cost(0.0, "nothing extra")
    isolates: Isolation | None = None
    cures: str = ""
    """The problem that it takes away: a filter's name, or a device resource's."""
    stops: tuple[str, ...] = ()
    """Keys of pods that it stops."""
    anywhere: bool = False
    """It may help on other nodes than the one that it was thought of for, so all are judged."""
    simulated: bool = True
    """False: where it leads can't be tried on a dump."""
    tried: After | None = None
    """Set where making the candidate already took judging it; else it's tried on `node`."""
    own: bool = False
    """What it changes in the snapshot is this one pod's (its claim): pods alike need the same, each for its own."""
    several: Callable[[int], "Candidate"] | None = None
    """The same made so many times over, where that makes sense: nodes. Its `apply` makes all of them."""


@dataclass(frozen=True, slots=True)
class WayOut:
    """A candidate that was tried, and worked."""

    kind: Kind
    target: str
    title: str
    changes: tuple[Change, ...]
    cost: Cost
    risk: Risk
    rank: float
    isolates: Isolation | None
    after: After
    steps: tuple[Candidate, ...] = field(default=(), compare=False, repr=False)
    """What was applied, in order: any of them left out, the pod stays pending."""
    simulated: bool = True
    """False: what it leads to can't be tried on a dump (a release without a defect, a driver that runs again)."""


RISK_WEIGHT: Mapping[Level, float] = {"low": 0, "medium": 30, "high": 60}
UNKNOWN_COST = 35.0
"""A way out that costs an unknown sum comes after those of medium risk that cost nothing."""
LEAST_COST, MOST_COST = 20.0, 55.0


def order(way: WayOut) -> tuple[float, str]:
    """Best first: risk weighs most, then money (USD an hour), then how much it changes (`rank`)."""
    usd = way.cost.usd_per_hour
    money = UNKNOWN_COST if usd is None else 0.0 if usd == 0 else min(LEAST_COST + usd, MOST_COST)
    return RISK_WEIGHT[way.risk.level] + money + way.rank / 10, way.title


def outcome(way: WayOut, alike: int = 1) -> str:
    """What happens then, in words.

    Args:
        way: which.
        alike: how many pods wait for the same, the told one included.
    """
    if not way.simulated:
        return "not tried: a dump can't tell"
    place = f" on {way.after.node}" if way.after.node else ""
    gone = (*way.after.victims, *way.after.stopped)
    ends = (
        f"; {', '.join(gone[:2])}{' …' if len(gone) > 2 else ''} no longer {'runs' if len(gone) == 1 else 'run'}"
        if gone
        else ""
    )
    if way.after.first:
        who = ", ".join(way.after.first[:2]) + (" …" if len(way.after.first) > 2 else "")
        goes = "goes first and takes" if len(way.after.first) == 1 else "go first and take"
        return f"there's room{place} then, but {who} {goes} it: it still waits{ends}"
    whose = "it runs" if alike == 1 else f"one of the {alike} runs"
    return f"then {whose}{place}{ends}"


def harm(preemption: Preemption) -> str:
    """What a preemption does beside evicting its victims, as a sentence's end; mostly nothing."""
    budgets = preemption.budgets
    if not budgets:
        return ""
    return f", and this violates PodDisruptionBudget{'s' if len(budgets) > 1 else ''} {', '.join(budgets)}"


@dataclass(frozen=True, slots=True)
class Advice:
    """Something worth doing that can't be simulated from a snapshot."""

    text: str
    command: str = ""
