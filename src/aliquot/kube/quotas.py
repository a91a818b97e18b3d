"""What a namespace may have, and how large its pods may be."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aliquot.kube.meta import Meta
from aliquot.kube.node import NO_RESOURCES, Resources
from aliquot.kube.selectors import Requirement


@dataclass(frozen=True, slots=True)
class ResourceQuota:
    """v1 ResourceQuota.

    Amounts are by the quota's own names (`requests.nvidia.com/gpu`, `limits.cpu`, `pods`), in the units of
    `kube.node.Resources` of the resource that is meant.
    """

    meta: Meta
    hard: Resources = field(default_factory=lambda: NO_RESOURCES)
    """What admission enforces: status.hard, or spec.hard while the controller has not been there."""
    used: Resources = field(default_factory=lambda: NO_RESOURCES)
    known: bool = False
    """The quota controller has counted what is used."""
    scopes: tuple[str, ...] = ()
    scope_selector: tuple[Requirement, ...] = ()


def quota_resource(name: str) -> str:
    """The resource that a quota's name is about: `requests.nvidia.com/gpu` -> `nvidia.com/gpu`."""
    return name.removeprefix("requests.").removeprefix("limits.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """An entry of spec.limits of a LimitRange."""

    kind: str
    """`Container`, `Pod` or `PersistentVolumeClaim`."""
    most: Resources = field(default_factory=lambda: NO_RESOURCES)
    least: Resources = field(default_factory=lambda: NO_RESOURCES)
    default: Resources = field(default_factory=lambda: NO_RESOURCES)
    default_request: Resources = field(default_factory=lambda: NO_RESOURCES)
    ratios: Mapping[str, float] = field(default_factory=dict[str, float])
    """maxLimitRequestRatio."""


@dataclass(frozen=True, slots=True)
class LimitRange:
    """v1 LimitRange."""

    meta: Meta
    limits: tuple[Limits, ...] = ()
