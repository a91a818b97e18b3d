"""Ways past a cordon or a taint."""

import shlex
from collections.abc import Iterator
from dataclasses import replace

from aliquot.advisor import changes
from aliquot.advisor.case import CORDON, Case, Spot, on_pod
from aliquot.advisor.wayout import Advice, Candidate, Risk, Trial
from aliquot.kube.node import Node
from aliquot.kube.taints import Taint, Toleration
from aliquot.scheduling.filters.taint_toleration import intolerable

NOT_FOR_PODS = (
    "node.kubernetes.io/",
    "node.cloudprovider.kubernetes.io/",
    "ToBeDeletedByClusterAutoscaler",
    "DeletionCandidateOfClusterAutoscaler",
    "karpenter.sh/",
    "node.cilium.io/",
)
"""Taints of nodes that are sick, not ready yet, or on their way out: set and taken away by controllers."""
SPOT = {
    "kubernetes.azure.com/scalesetpriority": "spot",
    "cloud.google.com/gke-spot": "true",
    "cloud.google.com/gke-preemptible": "true",
    "eks.amazonaws.com/capacityType": "SPOT",
    "karpenter.sh/capacity-type": "spot",
}
"""Labels, and taints, of nodes that their cloud may take back at any time."""
CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")


def with_taints(node: Node, taints: tuple[Taint, ...]) -> Node:
    """The node with other taints."""
    return replace(node, taints=taints)


def cures(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Uncordon; tolerate; remove the taint."""
    node = spot.node
    if node.ready is False:
        return  # whatever keeps pods off, it's right to
    if node.unschedulable and any(reason.filter == "NodeUnschedulable" for reason in spot.reasons):
        yield Candidate(
            kind="uncordon",
            target=f"node/{node.name}",
            title=f"Uncordon {node.name}",
            changes=(changes.uncordon(node.name),),
            apply=lambda trial: Trial(trial.snapshot.with_node(uncordoned(node)), trial.pod),
            risk=Risk("medium", "somebody cordoned it for a reason: maintenance, a drain, a fault"),
            rank=30,
            node=node.name,
            cures="NodeUnschedulable",
        )
    taints = tuple(intolerable(case.pod, node, case.scheduler.kubernetes))
    if node.unschedulable:
        taints = tuple(taint for taint in taints if taint.key != CORDON)
    if not taints or any(taint.key.startswith(NOT_FOR_PODS) for taint in taints):
        return
    added = tuple(toleration_of(taint) for taint in taints)
    tolerations = case.pod.tolerations + added
    names = ", ".join(map(str, taints))
    hard = any(taint.effect == "NoExecute" for taint in taints)
    yield Candidate(
        kind="add-toleration",
        target="pod",
        title=f"Tolerate {names} ({node.name})",
        changes=changes.pod_spec(case.owner, case.pod.name, {"tolerations": changes.tolerations_patch(tolerations)}),
        apply=on_pod(lambda pod: replace(pod, tolerations=pod.tolerations + added)),
        risk=Risk("high", "workloads on the control plane can starve it")
        if any(taint.key in CONTROL_PLANE for taint in taints)
        else Risk(
            "medium", f"{node.name} is a spot node: its cloud may take it back at any time, and the pod ends then"
        )
        if is_spot(node)
        else Risk("low", "the pod may then run on every node with this taint"),
        rank=59 if any(taint.key in CONTROL_PLANE for taint in taints) else 10,
        node=node.name,
        cures="TaintToleration",
    )
    left = tuple(taint for taint in node.taints if taint not in taints)
    yield Candidate(
        kind="remove-taint",
        target=f"node/{node.name}",
        title=f"Remove {names} from {node.name}",
        changes=(changes.remove_taints(node.name, taints, left),),
        apply=lambda trial: Trial(trial.snapshot.with_node(without_taints(trial, node.name, taints)), trial.pod),
        risk=Risk(
            "high" if hard else "medium",
            "every pod may then use this node"
            + (
                "; where an operator manages the taint it comes back"
                if not hard
                else ", and the taint was to evict pods"
            ),
        ),
        rank=45,
        node=node.name,
        cures="TaintToleration",
    )


def is_spot(node: Node) -> bool:
    """Whether its labels or taints say so."""
    said = {**node.meta.labels, **{taint.key: taint.value for taint in node.taints}}
    return any(said.get(key) == value for key, value in SPOT.items())


def without_taints(trial: Trial, name: str, taints: tuple[Taint, ...]) -> Node:
    """The node as it is in the trial, less these taints."""
    node = trial.snapshot.nodes[name]
    return with_taints(node, tuple(taint for taint in node.taints if taint not in taints))


def uncordoned(node: Node) -> Node:
    """Schedulable again, and without the taint that a cordon brings."""
    return replace(node, unschedulable=False, taints=tuple(taint for taint in node.taints if taint.key != CORDON))


def toleration_of(taint: Taint) -> Toleration:
    """The narrowest toleration of a taint: GPU taints are tolerated whatever their value, as GPU operators do."""
    if taint.value and not taint.key.endswith("/gpu"):
        return Toleration(taint.key, "Equal", taint.value, taint.effect)
    return Toleration(taint.key, "Exists", "", taint.effect)


def advice(case: Case, spot: Spot) -> Iterator[Advice]:
    """A node that a controller keeps pods off is to be mended or waited for, not tolerated."""
    name = spot.node.name
    if spot.node.ready is False:
        yield Advice(f"{name} isn't ready: mend the node", f"kubectl describe node {shlex.quote(name)}")
    for taint in intolerable(case.pod, spot.node, case.scheduler.kubernetes):
        if taint.key.startswith(NOT_FOR_PODS) and taint.key != CORDON:
            yield Advice(
                f"{name} has the taint {taint.key}: a controller set it; mend the node or wait, a toleration would"
                " start the pod on a node that is sick, not ready, or about to go",
                f"kubectl describe node {shlex.quote(name)}",
            )
