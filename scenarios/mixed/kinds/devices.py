"""Claims that no device satisfies, whoever holds what."""

from scenarios.drivers import GPU, NIC, ROOT, Json
from scenarios.mixed.build import Build
from scenarios.mixed.claimed import allocation, asks, gpus, of_product, user
from scenarios.mixed.hardware import Model
from scenarios.mixed.truth import Injected, right

FIX_CLAIM = right("fix-selector", "fix-claim", "change-request")


def dra_pool(at: Build, model: Model, nodes: int, each: int = 4, **fields: object) -> list[str]:
    """Nodes that publish GPUs of a model by DRA."""
    made = []
    for _ in range(nodes):
        node = at.site.node(model.short, labels=at.site.labels(model, each))
        at.site.slices(node, gpus(model, each, **fields))  # type: ignore[arg-type]
        made.append(node)
    return made


def class_missing(at: Build) -> list[Injected]:
    """A slip in the class's name."""
    dra_pool(at, at.site.any_model(), 1)
    slip = at.dice.choice(("gpu.nvidia.io", "gpus.nvidia.com", "nvidia-gpu", "gpu.nvidia"))
    pod = at.claims.waiting(asks(slip))
    remedies = right("fix-claim", "fix-class")
    return [Injected(pod, "class-missing", ("class-missing",), ((slip,), ("gpu.nvidia.com",)), remedies)]


def cel_value(at: Build) -> list[Injected]:
    """A slip in the value that a claim compares with."""
    model = at.site.any_model()
    dra_pool(at, model, at.dice.randint(1, 2))
    slip = at.dice.choice((model.label, model.product[:-1], model.product.lower(), model.product.partition(" ")[2]))
    if slip == model.product:
        slip = model.product[:-2]
    pod = at.claims.waiting(asks("gpu.nvidia.com", f"device.attributes['{GPU}'].productName == '{slip}'"))
    names = ((slip,), (model.product,))
    return [Injected(pod, "cel-value", ("no-matching-device",), names, FIX_CLAIM)]


def cel_attribute(at: Build) -> list[Injected]:
    """A slip in the attribute's name."""
    model = at.site.any_model()
    dra_pool(at, model, at.dice.randint(1, 2))
    slip = at.dice.choice(("product", "productname", "model", "product_name"))
    pod = at.claims.waiting(asks("gpu.nvidia.com", f"device.attributes['{GPU}'].{slip} == '{model.product}'"))
    return [Injected(pod, "cel-attribute", ("cel-error",), ((slip,), ("productName",)), FIX_CLAIM)]


def cel_capacity(at: Build) -> list[Injected]:
    """A capacity that is looked for among the attributes."""
    model = at.site.any_model()
    dra_pool(at, model, at.dice.randint(1, 2))
    test = f"device.attributes['{GPU}'].memory.compareTo(quantity('{model.memory // 2}Gi')) >= 0"
    pod = at.claims.waiting(asks("gpu.nvidia.com", of_product(model), test))
    return [Injected(pod, "cel-capacity", ("cel-error",), (("memory",), ("capacity",)), FIX_CLAIM)]


def cel_too_much(at: Build) -> list[Injected]:
    """More memory than any device has."""
    model = at.site.any_model()
    dra_pool(at, model, at.dice.randint(1, 2))
    test = f"device.capacity['{GPU}'].memory.compareTo(quantity('{model.memory * 2}Gi')) >= 0"
    pod = at.claims.waiting(asks("gpu.nvidia.com", of_product(model), test))
    names = ((f"{model.memory * 2}Gi", "memory"),)
    return [Injected(pod, "cel-too-much", ("no-matching-device",), names, FIX_CLAIM + right("shrink"))]


def template_missing(at: Build) -> list[Injected]:
    """The pod names a template that isn't there; one with nearly the same name is."""
    model = at.site.any_model()
    dra_pool(at, model, 1)
    namespace = "ml"
    devices: Json = {"requests": [asks("gpu.nvidia.com", of_product(model))]}
    at.site.add(
        "resource.k8s.io/v1",
        "ResourceClaimTemplate",
        f"one-{model.short}",
        namespace,
        spec={"spec": {"devices": devices}},
    )
    slip = at.dice.choice((f"one-{model.short}s", f"on-{model.short}", f"{model.short}-one"))
    wanted = [{"name": "gpus", "resourceClaimTemplateName": slip}]
    pod = at.flows.waiting({}, namespace=namespace, resourceClaims=wanted, claims=wanted)
    names = ((slip,), ("template",))
    return [Injected(pod, "template-missing", ("claim-missing",), names, right("fix-claim"))]


def claim_elsewhere(at: Build) -> list[Injected]:
    """The claim that it shares is allocated on a node where it can't go."""
    model = at.site.any_model()
    first, _ = dra_pool(at, model, 2)
    namespace, name = "ml", f"shared-{at.site.name()}"
    spec: Json = {"devices": {"requests": [asks("gpu.nvidia.com", of_product(model))]}}
    wanted = [{"name": "gpus", "resourceClaimName": name}]
    holder = at.flows.running(
        [first], {"cpu": "50"}, namespace=namespace, kind="Deployment", resourceClaims=wanted, claims=wanted
    )
    made = next(one for one in reversed(at.site.objects) if one["kind"] == "Pod")
    results = [{"request": "gpu", "driver": GPU, "pool": first, "device": "gpu-0"}]
    status: Json = {"allocation": allocation(first, results), "reservedFor": [user(made)]}
    at.claims.shared(name, namespace, spec, status)
    pod = at.flows.waiting({"cpu": "20"}, namespace=namespace, kind="Deployment", resourceClaims=wanted, claims=wanted)
    remedies = right("free-device", "move", "change-request", "shrink", "use-claim", "fix-claim", "drop-claim")
    names = ((name,), (first, holder))
    return [Injected(pod, "claim-elsewhere", ("claim-elsewhere",), names, remedies)]


def all_taken(at: Build) -> list[Injected]:
    """It wants all devices of a node, and one is held."""
    model = at.site.any_model()
    nodes = dra_pool(at, model, at.dice.randint(1, 2))
    holders = [at.claims.held(node, ["gpu-1"]) for node in nodes]
    pod = at.claims.waiting(asks("gpu.nvidia.com", of_product(model), allocationMode="All"))
    remedies = right("fewer-devices", "free-device", "admin-access", "move", "add-node")
    return [Injected(pod, "all-taken", ("all-with-one-taken",), (("all",), tuple(holders)), remedies)]


def no_common_root(at: Build) -> list[Injected]:
    """Two GPUs must share a PCIe root, and each has one of its own."""
    model = at.site.any_model()
    dra_pool(at, model, at.dice.randint(1, 2))
    attribute = at.dice.choice((ROOT, f"{GPU}/index"))
    constraint = {"matchAttribute": attribute} | at.dice.choice(({}, {"requests": ["gpu"]}))
    pod = at.claims.waiting(asks("gpu.nvidia.com", of_product(model), count=2), constraints=[constraint])
    remedies = right("drop-constraint", "fix-claim", "change-request", "drop-selector", "fewer-devices")
    name = attribute.rpartition("/")[2]
    return [Injected(pod, "no-common-root", ("constraint",), ((name,),), remedies)]


def no_card_beside(at: Build) -> list[Injected]:
    """GPU and network card must share a PCIe root, and none does."""
    model = at.site.any_model()
    if not any(one["metadata"]["name"] == "nic.example.com" for one in at.site.objects):
        at.site.device_class("nic.example.com", f"device.driver == '{NIC}'")
    node = dra_pool(at, model, 1, 2)[0]
    cards = [
        {"name": f"nic-{number}", "attributes": {ROOT: {"string": f"pci0000:{number + 8:02x}"}}} for number in range(2)
    ]
    at.site.slices(node, cards, driver=NIC)
    both = (asks("gpu.nvidia.com", of_product(model)), asks("nic.example.com", name="nic"))
    pod = at.claims.waiting(*both, constraints=[{"matchAttribute": ROOT, "requests": ["gpu", "nic"]}])
    remedies = right("drop-constraint", "fix-claim", "change-request", "drop-selector")
    return [Injected(pod, "no-card-beside", ("constraint",), (("pcieRoot",), (node,)), remedies)]


def tainted_by_rule(at: Build) -> list[Injected]:
    """A DeviceTaintRule keeps every device of the product out."""
    model = at.site.any_model()
    nodes = dra_pool(at, model, 1)
    name = f"drain-{model.short}"
    at.site.add(
        "resource.k8s.io/v1beta2",
        "DeviceTaintRule",
        name,
        spec={
            "deviceSelector": {"driver": GPU, "pool": nodes[0]},
            "taint": {
                "key": "example.com/drain",
                "value": "yes",
                "effect": at.dice.choice(("NoSchedule", "NoExecute")),
            },
        },
    )
    pod = at.claims.waiting(asks("gpu.nvidia.com", of_product(model)))
    names = ((name,), ("example.com/drain",))
    return [Injected(pod, "device-taint-rule", ("device-taint",), names, right("fix-taint-rule", "add-toleration"))]


def tainted_by_driver(at: Build) -> list[Injected]:
    """The driver reports its devices as broken."""
    model = at.site.any_model()
    taints = [{"key": f"{GPU}/xid", "value": "79", "effect": "NoSchedule", "timeAdded": "2026-11-30T08:30:00Z"}]
    node = dra_pool(at, model, 1, taints=taints)[0]
    pod = at.claims.waiting(asks("gpu.nvidia.com", of_product(model)))
    remedies = right("repair", "republish", "add-toleration")
    return [Injected(pod, "device-taint", ("device-taint",), ((f"{GPU}/xid",), (node,)), remedies)]


def incomplete(at: Build) -> list[Injected]:
    """A slice of the pool is missing."""
    model = at.site.any_model()
    node = at.site.node(model.short, labels=at.site.labels(model, 4))
    at.site.slices(node, gpus(model, 4), claimed=2)
    pod = at.claims.waiting(asks("gpu.nvidia.com", of_product(model)))
    remedies = right("republish", "repair", "fix-driver")
    return [Injected(pod, "incomplete-pool", ("incomplete-pool",), ((node,), ("pool",)), remedies)]
