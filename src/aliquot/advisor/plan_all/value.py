"""A plan as data: its steps, what each of them places, and what still waits."""

from collections.abc import Mapping
from dataclasses import dataclass

from aliquot.advisor.wayout import Change, Cost, Kind, Risk


@dataclass(frozen=True, slots=True)
class Step:
    """One way out, done once or (nodes) several times."""

    kind: Kind
    title: str
    changes: tuple[Change, ...]
    cost: Cost
    risk: Risk
    places: tuple[str, ...]
    """Pods that have a node after this step and had none after those before it."""
    stopped: tuple[str, ...]
    """Pods that run today and that it ends."""


@dataclass(frozen=True, slots=True)
class Left:
    """A pod that still waits when all is done."""

    pod: str
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """For the asked pods."""

    pods: tuple[str, ...]
    """Those that were asked for and wait."""
    roomy: tuple[str, ...]
    """Of them, those that have room as the cluster is."""
    steps: tuple[Step, ...]
    left: tuple[Left, ...]
    nodes: Mapping[str, str]
    """Pod -> where it was placed when all was done."""
