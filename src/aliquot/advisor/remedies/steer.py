"""A way past a CEL error that other nodes' devices cause: keep the pod off them by a node selector."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from aliquot.advisor import changes
from aliquot.advisor.case import Case, on_pod
from aliquot.advisor.wayout import Candidate, Risk
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod

PREFERRED = ("nvidia.com/gpu.product", "nvidia.com/gpu.family", "node.kubernetes.io/instance-type")
"""Labels that say which kind of GPU a node has: better to select by than a host's name."""
NODES_TRIED = 16


def cures(case: Case) -> Iterator[Candidate]:
    """Only where the scheduler gives up for an error, and some node by itself would do."""
    if not case.error:
        return
    nodes = list(case.snapshot.nodes.values())
    good = case.scheduler.possible(case.snapshot, case.pod, [node.name for node in nodes[:NODES_TRIED]])
    if good is None:
        return
    chosen = case.snapshot.nodes[good[0]]
    for key in _labels(chosen):
        value = chosen.meta.labels[key]
        alike = [node.name for node in nodes if node.name != chosen.name and node.meta.labels.get(key) == value]
        if any(case.scheduler.possible(case.snapshot, case.pod, [name]) is None for name in alike[:NODES_TRIED]):
            continue
        selector = {**case.pod.node_selector, key: value}
        yield Candidate(
            kind="fix-selector",
            target="pod",
            title=f"Select nodes by {key}={value}: the scheduler then doesn't look at devices that make the CEL fail",
            changes=changes.pod_spec(case.owner, case.pod.name, {"nodeSelector": {key: value}}),
            apply=on_pod(partial(_selecting, selector)),
            risk=Risk("low", "the pod runs only on such nodes"),
            rank=12,
            node=chosen.name,
            cures="DynamicResources",
            anywhere=True,
        )
        return


def _selecting(selector: Mapping[str, str], pod: Pod) -> Pod:
    return replace(pod, node_selector=selector)


def _labels(node: Node) -> list[str]:
    """The node's labels, those that say most about its devices first, its host name last."""
    labels = node.meta.labels
    first = [key for key in PREFERRED if key in labels]
    rest = sorted(key for key in labels if key not in first and not key.startswith("kubernetes.io/"))
    return [*first, *rest, *(["kubernetes.io/hostname"] if "kubernetes.io/hostname" in labels else [])]
