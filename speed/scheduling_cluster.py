"""The cluster and the pods that scheduling is timed on: nodes of eight GPUs, published as the NVIDIA driver does.

No two devices are equal. All nodes with GPUs have the customary taint, every fifth one more; two models alternate; for
every twenty nodes there's one without GPUs, tainted too.
"""

from typing import Final

from aliquot.dra.claim import ClaimSpec, ClaimTemplate, DeviceClass, Request, SubRequest
from aliquot.dra.device import Attribute, Capacity, Device, Slice
from aliquot.kube.meta import Meta
from aliquot.kube.node import Node
from aliquot.kube.pod import Container, ContainerClaim, Pod, PodClaim
from aliquot.kube.selectors import Affinity, NodeSelector, NodeSelectorTerm, Requirement
from aliquot.kube.taints import Taint, Toleration
from aliquot.snapshot.snapshot import Snapshot
from aliquot.units.quantity import Quantity

GIB: Final = 1 << 30
GPU: Final = "nvidia.com/gpu"
DRIVER: Final = "gpu.nvidia.com"
PRODUCT: Final = "nvidia.com/gpu.product"
GPUS: Final = 8
MODELS: Final = (("NVIDIA-A100-SXM4-40GB", "Ampere", "8.0.0", 40), ("NVIDIA-H100-80GB-HBM3", "Hopper", "9.0.0", 80))
TAINTED: Final = Taint("nvidia.com/gpu", "NoSchedule", "present")
"""On all nodes with GPUs."""
RESERVED: Final = Taint("team", "NoSchedule", "training")
"""On every fifth of them."""
TOLERATIONS: Final = (Toleration("nvidia.com/gpu", "Exists", effect="NoSchedule"),)
CLASS: Final = DeviceClass(
    Meta(DRIVER),
    (f"device.driver == '{DRIVER}' && device.attributes['{DRIVER}'].type == 'gpu'",),
    extended_resource=GPU,
)
TEMPLATE: Final = ClaimTemplate(
    Meta("one-gpu", "default"),
    ClaimSpec((Request("gpu", SubRequest("gpu", DRIVER, (f"device.driver == '{DRIVER}'",))),)),
)


def cluster(size: int, *, counted: bool = False) -> Snapshot:
    """A cluster that carries nothing yet.

    Args:
        size: nodes with GPUs; beside them there's a node without for every twenty.
        counted: every second node with GPUs offers them by the device plugin instead of DRA.
    """
    things: list[object] = [CLASS, TEMPLATE]
    for n in range(size):
        by_plugin = counted and n % 2 == 1
        things.append(gpu_node(n, by_plugin=by_plugin))
        if not by_plugin:
            things.append(gpus(n))
        if n % 20 == 0:
            things.append(node(f"cpu-{n:05}", {}, (Taint("node-role.kubernetes.io/control-plane", "NoSchedule"),)))
    return Snapshot.of(things)


def gpu_node(n: int, *, by_plugin: bool) -> Node:
    """Models alternate in pairs; every fifth node is kept for a team."""
    labels = {PRODUCT: MODELS[n // 2 % 2][0], "topology.kubernetes.io/zone": f"zone-{n % 3}"}
    return node(
        f"gpu-{n:05}",
        labels,
        (TAINTED, RESERVED) if n % 5 == 0 else (TAINTED,),
        {GPU: GPUS} if by_plugin else {},
    )


def node(name: str, labels: dict[str, str], taints: tuple[Taint, ...], more: dict[str, int] | None = None) -> Node:
    """A node of 96 cores and 1 TiB."""
    offers = {"cpu": 96_000, "memory": 1024 * GIB, "ephemeral-storage": 2048 * GIB, "pods": 110} | (more or {})
    return Node(Meta(name, labels={"kubernetes.io/hostname": name} | labels), offers, offers, taints)


def gpus(n: int) -> Slice:
    """The slice of a node: no two devices are equal, for each has its UUID and its place on the bus."""
    product, architecture, capability, memory = MODELS[n // 2 % 2]
    common = {
        "type": Attribute("string", "gpu"),
        "productName": Attribute("string", product.replace("-", " ")),
        "brand": Attribute("string", "Nvidia"),
        "architecture": Attribute("string", architecture),
        "cudaComputeCapability": Attribute("version", capability),
        "driverVersion": Attribute("version", "580.95.5"),
        "cudaDriverVersion": Attribute("version", "13.0.0"),
    }
    capacity = {"memory": Capacity(Quantity.parse(f"{memory}Gi"))}
    devices = tuple(
        Device(
            f"gpu-{k}",
            {
                **common,
                "uuid": Attribute("string", f"GPU-{n:08x}-0000-0000-0000-{k:012x}"),
                "resource.kubernetes.io/pciBusID": Attribute("string", f"0000:{k + 7:02x}:00.0"),
                "resource.kubernetes.io/pcieRoot": Attribute("string", f"pci0000:{k // 2:02x}"),
            },
            capacity,
        )
        for k in range(GPUS)
    )
    name = f"gpu-{n:05}"
    return Slice(Meta(f"{name}-{DRIVER}"), DRIVER, name, node_name=name, devices=devices)


def pod(n: int, *, claim: bool, cores: int = 4, product: str = "", team: bool = False) -> Pod:
    """A pod that asks for one GPU, by a claim from the template or as a counted resource."""
    requests = {"cpu": cores * 1000, "memory": cores * 8 * GIB} | ({} if claim else {GPU: 1})
    main = Container("main", requests, claims=(ContainerClaim("gpu"),) if claim else ())
    only = NodeSelector((NodeSelectorTerm((Requirement(PRODUCT, "In", (product,)),)),))
    return Pod(
        Meta(f"pod-{n:05}", "default", uid=f"uid-{n}", labels={"app": "inference"}),
        (main,),
        tolerations=(*TOLERATIONS, Toleration("team", "Equal", "training", "NoSchedule")) if team else TOLERATIONS,
        affinity=Affinity(only) if product else None,
        claims=(PodClaim("gpu", template_name=TEMPLATE.meta.name),) if claim else (),
    )
