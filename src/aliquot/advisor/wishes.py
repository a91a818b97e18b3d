"""What a person wants of the ways out: kinds to leave out, the most risk, and what counts first."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from aliquot.advisor.wayout import Candidate, Kind, Level, WayOut, order

Prefer = Literal["risk", "cost"]
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
KINDS: Final[frozenset[Kind]] = frozenset(get_args(Kind))
EVICT: Final = "evict"
GROUPS: Final[Mapping[str, frozenset[Kind]]] = {
    EVICT: frozenset({"free-device", "move", "raise-priority", "fix-rollout"}),
    "node": frozenset({"add-node"}),
    "less": frozenset({"fewer-devices", "shrink", "drop-claim"}),
    "sharing": frozenset({"share", "partition"}),
    "taint": frozenset({"add-toleration", "remove-taint", "fix-taint-rule", "uncordon"}),
    "selector": frozenset({"fix-selector", "drop-selector"}),
}
"""Names of several kinds at once. `evict` also leaves out whatever else ends a pod that runs."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """Which ways out are wanted, and in which order."""

    avoid: frozenset[Kind] = frozenset()
    no_evictions: bool = False
    most_risk: Level = "high"
    prefer: Prefer | None = None
    """None: `order`, where risk weighs most, but a node for much money isn't before a small risk."""

    def allow(self, one: Candidate) -> bool:
        """Whether it's wanted, by itself or as a step."""
        ends = bool(one.stops or (one.tried is not None and (one.tried.victims or one.tried.stopped)))
        return not (
            one.kind in self.avoid
            or (self.no_evictions and ends)
            or LEVELS.index(one.risk.level) > LEVELS.index(self.most_risk)
        )

    def key(self, way: WayOut) -> tuple[object, ...]:
        """Best first. What another pod takes first is last, whatever it costs."""
        if self.prefer is None:
            return (bool(way.after.first), *order(way))
        risk, cost = LEVELS.index(way.risk.level), way.cost.usd_per_hour
        money = (cost is None, cost or 0.0)
        first = (risk, money) if self.prefer == "risk" else (money, risk)
        return (bool(way.after.first), *first, way.rank, way.title)


NO_WISHES: Final = Wishes()


def wishes(avoid: str = "", most_risk: Level = "high", prefer: Prefer | None = None) -> Wishes | tuple[str, ...]:
    """From words with commas between them; the unknown ones, if any are."""
    words = [word.strip() for word in avoid.split(",") if word.strip()]
    kinds: set[Kind] = set()
    unknown: list[str] = []
    for word in words:
        if word in GROUPS:
            kinds |= GROUPS[word]
        elif any(word == kind for kind in KINDS):
            kinds |= {kind for kind in KINDS if kind == word}
        else:
            unknown.append(word)
    if unknown:
        return tuple(unknown)
    return Wishes(frozenset(kinds), EVICT in words, most_risk, prefer)
