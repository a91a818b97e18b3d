"""What a configuration of NVIDIA's device plugin says, as far as devices and their sharing go."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from aliquot.sharing.strategies import Strategy


class MigStrategy(StrEnum):
    """How MIG instances become resources."""

    NONE = "none"
    """Not at all: a GPU is offered whole, also in MIG mode."""
    SINGLE = "single"
    """As `nvidia.com/gpu`; all instances of the node are alike."""
    MIXED = "mixed"
    """By profile, as `nvidia.com/mig-1g.5gb`."""


@dataclass(frozen=True, slots=True)
class Replicated:
    """One resource whose devices are offered several times."""

    name: str
    """With its domain: `nvidia.com/gpu`."""
    replicas: int
    """Of each device, 2 or more."""
    rename: str | None = None
    """What its replicas are called; None: as the resource."""


@dataclass(frozen=True, slots=True)
class Replicas:
    """The resources that are shared, and by which strategy: a node has one."""

    strategy: Strategy
    """Time-slicing or MPS."""
    resources: tuple[Replicated, ...]
    fail_requests_greater_than_one: bool
    """Whether a container that asks for more than one replica is refused; more give no more compute."""


@dataclass(frozen=True, slots=True)
class PluginConfig:
    """A configuration."""

    mig_strategy: MigStrategy | None = None
    """None: not said here; then it's the plugin's own flag, `none` where that isn't given."""
    sharing: Replicas | None = None
    flags: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType(dict[str, Any]()))
    """All flags that are given, by their names."""
