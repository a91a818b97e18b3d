"""What every source of a cluster can do, whatever it's read from; and what those can that may also be written."""

from collections.abc import Iterator
from typing import Protocol

from aliquot.cluster.objects.protocol import Objects
from aliquot.cluster.reading import Reading


class Cluster(Protocol):
    """A cluster that can be read: files (`FileCluster`), an API server (`KubeCluster`), memory (`MemoryCluster`)."""

    def read(self) -> Reading:
        """Everything that decides placement, now. What can't be read of it is a warning in the Reading.

        Raises:
            UnavailableError: nothing can be read that could be judged.
        """
        ...

    def readings(self) -> Iterator[Reading]:
        """A Reading now and after every change, without end; changes that come together are one.

        Ends only by an exception: KeyboardInterrupt, or when the cluster can't be followed any longer.

        Raises:
            UnavailableError: as `read`; later failures are waited out.
        """
        ...


class WritableCluster(Cluster, Objects, Protocol):
    """A cluster that can also be written, object by object: `KubeCluster` and `MemoryCluster`."""
