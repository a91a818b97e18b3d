"""What a generator knows of a pod that it made wait."""

from dataclasses import dataclass

from scenarios.drivers import Json


@dataclass(frozen=True, slots=True)
class Remedy:
    """A way out that an expert would call right: its kind, and a word of the object that it's about."""

    kind: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Injected:
    """One pod and the one cause for which it waits."""

    pod: str
    """`namespace/name`; of a workload whose pod was never made `namespace/workload`."""
    kind: str
    causes: tuple[str, ...]
    """Kinds of cause that tell the truth."""
    names: tuple[tuple[str, ...], ...]
    """Of each inner tuple one word (any case) must be in the sentence that tells the cause."""
    remedies: tuple[Remedy, ...]
    """One of them must be among the first three ways out; none: there's nothing to be done."""
    verdict: str = "pending"


@dataclass(frozen=True, slots=True)
class Mixed:
    """A cluster and what is wrong in it."""

    seed: int
    objects: tuple[Json, ...]
    injected: tuple[Injected, ...]


def right(*kinds: str, about: str = "") -> tuple[Remedy, ...]:
    """Ways out of these kinds, all about one object."""
    return tuple(Remedy(kind, about) for kind in kinds)
