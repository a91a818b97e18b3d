"""What placing a pod on a GPU costs: pods one after the other, each bound and its claim allocated before the next.

CPU time of this process, the making of the loop and the first look at the cluster included; so is the generating of
the claims. All filters are on. Real kube-scheduler 1.36 spent 22 to 40 ms of its own CPU a pod on the first shape.
"""

import gc
import sys
import time
from collections.abc import Iterable
from typing import Final

from aliquot.kube.pod import Pod
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.outcome import Placement
from aliquot.scheduling.placing.placing_loop import Loop
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot
from speed.limits import ROUNDS, Ratio, missed, ratio
from speed.scheduling_cluster import MODELS, cluster, pod

LIMIT_MS: Final = 0.5
"""Of CPU a pod at 1,000 nodes."""
LIMITED: Final = 1_000
LIMIT_RATIO: Final = 3.0
"""A pod at 10,000 nodes against one at 100."""
SIZES: Final = {100: 700, 1_000: 2_000, 10_000: 2_000}
"""Nodes -> pods: 100 nodes have 800 GPUs, of which 640 are for everybody."""


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


def main() -> list[Ratio]:
    """Print milliseconds a pod, and the ratio of the largest cluster to the smallest."""
    ratios: list[Ratio] = []
    for name, make, counted in (("claims", one_kind, False), ("mixed", mixed, True)):
        clusters = {size: cluster(size, counted=counted) for size in SIZES}
        rounds = [{size: placed(clusters[size], make(count)) for size, count in SIZES.items()} for _ in range(ROUNDS)]
        each = {size: [run[size][0] / count * 1000 for run in rounds] for size, count in SIZES.items()}
        for size, count in SIZES.items():
            best = min(each[size])
            limit = f" (limit {LIMIT_MS} ms, for people)" if size == LIMITED else ""
            found = rounds[0][size][1]
            print(f"{name}: {count} pods on {size} nodes: {best:.3f} ms of CPU a pod{limit}, {found} placed")
        sides = list(zip(each[max(SIZES)], each[min(SIZES)], strict=True))
        ratios.append(ratio(f"scheduling: {name}, 10,000 nodes by 100", sides, LIMIT_RATIO))
        print(f"{name}: 10,000 nodes by 100: {ratios[-1]}")
    return ratios


if __name__ == "__main__":
    sys.exit(bool(missed(main())))
