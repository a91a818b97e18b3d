"""A rolling update that waits for itself: the new pod needs what the old pod of the same workload holds."""

from collections.abc import Mapping, Sequence

from aliquot.advisor.causes.cause import Cause, listed
from aliquot.advisor.owners import owner_of
from aliquot.kube.pod import Pod
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.snapshot import Snapshot

HASH = "pod-template-hash"


def predecessors(snapshot: Snapshot, pod: Pod, nodes: Sequence[str], wanted: Mapping[str, int]) -> list[Pod]:
    """Bound pods of the same Deployment and an older template that hold what the pod asks for."""
    owner = owner_of(snapshot, pod)
    mine = pod.meta.labels.get(HASH)
    if owner.kind != "Deployment" or mine is None:
        return []
    return [
        other
        for node in nodes
        for other in snapshot.pods_on(node)
        if other.meta.labels.get(HASH) not in (None, mine)
        and owner_of(snapshot, other) == owner
        and not other.terminal
        and (not wanted or any(effective_request(other).get(name) for name in wanted))
    ]


def deadlock(snapshot: Snapshot, pod: Pod, nodes: Sequence[str], wanted: Mapping[str, int]) -> Cause | None:
    """Told where the old pods hold enough that the new one would fit in their place."""
    old = predecessors(snapshot, pod, nodes, wanted)
    if not old:
        return None
    enough = any(
        all(
            snapshot.load(node).free(name)
            + sum(effective_request(one).get(name, 0) for one in old if one.node_name == node)
            >= asked
            for name, asked in wanted.items()
        )
        for node in {one.node_name for one in old}
    )
    if not enough:
        return None
    owner = owner_of(snapshot, pod)
    names = listed([one.key for one in old], 2)
    what = listed(sorted(wanted)) if wanted else "the devices"
    hold = f"its predecessor {names} holds" if len(old) == 1 else f"its predecessors {names} hold"
    holds = f"{hold} the {what} that the new pod needs, and"
    if f"{owner.kind}/{owner.namespace}/{owner.name}" in snapshot.workloads:
        sentence = (
            f"The rollout of {owner.short} waits for itself: {holds} a rolling update whose maxUnavailable comes to 0 "
            "doesn't stop an old pod first."
        )
    else:
        sentence = (
            f"The rollout of {owner.short} probably waits for itself: {holds} a rolling update may not stop an old "
            "pod first (its strategy isn't known: the Deployment isn't in the input)."
        )
    return Cause("rollout", sentence, (owner.short, *[one.key for one in old[:3]]))
