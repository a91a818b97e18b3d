"""A way past a host port that another pod of the node has: do without it."""

from collections.abc import Iterator
from dataclasses import replace

from aliquot.advisor import changes
from aliquot.advisor.case import Case, Spot, on_pod
from aliquot.advisor.wayout import Candidate, Risk
from aliquot.kube.pod import Container, HostPort


def cures(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Not of a pod on the host's network: it has no other ports."""
    taken = {reason.missing for reason in spot.reasons if reason.filter == "NodePorts"}
    if not taken or case.pod.host_network:
        return

    def clashes(port: HostPort) -> bool:
        return f"{port.port}/{port.protocol}" in taken

    def without(one: Container) -> Container:
        return replace(one, ports=tuple(port for port in one.ports if not clashes(port)))

    patch = [
        {
            "name": one.name,
            "ports": [
                {"containerPort": port.container_port, "protocol": port.protocol, "hostPort": None}
                for port in one.ports
                if clashes(port)
            ],
        }
        for one in case.pod.containers
        if any(map(clashes, one.ports))
    ]
    if not patch:
        return
    holders = ", ".join(
        dict.fromkeys(reason.found.removeprefix("held by ") for reason in spot.reasons if reason.filter == "NodePorts")
    )
    yield Candidate(
        kind="drop-host-port",
        target="pod",
        title=f"Do without host port {', '.join(sorted(taken))}, which {holders} has on {spot.node.name}: a Service"
        " reaches the container's port",
        changes=changes.pod_spec(case.owner, case.pod.name, {"containers": patch}),
        apply=on_pod(lambda pod: replace(pod, containers=tuple(map(without, pod.containers)))),
        risk=Risk("medium", "what reaches it by its node's address no longer does"),
        rank=16,
        node=spot.node.name,
        cures="NodePorts",
    )
