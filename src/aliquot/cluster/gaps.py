"""What is missing from a Reading though decisions need it: missing from the input isn't absent from the cluster."""

from aliquot.cluster.problem import Problem
from aliquot.cluster.reading import Reading
from aliquot.snapshot.snapshot import Snapshot

TAKE = "kubectl get {} -A -o yaml > {}.yaml"
"""The line that takes what is missing; its file is given with one more -f."""


def no_nodes(reading: Reading) -> Problem | None:
    """There are no nodes, so that no pod's place can be judged; None where there are some.

    A cluster that was asked and has none is told as that.
    """
    if reading.snapshot.nodes:
        return None
    if reading.asked("Node"):
        return Problem("", "the cluster has no nodes", hint="nothing can be placed until one joins")
    return Problem("", "the input has no nodes", hint=_line("nodes"))


def no_pods(reading: Reading) -> Problem | None:
    """There are no pods at all; None where there are some, or the cluster was asked for them."""
    if reading.snapshot.pods or reading.asked("Pod"):
        return None
    unread = [problem for problem in reading.warnings if not problem.path or "metadata" in problem.path]
    if unread:
        return Problem("", "the input has no pods that could be read", hint="see the warnings")
    return Problem("", "the input has no pods", hint=_line("pods"))


def no_devices(reading: Reading, changed: Snapshot | None = None) -> Problem | None:
    """Pods wait for devices by claims, and no ResourceSlice would publish one, or there's no ResourceClaim by any name.

    Args:
        reading: of the cluster.
        changed: its snapshot with pods that it doesn't hold yet; without it its own.
    """
    snapshot = changed or reading.snapshot
    waiting = [pod for pod in snapshot.pending() if pod.claims]
    named = any(one.claim_name or pod.claim_names.get(one.name) for pod in waiting for one in pod.claims)
    lacks: list[str] = []
    if not snapshot.slices and not reading.asked("ResourceSlice"):
        lacks.append("ResourceSlices")
    if named and not snapshot.claims and not reading.asked("ResourceClaim"):
        lacks.append("ResourceClaims")
    if not waiting or not lacks:
        return None
    others = len(waiting) - 1
    more = f" and {others} more {'pod asks' if others == 1 else 'pods ask'}" if others else " asks"
    return Problem(
        "",
        f"no {' and no '.join(lacks)}, and {waiting[0].key}{more} for devices by claims: "
        "if the cluster has some, what is said below is wrong",
        hint=_line(",".join(lacks).lower()),
    )


def _line(resources: str) -> str:
    take = TAKE.format(resources, resources.partition(",")[0])
    return f"take them with this line, and give the file with one more -f: {take}"
