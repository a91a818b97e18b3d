"""Which Kubernetes: a release, its patch, and the feature gates that its owner changed. One value for everything.

What differs between releases beside gates stands with who acts on it: `scheduling.versions`, `allocation.behaviour`,
`cel.environment`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from aliquot.kube.feature_gates import GATES, default_of

OLDEST: Final = 31
"""The oldest minor release that is known."""
NEWEST: Final = 37


@dataclass(frozen=True, slots=True)
class Kubernetes:
    """A release, 1.`minor`, with its feature gates."""

    minor: int = NEWEST
    patch: int | None = None
    """None: not known."""
    gates: tuple[tuple[str, bool], ...] = ()
    """Those that differ from the release's defaults, as its owner says or its objects prove; sorted."""
    pre_release: str = ""
    """`alpha.2`, `rc.0`; empty for a release proper."""

    def __str__(self) -> str:
        return f"1.{self.minor}"

    def on(self, gate: str) -> bool:
        """Whether a gate is on. One that this release doesn't have is off, unless it was changed."""
        for name, value in self.gates:
            if name == gate:
                return value
        return self.default(gate) is True

    def default(self, gate: str) -> bool | None:
        """What a gate is when nobody changes it; None: this release doesn't have it."""
        return default_of(gate, self.minor)

    def known_gates(self) -> tuple[str, ...]:
        """The gates that this release has, of those that matter here."""
        return tuple(gate for gate in GATES if self.default(gate) is not None)

    def changed(self, gates: Iterable[tuple[str, bool]]) -> "Kubernetes":
        """With these gates changed, too."""
        return replace(self, gates=tuple(sorted({**dict(self.gates), **dict(gates)}.items())))


_VERSION: Final = re.compile(r"v?1\.(\d{1,3})\+?(?:\.(\d{1,6}))?(?:-((?:alpha|beta|rc)\.\d+))?([.+-].*)?")


def kubernetes_of(text: str) -> Kubernetes:
    """From a version as Kubernetes prints it (`v1.36.2`, `1.36`, `1.33+`); the nearest minor that is known.

    Raises:
        ValueError: if it's no version 1.x.
    """
    found = _VERSION.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"not a Kubernetes version: {text!r} (expected one like 1.36)")
    minor = int(found[1])
    if not OLDEST <= minor <= NEWEST:
        return Kubernetes(min(max(minor, OLDEST), NEWEST))
    return Kubernetes(minor, int(found[2]) if found[2] else None, pre_release=found[3] or "")
