"""Which pods are the same to the scheduler: a hashable key of everything that its filters read."""

from collections.abc import Hashable

from aliquot.kube.matching import selector_key
from aliquot.kube.pod import Pod
from aliquot.kube.selectors import TopologySpread
from aliquot.scheduling.filters.inter_pod_affinity import term_key
from aliquot.scheduling.filters.node_ports import host_ports
from aliquot.scheduling.filters.pod_volumes import volume_key
from aliquot.snapshot.effective import effective_request


def verdict_key(pod: Pod) -> Hashable:
    """Pods of one shape have one verdict on one snapshot. A pod with claims or a nomination is its own shape."""
    own: Hashable = ""
    if pod.claims or pod.nominated_node or pod.extended_claim:
        # with what it names: a what-if may have it name another claim in the same world
        own = pod.key, pod.claims, tuple(pod.claim_names.items()), pod.extended_claim
    affinity = pod.affinity
    return (
        own,
        pod.namespace,
        tuple(sorted(pod.meta.labels.items())),
        affinity
        and (tuple(term_key(term) for term in affinity.pod), tuple(term_key(term) for term in affinity.pod_anti)),
        tuple(_spread_key(constraint) for constraint in pod.topology_spread),
        pod.preemption_policy,
        pod.scheduling_group,
        room_key(pod),
    )


def room_key(pod: Pod) -> Hashable:
    """Pods of one such shape have room on the same nodes, as far as filters can tell that look at one node alone."""
    return (
        pod.key if pod.nominated_node else "",
        pod.node_name,
        tuple(sorted(pod.node_selector.items())),
        pod.affinity and pod.affinity.node,
        pod.tolerations,
        tuple(sorted(effective_request(pod).items())),
        host_ports(pod),
        pod.priority,
        pod.needs_features,
        volume_key(pod),
    )


def _spread_key(constraint: TopologySpread) -> Hashable:
    return (
        constraint.max_skew,
        constraint.topology_key,
        constraint.when_unsatisfiable,
        selector_key(constraint.selector),
        constraint.min_domains,
        constraint.node_affinity_policy,
        constraint.node_taints_policy,
        constraint.match_label_keys,
    )
