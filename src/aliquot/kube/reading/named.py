"""Kinds of which only the name matters, from their JSON. Contents are passed over, never kept."""

from dataclasses import replace
from typing import Annotated

from aliquot.kube.meta import EMPTY, Meta
from aliquot.kube.named import ConfigMap, Lease, RuntimeClass, Secret, ServiceAccount
from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.parts import cluster_meta, labels, meta
from aliquot.kube.reading.shape import ABSENT, Minor
from aliquot.kube.reading.wire.parts import Labels, MinorInt, MinorText, Wire, WireMeta


class WireNamed(Wire):
    """A ConfigMap, Secret or ServiceAccount."""

    metadata: WireMeta


def _name_only(wire: WireNamed, memo: Memo) -> Meta:
    return replace(meta(wire.metadata, memo), annotations=EMPTY)


def config_map(wire: WireNamed, memo: Memo) -> ConfigMap:
    """That it's there."""
    return ConfigMap(_name_only(wire, memo))


def secret(wire: WireNamed, memo: Memo) -> Secret:
    """That it's there."""
    return Secret(_name_only(wire, memo))


def service_account(wire: WireNamed, memo: Memo) -> ServiceAccount:
    """That it's there."""
    return ServiceAccount(_name_only(wire, memo))


class WireRuntimeScheduling(Wire):
    """scheduling of a RuntimeClass."""

    node_selector: Labels = ABSENT


class WireRuntimeClass(Wire):
    """node.k8s.io/v1 RuntimeClass."""

    metadata: WireMeta
    handler: str | None = None
    scheduling: WireRuntimeScheduling | None = None


def runtime_class(wire: WireRuntimeClass, memo: Memo) -> RuntimeClass:
    """Its handler, and the nodes that have it."""
    selector = memo.of(labels, wire.scheduling.node_selector, EMPTY) if wire.scheduling else EMPTY
    return RuntimeClass(cluster_meta(wire.metadata, memo), wire.handler or "", selector)


class WireLeaseSpec(Wire):
    """spec of a Lease."""

    holder_identity: str | None = None
    renew_time: MinorText = None
    lease_duration_seconds: MinorInt = None


class WireLease(Wire):
    """coordination.k8s.io/v1 Lease."""

    metadata: WireMeta
    spec: Annotated[WireLeaseSpec | None, Minor()] = None


def lease(wire: WireLease, memo: Memo) -> Lease:
    """Who leads."""
    spec = wire.spec or WireLeaseSpec()
    return Lease(meta(wire.metadata, memo), spec.holder_identity or "", spec.renew_time, spec.lease_duration_seconds)
