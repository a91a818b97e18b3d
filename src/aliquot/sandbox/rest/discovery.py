"""Which groups, versions and kinds are served."""

from collections.abc import Sequence
from typing import Any

from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.objects.resources import Resource

Json = dict[str, Any]

VERBS = ["create", "delete", "get", "list", "patch", "update", "watch"]
STATUS_VERBS = ["get", "patch", "update"]
SHORT = {"nodes": ["no"], "pods": ["po"], "events": ["ev"]}


def discovered(path: str, cluster: MemoryCluster) -> Json | None:
    """The answer to a path of discovery; None: it isn't one."""
    groups = sorted({resource.group for resource in cluster.resources if resource.group})
    parts = path.strip("/").split("/")
    if path == "/version":
        major, minor, *_ = cluster.version.removeprefix("v").split(".")
        return {"major": major, "minor": minor, "gitVersion": cluster.version, "platform": "linux/amd64"}
    if parts == ["api"]:
        return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}
    if parts == ["apis"]:
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [_group(name, cluster) for name in groups]}
    if len(parts) == 2 and parts[0] == "apis" and parts[1] in groups:
        return {"kind": "APIGroup", "apiVersion": "v1", **_group(parts[1], cluster)}
    version = parts[1:] if parts[0] in {"api", "apis"} else []
    if len(version) != (1 if parts[0] == "api" else 2):
        return None
    resources = [resource for resource in cluster.resources if resource.api_version == "/".join(version)]
    return _resources("/".join(version), resources) if resources else None


def _group(name: str, cluster: MemoryCluster) -> Json:
    served = dict.fromkeys(resource.version for resource in cluster.resources if resource.group == name)
    versions = [{"groupVersion": f"{name}/{version}", "version": version} for version in served]
    return {"name": name, "versions": versions, "preferredVersion": versions[0]}


def _resources(api_version: str, resources: Sequence[Resource]) -> Json:
    found: list[Json] = []
    for resource in resources:
        one = {"name": resource.plural, "singularName": resource.kind.lower(), "namespaced": resource.namespaced}
        found.append({**one, "kind": resource.kind, "verbs": VERBS, "shortNames": SHORT.get(resource.plural, [])})
        if resource.status:
            part = {**one, "name": f"{resource.plural}/status", "singularName": ""}
            found.append({**part, "kind": resource.kind, "verbs": STATUS_VERBS})
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": api_version, "resources": found}
