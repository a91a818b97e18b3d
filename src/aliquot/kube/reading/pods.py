"""Pods, and the pod templates of workloads, from their JSON, with the API server's defaults."""

from collections.abc import Iterable, Mapping

import msgspec

from aliquot.kube.conditions import Condition
from aliquot.kube.meta import EMPTY, Meta
from aliquot.kube.node import NO_RESOURCES, Resources
from aliquot.kube.pod import (
    Container,
    ContainerClaim,
    ExtendedResourceClaim,
    HostPort,
    Pod,
    PodClaim,
    Refused,
    Scheduled,
    Volume,
)
from aliquot.kube.reading.container_status import statuses
from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.parts import (
    affinity,
    amount_text,
    amounts,
    amounts_of,
    annotations,
    labels,
    meta,
    tolerations,
    topology_spread,
)
from aliquot.kube.reading.parts import conditions as conditions_of
from aliquot.kube.reading.pod_references import DISKS, NOTHING, READS, container_references, disk
from aliquot.kube.reading.quick import quick
from aliquot.kube.reading.wire.parts import WireCondition
from aliquot.kube.reading.wire.pods import (
    WireContainer,
    WireExtendedClaim,
    WirePod,
    WirePodClaim,
    WirePodSpec,
    WirePodStatus,
    WirePodTemplate,
    WirePort,
    WireResources,
    WireVolumeClaim,
)
from aliquot.kube.selectors import with_label_keys
from aliquot.kube.validation import refused

_resources = msgspec.json.Decoder(WireResources)
_ports = msgspec.json.Decoder(list[WirePort])
_conditions = msgspec.json.Decoder(list[WireCondition])
_name = msgspec.json.Decoder(str | None)
_volume_claim = msgspec.json.Decoder(WireVolumeClaim)

_pod_of = quick(Pod)

_NO_SPEC = WirePodSpec()
_NO_STATUS = WirePodStatus()
_NO_NAMES: Mapping[str, str | None] = {}
_NOT_SAID: tuple[Scheduled | None, tuple[Condition, ...], bool] = (None, (), False)
_RUNS_WELL: tuple[Scheduled | None, tuple[Condition, ...], bool] = (Scheduled("True"), (), True)

_Parts = tuple[Resources, Resources, tuple[ContainerClaim, ...], tuple[Refused, ...]]


def pod(wire: WirePod, memo: Memo) -> Pod:
    """A pod. Without a namespace it's in `default`, without a status it's Pending."""
    return _pod(meta(wire.metadata, memo), wire.spec or _NO_SPEC, wire.status or _NO_STATUS, memo)


def template_pod(wire: WirePodTemplate | None, owner: Meta, memo: Memo) -> Pod | None:
    """The pod that a workload would make, under the workload's own name; None without a template."""
    if wire is None or wire.spec is None:
        return None
    made = Meta(
        name=owner.name,
        namespace=owner.namespace,
        labels=memo.of(labels, wire.metadata.labels, EMPTY) if wire.metadata else EMPTY,
        annotations=memo.of(annotations, wire.metadata.annotations, EMPTY) if wire.metadata else EMPTY,
    )
    return _pod(made, wire.spec, _NO_STATUS, memo)


def _pod(made: Meta, spec: WirePodSpec, status: WirePodStatus, memo: Memo) -> Pod:
    host_network = bool(spec.host_network)
    containers = _containers(spec.containers, memo, host_network)
    init_containers = _containers(spec.init_containers, memo, host_network)
    group = spec.scheduling_group or spec.workload_ref
    said, conditions, well = memo.of(_said, status.conditions, _NOT_SAID)
    return _pod_of(
        made,
        containers,
        init_containers,
        spec.node_name or "",
        status.phase or "Pending",
        spec.priority or 0,
        spec.priority_class_name or "",
        spec.preemption_policy or "PreemptLowerPriority",
        spec.scheduler_name or "default-scheduler",
        tuple(gate.name for gate in spec.scheduling_gates) if spec.scheduling_gates else (),
        memo.of(labels, spec.node_selector, EMPTY),
        with_label_keys(memo.of(affinity, spec.affinity, None), made.labels),
        memo.of(tolerations, spec.tolerations, ()),
        memo.of(topology_spread, spec.topology_spread_constraints, ()),
        memo.of(amounts, spec.overhead, NO_RESOURCES),
        _pod_requests(spec.resources, (*containers, *init_containers)) if spec.resources else None,
        host_network,
        tuple(_volume(volume, memo) for volume in spec.volumes) if spec.volumes else (),
        tuple(_pod_claim(claim) for claim in spec.resource_claims) if spec.resource_claims else (),
        {entry.name: entry.resource_claim_name for entry in status.resource_claim_statuses}
        if status.resource_claim_statuses
        else _NO_NAMES,
        _extended_claim(status.extended_resource_claim_status),
        status.nominated_node_name or "",
        said,
        status.start_time,
        (group.pod_group_name or group.pod_group or "") if group else "",
        _needs_features(spec),
        spec.service_account_name or "default",
        spec.runtime_class_name or "",
        tuple(one.name or "" for one in spec.image_pull_secrets) if spec.image_pull_secrets else (),
        spec.workload_ref.name or "" if spec.workload_ref else "",
        conditions,
        () if well else statuses(status.init_container_statuses, status.container_statuses),
        status.reason or "",
        status.message or "",
    )


def _needs_features(spec: WirePodSpec) -> tuple[str, ...]:
    """What the node must declare for this pod (k8s.io/component-helpers, nodedeclaredfeatures, 1.36)."""
    host_users = spec.host_network and spec.host_users is False
    found = ("UserNamespacesHostNetworkSupport",) if host_users else ()
    for wires in (spec.containers, spec.init_containers):
        for wire in wires or ():
            rules = wire.restart_policy_rules
            if rules and any(rule.action == "RestartAllContainers" for rule in rules):
                return ("RestartAllContainersOnContainerExits", *found)
    return found


def _containers(wires: Iterable[WireContainer] | None, memo: Memo, host_network: bool) -> tuple[Container, ...]:
    if not wires:
        return ()
    build = host_container if host_network else container
    return tuple(
        [
            memo.same(
                build,
                (
                    wire.name,
                    wire.image,
                    wire.restart_policy,
                    bytes(wire.resources),
                    bytes(wire.ports),
                    env if b'KeyRef"' in (env := bytes(wire.env)) else b"",
                    bytes(wire.env_from),
                ),
            )
            for wire in wires
        ]
    )


_ContainerKey = tuple[str | None, str | None, str | None, bytes, bytes, bytes, bytes]


def container(key: _ContainerKey) -> Container:
    """A container of (name, image, restart policy, resources, ports, env and envFrom that refer to objects)."""
    return _container(key, host_network=False)


def host_container(key: _ContainerKey) -> Container:
    """A container of a pod on the host's network: every port it names is taken on the node."""
    return _container(key, host_network=True)


def _container(key: _ContainerKey, *, host_network: bool) -> Container:
    name, image, restart_policy, resources, ports, env, env_from = key
    requests, limits, claims, wrong = _container_resources(resources)
    return Container(
        name or "",
        requests,
        limits,
        _host_ports(ports, host_network=host_network),
        claims,
        image or "",
        restart_policy == "Always",
        container_references(env, env_from) if env or env_from else (),
        wrong,
    )


def _container_resources(raw: bytes) -> _Parts:
    """Requests (from limits where absent, as the API server fills in), limits, claims."""
    if raw in {b"", b"null"}:
        return NO_RESOURCES, NO_RESOURCES, (), ()
    wire = _resources.decode(raw)
    limits = amounts_of(wire.limits)
    requests = amounts_of(wire.requests)
    wrong = (*_refused("requests", wire.requests, requests), *_refused("limits", wire.limits, limits))
    for name, amount in limits.items():
        requests.setdefault(name, amount)
    claims = tuple(ContainerClaim(claim.name, claim.request or "") for claim in wire.claims or ())
    return requests, limits, claims, wrong


def _refused(field: str, written: Mapping[str, msgspec.Raw] | None, amounts: dict[str, int]) -> list[Refused]:
    """What the API server wouldn't take. Negative amounts become 0: nobody gives room by asking."""
    found: list[Refused] = []
    for name, amount in amounts.items():
        wrong = refused(f"resources.{field}", name, amount_text((written or {})[name]), amount)
        if wrong is not None:
            found.append(wrong)
            amounts[name] = max(0, amount)
    return found


def _host_ports(raw: bytes, *, host_network: bool) -> tuple[HostPort, ...]:
    if raw in {b"", b"null"}:
        return ()
    taken: list[HostPort] = []
    for wire in _ports.decode(raw):
        port = wire.host_port or ((wire.container_port or 0) if host_network else 0)
        if port:
            taken.append(HostPort(port, wire.protocol or "TCP", wire.host_ip or "0.0.0.0", wire.container_port or 0))  # noqa: S104 - the API's default
    return tuple(taken)


def _pod_requests(wire: WireResources, containers: tuple[Container, ...]) -> Resources:
    """spec.resources.requests; a limit counts as request where no container asks for that resource."""
    requests = amounts_of(wire.requests)
    for name, amount in amounts_of(wire.limits).items():
        if not any(name in container.requests for container in containers):
            requests.setdefault(name, amount)
    return requests


def _volume(parts: dict[str, msgspec.Raw], memo: Memo) -> Volume:
    """A volume; one without a source is an emptyDir, as the API server has it."""
    name = _name.decode(parts.get("name", b"null")) or ""
    for kind, source in parts.items():
        if kind == "name":
            continue
        data = bytes(source)
        if data == b"null":
            continue
        if kind == "projected":
            return Volume(name, kind, None, memo.of(READS[kind], source, NOTHING))  # named anew for each pod
        if kind == "persistentVolumeClaim":
            return Volume(name, kind, _volume_claim.decode(source).claim_name)
        if kind in DISKS:
            return Volume(name, kind, disk=disk(kind, source))
        return memo.same(_volume_of, (name, kind, data if kind in READS else b""))
    return memo.same(_volume_of, (name, "emptyDir", b""))


def _volume_of(key: tuple[str, str, bytes]) -> Volume:
    """A volume of (name, kind, source where that refers to other objects)."""
    name, kind, source = key
    return Volume(name, kind, None, READS[kind](source) if source else ())


def _pod_claim(wire: WirePodClaim) -> PodClaim:
    source = wire.source
    return PodClaim(
        wire.name,
        wire.resource_claim_name or (source.resource_claim_name if source else None),
        wire.resource_claim_template_name or (source.resource_claim_template_name if source else None),
    )


def _extended_claim(wire: WireExtendedClaim | None) -> ExtendedResourceClaim | None:
    if wire is None:
        return None
    return ExtendedResourceClaim(
        wire.resource_claim_name,
        tuple(
            (entry.container_name or "", entry.resource_name or "", entry.request_name or "")
            for entry in wire.request_mappings or ()
        ),
    )


_Said = tuple[Scheduled | None, tuple[Condition, ...], bool]


def _said(raw: bytes) -> _Said:
    """The PodScheduled condition; of the others those that a pod which runs well hasn't; whether it runs well.

    Of forty thousand pods nearly all run well. Their conditions differ in times only, and needn't be decoded.
    """
    if b'"ContainersReady"' in raw and raw.count(b'"True"') == raw.count(b'"type"') and b'"Disrupt' not in raw:
        return _RUNS_WELL
    scheduled: Scheduled | None = None
    others: list[WireCondition] = []
    for wire in _conditions.decode(raw):
        if wire.type == "PodScheduled":
            if scheduled is None:
                scheduled = Scheduled(
                    wire.status or "",
                    wire.reason or "",
                    wire.message or "",
                    wire.last_transition_time,
                    wire.last_probe_time,
                )
        elif wire.status != "True" or wire.type == "DisruptionTarget":
            others.append(wire)
    return scheduled, conditions_of(others) if others else (), False
