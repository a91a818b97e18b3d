"""The JSON shapes of the core kinds, as far as they are read: camelCase names, everything else ignored.

Null means absent, as in Go. Parts that repeat from object to object (labels, resources, tolerations, affinity) stay raw
bytes here, so that equal bytes are decoded once (`kube.reading.memo`).
"""

from typing import Annotated

import msgspec

from aliquot.kube.reading.shape import ABSENT, Amount, Holds, Int32, Int64, Minor


class Wire(msgspec.Struct, rename="camel", gc=False):
    """A shape: every field may be absent or null unless it has no default."""


MinorText = Annotated[str | None, Minor()]
MinorInt = Annotated[Int64 | None, Minor()]
Strings = list[str]
Labels = Annotated[msgspec.Raw, Holds(dict[str, str | None])]
Annotations = Annotated[msgspec.Raw, Holds(dict[str, str | None]), Minor()]
Amounts = Annotated[msgspec.Raw, Holds(dict[str, Amount])]


class WireOwner(Wire):
    """metadata.ownerReferences[]."""

    kind: str | None = None
    name: str | None = None
    uid: str | None = None
    controller: bool | None = None
    api_version: str | None = None


class WireMeta(Wire):
    """ObjectMeta."""

    name: str
    namespace: str | None = None
    uid: str | None = None
    labels: Labels = ABSENT
    annotations: Annotations = ABSENT
    owner_references: Annotated[msgspec.Raw, Holds(list[WireOwner])] = ABSENT
    creation_timestamp: MinorText = None
    deletion_timestamp: str | None = None
    generation: Annotated[Int64 | None, Minor()] = None
    resource_version: MinorText = None
    finalizers: Annotated[list[str] | None, Minor()] = None


class WireTemplateMeta(Wire):
    """The metadata of a template: no name is due."""

    name: str | None = None
    labels: Labels = ABSENT
    annotations: Annotations = ABSENT


class WireTaint(Wire):
    """spec.taints[] of a node."""

    key: str
    effect: str
    value: str | None = None


class WireNodeSpec(Wire):
    """spec of a node."""

    taints: list[WireTaint] | None = None
    unschedulable: bool | None = None
    provider_id: MinorText = msgspec.field(name="providerID", default=None)


class WireCondition(Wire):
    """A condition of any kind."""

    type: str | None = None
    status: str | None = None
    reason: str | None = None
    message: MinorText = None
    last_transition_time: MinorText = None
    last_probe_time: MinorText = None
    last_update_time: MinorText = None


class WireNodeInfo(Wire):
    """status.nodeInfo."""

    kubelet_version: MinorText = None


class WireImage(Wire):
    """status.images[]."""

    names: Strings | None = None


class WireNodeStatus(Wire):
    """status of a node."""

    allocatable: Amounts = ABSENT
    capacity: Amounts = ABSENT
    conditions: list[WireCondition] | None = None
    node_info: WireNodeInfo | None = None
    declared_features: Strings | None = None
    images: Annotated[msgspec.Raw, Holds(list[WireImage]), Minor()] = ABSENT


class WireNode(Wire):
    """v1 Node."""

    metadata: WireMeta
    spec: WireNodeSpec | None = None
    status: WireNodeStatus | None = None


class WireRequirement(Wire):
    """An expression of a label or node selector."""

    key: str
    operator: str
    values: Strings | None = None


class WireLabelSelector(Wire):
    """metav1.LabelSelector."""

    match_labels: Labels = ABSENT
    match_expressions: list[WireRequirement] | None = None


class WireNodeTerm(Wire):
    """A term of a node selector."""

    match_expressions: list[WireRequirement] | None = None
    match_fields: list[WireRequirement] | None = None


class WireNodeSelector(Wire):
    """v1.NodeSelector."""

    node_selector_terms: list[WireNodeTerm] | None = None


class WireNodeAffinity(Wire):
    """spec.affinity.nodeAffinity; preferred terms aren't read."""

    required_during_scheduling_ignored_during_execution: WireNodeSelector | None = None


class WirePodTerm(Wire):
    """A required term of podAffinity or podAntiAffinity."""

    topology_key: str
    label_selector: WireLabelSelector | None = None
    namespaces: Strings | None = None
    namespace_selector: WireLabelSelector | None = None
    match_label_keys: Strings | None = None
    mismatch_label_keys: Strings | None = None


class WirePodAffinity(Wire):
    """spec.affinity.podAffinity and podAntiAffinity."""

    required_during_scheduling_ignored_during_execution: list[WirePodTerm] | None = None


class WireAffinity(Wire):
    """spec.affinity."""

    node_affinity: WireNodeAffinity | None = None
    pod_affinity: WirePodAffinity | None = None
    pod_anti_affinity: WirePodAffinity | None = None


class WireToleration(Wire):
    """spec.tolerations[]."""

    key: str | None = None
    operator: str | None = None
    value: str | None = None
    effect: str | None = None
    toleration_seconds: Int64 | None = None


class WireSpread(Wire):
    """spec.topologySpreadConstraints[]."""

    max_skew: Int32
    topology_key: str
    when_unsatisfiable: str | None = None
    label_selector: WireLabelSelector | None = None
    min_domains: Int32 | None = None
    node_affinity_policy: str | None = None
    node_taints_policy: str | None = None
    match_label_keys: Strings | None = None
