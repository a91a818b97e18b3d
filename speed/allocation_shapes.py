"""The allocation shapes that are timed: ordinary ones on one node and on a thousand, and those on which Go explodes.

Each is a scenario as `conformance.allocation` and the Go program read it (facts/exact-allocator.md, section 1, and
facts/allocator.md, section 11).
"""

from collections.abc import Sequence
from typing import Any, Final

from conformance.generate_tight import device, exactly, slice_of, wanted
from conformance.hardware import GPU, NIC, PROFILES, slices_of_memory

Json = dict[str, Any]

FEATURES: Final = {
    "adminAccess": True,
    "consumableCapacity": True,
    "deviceBindingAndStatus": True,
    "deviceTaints": True,
    "partitionableDevices": True,
    "prioritizedList": True,
}
"""The defaults of 1.36, for which kube-scheduler takes `incubating`."""

ROOT: Final = "resource.kubernetes.io/pcieRoot"
CLASSES: Final = (
    {
        "metadata": {"name": "gpu"},
        "spec": {
            "selectors": [
                {"cel": {"expression": f"device.driver == '{GPU}' && device.attributes['{GPU}'].type == 'gpu'"}},
            ],
        },
    },
    {
        "metadata": {"name": "mig"},
        "spec": {
            "selectors": [
                {"cel": {"expression": f"device.driver == '{GPU}' && device.attributes['{GPU}'].type == 'mig'"}},
            ],
        },
    },
    {"metadata": {"name": "nic"}, "spec": {"selectors": [{"cel": {"expression": f"device.driver == '{NIC}'"}}]}},
)


def gpus(count: int) -> list[Json]:
    """Whole GPUs, two to a PCIe root, half of them on each NUMA node."""
    made: list[Json] = []
    for n in range(count):
        one = device(f"gpu-{n}", type="gpu", index=n, numa=n * 2 // count, productName="NVIDIA H100 80GB HBM3")
        one["attributes"] |= {"driverVersion": {"version": "560.35.3"}, ROOT: {"string": f"pci{n}"}}
        one["capacity"] = {"memory": {"value": "80Gi"}}
        made.append(one)
    return made


def nics(count: int) -> list[Json]:
    """Network cards, one on the PCIe root of each GPU."""
    made = [device(f"nic-{n}", index=n, rdma=True) for n in range(count)]
    for n, one in enumerate(made):
        one["attributes"][ROOT] = {"string": f"pci{n}"}
    return made


def mig_pool(count: int, profiles: Sequence[str] = (), *, whole: bool = True) -> list[Json]:
    """The slices of GPUs that can be cut: counters first, then every placement of the profiles (none named: all)."""
    sets: list[Json] = []
    devices: list[Json] = []
    for n in range(count):
        counters = {"multiprocessors": {"value": "98"}, "memory": {"value": "40Gi"}} | slices_of_memory(0, 8)
        sets.append({"name": f"gpu-{n}", "counters": counters})
        if whole:
            one = device(f"gpu-{n}", type="gpu", index=n)
            devices.append(one | {"consumesCounters": [{"counterSet": f"gpu-{n}", "counters": counters}]})
        for name, processors, memory, length, starts in PROFILES:
            if profiles and name not in profiles:
                continue
            for start in starts:
                one = device(f"gpu-{n}-{name.replace('.', '-')}-{start}", type="mig", profile=name, index=n)
                used = {"multiprocessors": {"value": str(processors)}, "memory": {"value": f"{memory}Gi"}}
                used |= slices_of_memory(start, length)
                devices.append(one | {"consumesCounters": [{"counterSet": f"gpu-{n}", "counters": used}]})
    return [slice_of(GPU, "node-a", (), parts=2, sets=sets), slice_of(GPU, "node-a", devices, part=1, parts=2)]


def profile(name: str, request: str, count: int = 1) -> Json:
    """A request for partitions of a profile."""
    return wanted(request, f"device.attributes['{GPU}'].profile == '{name}'", count=count, device_class="mig")


def claims(*groups: Sequence[Json], constraints: Sequence[Json] = ()) -> list[Json]:
    """Claims of these requests."""
    return [
        {
            "metadata": {"name": f"c{n}", "namespace": "default", "uid": f"uid-{n}"},
            "spec": {"devices": {"requests": list(group), "constraints": list(constraints)}},
        }
        for n, group in enumerate(groups)
    ]


def scenario(name: str, slices: Sequence[Json], asked: Sequence[Json], **more: object) -> Json:
    """A scenario on one node."""
    return {
        "name": name,
        "features": FEATURES,
        "nodes": [{"metadata": {"name": "node-a", "labels": {"kubernetes.io/hostname": "node-a"}}}],
        "node": "any",
        "slices": list(slices),
        "classes": list(CLASSES),
        "claims": list(asked),
    } | more


def held(pool: str, *names: str) -> list[Json]:
    """Devices that are allocated already."""
    return [{"driver": GPU, "pool": pool, "device": name} for name in names]


def gpu(name: str, *selectors: str, count: int = 1) -> Json:
    """A request for whole GPUs."""
    return wanted(name, *selectors, count=count, device_class="gpu")


def nic(name: str, count: int = 1) -> Json:
    """A request for network cards."""
    return wanted(name, count=count, device_class="nic")


def pairs(count: int) -> tuple[list[Json], list[Json]]:
    """Requests for so many GPUs, each with a NIC on its PCIe root: (requests, constraints)."""
    asked = [each for n in range(count) for each in (gpu(f"g{n}"), nic(f"n{n}"))]
    return asked, [{"requests": [f"g{n}", f"n{n}"], "matchAttribute": ROOT} for n in range(count)]


def ordinary() -> list[Json]:
    """What clusters do all day, on one node of eight GPUs."""
    eight = [slice_of(GPU, "node-a", gpus(8))]
    paired = [*eight, slice_of(NIC, "nics", nics(8))]
    last = f"device.attributes['{GPU}'].index == 7 && device.capacity['{GPU}'].memory.compareTo(quantity('40Gi')) >= 0"
    same_numa = [{"matchAttribute": f"{GPU}/numa"}]
    four, four_roots = pairs(4)
    eight_pairs, eight_roots = pairs(8)
    mixed = [profile("3g.20gb", "a"), profile("2g.10gb", "b", 2), profile("1g.5gb", "c", 3), profile("4g.20gb", "d")]
    busy = held("node-a", *(f"gpu-{n}" for n in range(7)))
    return [
        scenario("1 of 8", eight, claims([gpu("r")])),
        scenario("1 of 8, CEL selector", eight, claims([gpu("r", last)])),
        scenario(
            "8 of 8 + matchAttribute",
            eight,
            claims([gpu("r", count=8)], constraints=[{"matchAttribute": f"{GPU}/productName"}]),
        ),
        scenario(
            "4 of 8, same numa, one taken",
            eight,
            claims([gpu("r", count=4)], constraints=same_numa),
            allocatedDevices=held("node-a", "gpu-0"),
        ),
        scenario("4 GPU+NIC pairs", paired, claims(four, constraints=four_roots)),
        scenario("8 GPU+NIC pairs", paired, claims(eight_pairs, constraints=eight_roots)),
        scenario("8 GPUs with MIG: 3 small", mig_pool(8), claims([profile("1g.5gb", "r", 3)])),
        scenario("8 GPUs with MIG: mixed", mig_pool(8), claims(mixed)),
        scenario(
            "8 GPUs with MIG: last one free", mig_pool(8), claims([profile("3g.20gb", "r")]), allocatedDevices=busy
        ),
        scenario(
            "All of 8",
            eight,
            claims([{"name": "r", "exactly": {"deviceClassName": "gpu", "allocationMode": "All"}}]),
        ),
    ]


def cluster(name: str, asked: Sequence[Json], *, nodes: int, taken: bool = False) -> Json:
    """So many nodes of eight GPUs each; ``taken``: only the last node has free ones."""
    slices: list[Json] = []
    for n in range(nodes):
        one = slice_of(GPU, f"node-{n:05}", gpus(8))
        one["spec"]["nodeName"] = f"node-{n:05}"
        slices.append(one)
    busy = [each for n in range(nodes - 1) for each in held(f"node-{n:05}", *(f"gpu-{i}" for i in range(8)))]
    return scenario(
        name,
        slices,
        asked,
        nodes=[{"metadata": {"name": f"node-{n:05}"}} for n in range(nodes)],
        allocatedDevices=busy if taken else [],
    )


def thousand() -> list[Json]:
    """One pod, tried on each of a thousand nodes."""
    matching = claims([gpu("r", count=8)], constraints=[{"matchAttribute": f"{GPU}/productName"}])
    everything = claims([{"name": "r", "exactly": {"deviceClassName": "gpu", "allocationMode": "All"}}])
    return [
        cluster("1000 nodes: 1 GPU", claims([gpu("r")]), nodes=1000),
        cluster("1000 nodes: 8 matching", matching, nodes=1000),
        cluster("1000 nodes: only the last is free", claims([gpu("r")]), nodes=1000, taken=True),
        cluster("1000 nodes: All", everything, nodes=1000),
    ]


def explosive() -> list[Json]:
    """What makes an exhaustive search explode; the last three can be satisfied."""
    nine, ten, twenty = gpus(9), gpus(10), gpus(20)
    nine_pairs, nine_roots = pairs(9)
    lonely = [{"requests": ["g", "n"], "matchAttribute": ROOT}]
    odd_nic, first_nic = device("nic-0", index=0), device("nic-0", index=0)
    odd_nic["attributes"][ROOT] = {"string": "elsewhere"}
    first_nic["attributes"][ROOT] = {"string": "pair-0"}
    for one in twenty:
        one["attributes"][ROOT] = {"string": "here"}
    paired = gpus(9)
    for n, one in enumerate(paired):
        one["attributes"][ROOT] = {"string": f"pair-{n // 2}"}
    either = [
        {
            "name": f"r{n}",
            "firstAvailable": [
                {"name": "two"} | exactly(count=2, device_class="gpu"),
                {"name": "one"} | exactly(device_class="gpu"),
            ],
        }
        for n in range(9)
    ]
    singles = [gpu(f"r{n}") for n in range(7)]
    first = f"device.attributes['{GPU}'].index == 0"
    return [
        scenario("21 GPUs of 20", [slice_of(GPU, "p", twenty)], claims([gpu("r", count=21)])),
        scenario("22 x 1g on 3 GPUs", mig_pool(3, ("1g.5gb",), whole=False), claims([profile("1g.5gb", "r", 22)])),
        scenario("10 requests on 9 GPUs", [slice_of(GPU, "p", nine)], claims([gpu(f"r{n}") for n in range(10)])),
        scenario("10 claims on 9 GPUs", [slice_of(GPU, "p", nine)], claims(*([gpu("r")] for _ in range(10)))),
        scenario(
            "10 of 20 GPUs + a NIC that can't match",
            [slice_of(GPU, "p", twenty), slice_of(NIC, "nics", [odd_nic])],
            claims([gpu("g", count=10), nic("n")], constraints=lonely),
        ),
        scenario(
            "9 x 3g on 4 GPUs",
            mig_pool(4, whole=False),
            claims([profile("3g.20gb", f"r{n}") for n in range(9)]),
        ),
        scenario("9 x (2 or 1) on 8 GPUs", [slice_of(GPU, "p", gpus(8))], claims(either)),
        scenario(
            "9 GPU+NIC pairs, one NIC missing",
            [slice_of(GPU, "p", nine), slice_of(NIC, "nics", nics(8))],
            claims(nine_pairs, constraints=nine_roots),
        ),
        scenario(
            "9 any, then gpu-0, on 10",
            [slice_of(GPU, "p", ten)],
            claims([*(gpu(f"r{n}") for n in range(9)), gpu("last", first)]),
        ),
        scenario(
            "6 x 1g, then 2 x 4g, on 2 GPUs",
            mig_pool(2, ("1g.5gb", "4g.20gb"), whole=False),
            claims(
                [*(profile("1g.5gb", f"r{n}") for n in range(6)), profile("4g.20gb", "s0"), profile("4g.20gb", "s1")]
            ),
        ),
        scenario(
            "7 singles, then 2 GPUs + NIC, on 9",
            [slice_of(GPU, "p", paired), slice_of(NIC, "nics", [first_nic])],
            claims([*singles, gpu("g", count=2), nic("n")], constraints=lonely),
        ),
    ]
