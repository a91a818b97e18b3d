"""The kinds that we read and write one by one, and where API servers have them: from Kubernetes 1.34 on.

DeviceTaintRule is v1 from 1.37 on (v1beta2 in 1.36): ask for it where it's served.
"""

from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Resource:
    """A kind of object, in one version."""

    group: str
    """Empty: the core group."""
    version: str
    kind: str
    plural: str
    namespaced: bool = False
    status: bool = False
    """It has a status subresource: `status` is written there and nowhere else."""

    @property
    def api_version(self) -> str:
        """As objects have it: `resource.k8s.io/v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def name(self) -> str:
        """As messages have it: `resourceslices.resource.k8s.io`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def path(self, namespace: str = "") -> str:
        """Of the collection; without a namespace, in all of them."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        return f"{root}/namespaces/{quote(namespace, safe='')}/{self.plural}" if namespace else f"{root}/{self.plural}"


NODES = Resource("", "v1", "Node", "nodes", status=True)
PODS = Resource("", "v1", "Pod", "pods", namespaced=True, status=True)
EVENTS = Resource("", "v1", "Event", "events", namespaced=True)
LEASES = Resource("coordination.k8s.io", "v1", "Lease", "leases", namespaced=True)
SLICES = Resource("resource.k8s.io", "v1", "ResourceSlice", "resourceslices")
CLAIMS = Resource("resource.k8s.io", "v1", "ResourceClaim", "resourceclaims", namespaced=True, status=True)
CLAIM_TEMPLATES = Resource("resource.k8s.io", "v1", "ResourceClaimTemplate", "resourceclaimtemplates", namespaced=True)
CLASSES = Resource("resource.k8s.io", "v1", "DeviceClass", "deviceclasses")
TAINT_RULES = Resource("resource.k8s.io", "v1", "DeviceTaintRule", "devicetaintrules", status=True)

ALL = (NODES, PODS, EVENTS, LEASES, SLICES, CLAIMS, CLAIM_TEMPLATES, CLASSES, TAINT_RULES)
