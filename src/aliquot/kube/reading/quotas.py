"""Quotas, limits and disruption budgets from their JSON."""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from aliquot.kube.disruption import DisruptionBudget
from aliquot.kube.node import Resources
from aliquot.kube.quotas import LimitRange, Limits, ResourceQuota, quota_resource
from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.parts import amounts_of, label_selector, meta, number_or_percentage, quantity, resource_amount
from aliquot.kube.reading.shape import ABSENT, Amount, Int32, Minor
from aliquot.kube.reading.wire.parts import MinorInt, Strings, Wire, WireLabelSelector, WireMeta
from aliquot.kube.selectors import Requirement


class WireScope(Wire):
    """scopeSelector.matchExpressions[] of a quota."""

    scope_name: str
    operator: str
    values: Strings | None = None


class WireScopes(Wire):
    """spec.scopeSelector of a quota."""

    match_expressions: list[WireScope] | None = None


class WireResourceQuotaSpec(Wire):
    """spec of a quota."""

    hard: dict[str, Amount] | None = None
    scopes: Strings | None = None
    scope_selector: WireScopes | None = None


class WireResourceQuotaStatus(Wire):
    """status of a quota."""

    hard: dict[str, Amount] | None = None
    used: dict[str, Amount] | None = None


class WireResourceQuota(Wire):
    """v1 ResourceQuota."""

    metadata: WireMeta
    spec: WireResourceQuotaSpec | None = None
    status: WireResourceQuotaStatus | None = None


def quota(wire: WireResourceQuota, memo: Memo) -> ResourceQuota:
    """A quota: admission compares with status, which is empty until the controller has counted."""
    spec = wire.spec or WireResourceQuotaSpec()
    status = wire.status or WireResourceQuotaStatus()
    scopes = (spec.scope_selector.match_expressions if spec.scope_selector else None) or ()
    return ResourceQuota(
        meta(wire.metadata, memo),
        _amounts(status.hard if status.hard is not None else spec.hard),
        _amounts(status.used),
        status.used is not None,
        tuple(spec.scopes or ()),
        tuple(Requirement(one.scope_name, one.operator, tuple(one.values or ())) for one in scopes),
    )


def _amounts(raw: Mapping[str, msgspec.Raw] | None) -> Resources:
    return {name: resource_amount(quota_resource(name), value) for name, value in (raw or {}).items()}


class WireLimits(Wire):
    """spec.limits[] of a LimitRange."""

    type: str
    max: dict[str, Amount] | None = None
    min: dict[str, Amount] | None = None
    default: dict[str, Amount] | None = None
    default_request: dict[str, Amount] | None = None
    max_limit_request_ratio: dict[str, Amount] | None = None


class WireLimitRangeSpec(Wire):
    """spec of a LimitRange."""

    limits: list[WireLimits] | None = None


class WireLimitRange(Wire):
    """v1 LimitRange."""

    metadata: WireMeta
    spec: WireLimitRangeSpec | None = None


def limit_range(wire: WireLimitRange, memo: Memo) -> LimitRange:
    """The limits of a namespace."""
    limits = (wire.spec.limits if wire.spec else None) or ()
    return LimitRange(
        meta(wire.metadata, memo),
        tuple(
            Limits(
                kind=one.type,
                most=amounts_of(one.max),
                least=amounts_of(one.min),
                default=amounts_of(one.default),
                default_request=amounts_of(one.default_request),
                ratios={name: quantity(raw).nanos / 10**9 for name, raw in (one.max_limit_request_ratio or {}).items()},
            )
            for one in limits
        ),
    )


class WireBudgetSpec(Wire):
    """spec of a PodDisruptionBudget."""

    selector: WireLabelSelector | None = None
    min_available: Annotated[msgspec.Raw, Minor()] = ABSENT
    max_unavailable: Annotated[msgspec.Raw, Minor()] = ABSENT


class WireBudgetStatus(Wire):
    """status of a PodDisruptionBudget."""

    disruptions_allowed: Int32 | None = None
    disrupted_pods: dict[str, msgspec.Raw] | None = None
    current_healthy: MinorInt = None
    desired_healthy: MinorInt = None


class WireBudget(Wire):
    """policy/v1 PodDisruptionBudget."""

    metadata: WireMeta
    spec: WireBudgetSpec | None = None
    status: WireBudgetStatus | None = None


def budget(wire: WireBudget, memo: Memo) -> DisruptionBudget:
    """A budget; while its controller has not been there, it allows nothing."""
    spec = wire.spec or WireBudgetSpec()
    status = wire.status or WireBudgetStatus()
    return DisruptionBudget(
        meta(wire.metadata, memo),
        label_selector(spec.selector),
        status.disruptions_allowed or 0,
        frozenset(status.disrupted_pods or ()),
        number_or_percentage(spec.min_available) or None,
        number_or_percentage(spec.max_unavailable) or None,
        status.current_healthy,
        status.desired_healthy,
    )
