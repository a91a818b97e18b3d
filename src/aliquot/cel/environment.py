"""What an expression may use, per Kubernetes version and feature gate: chosen by data, not by code paths."""

from dataclasses import dataclass
from typing import Final, Literal

Mode = Literal["stored", "new"]
"""`stored`: what the scheduler runs, every gated name exists. `new`: what the API server accepts for new objects."""

VERSIONS: Final = ("1.34", "1.35", "1.36", "1.37")
"""The Kubernetes versions that are known, oldest first."""

VERIFIED: Final = frozenset({"1.36", "1.37"})
"""Those compared with the Go code; the others follow their tables of gates and library versions."""


@dataclass(frozen=True, slots=True)
class Environment:
    """Which Kubernetes evaluates the expression, and with which gates."""

    kubernetes: str = "1.36"
    consumable_capacity: bool = False
    """Gate DRAConsumableCapacity: `device.allowMultipleAllocations` for new expressions."""
    list_attributes: bool = False
    """Gate DRAListTypeAttributes (from 1.36): attributes may be lists and are dynamically typed."""
    mode: Mode = "stored"
    cost_limit: int = 1_000_000
    """Run-time cost at which evaluation is cancelled: CELSelectorExpressionMaxCost of resource.k8s.io."""

    @property
    def minor(self) -> int:
        """The minor version: 36 for 1.36."""
        return int(self.kubernetes.partition(".")[2])

    @property
    def verified(self) -> bool:
        """Whether this version's answers were compared with the Go code."""
        return self.kubernetes in VERIFIED


def environment(
    kubernetes: str = "1.36",
    *,
    consumable_capacity: bool = False,
    list_attributes: bool = False,
    mode: Mode = "stored",
) -> Environment:
    """The environment of one Kubernetes version.

    Args:
        kubernetes: the version, as in `1.36`, `v1.36.2` or `1.37.0-rc.1`; only the minor counts. One newer than we
            know is taken for the newest we know.
        consumable_capacity: the gate DRAConsumableCapacity.
        list_attributes: the gate DRAListTypeAttributes; ignored before 1.36, which doesn't have it.
        mode: `stored` as the scheduler compiles, `new` as the API server validates new objects.

    Raises:
        ValueError: the text isn't a version, or is one before 1.34 (DRA's first stable release).
    """
    parts = kubernetes.removeprefix("v").split(".")
    if len(parts) < 2 or parts[0] != "1" or not parts[1].isascii() or not parts[1].isdigit():
        raise ValueError(f"{kubernetes!r} is no Kubernetes version: write one like {VERSIONS[-1]}")
    known = [int(version[2:]) for version in VERSIONS]
    minor = min(int(parts[1]), known[-1])
    if minor < known[0]:
        raise ValueError(f"Kubernetes {kubernetes} is older than {VERSIONS[0]}, the oldest with resource.k8s.io/v1")
    return Environment(f"1.{minor}", consumable_capacity, list_attributes and minor >= 36, mode)
