"""A cluster that is being built: nodes, workloads, pods, claims."""

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

from scenarios.drivers import GPU, Json
from scenarios.mixed.hardware import CUT, WHOLE, Model

COUNTED: Final = "nvidia.com/gpu"
PRODUCT: Final = "nvidia.com/gpu.product"
ZONE: Final = "topology.kubernetes.io/zone"
HOST: Final = "kubernetes.io/hostname"
MADE: Final = "2026-11-30T08:00:00Z"
RELEASE: Final = "v1.36.2"
GPU_TAINT: Final = {"key": COUNTED, "value": "present", "effect": "NoSchedule"}
TOLERATES: Final = {"key": COUNTED, "operator": "Exists", "effect": "NoSchedule"}
ON_EVERY_POD: Final = tuple(
    {"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    for key in ("not-ready", "unreachable")
)
TEAMS: Final = ("ml", "vision", "nlp", "research", "serving")
WORDS: Final = (
    "llm", "train", "embed", "rank", "ocr", "whisper", "tune", "eval", "search", "vision", "score", "asr", "sdxl",
    "batch", "index", "video", "gen", "chat", "rerank", "segment",
)  # fmt: skip
CLASSES: Final = {
    "gpu.nvidia.com": f"device.driver == '{GPU}' && device.attributes['{GPU}'].type == 'gpu'",
    "mig.nvidia.com": f"device.driver == '{GPU}' && device.attributes['{GPU}'].type == 'mig'",
}


class Site:
    """The objects so far, and the dice."""

    def __init__(self, seed: int) -> None:
        """Nothing yet but classes, namespaces and priorities."""
        self.dice = random.Random(f"{seed}/mixed")
        self.objects: list[Json] = []
        self.zones = [f"{self.dice.choice(('eu-1', 'us-east-1', 'rack-'))}{letter}" for letter in "abc"]
        self.whole = self.dice.sample(WHOLE, len(WHOLE))
        self.cut = self.dice.sample(CUT, len(CUT))
        self.tainted = self.dice.random() < 0.5
        """Whether GPU nodes keep others out by a taint."""
        self.naming = self.dice.choice(("plain", "cloud"))
        self._names: set[str] = set()
        self._nodes = 0
        for name in TEAMS:
            self.add("v1", "Namespace", name)
        self.add("scheduling.k8s.io/v1", "PriorityClass", "urgent", value=100_000)
        for name, expression in CLASSES.items():
            self.device_class(name, expression)

    # --- any object -------------------------------------------------------------------------------------------------
    def add(self, version: str, kind: str, name: str, namespace: str = "", **fields: Any) -> Json:
        """One more object; `meta` among the fields goes into its metadata."""
        meta = {
            "name": name,
            "uid": f"{self.dice.getrandbits(128):032x}",
            "creationTimestamp": MADE,
            "resourceVersion": "1",
        }
        if namespace:
            meta["namespace"] = namespace
        made: Json = {"apiVersion": version, "kind": kind, "metadata": meta | fields.pop("meta", {}), **fields}
        self.objects.append(made)
        return made

    def name(self, *words: str) -> str:
        """A workload's name that nobody has."""
        while True:
            found = "-".join((self.dice.choice(words or WORDS), self.dice.choice(("a", "b", "v2", "prod", "x", "job"))))
            found += self.dice.choice(("", str(self.dice.randrange(2, 99))))
            if found not in self._names:
                self._names.add(found)
                return found

    def suffix(self, length: int = 5) -> str:
        """What a controller puts behind a pod's name."""
        return "".join(self.dice.choice("bcdfghjklmnpqrstvwxz2456789") for _ in range(length))

    # --- nodes ------------------------------------------------------------------------------------------------------
    def node(
        self,
        pool: str,
        *,
        labels: Mapping[str, str] | None = None,
        zone: str = "",
        taints: Sequence[Json] = (),
        capacity: Mapping[str, int] | None = None,
        ready: str = "True",
        cordoned: bool = False,
        cpu: int = 64,
        memory: int = 512,
        **devices: int,
    ) -> str:
        """A node; `devices`: by resource names, as `**{"nvidia.com/gpu": 4}`. Gives its name."""
        self._nodes += 1
        number = self._nodes
        name = f"{pool}-{number}" if self.naming == "plain" else f"gke-prod-{pool}-{self.suffix(4)}{number}"
        amounts = {"cpu": str(cpu), "memory": f"{memory}Gi", "pods": "110", "ephemeral-storage": "500Gi"}
        found = [dict(one) for one in taints]
        if cordoned:
            found.append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
        if ready != "True":
            key = "node.kubernetes.io/not-ready" if ready == "False" else "node.kubernetes.io/unreachable"
            found += [{"key": key, "effect": effect} for effect in ("NoSchedule", "NoExecute")]
        condition = {"type": "Ready", "status": ready, "lastTransitionTime": MADE}
        condition["reason"] = {"True": "KubeletReady", "False": "KubeletNotReady"}.get(ready, "NodeStatusUnknown")
        self.add(
            "v1",
            "Node",
            name,
            meta={
                "labels": {
                    HOST: name,
                    "kubernetes.io/os": "linux",
                    "kubernetes.io/arch": "amd64",
                    ZONE: zone or self.dice.choice(self.zones),
                    "pool": pool,
                    **(labels or {}),
                }
            },
            spec=({"taints": found} if found else {}) | ({"unschedulable": True} if cordoned else {}),
            status={
                "capacity": amounts | {key: str(amount) for key, amount in {**devices, **(capacity or {})}.items()},
                "allocatable": amounts | {key: str(amount) for key, amount in devices.items()},
                "conditions": [condition],
                "nodeInfo": {"kubeletVersion": RELEASE},
            },
        )
        return name

    def gpu_node(self, model: Model, count: int, *, resource: str = COUNTED, **more: Any) -> str:
        """A node with GPUs of a model, as the device plugin and its labels show them."""
        offers = {resource: count, **more.pop("offers", {})}
        labels = self.labels(model, count) | more.pop("labels", {})
        taints = [*([GPU_TAINT] if self.tainted else []), *more.pop("taints", ())]
        return self.node(more.pop("pool", model.short), labels=labels, taints=taints, **more, **offers)

    def labels(self, model: Model, count: int) -> dict[str, str]:
        """What GPU feature discovery writes."""
        return {
            PRODUCT: model.label,
            "nvidia.com/gpu.present": "true",
            "nvidia.com/gpu.count": str(count),
            "nvidia.com/gpu.memory": str(model.memory * 1024),
            "nvidia.com/mig.capable": str(bool(model.slices)).lower(),
        }

    # --- devices ----------------------------------------------------------------------------------------------------
    def device_class(self, name: str, expression: str) -> None:
        """A DeviceClass."""
        self.add("resource.k8s.io/v1", "DeviceClass", name, spec={"selectors": [{"cel": {"expression": expression}}]})

    def slices(
        self, node: str, devices: Sequence[Json], sets: Sequence[Json] = (), *, driver: str = GPU, claimed: int = 0
    ) -> None:
        """A node's pool; `claimed`: the number of slices that it's said to have, if not so many."""
        parts = [{"devices": list(devices)}] + ([{"sharedCounters": list(sets)}] if sets else [])
        for part in parts:
            self.add(
                "resource.k8s.io/v1",
                "ResourceSlice",
                f"{node}-{driver}-{self.suffix()}",
                spec={
                    "driver": driver,
                    "nodeName": node,
                    "pool": {"name": node, "generation": 1, "resourceSliceCount": claimed or len(parts)},
                    **part,
                },
            )

    def any_model(self) -> Model:
        """A model that no other kind uses."""
        return self.whole.pop()

    def cut_model(self) -> Model:
        """Likewise, one that MIG can cut."""
        return self.cut.pop()
