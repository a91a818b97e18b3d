"""The GPUs are free and the pod may not, or can't, go where they are."""

from scenarios.mixed.build import FREEING, Build
from scenarios.mixed.site import COUNTED, HOST, PRODUCT, ZONE
from scenarios.mixed.truth import Injected, right
from scenarios.mixed.workloads import of_model, wanted_nodes

TO_ELSEWHERE = right("fix-selector", "drop-selector")


def taint(at: Build) -> list[Injected]:
    """A team's taint, which the pod doesn't tolerate."""
    model = at.site.any_model()
    key, value = at.dice.choice((("dedicated", "team-a"), ("reserved", "research"), ("example.com/maintenance", "")))
    effect = at.dice.choice(("NoSchedule", "NoExecute"))
    nodes = at.pool(
        model, at.dice.randint(1, 3), 4, taints=[{"key": key, "effect": effect} | ({"value": value} if value else {})]
    )
    pod = at.waits(model, 1)
    return [Injected(pod, "taint", ("taint",), ((key,), tuple(nodes)), right("add-toleration", "remove-taint"))]


def label_value(at: Build) -> list[Injected]:
    """A slip in the label's value."""
    model = at.site.any_model()
    at.pool(model, at.dice.randint(1, 3), 4)
    label = model.label
    slip = at.dice.choice(
        (label[:-1], label.replace("NVIDIA-", "").replace("Tesla-", "") + "", label.lower(), label.replace("-", "_"))
    )
    if slip == label:
        slip = label[:-1]
    pod = at.flows.waiting({COUNTED: 1}, **of_model(slip, affine=at.dice.random() < 0.3))
    return [Injected(pod, "label-value", ("selector",), ((slip,), (label,)), right("fix-selector"))]


def label_key(at: Build) -> list[Injected]:
    """A slip in the label's key."""
    model = at.site.any_model()
    at.pool(model, at.dice.randint(1, 3), 4)
    slip = at.dice.choice(("nvidia.com/gpu-product", "nvidia.com/gpu.prodcut", "nvidia.com/product", "gpu.product"))
    if at.dice.random() < 0.5:
        pod = at.flows.waiting({COUNTED: 1}, nodeSelector={slip: model.label})
    else:
        wanted = wanted_nodes({"key": slip, "operator": "In", "values": [model.label]})
        pod = at.flows.waiting({COUNTED: 1}, **wanted)
    return [Injected(pod, "label-key", ("selector",), ((slip,), (PRODUCT,)), right("fix-selector"))]


def zone(at: Build) -> list[Injected]:
    """The model is in other zones than the one that is asked for."""
    model = at.site.any_model()
    here, *others = at.dice.sample(at.site.zones, 3)
    nodes = [at.site.gpu_node(model, 4, zone=at.dice.choice(others)) for _ in range(at.dice.randint(1, 3))]
    pod = at.flows.waiting({COUNTED: 1}, nodeSelector={PRODUCT: model.label, ZONE: here})
    return [Injected(pod, "zone", ("selector",), ((ZONE,), (here,), tuple(nodes)), TO_ELSEWHERE + right("add-node"))]


def cordoned(at: Build) -> list[Injected]:
    """All nodes of the model are cordoned."""
    model = at.site.any_model()
    nodes = at.pool(model, at.dice.randint(1, 2), 4, cordoned=True)
    pod = at.waits(model, 1)
    return [Injected(pod, "cordoned", ("cordoned",), (tuple(nodes), ("cordon", "unschedulable")), right("uncordon"))]


def not_ready(at: Build) -> list[Injected]:
    """All nodes of the model are down."""
    model = at.site.any_model()
    ready = at.dice.choice(("False", "Unknown"))
    nodes = at.pool(model, at.dice.randint(1, 2), 4, ready=ready)
    pod = at.waits(model, 1)
    return [Injected(pod, "not-ready", ("not-ready",), (tuple(nodes), ("ready", "unreachable")), right("repair"))]


def cpu_short(at: Build) -> list[Injected]:
    """GPUs are free, CPU isn't."""
    return _short(at, "cpu", "40", "30", "cpu-short")


def memory_short(at: Build) -> list[Injected]:
    """GPUs are free, memory isn't."""
    return _short(at, "memory", "400Gi", "200Gi", "memory-short")


def _short(at: Build, what: str, taken: str, asked: str, kind: str) -> list[Injected]:
    model = at.site.any_model()
    nodes = at.pool(model, at.dice.randint(1, 3), 4)
    holders = [at.flows.running([node], {what: taken, COUNTED: 1}) for node in nodes]
    pod = at.waits(model, 1, requests={what: asked})
    remedies = FREEING + right("change-request", "shrink")
    return [Injected(pod, kind, ("short-of-cpu-or-memory",), ((what,), (*holders, *nodes)), remedies)]


def anti_affinity(at: Build) -> list[Injected]:
    """Each node of the model already has a pod beside which this one may not run."""
    model = at.site.any_model()
    nodes = at.pool(model, at.dice.randint(1, 3), 4)
    other = at.site.name()
    at.flows.running(nodes, {COUNTED: 1}, name=other, kind="Deployment", namespace="ml")
    avoid = {"topologyKey": HOST, "labelSelector": {"matchLabels": {"app": other}}}
    spec = of_model(model.label)
    spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [avoid]}}
    pod = at.flows.waiting({COUNTED: 1}, namespace="ml", **spec)
    remedies = FREEING + TO_ELSEWHERE
    return [Injected(pod, "anti-affinity", ("anti-affinity",), (tuple(nodes), ("affinity",)), remedies)]


def topology_spread(at: Build) -> list[Injected]:
    """The only node with room is in the zone that has too many already."""
    model = at.site.any_model()
    first, second, _ = at.site.zones
    roomy, full = at.site.gpu_node(model, 4, zone=first), at.site.gpu_node(model, 2, zone=second)
    name = at.site.name()
    at.flows.fill([full], 2)
    constraint = {
        "maxSkew": 1,
        "topologyKey": ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": name}},
    }
    spec = {**of_model(model.label), "topologySpreadConstraints": [constraint]}
    kind = at.dice.choice(("Deployment", "StatefulSet"))
    from scenarios.mixed.workloads import pod_spec

    namespace, body = "ml", pod_spec({COUNTED: 1}, **spec)
    owner, labels = at.flows.owned(kind, name, namespace, body, 2)
    at.flows.pod(owner, labels, name, namespace, body, roomy, 0)
    made = at.flows.pod(owner, labels, name, namespace, body, "", 1, created="2026-11-30T09:00:00Z")
    remedies = FREEING + TO_ELSEWHERE
    names = ((roomy, full), ("spread",))
    return [Injected(f"ml/{made['metadata']['name']}", "spread", ("spread",), names, remedies)]


def host_port(at: Build) -> list[Injected]:
    """The port on every node of the model is taken."""
    model = at.site.any_model()
    nodes = at.pool(model, at.dice.randint(1, 2), 4)
    from scenarios.mixed.workloads import pod_spec

    def with_port() -> dict[str, object]:
        spec = pod_spec({COUNTED: 1}, **of_model(model.label))
        spec["containers"][0]["ports"] = [{"containerPort": 8080, "hostPort": 8080, "protocol": "TCP"}]
        return spec

    name = at.site.name()
    spec = with_port()
    owner, labels = at.flows.owned("StatefulSet", name, "ml", spec, len(nodes) + 1)
    for number, node in enumerate(nodes):
        at.flows.pod(owner, labels, name, "ml", spec, node, number)
    made = at.flows.pod(owner, labels, name, "ml", spec, "", len(nodes), created="2026-11-30T09:00:00Z")
    remedies = FREEING + right("drop-host-port", "change-request")
    return [
        Injected(f"ml/{made['metadata']['name']}", "host-port", ("host-port",), (("8080",), tuple(nodes)), remedies)
    ]
