"""What differs between the kube-scheduler versions we know, as far as decisions and words go.

Read from the sources of 1.31.0 to 1.37.2 with the feature gates at their defaults.
"""

import re
from dataclasses import dataclass

OLDEST = 31
NEWEST = 37


@dataclass(frozen=True, slots=True)
class Release:
    """A minor release of kube-scheduler, 1.`minor`."""

    minor: int = NEWEST

    def __str__(self) -> str:
        return f"1.{self.minor}"

    @property
    def names_taint(self) -> bool:
        """Up to 1.34 the first untolerated taint is named: `node(s) had untolerated taint {key: value}`."""
        return self.minor <= 34

    @property
    def compares_taints(self) -> bool:
        """Tolerations with Gt and Lt (gate TaintTolerationComparisonOperators, from 1.35, off by default).

        An API server without the gate rejects such tolerations, so that a pod which has one shows that it's on.
        """
        return self.minor >= 35

    @property
    def sees_hopeless_requests(self) -> bool:
        """From 1.34 a request above a node's whole capacity is known to be beyond the help of preemption."""
        return self.minor >= 34

    @property
    def dynamic_resources(self) -> bool:
        """The DynamicResources plugin is on by default (GA in 1.34; before that a gate of its own)."""
        return self.minor >= 34

    @property
    def tells_of_claims(self) -> bool:
        """DynamicResources says `no new claims to deallocate` or `still not schedulable`; from 1.37 it's silent."""
        return self.minor <= 36

    @property
    def extended_resources(self) -> bool:
        """Extended resources may be served by device classes (gate DRAExtendedResource, on from 1.36)."""
        return self.minor >= 36

    @property
    def declared_features(self) -> bool:
        """Nodes must declare the features that a pod needs (gate NodeDeclaredFeatures, on from 1.36)."""
        return self.minor >= 36

    @property
    def tells_of_left_out_nodes(self) -> bool:
        """From 1.32 nodes that a pod's matchFields leave out are counted with a reason of their own."""
        return self.minor >= 32


def release(text: str) -> Release:
    """From a version as Kubernetes prints it (`v1.36.2`, `1.36`, `1.33+`); the nearest known one.

    Raises:
        ValueError: if it's no version 1.x.
    """
    found = re.fullmatch(r"v?1\.(\d{1,3})([.+-].*)?", text.strip())
    if found is None:
        raise ValueError(f"not a Kubernetes version: {text!r} (expected one like 1.36)")
    return Release(min(max(int(found[1]), OLDEST), NEWEST))
