"""The cloud's groups of nodes: by which label they're known, what makes one larger, and whose cloud it is."""

from collections.abc import Mapping

from aliquot.kube.node import Node
from aliquot.snapshot.snapshot import Snapshot

GROUP_LABELS: Mapping[str, str] = {
    "eks.amazonaws.com/nodegroup": "eksctl get clusters  # CLUSTER\n"
    "eksctl scale nodegroup --cluster CLUSTER --name {name} --nodes {count}",
    "cloud.google.com/gke-nodepool": "gcloud container clusters list  # CLUSTER\n"
    "gcloud container clusters resize CLUSTER --node-pool {name} --num-nodes {count}"
    "  # per zone, if the cluster is regional",
    "kubernetes.azure.com/agentpool": "az aks list -o table  # CLUSTER, and its resource GROUP\n"
    "az aks nodepool scale --cluster-name CLUSTER -g GROUP -n {name} -c {count}",
    "karpenter.sh/nodepool": "# Karpenter makes nodes of nodepool {name} by itself: look for its limits and events",
}
"""Label that names a node's group, and the command that makes it so large, after one that finds what it leaves open."""
LARGEST: Mapping[str, str] = {
    "eks.amazonaws.com/nodegroup": "eksctl get clusters  # CLUSTER\n"
    "eksctl scale nodegroup --cluster CLUSTER --name {name} --nodes {count} --nodes-max {count}",
    "cloud.google.com/gke-nodepool": "gcloud container clusters list  # CLUSTER\n"
    "gcloud container node-pools update {name} --cluster CLUSTER --enable-autoscaling --max-nodes {count}"
    "  # per zone, if the cluster is regional",
    "kubernetes.azure.com/agentpool": "az aks list -o table  # CLUSTER, and its resource GROUP\n"
    "az aks nodepool list --cluster-name CLUSTER -g GROUP -o table  # MIN, its minCount\n"
    "az aks nodepool update --cluster-name CLUSTER -g GROUP -n {name} --update-cluster-autoscaler --min-count MIN"
    " --max-count {count}",
}
"""The same of a group that is as large as its autoscaler may make it: the most is raised too, or alone."""
CLOUDS: Mapping[str, str] = {"eks.amazonaws.com/": "aws", "cloud.google.com/": "gcp", "kubernetes.azure.com/": "azure"}
"""How labels begin -> the provider, as the price list calls it."""
SCHEMES: Mapping[str, str] = {"aws": "aws", "gce": "gcp", "azure": "azure"}
"""How spec.providerID begins -> the provider."""


def group_size(snapshot: Snapshot, node: Node) -> int:
    """Nodes of its cloud's group: all of them, whatever else differs among them."""
    for label in GROUP_LABELS:
        if name := node.meta.labels.get(label):
            return sum(1 for one in snapshot.nodes.values() if one.meta.labels.get(label) == name)
    return 1


def provider_of(snapshot: Snapshot) -> str:
    """The cluster's cloud, by its nodes' labels and providerID; empty if they don't tell."""
    for node in snapshot.nodes.values():
        if node.provider in SCHEMES:
            return SCHEMES[node.provider]
        for label in node.meta.labels:
            for prefix, provider in CLOUDS.items():
                if label.startswith(prefix):
                    return provider
    return ""
