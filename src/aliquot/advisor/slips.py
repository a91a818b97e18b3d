"""Amounts of CPU and memory that can hardly be meant: a unit that's missing, or the wrong one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from aliquot.advisor.amounts import show
from aliquot.kube.pod import Container, Pod
from aliquot.snapshot.snapshot import Snapshot

MOST_CORES = 200
"""From here on a number of cores that no node has is taken for millicores."""
TOO_LARGE, HUGE = 16, 4 << 40
"""So many times the memory of the largest node, and so many bytes: the next smaller unit is meant."""
LEAST_BYTES = 1 << 20
"""No container runs in less memory."""
SIZES = ("memory", "ephemeral-storage")


@dataclass(frozen=True, slots=True)
class Slip:
    """A container's request, and what was probably meant."""

    container: str
    resource: str
    asked: int
    """In the scheduler's units."""
    meant: int
    """Zero: it's too little, and how much was meant can't be told."""
    sentence: str

    @property
    def too_large(self) -> bool:
        """No node has so much."""
        return self.meant > 0


def slips(snapshot: Snapshot, pod: Pod) -> Iterator[Slip]:
    """Of all its containers."""
    most = largest(snapshot)
    for container in (*pod.containers, *pod.init_containers):
        yield from _of(container, most)


def largest(snapshot: Snapshot) -> Mapping[str, int]:
    """The most of each resource that any node has."""
    return snapshot.root.recall("largest amounts", _largest)


def _of(container: Container, most_of: Mapping[str, int]) -> Iterator[Slip]:
    who, cpu = f"Container {container.name}", container.requests.get("cpu", 0)
    if cpu >= MOST_CORES * 1000 and cpu % 1000 == 0 and cpu // 1000 <= most_of.get("cpu", 0) < cpu:
        meant = f"{cpu // 1000}m{f', which is {cpu // 10**6},' if cpu % 10**6 == 0 else ''}"
        words = f"{who} asks for {cpu // 1000} whole cores of cpu: {meant} is probably meant."
        yield Slip(container.name, "cpu", cpu, cpu // 1000, words)
    for name in SIZES:
        asked, most = container.requests.get(name, 0), most_of.get(name, 0)
        if 0 < asked < LEAST_BYTES and name == "memory":
            yield Slip(container.name, name, asked, 0, f"{who} asks for {_tiny(asked)}.")
        elif most and asked > max(TOO_LARGE * most, HUGE) and (less := asked >> 10) <= most and asked % (1 << 10) == 0:
            words = f"{who} asks for {show(name, asked)} of {name}: {_written(name, less)} is probably meant."
            yield Slip(container.name, name, asked, less, words)


def _tiny(asked: int) -> str:
    """Too little for any process."""
    if asked == 1:
        return "a byte of memory at most (m means thousandths, so 512m is half a byte): Mi is probably meant"
    amount = f"{show('memory', asked)}{' bytes' if asked % 1024 else ''}"
    return f"only {amount} of memory: a unit is probably missing or wrong (Mi, Gi)"


def _written(name: str, amount: int) -> str:
    """In the unit that the slip was made in: `64000Mi`, which is 62.5Gi."""
    return f"{amount >> 20}Mi" if amount % (1 << 20) == 0 else show(name, amount)


def _largest(snapshot: Snapshot) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for name, amount in chain.from_iterable(node.allocatable.items() for node in snapshot.nodes.values()):
        found[name] = max(found.get(name, 0), amount)
    return found
