"""Workloads on a site: owners with their pods, that run or wait."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from scenarios.drivers import Json
from scenarios.mixed.site import COUNTED, MADE, ON_EVERY_POD, PRODUCT, TEAMS, TOLERATES, Site

OWNERS: Final = ("Deployment", "Deployment", "StatefulSet", "Job", "Pod")
LATER: Final = "2026-11-30T09:00:00Z"


def pod_spec(requests: Mapping[str, str | int], **more: Any) -> Json:
    """A pod's spec: one container; extended resources are limits too."""
    amounts = {"cpu": "1", "memory": "4Gi"} | {key: str(amount) for key, amount in requests.items()}
    limits = {key: amount for key, amount in amounts.items() if "/" in key}
    resources: Json = {"requests": amounts} | ({"limits": limits} if limits else {})
    if "claims" in more:
        resources["claims"] = [{"name": one["name"]} for one in more.pop("claims")]
    tolerations: list[Json] = [dict(TOLERATES), *more.pop("tolerations", ())]
    return {
        "containers": [{"name": "main", "image": "registry.example/app:1", "resources": resources}],
        "schedulerName": "default-scheduler",
        "tolerations": tolerations,
        **more,
    }


def of_model(label: str, *, affine: bool = False) -> Json:
    """The part of a spec that asks for nodes with a model."""
    if not affine:
        return {"nodeSelector": {PRODUCT: label}}
    return wanted_nodes({"key": PRODUCT, "operator": "In", "values": [label]})


def wanted_nodes(*expressions: Json) -> Json:
    """The part of a spec that demands node labels by affinity."""
    terms = {"nodeSelectorTerms": [{"matchExpressions": list(expressions)}]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}


class Workloads:
    """Puts workloads on a site."""

    def __init__(self, site: Site) -> None:
        """None yet."""
        self.site = site

    def owned(
        self, kind: str, name: str, namespace: str, spec: Json, replicas: int, *, version: str = "", **more: Any
    ) -> tuple[Json | None, Json]:
        """An owner: (the reference that its pods have, the pods' labels)."""
        site, labels = self.site, {"app": name}
        template = {"metadata": {"labels": labels}, "spec": spec}
        if kind == "Pod":
            return None, labels
        if kind == "Job":
            made = site.add(
                "batch/v1",
                "Job",
                name,
                namespace,
                spec={
                    "parallelism": replicas,
                    "completions": replicas,
                    "template": {**template, "spec": {**spec, "restartPolicy": "Never"}},
                },
            )
            return reference(made), labels
        made = site.add(
            "apps/v1",
            kind,
            name,
            namespace,
            spec={
                "replicas": replicas,
                "selector": {"matchLabels": dict(labels)},
                "template": template,
                **({"serviceName": name} if kind == "StatefulSet" else {}),
                **more,
            },
        )
        if kind == "Deployment":
            made, labels = self.replica_set(made, replicas, version or site.suffix(9))
        return reference(made), labels

    def replica_set(self, deployment: Json, replicas: int, version: str) -> tuple[Json, Json]:
        """One version of a Deployment: (its ReplicaSet, its pods' labels)."""
        meta, spec = deployment["metadata"], deployment["spec"]
        labels = {**spec["selector"]["matchLabels"], "pod-template-hash": version}
        made = self.site.add(
            "apps/v1",
            "ReplicaSet",
            f"{meta['name']}-{version}",
            meta["namespace"],
            meta={"ownerReferences": [reference(deployment)], "labels": labels},
            spec={
                "replicas": replicas,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": spec["template"]["spec"]},
            },
        )
        return made, labels

    def pod(
        self,
        owner: Json | None,
        labels: Json,
        name: str,
        namespace: str,
        spec: Json,
        on: str = "",
        number: int = 0,
        statuses: Sequence[Json] = (),
        created: str = MADE,
    ) -> Json:
        """One pod of an owner."""
        suffix = self.site.suffix()
        full = f"{owner['name']}-{suffix}" if owner is not None else name
        if owner is not None and owner["kind"] == "StatefulSet":
            full = f"{name}-{number}"
        meta: Json = {"labels": dict(labels), "creationTimestamp": created}
        if owner is not None:
            meta["ownerReferences"] = [owner]
        spec = {
            **spec,
            "tolerations": [*spec["tolerations"], *map(dict, ON_EVERY_POD)],
            "priority": 100_000 if spec.get("priorityClassName") else 0,
            "preemptionPolicy": "PreemptLowerPriority",
        }
        if on:
            status: Json = {
                "phase": "Running",
                "startTime": MADE,
                "conditions": [{"type": "PodScheduled", "status": "True"}, {"type": "Ready", "status": "True"}],
            }
        else:
            status = {"phase": "Pending"}
        if statuses:
            status["resourceClaimStatuses"] = list(statuses)
        return self.site.add(
            "v1", "Pod", full, namespace, meta=meta, spec={**spec, **({"nodeName": on} if on else {})}, status=status
        )

    def running(
        self, places: Sequence[str], requests: Mapping[str, str | int], *, name: str = "", kind: str = "", **more: Any
    ) -> str:
        """A workload with a pod on each of these nodes. Gives its name."""
        dice = self.site.dice
        kind = kind or dice.choice(OWNERS if len(places) == 1 else OWNERS[:-1])
        name, namespace = name or self.site.name(), more.pop("namespace", "") or dice.choice(TEAMS)
        extra = more.pop("labels", {})
        spec = pod_spec(requests, **more)
        owner, labels = self.owned(kind, name, namespace, spec, len(places))
        for number, node in enumerate(places):
            self.pod(owner, labels | extra, name, namespace, spec, node, number)
        return name

    def waiting(self, requests: Mapping[str, str | int], *, name: str = "", kind: str = "", **more: Any) -> str:
        """A workload whose only pod waits. Gives the pod's key."""
        dice = self.site.dice
        kind = kind or dice.choice(OWNERS)
        name, namespace = name or self.site.name(), more.pop("namespace", "") or dice.choice(TEAMS)
        statuses, extra = more.pop("statuses", ()), more.pop("labels", {})
        spec = pod_spec(requests, **more)
        owner, labels = self.owned(kind, name, namespace, spec, 1)
        made = self.pod(owner, labels | extra, name, namespace, spec, statuses=statuses, created=LATER)
        return f"{namespace}/{made['metadata']['name']}"

    def fill(
        self, nodes: Sequence[str], each: int, *, resource: str = COUNTED, most: int = 4, **more: Any
    ) -> list[str]:
        """Hold so many of a resource on each node by workloads of one to `most`. Gives their names."""
        names: list[str] = []
        for node in nodes:
            left = each
            while left:
                size = min(left, self.site.dice.randint(1, most))
                names.append(self.running([node], {resource: size}, **more))
                left -= size
        return names


def reference(made: Json) -> Json:
    """To an owner."""
    meta = made["metadata"]
    return {
        "apiVersion": made["apiVersion"],
        "kind": made["kind"],
        "name": meta["name"],
        "uid": meta["uid"],
        "controller": True,
    }
