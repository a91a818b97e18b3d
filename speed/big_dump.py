"""A large cluster's dump, from a seed: what `kubectl get nodes,pods,... -A -o json` prints of 5,000 nodes and 40,000 pods.

GPU node groups with taints and GFD's labels, MIG resources, cordoned nodes, sidecars, spread and affinity, and 200 pods
that stay pending for a dozen different reasons. Nodes are filled within their means, so that the dump could be real.

    python -m speed.big_dump DIR [--nodes 5000] [--pods 40000] [--pending 200] [--seed 1] [--indent 4]
"""

import argparse
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_GI = 2**30
_BORN = "2026-11-02T08:15:30Z"


@dataclass(frozen=True)
class Group:
    """A node group: what its nodes offer and refuse."""

    name: str
    share: float
    """Of all nodes."""
    cpu: int
    memory_gi: int
    gpus: dict[str, int] = field(default_factory=dict[str, int])
    product: str = ""
    gpu_memory_mib: int = 0
    taints: tuple[tuple[str, str, str], ...] = ()
    cordoned: float = 0.0
    """The share of its nodes that are cordoned."""


GROUPS = (
    Group("general", 0.62, 32, 128, cordoned=0.01),
    Group("memory", 0.14, 32, 256, taints=(("dedicated", "memory", "NoSchedule"),)),
    Group(
        "a100",
        0.08,
        96,
        1024,
        {"nvidia.com/gpu": 8},
        "NVIDIA-A100-SXM4-40GB",
        40960,
        (("nvidia.com/gpu", "present", "NoSchedule"),),
        0.03,
    ),
    Group(
        "h100",
        0.06,
        192,
        2048,
        {"nvidia.com/gpu": 8},
        "NVIDIA-H100-80GB-HBM3",
        81559,
        (("nvidia.com/gpu", "present", "NoSchedule"),),
    ),
    Group("l4", 0.06, 48, 192, {"nvidia.com/gpu": 4}, "NVIDIA-L4", 23034),
    Group(
        "a100-mig",
        0.03,
        96,
        1024,
        {"nvidia.com/mig-1g.5gb": 14, "nvidia.com/mig-2g.10gb": 4, "nvidia.com/mig-3g.20gb": 4},
        "NVIDIA-A100-SXM4-40GB",
        40960,
        (("nvidia.com/gpu", "present", "NoSchedule"),),
    ),
    Group("t4-shared", 0.01, 32, 128, {"nvidia.com/gpu.shared": 16}, "Tesla-T4-SHARED", 15360),
)


@dataclass(frozen=True)
class App:
    """A deployment: what its pods ask for and where they may go."""

    name: str
    namespace: str
    group: str
    """The node group that it runs on; of pending ones the group that it's meant for."""
    weight: float
    """Its share of the pods."""
    cpu_m: int
    memory_mi: int
    device: str = ""
    devices: int = 0
    selector: dict[str, str] = field(default_factory=dict[str, str])
    tolerates: tuple[Json, ...] = ()
    priority: int = 0
    sidecar: bool = False
    init: bool = False
    spread: bool = False
    anti: bool = False
    containers: int = 1
    message: str = ""
    """Of pending ones: what the scheduler says."""


_GPU_TOLERATION = ({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},)


def running_apps(rng: random.Random) -> list[App]:
    """Several dozen deployments that run."""
    apps: list[App] = []
    for number in range(40):
        apps.append(
            App(
                f"{rng.choice(('api', 'web', 'worker', 'cache', 'ingest', 'billing', 'search'))}-{number}",
                f"team-{number % 12}",
                "memory" if number % 8 == 5 else "general",
                rng.uniform(0.5, 2.0),
                rng.choice((50, 100, 250, 500)),
                rng.choice((64, 128, 256, 512)),
                sidecar=number % 5 == 0,
                init=number % 4 == 0,
                spread=number % 6 == 0,
                anti=number % 20 == 7,
                containers=1 + (number % 7 == 0),
                tolerates=({"key": "dedicated", "operator": "Equal", "value": "memory", "effect": "NoSchedule"},)
                if number % 8 == 5
                else (),
                priority=(0, 0, 1000, 100000)[number % 4],
            )
        )
    for number, (group, device, devices) in enumerate(
        (
            ("a100", "nvidia.com/gpu", 1),
            ("a100", "nvidia.com/gpu", 4),
            ("h100", "nvidia.com/gpu", 8),
            ("h100", "nvidia.com/gpu", 2),
            ("l4", "nvidia.com/gpu", 1),
            ("a100-mig", "nvidia.com/mig-1g.5gb", 1),
            ("a100-mig", "nvidia.com/mig-3g.20gb", 1),
            ("t4-shared", "nvidia.com/gpu.shared", 1),
        )
    ):
        apps.append(
            App(
                f"{rng.choice(('train', 'infer', 'embed', 'rank'))}-{number}",
                f"ml-{number % 3}",
                group,
                1.2,
                4000 if group != "t4-shared" else 500,
                8192 if group != "t4-shared" else 1024,
                device,
                devices,
                {"nvidia.com/gpu.product": next(one.product for one in GROUPS if one.name == group)},
                _GPU_TOLERATION,
                priority=(0, 1000)[number % 2],
                init=number % 2 == 0,
            )
        )
    return apps


def pending_apps(nodes: int) -> list[App]:
    """A dozen deployments whose pods stay pending, each for a reason of its own."""
    none = f"0/{nodes} nodes are available"
    helps = "preemption: not eligible due to preemptionPolicy=Never."

    def app(name: str, **changed: Any) -> App:
        values: Json = {
            "namespace": "ml-0",
            "group": "a100",
            "weight": 1.0,
            "cpu_m": 4000,
            "memory_mi": 16384,
            "device": "nvidia.com/gpu",
            "devices": 1,
            "tolerates": _GPU_TOLERATION,
            "message": f"{none}: {helps}",
        }
        return App(name, **{**values, **changed})

    return [
        app("llm-taken", devices=8, selector={"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}),
        app("llm-too-many", devices=16),
        app("llm-untolerated", tolerates=(), selector={"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}),
        app("llm-typo", selector={"nvidia.com/gpu.product": "NVIDIA-H100-80G-HBM3"}),
        app("llm-mig-absent", device="nvidia.com/mig-7g.40gb"),
        app("llm-mig-4g", device="nvidia.com/mig-4g.20gb", selector={"nvidia.com/mig.capable": "true"}),
        app("llm-memory", memory_mi=4 * 2**20),
        app("llm-cpu", cpu_m=400_000, devices=0, device=""),
        app("llm-wrong-resource", device="nvidia.com/gpus"),
        app("llm-zone", selector={"topology.kubernetes.io/zone": "zone-z"}),
        app("llm-shared", device="nvidia.com/gpu.shared", devices=20, tolerates=()),
        app("llm-dedicated", device="", devices=0, selector={"example.com/pool": "memory"}, tolerates=()),
    ]


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
        for app in sorted({app.namespace for app in (*apps, *waiting)}):
            yield self._text(self._plain("v1", "Namespace", app, labels={"kubernetes.io/metadata.name": app}))
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
        labels = {"app": app.name, "pod-template-hash": _hash(app)}
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
        name = f"{app.name}-{_hash(app)}"
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
            ("@NAME@", f"{app.name}-{_hash(app)}-{suffix}{self.version:x}"),
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
        """The JSON of a pod with marks for what differs from pod to pod."""
        waits = bool(app.message)
        labels = {"app": app.name, "app.kubernetes.io/part-of": app.namespace, "pod-template-hash": _hash(app)}
        spec: Json = {}
        if app.anti:
            spec["affinity"] = {
                "podAntiAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": [
                        {
                            "labelSelector": {"matchLabels": {"app": "never-together"}},
                            "topologyKey": "kubernetes.io/hostname",
                        }
                    ]
                }
            }
        spec["containers"] = [_container(app, number) for number in range(app.containers)]
        spec |= {"dnsPolicy": "ClusterFirst", "enableServiceLinks": True}
        inits: list[Json] = []
        if app.init:
            inits.append(
                {**_container(app, 9), "name": "init", "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}}}
            )
        if app.sidecar:
            sidecar = {"requests": {"cpu": "50m", "memory": "64Mi"}}
            inits.append({**_container(app, 8), "name": "proxy", "restartPolicy": "Always", "resources": sidecar})
        if inits:
            spec["initContainers"] = inits
        if not waits:
            spec["nodeName"] = "@NODE@"
        if app.selector:
            spec["nodeSelector"] = app.selector
        spec |= {"preemptionPolicy": "PreemptLowerPriority" if not waits else "Never", "priority": app.priority}
        if app.priority:
            spec["priorityClassName"] = f"priority-{app.priority}"
        spec |= {
            "restartPolicy": "Always",
            "schedulerName": "default-scheduler",
            "securityContext": {"fsGroup": 2000, "runAsUser": 1000},
            "serviceAccount": "default",
            "serviceAccountName": "default",
            "terminationGracePeriodSeconds": 30,
            "tolerations": [
                {
                    "effect": "NoExecute",
                    "key": f"node.kubernetes.io/{key}",
                    "operator": "Exists",
                    "tolerationSeconds": 300,
                }
                for key in ("not-ready", "unreachable")
            ]
            + list(app.tolerates),
        }
        if app.spread:
            spec["topologySpreadConstraints"] = [
                {
                    "labelSelector": {"matchLabels": {"app": app.name}},
                    "maxSkew": 5,
                    "topologyKey": "topology.kubernetes.io/zone",
                    "whenUnsatisfiable": "ScheduleAnyway",
                }
            ]
        spec["volumes"] = _VOLUMES
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "annotations": {"prometheus.io/port": "9090", "prometheus.io/scrape": "true"},
                "creationTimestamp": "@TIME@",
                "generateName": f"{app.name}-{_hash(app)}-",
                "generation": 1,
                "labels": labels,
                "name": "@NAME@",
                "namespace": app.namespace,
                "ownerReferences": [
                    {
                        "apiVersion": "apps/v1",
                        "blockOwnerDeletion": True,
                        "controller": True,
                        "kind": "ReplicaSet",
                        "name": f"{app.name}-{_hash(app)}",
                        "uid": f"{_hash(app)}-0000-4000-8000-000000000000",
                    }
                ],
                "resourceVersion": "@RV@",
                "uid": "@UID@",
            },
            "spec": spec,
            "status": _waiting_status(app) if waits else _running_status(app),
        }
        return self._text(pod)


def _hash(app: App) -> str:
    return f"{sum(ord(letter) * 31**at for at, letter in enumerate(app.name)) % 16**8:08x}"


_VOLUMES: list[Json] = [
    {"emptyDir": {}, "name": "cache"},
    {"configMap": {"defaultMode": 420, "name": "app-config"}, "name": "config"},
    {
        "name": "kube-api-access-@TOKEN@",
        "projected": {
            "defaultMode": 420,
            "sources": [
                {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}},
                {
                    "downwardAPI": {
                        "items": [
                            {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}, "path": "namespace"}
                        ]
                    }
                },
            ],
        },
    },
]


def _container(app: App, number: int) -> Json:
    requests = {"cpu": f"{app.cpu_m}m" if app.cpu_m % 1000 else str(app.cpu_m // 1000), "memory": f"{app.memory_mi}Mi"}
    limits = {"memory": f"{app.memory_mi}Mi"}
    if app.device and number == 0:
        requests[app.device] = str(app.devices)
        limits[app.device] = str(app.devices)
    env: list[Json] = [
        {"name": f"{app.name.upper().replace('-', '_')}_SETTING_{index}", "value": f"value-of-setting-{index}"}
        for index in range(4 if number < 8 else 1)
    ]
    env.append({"name": "POD_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}})
    probe = {
        "failureThreshold": 3,
        "httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"},
        "periodSeconds": 10,
        "successThreshold": 1,
        "timeoutSeconds": 1,
    }
    return {
        "args": ["--listen=:8080", f"--name={app.name}"],
        "env": env,
        "image": f"registry.example/{app.name}:v1.{number}",
        "imagePullPolicy": "IfNotPresent",
        "name": "main" if number == 0 else f"side-{number}",
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "readinessProbe": probe,
        "resources": {"limits": limits, "requests": requests},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "volumeMounts": [
            {"mountPath": "/var/cache/app", "name": "cache"},
            {"mountPath": "/etc/app", "name": "config", "readOnly": True},
            {
                "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
                "name": "kube-api-access-@TOKEN@",
                "readOnly": True,
            },
        ],
    }


def _running_status(app: App) -> Json:
    return {
        "conditions": [
            {
                "lastProbeTime": None,
                "lastTransitionTime": "@TIME@",
                "observedGeneration": 1,
                "status": "True",
                "type": kind,
            }
            for kind in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
        ],
        "containerStatuses": [
            {
                "containerID": "containerd://0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                "image": f"registry.example/{app.name}:v1.{number}",
                "imageID": f"registry.example/{app.name}@sha256:0123456789abcdef0123456789abcdef0123456789abcdef",
                "lastState": {},
                "name": "main" if number == 0 else f"side-{number}",
                "ready": True,
                "restartCount": 0,
                "started": True,
                "state": {"running": {"startedAt": "@TIME@"}},
            }
            for number in range(app.containers)
        ],
        "hostIP": "10.128.0.7",
        "observedGeneration": 1,
        "phase": "Running",
        "podIP": "@IP@",
        "podIPs": [{"ip": "@IP@"}],
        "qosClass": "Burstable",
        "startTime": "@TIME@",
    }


def _waiting_status(app: App) -> Json:
    return {
        "conditions": [
            {
                "lastProbeTime": None,
                "lastTransitionTime": "@TIME@",
                "message": app.message,
                "observedGeneration": 1,
                "reason": "Unschedulable",
                "status": "False",
                "type": "PodScheduled",
            }
        ],
        "phase": "Pending",
        "qosClass": "Burstable",
    }


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
    numbers: list[tuple[str, Callable[[str], int], int | None]] = [
        ("--nodes", int, 5000),
        ("--pods", int, 40000),
        ("--pending", int, 200),
        ("--seed", int, 1),
        ("--indent", int, None),
    ]
    for name, kind, default in numbers:
        parser.add_argument(name, type=kind, default=default)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    given = parse()
    print(
        generate(
            given.folder,
            nodes=given.nodes,
            pods=given.pods,
            pending=given.pending,
            seed=given.seed,
            indent=given.indent,
        )
    )
