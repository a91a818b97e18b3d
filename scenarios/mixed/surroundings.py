"""What else is in a cluster: a control plane, CPU nodes, other models, workloads that run."""

from typing import Final

from scenarios.mixed.build import Build
from scenarios.mixed.claimed import gpus
from scenarios.mixed.kinds.held import shared_labels
from scenarios.mixed.site import COUNTED

CONTROL_PLANE: Final = "node-role.kubernetes.io/control-plane"
LEAST, MOST = 10, 60
"""Nodes."""


def surroundings(at: Build) -> None:
    """Fill the site up."""
    site, dice = at.site, at.dice
    leaders = [
        site.node(
            "cp", cpu=8, memory=32, labels={CONTROL_PLANE: ""}, taints=[{"key": CONTROL_PLANE, "effect": "NoSchedule"}]
        )
        for _ in range(dice.choice((1, 3)))
    ]
    site.add("v1", "Namespace", "kube-system")
    at.flows.running(
        leaders[:1],
        {},
        name="kube-scheduler",
        kind="Pod",
        namespace="kube-system",
        labels={"component": "kube-scheduler"},
    )
    here = sum(one["kind"] == "Node" for one in site.objects)
    wanted = max(here, dice.randint(LEAST, MOST))
    while here < wanted:
        size = min(wanted - here, dice.randint(1, 6))
        here += size
        what = dice.choice(("cpu", "cpu", "gpu", "shared", "dra"))
        if what == "cpu" or not site.whole:
            nodes = [site.node("cpu", cpu=32, memory=128) for _ in range(size)]
            at.flows.running(nodes, {"cpu": dice.choice(("4", "16"))}, kind="DaemonSet" if dice.random() < 0.2 else "")
        elif what == "dra":
            model = site.any_model()
            for _ in range(size):
                node = site.node(model.short, labels=site.labels(model, 2))
                site.slices(node, gpus(model, 2))
                for number in range(2):
                    at.claims.held(node, [f"gpu-{number}"])
        else:
            resource = COUNTED if what == "gpu" else f"{COUNTED}.shared"
            model = site.any_model()
            labels = shared_labels() if what == "shared" else {}
            held = dice.choice((4, 4, 2))
            at.flows.fill(at.pool(model, size, 4, resource=resource, labels=labels), held, resource=resource)
