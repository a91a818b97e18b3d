"""What placing a pod on a GPU costs: pods one after the other, each bound and its claim allocated before the next.

CPU time of this process, the making of the loop and the first look at the cluster included; so is the generating of
the claims. All filters are on. Real kube-scheduler 1.36 spent 22 to 40 ms of its own CPU a pod on the first shape.
"""

import gc
import time
from collections.abc import Iterable
from typing import Final

from aliquot.kube.pod import Pod
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.outcome import Placement
from aliquot.scheduling.placing.placing_loop import Loop
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot
from speed.scheduling_cluster import MODELS, cluster, pod

ROUNDS: Final = 3
"""The best counts."""
LIMIT_MS: Final = 0.5
"""Of CPU a pod at 1,000 nodes."""
LIMIT_RATIO: Final = 3.0
"""A pod at 10,000 nodes against one at 100."""
SIZES: Final = ((100, 700), (1_000, 2_000), (10_000, 2_000))
"""(nodes, pods): 100 nodes have 800 GPUs, of which 640 are for everybody."""


def one_kind(count: int) -> list[Pod]:
    """All ask for one GPU by a claim; half of them may use a team's nodes."""
    return [pod(n, claim=True, team=n % 2 == 0) for n in range(count)]


def mixed(count: int) -> list[Pod]:
    """Half by a claim, half counted; several sizes, some for one model, some for a team's nodes."""
    return [
        pod(
            n,
            claim=n % 2 == 0,
            cores=(2, 4, 8)[n % 3],
            product=MODELS[n // 5 % 2][0] if n % 5 == 0 else "",
            team=n % 7 != 0,
        )
        for n in range(count)
    ]


def placed(snapshot: Snapshot, pods: Iterable[Pod]) -> tuple[float, int]:
    """(CPU seconds, pods that found a place)."""
    gc.collect()
    before = time.process_time()
    loop = Loop(snapshot, Scheduler.of(Kubernetes(36), exact_decides=True))
    found = sum(isinstance(loop.place(one), Placement) for one in pods)
    return time.process_time() - before, found


def main() -> None:
    """Print milliseconds a pod, and the ratio."""
    for name, make, counted in (("claims", one_kind, False), ("mixed", mixed, True)):
        each: dict[int, float] = {}
        for size, count in SIZES:
            snapshot = cluster(size, counted=counted)
            pods = make(count)
            seconds, found = min(placed(snapshot, pods) for _ in range(ROUNDS))
            each[size] = seconds / count * 1000
            print(f"{name}: {count} pods on {size} nodes: {each[size]:.3f} ms of CPU a pod, {found} placed")
        print(f"{name}: at 1,000 nodes {each[1_000]:.3f} ms (limit {LIMIT_MS})")
        print(f"{name}: 10,000 nodes against 100: {each[10_000] / each[100]:.2f} (limit {LIMIT_RATIO})")


if __name__ == "__main__":
    main()
