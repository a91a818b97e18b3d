"""Kinds of which only the name and the labels matter: whether they're there. No content is kept."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aliquot.kube.meta import EMPTY, Meta


@dataclass(frozen=True, slots=True)
class ServiceAccount:
    """v1 ServiceAccount."""

    meta: Meta


@dataclass(frozen=True, slots=True)
class ConfigMap:
    """v1 ConfigMap."""

    meta: Meta


@dataclass(frozen=True, slots=True)
class Secret:
    """v1 Secret."""

    meta: Meta


@dataclass(frozen=True, slots=True)
class RuntimeClass:
    """node.k8s.io/v1 RuntimeClass."""

    meta: Meta
    handler: str = ""
    node_selector: Mapping[str, str] = field(default_factory=lambda: EMPTY)


@dataclass(frozen=True, slots=True)
class Lease:
    """coordination.k8s.io/v1 Lease: who leads. Times are RFC 3339 strings, or None."""

    meta: Meta
    holder: str = ""
    renewed: str | None = None
    seconds: int | None = None
    """How long it holds without being renewed."""
