"""A large cluster's dump, from a seed: what `kubectl get nodes,pods,... -A -o json` prints of a cluster.

Of 5,000 nodes and 40,000 pods: GPU node groups with taints and GFD's labels, MIG resources, cordoned nodes, sidecars,
spread and affinity, and 200 pods that stay pending for a dozen different reasons. Nodes are filled within their means,
so that the dump could be real.

    python -m speed.big_dump DIR [--nodes 5000] [--pods 40000] [--pending 200] [--seed 1] [--indent 4]
"""

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from speed.big_cluster import GROUPS, App, Group, Json, pending_apps, running_apps
from speed.big_pods import pod_template, template_hash

_GI = 2**30
_BORN = "2026-11-02T08:15:30Z"


class Maker:
    """Makes the objects, in kubectl's order."""

    def __init__(self, seed: int, nodes: int, pods: int, pending: int, indent: int | None) -> None:
        self.rng = random.Random(seed)
        self.nodes = nodes
        self.pods = pods
        self.pending = pending
        self.indent = indent
        self.version = 1000

    def write(self, path: Path) -> None:
        """The whole dump as one List."""
        with path.open("w", encoding="utf-8") as file:
            file.write('{\n    "apiVersion": "v1",\n    "items": [\n')
            first = True
            for text in self.items():
                file.write(text if first else ",\n" + text)
                first = False
            file.write('\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n')

    def items(self) -> Iterator[str]:
        """The JSON of each object."""
        apps = running_apps(self.rng)
        waiting = pending_apps(self.nodes)
        for name in sorted({app.namespace for app in (*apps, *waiting)}):
            yield self._text(self._plain("v1", "Namespace", name, labels={"kubernetes.io/metadata.name": name}))
        for value in (1000, 100000):
            made = self._plain("scheduling.k8s.io/v1", "PriorityClass", f"priority-{value}")
            yield self._text({**made, "value": value, "preemptionPolicy": "PreemptLowerPriority"})
        for app in (*apps, *waiting):
            yield from self._owners(app)
        free: dict[str, list[tuple[str, dict[str, int]]]] = {}
        numbers = [max(1, round(group.share * self.nodes)) for group in GROUPS]
        numbers[0] += self.nodes - sum(numbers)
        for group, number in zip(GROUPS, numbers, strict=True):
            free[group.name] = []
            for index in range(number):
                node, room = self._node(group, index)
                free[group.name].append((node["metadata"]["name"], room))
                yield self._text(node)
        yield from self._running(apps, free)
        for index in range(self.pending):
            app = waiting[index % len(waiting)]
            yield self._pod(self._template(app), app, "")

    def _text(self, value: Json) -> str:
        if self.indent is None:
            return json.dumps(value)
        return json.dumps(value, indent=self.indent)

    def _uid(self) -> str:
        digits = f"{self.rng.getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"

    def _meta(self, name: str, **more: Any) -> Json:
        self.version += 1
        return {
            "creationTimestamp": _BORN,
            "name": name,
            "resourceVersion": str(self.version),
            "uid": self._uid(),
            **more,
        }

    def _plain(self, version: str, kind: str, name: str, **more: Any) -> Json:
        return {"apiVersion": version, "kind": kind, "metadata": self._meta(name, **more)}

    def _node(self, group: Group, index: int) -> tuple[Json, dict[str, int]]:
        name = f"{group.name}-{index:04d}"
        zone = "abc"[index % 3]
        labels = {
            "beta.kubernetes.io/arch": "amd64",
            "beta.kubernetes.io/os": "linux",
            "example.com/pool": group.name,
            "kubernetes.io/arch": "amd64",
            "kubernetes.io/hostname": name,
            "kubernetes.io/os": "linux",
            "node.kubernetes.io/instance-type": f"{group.name}.{group.cpu}x",
            "topology.kubernetes.io/region": "region-1",
            "topology.kubernetes.io/zone": f"zone-{zone}",
        }
        if group.product:
            labels |= {
                "feature.node.kubernetes.io/pci-10de.present": "true",
                "nvidia.com/cuda.driver-version.full": "580.95.05",
                "nvidia.com/gfd.timestamp": str(1764000000 + index),
                "nvidia.com/gpu.count": str(next(iter(group.gpus.values()))),
                "nvidia.com/gpu.memory": str(group.gpu_memory_mib),
                "nvidia.com/gpu.present": "true",
                "nvidia.com/gpu.product": group.product,
                "nvidia.com/gpu.sharing-strategy": "time-slicing" if "shared" in group.name else "none",
                "nvidia.com/mig.capable": str(group.name.startswith(("a100", "h100"))).lower(),
                "nvidia.com/mig.strategy": "mixed",
            }
        cordoned = self.rng.random() < group.cordoned
        taints: list[Json] = [{"effect": effect, "key": key, "value": value} for key, value, effect in group.taints]
        if cordoned:
            when = "2026-11-29T10:00:00Z"
            taints.append({"effect": "NoSchedule", "key": "node.kubernetes.io/unschedulable", "timeAdded": when})
        resources = {
            "cpu": str(group.cpu),
            "ephemeral-storage": "412715640Ki",
            "hugepages-1Gi": "0",
            "hugepages-2Mi": "0",
            "memory": f"{group.memory_gi * 2**20 - 13}Ki",
            **{key: str(value) for key, value in group.gpus.items()},
            "pods": "110",
        }
        spec: Json = {"podCIDR": f"10.{index % 200}.{index // 200}.0/24", "providerID": f"cloud:///region-1/{name}"}
        if taints:
            spec["taints"] = taints
        if cordoned:
            spec["unschedulable"] = True
        conditions = [
            {
                "lastHeartbeatTime": "2026-11-30T17:45:50Z",
                "lastTransitionTime": _BORN,
                "message": f"kubelet has {words}",
                "reason": reason,
                "status": "False",
                "type": kind,
            }
            for kind, reason, words in (
                ("MemoryPressure", "KubeletHasSufficientMemory", "sufficient memory available"),
                ("DiskPressure", "KubeletHasNoDiskPressure", "no disk pressure"),
                ("PIDPressure", "KubeletHasSufficientPID", "sufficient PID available"),
            )
        ]
        ready = {
            "message": "kubelet is posting ready status",
            "reason": "KubeletReady",
            "status": "True",
            "type": "Ready",
        }
        images = [
            {
                "names": [
                    f"registry.example/app-{number}@sha256:{number:064x}",
                    f"registry.example/app-{number}:v1.{number}",
                ],
                "sizeBytes": 104857600 + number,
            }
            for number in range(index % 5, index % 5 + 12)
        ]
        node = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": self._meta(
                name,
                annotations={
                    "node.alpha.kubernetes.io/ttl": "0",
                    "volumes.kubernetes.io/controller-managed-attach-detach": "true",
                },
                labels=labels,
            ),
            "spec": spec,
            "status": {
                "addresses": [
                    {"address": f"10.128.{index // 250}.{index % 250}", "type": "InternalIP"},
                    {"address": name, "type": "Hostname"},
                ],
                "allocatable": resources,
                "capacity": resources,
                "conditions": [*conditions, {"lastHeartbeatTime": "2026-11-30T17:45:50Z", **ready}],
                "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
                "images": images,
                "nodeInfo": {
                    "architecture": "amd64",
                    "bootID": self._uid(),
                    "containerRuntimeVersion": "containerd://2.1.4",
                    "kernelVersion": "6.8.0-60-generic",
                    "kubeProxyVersion": "",
                    "kubeletVersion": "v1.36.2",
                    "machineID": f"{self.rng.getrandbits(128):032x}",
                    "operatingSystem": "linux",
                    "osImage": "Ubuntu 24.04.3 LTS",
                    "systemUUID": self._uid(),
                },
            },
        }
        room = {"cpu": group.cpu * 1000, "memory": group.memory_gi * _GI - 2**20, "pods": 110, **group.gpus}
        return node, {} if cordoned else room

    def _owners(self, app: App) -> Iterator[str]:
        labels = {"app": app.name, "pod-template-hash": template_hash(app)}
        template = {"metadata": {"labels": labels}, "spec": json.loads(self._template(app))["spec"]}
        template["spec"].pop("nodeName", None)
        selector = {"matchLabels": {"app": app.name}}
        deployment = self._plain("apps/v1", "Deployment", app.name, namespace=app.namespace, labels={"app": app.name})
        yield self._text({**deployment, "spec": {"replicas": 3, "selector": selector, "template": template}})
        owner = {
            "apiVersion": "apps/v1",
            "controller": True,
            "kind": "Deployment",
            "name": app.name,
            "uid": deployment["metadata"]["uid"],
        }
        name = f"{app.name}-{template_hash(app)}"
        replicas = self._plain("apps/v1", "ReplicaSet", name, namespace=app.namespace, ownerReferences=[owner])
        yield self._text({**replicas, "spec": {"replicas": 3, "selector": selector, "template": template}})

    def _running(self, apps: list[App], free: dict[str, list[tuple[str, dict[str, int]]]]) -> Iterator[str]:
        """As many pods as asked for, as far as the nodes have room; GPU apps first, until their groups are full."""
        left = self.pods - self.pending
        total = sum(app.weight for app in apps)
        for app in sorted(apps, key=lambda app: not app.device):
            template = self._template(app)
            wanted = max(1, round(app.weight / total * (self.pods - self.pending)))
            if app is min(apps, key=lambda app: (bool(app.device), app.group == "memory", app.name)):
                wanted = 0  # the last of the general ones takes what is left over
            for name in self._places(app, free[app.group], min(wanted, left)):
                left -= 1
                yield self._pod(template, app, name)
        last = min(apps, key=lambda app: (bool(app.device), app.group == "memory", app.name))
        for name in self._places(last, free[last.group], left):
            yield self._pod(self._template(last), last, name)

    def _places(self, app: App, nodes: list[tuple[str, dict[str, int]]], wanted: int) -> Iterator[str]:
        request = {"cpu": app.cpu_m, "memory": app.memory_mi * 2**20, "pods": 1}
        if app.sidecar:
            request["cpu"] += 50
            request["memory"] += 2**26
        request["cpu"] *= app.containers
        request["memory"] *= app.containers
        if app.device:
            request[app.device] = app.devices
        at = self.rng.randrange(len(nodes))
        missed = 0
        while wanted and missed < len(nodes):
            name, room = nodes[at % len(nodes)]
            at += 1
            if all(room.get(key, 0) >= value for key, value in request.items()):
                for key, value in request.items():
                    room[key] -= value
                wanted -= 1
                missed = 0
                yield name
            else:
                missed += 1

    def _pod(self, template: str, app: App, node: str) -> str:
        self.version += 1
        suffix = "".join(self.rng.choices("bcdfghjklmnpqrstvwxz2456789", k=5))
        replacements: list[tuple[str, str]] = [
            ("@NAME@", f"{app.name}-{template_hash(app)}-{suffix}{self.version:x}"),
            ("@UID@", self._uid()),
            ("@RV@", str(self.version)),
            ("@NODE@", node),
            ("@TOKEN@", suffix),
            ("@IP@", f"10.{self.version % 250}.{self.version // 250 % 250}.{self.rng.randrange(250)}"),
            ("@TIME@", f"2026-11-{self.rng.randrange(3, 30):02d}T{self.rng.randrange(24):02d}:10:11Z"),
        ]
        for mark, value in replacements:
            template = template.replace(mark, value)
        return template

    def _template(self, app: App) -> str:
        return self._text(pod_template(app))


def generate(
    folder: Path, *, nodes: int = 5000, pods: int = 40000, pending: int = 200, seed: int = 1, indent: int | None = None
) -> Path:
    """Write the dump into a folder; the same arguments give the same bytes."""
    path = folder / f"dump-{nodes}-{pods}-{pending}-{seed}.json"
    Maker(seed, nodes, pods, pending, indent).write(path)
    return path


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="write a large cluster's dump")
    parser.add_argument("folder", type=Path)
    for name, default in (("--nodes", 5000), ("--pods", 40000), ("--pending", 200), ("--seed", 1), ("--indent", None)):
        parser.add_argument(name, type=int, default=default)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    given = vars(parse())
    print(generate(given.pop("folder"), **given))
