"""May we start here? A refusal names who is in the way and by what that's known. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from aliquot.node.claims.refusal import Refusal, later
from aliquot.node.neighbours.components import Component, Pod, nvidias
from aliquot.node.neighbours.found import DOMAIN_DRIVER, GPU_DRIVER, InCluster, OnMachine, Socket, Voice
from aliquot.node.neighbours.slices import foreign

NEVER_BOTH: Final = (Component.DEVICE_PLUGIN, Component.DRA_DRIVER)
"""Each offers every GPU of the node."""
OURS: Final = frozenset({"aliquot", "aliquot-node"})
"""Our field managers."""
_PROCESSES: Final = {
    "nvidia-device-p": Component.DEVICE_PLUGIN,
    "gpu-kubelet-plu": Component.DRA_DRIVER,
    "compute-domain-": Component.DOMAINS,
    "dcgm-exporter": Component.DCGM_EXPORTER,
    "nvidia-mig-mana": Component.MIG_MANAGER,
}
"""As the kernel has names: 15 characters."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Somebody who has to do with this node's GPUs."""

    component: Component
    evidence: tuple[str, ...]
    pods: tuple[Pod, ...] = ()

    def __str__(self) -> str:
        return f"{self.component}: {'; '.join(self.evidence)}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Who is here, and whether we may start."""

    refusal: Refusal | None
    """Why not; None: go on."""
    in_the_way: tuple[Neighbour, ...] = ()
    beside: tuple[Neighbour, ...] = ()
    """Those that may stay."""
    unknown: tuple[str, ...] = ()
    """What couldn't be found out."""
    leftovers: tuple[str, ...] = ()
    """What is left of those that have gone: in nobody's way."""

    def has(self, component: Component) -> bool:
        """Whether it's here, for all that could be seen."""
        return any(one.component is component for one in (*self.in_the_way, *self.beside))


def judge(machine: OnMachine, cluster: InCluster | None = None, ours: frozenset[str] = OURS) -> Verdict:
    """Who is here beside us, and whether one of them offers the GPUs that we'd offer.

    Args:
        machine: what was found on it.
        cluster: what the API server says; None: it wasn't asked.
        ours: our field managers.
    """
    pods = nvidias(cluster.pods, cluster.node) if cluster is not None and cluster.pods is not None else None
    known = {component: tuple(_evidence(component, machine, pods or ())) for component in Component}
    unknown, leftovers = [*machine.troubles, *_unknown(machine)], list(_dead(machine))
    _slices(cluster, pods, ours, known, leftovers)
    found = tuple(
        Neighbour(component, evidence, tuple(pod for pod in pods or () if pod.component is component))
        for component, evidence in known.items()
        if evidence
    )
    in_the_way = tuple(one for one in found if one.component in NEVER_BOTH)
    return Verdict(
        _refusal(in_the_way),
        in_the_way,
        tuple(one for one in found if one not in in_the_way),
        tuple(unknown),
        tuple(leftovers),
    )


def _refusal(in_the_way: Sequence[Neighbour]) -> Refusal | None:
    if not in_the_way:
        return None
    told = "; ".join(map(str, in_the_way))
    return later(
        f"another one offers this node's GPUs, and none may be offered twice: {told}",
        "take it off this node first; aliquot node doctor has the steps",
    )


def _evidence(component: Component, machine: OnMachine, pods: Iterable[Pod]) -> Iterator[str]:
    if component is Component.DEVICE_PLUGIN:
        yield from (f"it listens at {one.path}" for one in machine.device_plugins if one.voice is Voice.LIVE)
    driver = {Component.DRA_DRIVER: GPU_DRIVER, Component.DOMAINS: DOMAIN_DRIVER}.get(component)
    if driver is not None:
        yield from _at_sockets(driver, machine)
    yield from (f"{pod} is on this node" for pod in pods if pod.component is component)
    names = (name for name, its in _PROCESSES.items() if its is component)
    yield from (f"a process {name} runs" for name in names if name in machine.processes)


def _at_sockets(driver: str, machine: OnMachine) -> Iterator[str]:
    """Sockets where somebody answers who isn't ours; who doesn't answer to us counts as somebody else."""
    ends = {one.endpoint for one in machine.registered if one.driver == driver and one.socket.ours}
    for one in machine.registered:
        if one.driver == driver and one.socket.voice is Voice.LIVE and not one.socket.ours:
            yield f"it serves the driver {driver} at {one.socket.path}"
    for socket in machine.drivers.get(driver, ()):
        if socket.voice is Voice.LIVE and not socket.ours and socket.path not in ends:
            yield f"it listens at {socket.path}"


def _sockets(machine: OnMachine) -> Iterator[Socket]:
    yield from machine.device_plugins
    yield from (one.socket for one in machine.registered)
    for sockets in machine.drivers.values():
        yield from sockets


def _unknown(machine: OnMachine) -> Iterator[str]:
    for one in _sockets(machine):
        if one.voice is Voice.UNKNOWN:
            yield f"whether somebody listens at {one.path} can't be told: {one.why}"


def _dead(machine: OnMachine) -> Iterator[str]:
    for one in _sockets(machine):
        if one.voice is Voice.SILENT:
            yield f"nobody listens at {one.path}"


def _slices(
    cluster: InCluster | None,
    pods: tuple[Pod, ...] | None,
    ours: frozenset[str],
    known: dict[Component, tuple[str, ...]],
    leftovers: list[str],
) -> None:
    """Slices of the same driver and node: their writer's, or left behind where it's known that it has gone."""
    if cluster is None or cluster.slices is None:
        return
    for driver, component in ((GPU_DRIVER, Component.DRA_DRIVER), (DOMAIN_DRIVER, Component.DOMAINS)):
        found = foreign(cluster.slices, driver, cluster.node, ours)
        if not found:
            continue
        slices = ", ".join(map(str, found))
        if pods is not None and not known[component]:
            leftovers.append(f"ResourceSlices of {driver} whose driver isn't on this node any more: {slices}")
        else:
            known[component] = (*known[component], f"it has published {slices} for {driver}")
