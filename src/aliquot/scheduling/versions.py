"""What differs between the kube-scheduler releases we know beside feature gates, as far as decisions and words go.

Read from the sources of 1.31.0 to 1.37.2 with the feature gates at their defaults.
"""

from aliquot.kube.release import Kubernetes


def names_taint(kubernetes: Kubernetes) -> bool:
    """Up to 1.34 the first untolerated taint is named: `node(s) had untolerated taint {key: value}`."""
    return kubernetes.minor <= 34


def compares_taints(kubernetes: Kubernetes) -> bool:
    """Tolerations with Gt and Lt (gate TaintTolerationComparisonOperators, from 1.35, off by default).

    An API server without the gate rejects such tolerations, so that a pod which has one shows that it's on.
    """
    return kubernetes.minor >= 35


def sees_hopeless_requests(kubernetes: Kubernetes) -> bool:
    """From 1.34 a request above a node's whole capacity is known to be beyond the help of preemption."""
    return kubernetes.minor >= 34


def dynamic_resources(kubernetes: Kubernetes) -> bool:
    """The DynamicResources plugin is on by default (GA in 1.34; before that a gate of its own)."""
    return kubernetes.minor >= 34


def tells_of_claims(kubernetes: Kubernetes) -> bool:
    """DynamicResources says `no new claims to deallocate` or `still not schedulable`; from 1.37 it's silent."""
    return kubernetes.minor <= 36


def tells_of_left_out_nodes(kubernetes: Kubernetes) -> bool:
    """From 1.32 nodes that a pod's matchFields leave out are counted with a reason of their own."""
    return kubernetes.minor >= 32


def volume_conflict(kubernetes: Kubernetes) -> str:
    """What VolumeBinding says of a node that a bound volume can't be reached from."""
    if kubernetes.minor <= 32:
        return "node(s) had volume node affinity conflict"
    return "node(s) didn't match PersistentVolume's node affinity"


def claim_in_use(kubernetes: Kubernetes) -> str:
    """What VolumeRestrictions says while another pod uses a claim that only one may use."""
    if kubernetes.minor <= 33:
        return "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"
    return (
        "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
        "already in-use by another pod"
    )


def counts_attachments(kubernetes: Kubernetes) -> bool:
    """From 1.32 volumes that are still attached to a node count there, too."""
    return kubernetes.minor >= 32
