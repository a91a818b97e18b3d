"""Shared capacity, admin access and taints on the same few devices."""

from random import Random

from scenarios.api.claims import all_of, claim, distinct, match, recipe, request
from scenarios.api.devices import consumes, device, gpu
from scenarios.api.selectors import index
from scenarios.api.slices import pool
from scenarios.drivers import GPU, Json
from scenarios.tight.case import Case


def shares(draw: Random, large: bool) -> Case:
    """With policies for what a request is rounded to, and requests for all devices."""
    count = draw.randint(4, 8) if large else draw.randint(1, 4)
    policy = draw.choice(
        (
            None,
            {"default": "1Gi", "validRange": {"min": "1Gi", "step": "1Gi", "max": "8Gi"}},
            {"default": "2Gi", "validValues": ["2Gi", "4Gi", "8Gi"]},
        )
    )
    devices: list[Json] = []
    for number in range(count):
        memory: Json = {"value": draw.choice(("8Gi", "10Gi"))} | ({"requestPolicy": policy} if policy else {})
        shareable = {"allowMultipleAllocations": True} if draw.random() < 0.6 else {}
        made = gpu(number, capacity={"memory": memory}, **shareable)
        if draw.random() < 0.25:
            made["taints"] = [{"key": "t", "effect": draw.choice(("NoSchedule", "NoExecute", "None"))}]
        devices.append(made)
    claims: list[Json] = []
    for number in range(draw.randint(1, 4)):
        requests = [_request(draw, f"r{place}") for place in range(draw.randint(1, 3))]
        constraints = [match(f"{GPU}/numa")] if draw.random() < 0.2 else []
        claims.append(claim(number, requests, constraints))
    return Case(pool(GPU, devices), claims, draw.choice((0.0, 0.2)))


def _request(draw: Random, name: str) -> Json:
    fields: Json = {}
    if draw.random() < 0.6:
        fields["capacity"] = {"requests": {"memory": draw.choice(("1Gi", "2Gi", "2560Mi", "4Gi", "5Gi"))}}
    if draw.random() < 0.3:
        fields["tolerations"] = [{"key": "t", "operator": "Exists"}]
    if draw.random() < 0.2:
        fields["adminAccess"] = True
    if draw.random() < 0.15:
        return {"name": name, "exactly": all_of("gpu", draw.choice(("", "", index("!= 1"))), **fields)}
    wanted = draw.choice((1, 2, 2, 3))
    return {"name": name, "exactly": recipe("gpu", wanted, draw.choice(("", "", index("!= 1"))), **fields)}


def with_counters(dice: Random, scale: int) -> tuple[list[Json], list[Json], list[Json]]:
    """With counters under some of the devices: (slices, requests, constraints)."""
    count = 1 + dice.randint(1, scale)
    counted = dice.random() < 0.4
    devices: list[Json] = []
    for n in range(count):
        memory: Json = {"value": "10"} | ({"requestPolicy": {"default": "2"}} if dice.random() < 0.5 else {})
        made = device(f"d{n}", {"index": n, "a": n % 2}, capacity={"memory": memory})
        made["allowMultipleAllocations"] = dice.random() < 0.8
        if dice.random() < 0.3:
            made["taints"] = [{"key": "t", "value": "v", "effect": "NoSchedule"}]
        if counted and dice.random() < 0.7:
            made["consumesCounters"] = consumes("s", {"c": {"value": str(dice.choice((1, 2, 3)))}})
        devices.append(made)
    requests: list[Json] = []
    for n in range(count + dice.randint(1, 2 * scale)):
        more: Json = {}
        if dice.random() < 0.7:
            more["capacity"] = {"requests": {"memory": str(dice.choice((1, 2, 3, 4, 5, 6, 10)))}}
        elif dice.random() < 0.4:
            more["adminAccess"] = True
        if dice.random() < 0.5:
            more["tolerations"] = [{"operator": "Exists"}]
        requests.append(request(f"r{n}", "any", **more))
    constraints: list[Json] = []
    if dice.random() < 0.3:
        members = dice.sample([each["name"] for each in requests], 2)
        kind = dice.choice((match, distinct))
        constraints = [kind(f"{GPU}/{dice.choice(('a', 'index'))}", *members)]
    sets = [{"name": "s", "counters": {"c": {"value": str(dice.randint(1, 2 * count))}}}] if counted else []
    return pool(GPU, devices, sets), requests, constraints
