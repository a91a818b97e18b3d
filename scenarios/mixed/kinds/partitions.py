"""MIG by DRA: devices that draw on the same counters."""

from collections.abc import Sequence

from scenarios.drivers import GPU, Json
from scenarios.mixed.build import FREEING, Build
from scenarios.mixed.claimed import asks, gpus
from scenarios.mixed.hardware import Model
from scenarios.mixed.truth import Injected, right


def cut(model: Model, count: int, profiles: Sequence[str]) -> tuple[list[Json], list[Json]]:
    """GPUs that can be used whole or as slices of these profiles: (devices, counter sets)."""
    memory = 4 if model.slices.startswith("4g") else 8
    devices: list[Json] = []
    sets: list[Json] = []
    for number, whole in enumerate(gpus(model, count)):
        name = f"gpu-{number}-counters"
        sets.append({"name": name, "counters": {f"memory-slice-{n}": {"value": "1"} for n in range(memory)}})
        devices.append(whole | {"consumesCounters": [consumed(name, 0, memory)]})
        for profile in profiles:
            length = {"1": 1, "2": 2, "3": 4}[profile[0]]
            for start in range(0, memory - length + 1, length):
                attributes = {
                    "type": {"string": "mig"},
                    "profile": {"string": profile},
                    "productName": {"string": model.product},
                    "parentUUID": whole["attributes"]["uuid"],
                }
                devices.append(
                    {
                        "name": f"gpu-{number}-mig-{profile.replace('.', '-')}-{start}",
                        "attributes": attributes,
                        "capacity": {"memory": {"value": f"{profile.partition('.')[2][:-2]}Gi"}},
                        "consumesCounters": [consumed(name, start, length)],
                    }
                )
    return devices, sets


def consumed(counter_set: str, start: int, length: int) -> Json:
    """What a slice draws."""
    counters = {f"memory-slice-{n}": {"value": "1"} for n in range(start, start + length)}
    return {"counterSet": counter_set, "counters": counters}


def of_profile(model: Model, profile: str) -> str:
    """The selector of a profile of a model's slices."""
    attributes = f"device.attributes['{GPU}']"
    return f"{attributes}.productName == '{model.product}' && {attributes}.profile == '{profile}'"


def no_such_slice(at: Build) -> list[Injected]:
    """No GPU offers a slice of that size."""
    model = at.site.cut_model()
    node = at.site.node(model.short, labels=at.site.labels(model, 1))
    devices, sets = cut(model, 1, model.parts[:-1])
    at.site.slices(node, devices, sets)
    asked = model.parts[-1] if at.dice.random() < 0.5 else model.slices
    pod = at.claims.waiting(asks("mig.nvidia.com", of_profile(model, asked)))
    remedies = right("change-request", "shrink", "fix-selector", "fix-claim")
    return [Injected(pod, "no-such-slice", ("no-matching-device",), ((asked,), model.parts[:-1]), remedies)]


def whole_cut(at: Build) -> list[Injected]:
    """A small slice of each GPU is held, so that none is whole."""
    model, count = at.site.cut_model(), at.dice.choice((1, 2))
    node = at.site.node(model.short, labels=at.site.labels(model, count))
    devices, sets = cut(model, count, model.parts[:1])
    at.site.slices(node, devices, sets)
    small = model.parts[0]
    holders = [
        at.claims.held(
            node,
            [f"gpu-{number}-mig-{small.replace('.', '-')}-{at.dice.randrange(4)}"],
            asks("mig.nvidia.com", of_profile(model, small)),
        )
        for number in range(count)
    ]
    pod = at.claims.waiting(asks("gpu.nvidia.com", f"device.attributes['{GPU}'].productName == '{model.product}'"))
    remedies = FREEING + right("shrink", "change-request")
    return [Injected(pod, "whole-cut", ("partitioned",), (tuple(holders),), remedies)]


def slices_held(at: Build) -> list[Injected]:
    """Every slice is drawn already."""
    model = at.site.cut_model()
    node = at.site.node(model.short, labels=at.site.labels(model, 1))
    devices, sets = cut(model, 1, model.parts[1:2])
    at.site.slices(node, devices, sets)
    profile = model.parts[1]
    names = [each["name"] for each in devices if "-mig-" in each["name"]]
    holders = [at.claims.held(node, [each], asks("mig.nvidia.com", of_profile(model, profile))) for each in names]
    pod = at.claims.waiting(asks("mig.nvidia.com", of_profile(model, profile)))
    return [Injected(pod, "slices-held", ("held", "partitioned"), (tuple(holders),), FREEING)]
