"""References of a pod to objects by name."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reference:
    """A ConfigMap or Secret of the pod's own namespace that a volume or a container's environment reads."""

    kind: str
    """`ConfigMap` or `Secret`."""
    name: str
    optional: bool = False
    """The pod starts without it."""


@dataclass(frozen=True, slots=True)
class Disk:
    """A volume that is a cloud or network disk named in the pod itself, by what tells it from others.

    Of these kinds VolumeRestrictions lets one node attach a disk to one pod, or to several that only read.
    """

    kind: str
    """`gcePersistentDisk`, `awsElasticBlockStore`, `iscsi`, `rbd`."""
    identity: tuple[str, ...]
    monitors: frozenset[str] = frozenset()
    """Of rbd: one in common is enough."""
    read_only: bool = False
