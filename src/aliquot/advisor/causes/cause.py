"""A cause as a value."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "held", "scattered", "larger-than-any", "not-offered", "unhealthy", "selector", "taint", "cordoned", "not-ready",
    "short-of-cpu-or-memory", "anti-affinity", "spread", "host-port", "node-name", "rollout", "class-missing",
    "claim-missing", "claim-elsewhere", "no-slices", "incomplete-pool", "no-matching-device", "device-taint",
    "partitioned", "constraint", "all-with-one-taken", "cel-error", "gated", "deleted", "volume", "quota", "image",
    "scheduler", "reference-missing", "not-created", "gang", "queue", "driver", "known-defect", "feature", "other",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a pod waits."""

    kind: Kind
    sentence: str
    """For a person; names the objects that matter. Starts with a capital letter and ends with a full stop."""
    objects: tuple[str, ...] = ()
    """The nodes, pods, owners, claims, classes, rules, resources that make the cause, most important first."""


def listed(names: Sequence[str], most: int = 3, last: str = "and") -> str:
    """`a, b and c`; of many the first ones and how many more: `a, b, c and 4 more`."""
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def number(count: int, one: str, many: str = "") -> str:
    """`1 node`, `2 nodes`."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def nodes_named(nodes: Collection[str]) -> str:
    """`node a`, `nodes a and b`, `12 nodes (a, b, c and 9 more)`."""
    names = sorted(nodes)
    if len(names) == 1:
        return names[0]
    if len(names) <= 3:
        return listed(names)
    return f"{len(names)} nodes ({listed(names)})"
