"""Random devices: whole GPUs, partitions, network cards."""

import random
from typing import Final

from scenarios.api import mig as a100
from scenarios.api.devices import consumes, device
from scenarios.api.mig import Profile
from scenarios.drivers import ROOT, Json

MODELS: Final = (
    ("NVIDIA H100 80GB HBM3", "80Gi", "9.0.0"),
    ("NVIDIA A100-SXM4-40GB", "40Gi", "8.0.0"),
    ("NVIDIA L4", "24Gi", "8.9.0"),
    ("Tesla T4", "16Gi", "7.5.0"),
)
"""Product, memory, compute capability."""


def gpu(dice: random.Random, index: int, model: tuple[str, str, str], *, roots: int = 2) -> Json:
    """A whole GPU; a few lack an attribute, so that constraints on it can't hold."""
    product, memory, capability = model
    attributes: dict[str, bool | int | str | Json] = {
        "type": "gpu",
        "uuid": f"GPU-{index:04}",
        "productName": product,
        "cudaComputeCapability": {"version": capability},
        "driverVersion": {"version": "560.35.3"},
        "index": index,
        "numa": index % 2,
        ROOT: f"pci0000:{index % roots:02}",
    }
    if dice.random() < 0.1:
        del attributes[dice.choice(("numa", ROOT, "productName"))]
    if dice.random() < 0.2:
        attributes["healthy"] = dice.random() < 0.7
    return device(f"gpu-{index}", attributes, capacity={"memory": {"value": memory}})


def nic(dice: random.Random, index: int, *, roots: int = 2) -> Json:
    """A network card on one of the PCIe roots."""
    attributes: dict[str, bool | int | str | Json] = {
        "kind": "nic",
        "index": index,
        "rdma": dice.random() < 0.7,
        "numa": index % 2,
        ROOT: f"pci0000:{dice.randrange(roots):02}",
    }
    bandwidth = dice.choice(("100G", "200G"))
    if dice.random() < 0.1:
        attributes[ROOT] = 0
    return device(f"nic-{index}", attributes, capacity={"bandwidth": {"value": bandwidth}})


def mig(index: int, counter_set: str, profile: Profile, start: int) -> Json:
    """One placement of a MIG profile on GPU number `index`."""
    attributes: dict[str, bool | int | str | Json] = {
        "type": "mig",
        "profile": profile.name,
        "parentUUID": f"GPU-{index:04}",
        "index": index,
        "numa": index % 2,
        ROOT: f"pci0000:{index % 2:02}",
    }
    return device(
        f"gpu-{index}-mig-{profile.name.replace('.', '-')}-{start}",
        attributes,
        capacity={"memory": {"value": f"{profile.memory}Gi"}},
        consumesCounters=consumes(counter_set, a100.counters(profile, start)),
    )


def partitioned(dice: random.Random, count: int) -> tuple[list[Json], list[Json]]:
    """GPUs with their MIG devices: (counter sets, devices). Each GPU offers some of the profiles."""
    sets: list[Json] = []
    devices: list[Json] = []
    for index in range(count):
        counter_set = f"gpu-{index}-counters"
        sets.append({"name": counter_set, "counters": a100.counters()})
        if dice.random() < 0.7:
            devices.append(gpu(dice, index, MODELS[1]) | {"consumesCounters": consumes(counter_set, a100.counters())})
        for profile in dice.sample(a100.PROFILES, dice.choice((1, 2, 3))):
            devices += [mig(index, counter_set, profile, start) for start in profile.starts]
    return sets, devices
