"""`MemoryCluster`: a cluster in memory that is written object by object and read as a whole."""

import time
from collections.abc import Iterator

import msgspec

from aliquot.cluster.api.kinds import read_for_decisions
from aliquot.cluster.api.store import Store
from aliquot.cluster.memory.objects import MemoryObjects
from aliquot.cluster.reading import Reading

STILL_SECONDS, AT_MOST_SECONDS = 0.05, 1.0
"""Changes come in bursts: one Reading is made when nothing came for so long, or has come for so long."""


class MemoryCluster(MemoryObjects):
    """The writable `Cluster` protocol in memory; see `MemoryObjects` for its arguments."""

    def read(self) -> Reading:
        """Everything that decides placement, now; kinds that aren't kept here count as not served."""
        store = Store("the cluster in memory")
        store.server = self.version
        kinds = {(resource.group, resource.kind): resource for resource in self.resources}
        with self._happened:
            for wanted in read_for_decisions():
                resource = kinds.get((wanted.group, wanted.kind))
                if resource is None:
                    store.missing(wanted, "absent", "")
                else:
                    states, _ = self.states(resource)
                    store.replace(wanted, resource.version, [msgspec.Raw(state.text) for state in states])
        return store.reading()

    def readings(self) -> Iterator[Reading]:
        """A Reading now and after every change, without end."""
        while True:
            with self._happened:
                version, reading = self._version, self.read()
            yield reading
            self._wait_past(version)

    def _wait_past(self, version: int) -> None:
        with self._happened:
            self._happened.wait_for(lambda: self._version != version)
            latest = time.monotonic() + AT_MOST_SECONDS
            while time.monotonic() < latest and self._happened.wait(STILL_SECONDS):
                pass
