"""The large dump's cluster: its node groups, the deployments that run on them, and those whose pods stay pending."""

import random
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


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
    apps = [
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
        for number in range(40)
    ]
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
