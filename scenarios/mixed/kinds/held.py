"""All of it is held, or what is left lies in the wrong places."""

from scenarios.mixed.build import FEWER, FREEING, Build
from scenarios.mixed.claimed import asks, gpus, of_product
from scenarios.mixed.site import COUNTED
from scenarios.mixed.truth import Injected, right
from scenarios.mixed.workloads import reference


def counted(at: Build) -> list[Injected]:
    """Every GPU of the model runs somebody's pod."""
    model, each = at.site.any_model(), at.dice.choice((1, 2, 4, 8))
    nodes = at.pool(model, at.dice.randint(1, 3), each)
    holders = at.flows.fill(nodes, each)
    pod = at.waits(model, at.dice.randint(1, each))
    return [Injected(pod, "held-counted", ("held",), (tuple(holders),), FREEING)]


def mig_slices(at: Build) -> list[Injected]:
    """Every counted MIG slice of the profile is held."""
    model = at.site.cut_model()
    profile = f"nvidia.com/mig-{at.dice.choice(model.parts)}"
    labels = {"nvidia.com/mig.strategy": "mixed"}
    nodes = [at.site.gpu_node(model, 0, offers={profile: 4}, labels=labels) for _ in range(at.dice.randint(1, 2))]
    holders = at.flows.fill(nodes, 4, resource=profile, most=2)
    pod = at.waits(model, 1, resource=profile)
    return [Injected(pod, "held-mig-slices", ("held",), ((profile,), tuple(holders)), FREEING)]


def shares(at: Build) -> list[Injected]:
    """Every time slice is held."""
    model, each = at.site.any_model(), at.dice.choice((4, 8))
    resource = f"{COUNTED}.shared"
    nodes = at.pool(model, at.dice.randint(1, 2), each, resource=resource, labels=shared_labels())
    holders = at.flows.fill(nodes, each, resource=resource, most=1)
    pod = at.waits(model, 1, resource=resource)
    return [Injected(pod, "held-shares", ("held",), ((resource,), tuple(holders)), FREEING)]


def shared_labels() -> dict[str, str]:
    """Of a node whose GPUs are time-sliced."""
    return {"nvidia.com/gpu.sharing-strategy": "time-slicing", "nvidia.com/gpu.replicas": "4"}


def dra_devices(at: Build) -> list[Injected]:
    """Every device of the product is allocated."""
    model, each = at.site.any_model(), at.dice.choice((1, 2, 4))
    holders: list[str] = []
    for _ in range(at.dice.randint(1, 2)):
        node = at.site.node(model.short)
        at.site.slices(node, gpus(model, each))
        holders += [at.claims.held(node, [f"gpu-{number}"]) for number in range(each)]
    pod = at.claims.waiting(asks("gpu.nvidia.com", of_product(model)))
    return [Injected(pod, "held-devices", ("held",), (tuple(holders),), FREEING)]


def scattered(at: Build) -> list[Injected]:
    """Enough are free, on several nodes."""
    model = at.site.any_model()
    nodes = at.pool(model, at.dice.randint(2, 4), 4)
    holders = at.flows.fill(nodes, 2, most=2)
    pod = at.waits(model, at.dice.choice((3, 4)))
    remedies = FREEING + FEWER
    return [Injected(pod, "scattered", ("scattered",), (("2",), (*nodes, *holders)), remedies)]


def larger(at: Build) -> list[Injected]:
    """No node has so many."""
    model, each = at.site.any_model(), at.dice.choice((1, 2, 4))
    nodes = at.pool(model, at.dice.randint(1, 3), each)
    pod = at.waits(model, each * 2)
    remedies = FEWER + right("add-node")
    return [Injected(pod, "larger-than-any", ("larger-than-any",), ((f"{each * 2}",), tuple(nodes)), remedies)]


def unhealthy(at: Build) -> list[Injected]:
    """Some devices failed their health check: the node's capacity is above what it gives."""
    model = at.site.any_model()
    broken = at.dice.choice((1, 2, 4))
    node = at.site.gpu_node(model, 4 - broken, capacity={COUNTED: 4})
    pod = at.waits(model, 4 if broken < 4 else 1)
    return [
        Injected(
            pod, "unhealthy", ("unhealthy",), ((node,), ("allocatable", "unhealthy")), right("repair", "fix-driver")
        )
    ]


def unhealthy_last(at: Build) -> list[Injected]:
    """The others run somebody's pods; the one that is left is broken."""
    model = at.site.any_model()
    node = at.site.gpu_node(model, 3, capacity={COUNTED: 4})
    holders = at.flows.fill([node], 3)
    pod = at.waits(model, 1)
    names = ((node,), ("allocatable", "unhealthy"), tuple(holders))
    return [Injected(pod, "unhealthy-last", ("unhealthy", "held"), names, right("repair", "fix-driver") + FREEING)]


def rollout(at: Build) -> list[Injected]:
    """The old version of the same Deployment holds what the new one wants."""
    model, each = at.site.any_model(), at.dice.choice((1, 2))
    node = at.site.gpu_node(model, each)
    at.flows.fill([at.site.gpu_node(model, each)], each, kind="Deployment")
    from scenarios.mixed.workloads import pod_spec

    name, namespace = at.site.name(), at.dice.choice(("ml", "serving"))
    spec = pod_spec({COUNTED: each}, **at.asks_model(model))
    strategy = at.dice.choice(
        (
            {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
        )
    )
    owner, labels = at.flows.owned("Deployment", name, namespace, spec, 1, strategy=strategy)
    old = at.flows.pod(owner, labels, name, namespace, spec, node)
    deployment = next(one for one in at.site.objects if one["kind"] == "Deployment" and one["metadata"]["name"] == name)
    new, new_labels = at.flows.replica_set(deployment, 1, at.site.suffix(9))
    pod = at.flows.pod(reference(new), new_labels, name, namespace, spec, created="2026-11-30T09:00:00Z")
    key = f"{namespace}/{pod['metadata']['name']}"
    names = ((old["metadata"]["name"],), (name,))
    return [Injected(key, "rollout", ("rollout",), names, right("fix-rollout", about=name))]


def last_one(at: Build) -> list[Injected]:
    """Two pods want the only one that is left: each has room, and only one gets it."""
    model = at.site.any_model()
    node = at.site.gpu_node(model, 2)
    at.flows.fill([node], 1)
    pods = [at.waits(model, 1, kind=at.dice.choice(("Deployment", "Pod"))) for _ in range(2)]
    return [Injected(pod, "last-one", (), (), (), verdict="placeable") for pod in pods]
