"""Counts of a node that can't all be true: whole GPUs beside MIG instances that fill them."""

import re
from math import ceil

from aliquot.advisor.gpus import GPU, MIG_PREFIX
from aliquot.kube.node import Node

COMPUTE_SLICES = 7
"""Of every GPU with MIG but A30, which has four."""
PROFILE = re.compile(r"mig-(\d+)g\.")


def impossible(node: Node) -> str:
    """What doesn't add up; empty: nothing, or the node doesn't say how many GPUs it has."""
    count = node.meta.labels.get("nvidia.com/gpu.count", "")
    whole = node.allocatable.get(GPU, 0)
    instances = {name: n for name, n in node.allocatable.items() if n and name.startswith(MIG_PREFIX)}
    slices = sum(n * int(found[1]) for name, n in instances.items() if (found := PROFILE.search(name)) is not None)
    gpus = int(count) if count.isdecimal() else 0
    if not (gpus and whole and slices) or "A30" in node.meta.labels.get("nvidia.com/gpu.product", ""):
        return ""
    cut = ceil(slices / COMPUTE_SLICES)
    if whole + cut <= gpus:
        return ""
    told = " and ".join(f"{n} {name.removeprefix('nvidia.com/')}" for name, n in sorted(instances.items()))
    return (
        f"{node.name} offers {whole} {GPU} beside {told}, which fill {cut} of its {gpus} GPUs:"
        " the counts can't all be true,"
        " and a pod placed there may fail to start (restart the device plugin)"
    )
