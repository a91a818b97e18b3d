"""One pod's scheduling cycle: what is found out once for the pod (PreFilter), and the filters in their order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from aliquot.allocation.claims.extended import classes_by_resource
from aliquot.allocation.claims.pod_check import Fault, PodCheck, Unschedulable
from aliquot.allocation.claims.pod_claims import NotReady
from aliquot.dra.claim import DeviceClass
from aliquot.kube.node import Resources
from aliquot.kube.pod import HostPort, Pod
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.filters.dynamic_resources import ClaimFilter
from aliquot.scheduling.filters.inter_pod_affinity import Neighbours, neighbours_of
from aliquot.scheduling.filters.node_ports import host_ports
from aliquot.scheduling.filters.pod_topology_spread import Spread, spread_of
from aliquot.scheduling.versions import dynamic_resources
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.load import NodeLoad
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Cycle:
    """What the filters need to know of the pod and of the cluster around the node at hand."""

    pod: Pod
    kubernetes: Kubernetes
    request: Resources
    delegated: frozenset[str]
    ports: tuple[HostPort, ...]
    spread: Spread | None
    neighbours: Neighbours | None
    claims: PodCheck | None
    dynamic: bool
    """The DynamicResources plugin is on, whether or not there's someone to answer for it."""

    def moved(self, load: NodeLoad, pods: Iterable[Pod], change: int) -> "Cycle":
        """With pods more (1) or less (-1) on the node of `load`, as the scheduler's what-ifs change its state."""
        spread, neighbours = self.spread, self.neighbours
        if spread is None and neighbours is None:
            return self
        for pod in pods:
            spread = spread.shifted(load.node, pod, change) if spread else None
            neighbours = neighbours.shifted(load.node, pod, change) if neighbours else None
        return replace(self, spread=spread, neighbours=neighbours)

    def topology_keys(self) -> tuple[str, ...]:
        """The node labels on which spread and inter-pod affinity depend."""
        keys = {constraint.topology_key for constraint in self.spread.constraints} if self.spread else set[str]()
        if self.neighbours:
            keys.update(term.topology_key for term in self.neighbours.affinity)
            keys.update(term.topology_key for term in self.neighbours.anti_affinity)
            keys.update(key for key, _ in self.neighbours.avoiding)
        return tuple(sorted(keys))


@dataclass(frozen=True, slots=True)
class Halt:
    """The cycle ends before any node is looked at."""

    verdict: Unschedulable | NotReady | Fault


def begin(snapshot: Snapshot, pod: Pod, kubernetes: Kubernetes, answers: ClaimFilter | None) -> Cycle | Halt:
    """Find out once what the filters need. `answers`: who answers for claims; None: they aren't looked at."""
    on = uses_dynamic_resources(snapshot, kubernetes)
    claims = answers.prepare(snapshot, pod) if answers is not None and on else None
    if isinstance(claims, Unschedulable | NotReady | Fault):
        return Halt(claims)
    request = effective_request(pod)
    return Cycle(
        pod=pod,
        kubernetes=kubernetes,
        request=request,
        delegated=delegated(snapshot, request, kubernetes),
        ports=host_ports(pod),
        spread=spread_of(snapshot, pod, kubernetes),
        neighbours=neighbours_of(snapshot, pod),
        claims=claims,
        dynamic=on,
    )


def uses_dynamic_resources(snapshot: Snapshot, kubernetes: Kubernetes) -> bool:
    """By default from 1.34; before that the API objects can only be there if the gate is on."""
    return dynamic_resources(kubernetes) or bool(snapshot.classes or snapshot.slices or snapshot.claims)


def delegated(snapshot: Snapshot, request: Resources, kubernetes: Kubernetes) -> frozenset[str]:
    """The asked resources that a device class serves where the node doesn't offer them itself."""
    if not kubernetes.on("DRAExtendedResource"):
        return frozenset()
    served = served_resources(snapshot)
    return frozenset(name for name, asked in request.items() if asked > 0 and name in served)


def served_resources(snapshot: Snapshot) -> Mapping[str, DeviceClass]:
    """Extended resource -> the device class that serves it."""
    return snapshot.recall("classes by resource", lambda there: classes_by_resource(there.classes.values()))
