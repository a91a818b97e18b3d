"""Ways past taken GPUs by dividing them: replicas by time-slicing or MPS, MIG instances."""

from collections.abc import Iterator
from dataclasses import replace

from aliquot.advisor import changes
from aliquot.advisor.case import Case, Shortage, Spot
from aliquot.advisor.causes.holders import held_by, who
from aliquot.advisor.gpus import (
    GPU,
    MIG_PREFIX,
    PRODUCT,
    REPLICAS,
    SHARING,
    TITLES,
    NodeGpus,
    Partition,
    gpus_of,
    isolation,
    partition,
)
from aliquot.advisor.wayout import Advice, Candidate, Risk, Trial
from aliquot.kube.node import Node
from aliquot.sharing.configs import MIG_CONFIG_LABEL, PLUGIN_CONFIG_LABEL, device_plugin_config
from aliquot.sharing.mps import mps_share
from aliquot.sharing.replicas import replica_problems
from aliquot.sharing.strategies import Strategy

MOST_REPLICAS = 8
"""More shares than this of one GPU leave none of them enough; a person may of course choose otherwise."""


def cures(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Replicas for whole GPUs that are short; MIG for instances that are short."""
    for name, short in spot.short_of().items():
        if name == GPU:
            if not _refused_later(case, spot):
                yield from _replicas(spot, short)
        elif name.startswith(MIG_PREFIX):
            yield from _mig(case, spot, short)


def _replicas(spot: Spot, short: Shortage) -> Iterator[Candidate]:
    """One GPU asked for, all taken: the same GPUs in more shares.

    A second share of a GPU is no more compute, so a pod that asks for several GPUs isn't helped.
    """
    gpus = gpus_of(spot.node)
    if short.asked != 1 or short.total == 0 or gpus is None or gpus.label.mig_profile is not None:
        return
    physical = short.total // gpus.replicas
    used = short.total - short.free
    needed = -(-(used + short.asked) // physical) if physical else 0
    replicas = max(2, gpus.replicas + 1, needed)
    if not physical or replicas > MOST_REPLICAS:
        return
    yield _shared(spot, gpus, physical, replicas, Strategy.TIME_SLICING)
    if gpus.model is not None and gpus.memory_mib and not replica_problems(Strategy.MPS, replicas, gpus.model):
        yield _shared(spot, gpus, physical, replicas, Strategy.MPS)


def _refused_later(case: Case, spot: Spot) -> bool:
    """A holder of several GPUs would be refused at its next start (failRequestsGreaterThanOne)."""
    return any(amount > 1 for _, amount in case.snapshot.holders(spot.node.name, GPU))


def _shared(spot: Spot, gpus: NodeGpus, physical: int, replicas: int, strategy: Strategy) -> Candidate:
    name = spot.node.name
    config = device_plugin_config(strategy, replicas)
    label = f"{strategy.value}-{replicas}"
    if strategy is Strategy.MPS and gpus.memory_mib is not None:
        share = mps_share(gpus.memory_mib, replicas)
        each = f", each limited to {share.memory_mib} MiB and {share.active_thread_percent} % of the compute units"
        risk = Risk("high", "a fatal fault of one process ends all that share the GPU; what runs there restarts first")
    else:
        each = f", all in the same {gpus.memory_words}" if gpus.memory_mib is not None else ""
        risk = Risk("high", "one pod can use up the memory that the others count on; each slows the others")

    def apply(trial: Trial) -> Trial:
        return Trial(
            trial.snapshot.with_node(shared_node(trial.snapshot.nodes[name], physical, replicas, strategy)), trial.pod
        )

    return Candidate(
        kind="share",
        target=f"node/{name}",
        title=f"Share each GPU of {name} {replicas}-fold by {TITLES[strategy]}{each}",
        changes=(
            changes.plugin_config(label, config),
            changes.label_node(name, {PLUGIN_CONFIG_LABEL: label}, spot.node.meta.labels),
        ),
        apply=apply,
        risk=risk,
        rank=38 if strategy is Strategy.TIME_SLICING else 39,
        node=name,
        isolates=isolation(strategy),
        cures=GPU,
    )


def shared_node(node: Node, physical: int, replicas: int, strategy: Strategy) -> Node:
    """As the device plugin and GPU feature discovery then describe it: a selector by product may no longer match."""
    labels = {**node.meta.labels, REPLICAS: str(replicas), SHARING: strategy.value}
    if product := labels.get(PRODUCT):
        labels[PRODUCT] = product.removesuffix("-SHARED") + "-SHARED"
    amounts = {**node.allocatable, GPU: physical * replicas}
    return replace(
        node,
        meta=replace(node.meta, labels=labels),
        allocatable=amounts,
        capacity={**node.capacity, GPU: physical * replicas},
    )


def _mig(case: Case, spot: Spot, short: Shortage) -> Iterator[Candidate]:
    """Cut GPUs that nobody holds: a GPU in use can't be cut anew."""
    node = spot.node
    found = partition(node, short.resource)
    if found is None or held(case, node.name):
        return
    name = node.name

    def apply(trial: Trial) -> Trial:
        cut = partition(trial.snapshot.nodes[name], short.resource)
        return trial if cut is None else Trial(trial.snapshot.with_node(cut.node), trial.pod)

    labels = {MIG_CONFIG_LABEL: found.layout.name}
    yield Candidate(
        kind="partition",
        target=f"node/{name}",
        title=f"Cut the {found.gpus} idle GPUs of {name} by MIG into {found.per_gpu} x {short.resource} each",
        changes=(changes.mig_strategy(), changes.label_node(name, labels, node.meta.labels)),
        apply=apply,
        risk=Risk(
            "medium", f"{name} then offers no whole {GPU}; the MIG manager must run there, and the plugin restarts"
        ),
        rank=33,
        node=name,
        isolates=isolation(Strategy.MIG),
        cures=short.resource,
    )


def held(case: Case, node: str) -> bool:
    """Somebody holds a GPU, or a part of one, of this node."""
    requested = case.snapshot.load(node).requested
    return any(
        amount and (name == GPU or name.startswith((MIG_PREFIX, GPU + "."))) for name, amount in requested.items()
    )


def advice(case: Case, spot: Spot) -> Iterator[Advice]:
    """MIG where GPUs are held: possible once they're free, GPU by GPU."""
    for name, short in spot.short_of().items():
        found = partition(spot.node, name) if name.startswith(MIG_PREFIX) else None
        if found is not None and held(case, spot.node.name):
            yield Advice(f"{spot.node.name} could be cut into {short.resource} too{_first(case, spot, found)}")


def _first(case: Case, spot: Spot, found: Partition) -> str:
    """What must go before GPUs can be cut, by what is held there."""
    node, requested = spot.node.name, case.snapshot.load(spot.node.name).requested
    parts = [name for name, amount in requested.items() if amount and name.startswith((MIG_PREFIX, GPU + "."))]
    holders = who([one for name in (GPU, *parts) for one in held_by(case.snapshot, [node], name)])
    if parts:
        return (
            f", but parts of its GPUs are held by {holders}, and a GPU can be cut anew only while no part of it is held"
        )
    idle = found.gpus - requested.get(GPU, 0)
    its = "its only GPU is" if found.gpus == 1 else f"all its {found.gpus} GPUs are"
    if idle <= 0:
        return f", but {its} held by {holders}, which must go first"
    verb, them = ("is", "that one") if idle == 1 else ("are", "those")
    return (
        f": {idle} of its {found.gpus} GPUs {verb} held by nobody, the rest by {holders}: cut only {them}, with a "
        "mig-parted configuration by device index (nvidia-smi there tells which), or drain the node first"
    )
