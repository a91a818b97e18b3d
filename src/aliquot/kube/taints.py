"""Taints of nodes and the tolerations of pods."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Taint:
    """A node's taint: key[=value]:effect, effect NoSchedule, PreferNoSchedule or NoExecute."""

    key: str
    effect: str
    value: str = ""

    def __str__(self) -> str:
        """As `kubectl taint` writes it."""
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


@dataclass(frozen=True, slots=True)
class Toleration:
    """A pod's toleration; an empty key with operator Exists tolerates every key, an empty effect every effect."""

    key: str = ""
    operator: str = "Equal"
    """Equal, Exists, and from 1.35 (gate TaintTolerationComparisonOperators) Gt and Lt on integers."""
    value: str = ""
    effect: str = ""
    seconds: int | None = None

    def __str__(self) -> str:
        value = (
            ""
            if self.operator == "Exists"
            else f"={self.value}"
            if self.operator == "Equal"
            else f" {self.operator} {self.value}"
        )
        return f"{self.key}{value}{f':{self.effect}' if self.effect else ''}"
