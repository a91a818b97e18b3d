"""Claims on a site: templates, claims, who holds which device."""

from collections.abc import Mapping, Sequence
from typing import Any

from scenarios.drivers import GPU, ROOT, Json
from scenarios.mixed.hardware import Model
from scenarios.mixed.site import TEAMS, Site
from scenarios.mixed.workloads import Workloads


def gpus(model: Model, count: int, *, roots: int = 0, **fields: Any) -> list[Json]:
    """Whole GPUs as NVIDIA's DRA driver publishes them; `roots`: how many share a PCIe root (0: each its own)."""
    return [
        {
            "name": f"gpu-{number}",
            "attributes": {
                "type": {"string": "gpu"},
                "productName": {"string": model.product},
                "uuid": {"string": f"GPU-{model.short}-{number}"},
                "index": {"int": number},
                "driverVersion": {"version": "580.65.6"},
                ROOT: {"string": f"pci0000:{(number // roots if roots else number):02x}"},
            },
            "capacity": {"memory": {"value": f"{model.memory}Gi"}},
            **fields,
        }
        for number in range(count)
    ]


def of_product(model: Model) -> str:
    """The selector of a model."""
    return f"device.attributes['{GPU}'].productName == '{model.product}'"


def asks(
    class_name: str = "gpu.nvidia.com", *expressions: str, count: int = 1, name: str = "gpu", **fields: Any
) -> Json:
    """A request."""
    exactly: Json = {"deviceClassName": class_name, "allocationMode": "ExactCount", "count": count, **fields}
    if exactly["allocationMode"] == "All":
        del exactly["count"]
    if expressions:
        exactly["selectors"] = [{"cel": {"expression": each}} for each in expressions]
    return {"name": name, "exactly": exactly}


class Claims:
    """Makes claims for workloads."""

    def __init__(self, site: Site, workloads: Workloads) -> None:
        """None yet."""
        self.site, self.workloads = site, workloads

    def held(self, node: str, devices: Sequence[str], *requests: Json, kind: str = "") -> str:
        """A workload that runs on a node and holds these devices of its pool. Gives its name."""
        name, namespace = self.site.name(), self.site.dice.choice(TEAMS)
        requests = requests or (asks(count=len(devices)),)
        asked = requests[0]["name"]
        pod = self._pod(name, namespace, requests, on=node, kind=kind)
        claim = self._claim(pod, {"devices": {"requests": list(requests)}})
        results = [{"request": asked, "driver": GPU, "pool": node, "device": device} for device in devices]
        claim["status"] = {"allocation": allocation(node, results), "reservedFor": [user(pod)]}
        return name

    def waiting(
        self, *requests: Json, constraints: Sequence[Json] = (), kind: str = "", made: bool = True, **more: Any
    ) -> str:
        """A workload whose pod waits with a claim from a template. Gives the pod's key."""
        name, namespace = self.site.name(), self.site.dice.choice(TEAMS)
        pod = self._pod(name, namespace, requests, constraints, kind=kind, **more)
        spec: Json = {"requests": list(requests)} | ({"constraints": list(constraints)} if constraints else {})
        if made:
            self._claim(pod, {"devices": spec})
        return f"{namespace}/{pod['metadata']['name']}"

    def _pod(
        self,
        name: str,
        namespace: str,
        requests: Sequence[Json],
        constraints: Sequence[Json] = (),
        *,
        on: str = "",
        kind: str = "",
        template: str = "",
        **more: Any,
    ) -> Json:
        devices: Json = {"requests": list(requests)} | ({"constraints": list(constraints)} if constraints else {})
        if not template:
            template = f"{name}-gpus"
            self.site.add(
                "resource.k8s.io/v1",
                "ResourceClaimTemplate",
                template,
                namespace,
                spec={"spec": {"devices": devices}},
            )
        flows = self.workloads
        wanted = [{"name": "gpus", "resourceClaimTemplateName": template}]
        flow = {"kind": kind} if kind else {}
        before = len(self.site.objects)
        if on:
            flows.running(
                [on], {}, name=name, namespace=namespace, resourceClaims=wanted, claims=wanted, **flow, **more
            )
        else:
            flows.waiting({}, name=name, namespace=namespace, resourceClaims=wanted, claims=wanted, **flow, **more)
        return next(one for one in self.site.objects[before:] if one["kind"] == "Pod")

    def _claim(self, pod: Json, spec: Json) -> Json:
        meta = pod["metadata"]
        name = f"{meta['name']}-gpus-{self.site.suffix()}"
        owner = {"apiVersion": "v1", "kind": "Pod", "name": meta["name"], "uid": meta["uid"], "controller": True}
        pod["status"]["resourceClaimStatuses"] = [{"name": "gpus", "resourceClaimName": name}]
        return self.site.add(
            "resource.k8s.io/v1",
            "ResourceClaim",
            name,
            meta["namespace"],
            meta={"ownerReferences": [owner], "annotations": {"resource.kubernetes.io/pod-claim-name": "gpus"}},
            spec=spec,
        )

    def shared(self, name: str, namespace: str, spec: Json, status: Json) -> None:
        """A claim that several pods name."""
        self.site.add("resource.k8s.io/v1", "ResourceClaim", name, namespace, spec=spec, status=status)


def allocation(node: str, results: Sequence[Mapping[str, object]]) -> Json:
    """An allocation on a node."""
    here = {"key": "metadata.name", "operator": "In", "values": [node]}
    return {
        "devices": {"results": [dict(one) for one in results]},
        "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [here]}]},
    }


def user(pod: Json) -> Json:
    """A claim's consumer."""
    return {"resource": "pods", "name": pod["metadata"]["name"], "uid": pod["metadata"]["uid"]}
