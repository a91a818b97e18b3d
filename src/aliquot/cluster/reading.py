"""What was read from a cluster, whatever its source."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from aliquot.cluster.items import Noun
from aliquot.cluster.listed import Listed
from aliquot.cluster.problem import Problem
from aliquot.kube.workload import Event, Workload
from aliquot.snapshot.snapshot import Snapshot

NAMED_BY_PODS = ("DeviceClass", "ResourceClaim", "ResourceClaimTemplate")
"""Kinds without which a pod's devices can't be judged: a cluster that was asked and has none is known to have none."""


@dataclass(frozen=True)
class Reading:
    """What a cluster held."""

    objects: tuple[Noun, ...]
    """In the order of the input; of two with the same kind, namespace and name the later one, in the earlier place."""
    warnings: tuple[Problem, ...] = ()
    """Everything that couldn't be read, in the order of the input. With no objects these are the reasons."""
    skipped: Mapping[str, int] = field(default_factory=dict[str, int])
    """Objects of kinds that no decision needs: kind -> how many."""
    listed: tuple[Listed, ...] = ()
    """Which kinds were asked for; empty where that isn't known (a dump that kubectl wrote)."""
    server: str = ""
    """The API server's version (`v1.36.2`), where it's known."""

    @cached_property
    def snapshot(self) -> Snapshot:
        """The objects as a Snapshot: by name, so that no answer depends on the order of files and objects.

        The API server lists by name, too.
        """
        kinds: dict[type, list[Noun]] = {}
        for noun in self.objects:
            kinds.setdefault(type(noun), []).append(noun)
        unread: dict[str, tuple[str, ...]] = {}
        for one in self.warnings:
            if one.lost:
                unread[one.lost] = (*unread.get(one.lost, ()), f"{one.place}{one.message}")
        nouns = (one for several in kinds.values() for one in sorted(several, key=_place))
        return Snapshot.of(nouns, filter(self.asked, NAMED_BY_PODS), unread)

    def asked(self, kind: str) -> bool:
        """Whether all objects of this kind are here: the cluster was asked for them, and gave them or had none."""
        return any(entry.kind == kind and entry.state in {"listed", "absent"} for entry in self.listed)


def _place(noun: Noun) -> str:
    """Among its kind: events by time, the others by name."""
    return f"{noun.last_seen or ''} {noun.meta.key}" if type(noun) is Event else noun.meta.key


def key_of(noun: Noun) -> tuple[str, str]:
    """Two objects with the same key are the same object."""
    kind = noun.kind if isinstance(noun, Workload) else type(noun).__name__
    return kind, noun.meta.key


def keep(
    read: Iterable[Noun | Problem], source: str, kept: dict[tuple[str, str], Noun], warnings: list[Problem]
) -> None:
    """Add what one source held: objects to `kept`, problems to `warnings`; objects described twice are told."""
    differing: list[str] = []
    for thing in read:
        if isinstance(thing, Problem):
            warnings.append(thing)
            continue
        key = key_of(thing)
        earlier = kept.get(key)
        if earlier is not None and earlier != thing:
            differing.append(f"{key[0]} {key[1]}")
        kept[key] = thing
    if differing:
        more = f" and {len(differing) - 3} more" if len(differing) > 3 else ""
        warnings.append(
            Problem(
                source,
                f"{', '.join(differing[:3])}{more}: described before, differently; the later counts",
                hint="give one dump, taken at one time",
            )
        )
