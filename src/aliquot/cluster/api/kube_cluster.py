"""A cluster read from its API server."""

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping

from aliquot.cluster.api.connection import Connection
from aliquot.cluster.api.faults import refused
from aliquot.cluster.api.kinds import Wanted, read_for_decisions
from aliquot.cluster.api.kube_objects import KubeObjects
from aliquot.cluster.api.listing import STATES, pages, served_versions, server_version
from aliquot.cluster.api.store import Store
from aliquot.cluster.api.watching import Change, Follower, Note
from aliquot.cluster.garbage import uncollected
from aliquot.cluster.objects.status import StatusError
from aliquot.cluster.reading import Reading

STILL_SECONDS, AT_MOST_SECONDS = 0.3, 2.0
"""Changes come in bursts: one Reading is made when nothing came for so long, or has come for so long."""


class KubeCluster(KubeObjects):
    """A cluster behind an API server: read as a whole by lists and watches, and read and written object by object.

    Args:
        connection: to it.
        told: hears what is being done, in words for a person; empty: done.
        noted: hears what went wrong with the connection while the cluster is followed.
    """

    def __init__(
        self,
        connection: Connection,
        told: Callable[[str], None] = lambda _: None,
        noted: Callable[[str], None] = lambda _: None,
    ) -> None:
        super().__init__(connection)
        self._told = told
        self._noted = noted
        account = connection.account
        self.name = f"cluster {account.context or account.server.server}"
        """As warnings call it."""

    def read(self) -> Reading:
        """What decides placement, now.

        Raises:
            UnavailableError: the server can't be reached, doesn't know us, or lets us list no nodes or no pods.
        """
        store = Store(self.name)
        self._list_all(store)
        return store.reading()

    def readings(self) -> Iterator[Reading]:
        """A Reading now and after every change, by watches.

        Raises:
            UnavailableError: as `read`, at the beginning.
        """
        store = Store(self.name)
        changes: queue.SimpleQueue[Change | Note] = queue.SimpleQueue()
        ended = threading.Event()
        served, lists = self._list_all(store)
        for wanted, (version, resource_version) in lists.items():
            follower = Follower(self._connection, wanted, version, served, resource_version, changes, ended)
            threading.Thread(target=follower.run, name=f"watch {wanted.resource}", daemon=True).start()
        try:
            while True:
                yield store.reading()
                while not self._apply(changes.get(), store):
                    pass
                self._apply_burst(changes, store)
        finally:
            ended.set()

    def _apply_burst(self, changes: "queue.SimpleQueue[Change | Note]", store: Store) -> None:
        latest = time.monotonic() + AT_MOST_SECONDS
        with contextlib.suppress(queue.Empty):
            while time.monotonic() < latest:
                self._apply(changes.get(timeout=STILL_SECONDS), store)

    def _apply(self, change: Change | Note, store: Store) -> bool:
        """Whether the objects may be others now."""
        if isinstance(change, Note):
            self._noted(change.text)
            return False
        if change.what == "all":
            store.replace(change.wanted, change.version, change.items)
        elif change.what == "changed":
            store.add(change.wanted, change.version, change.items)
        else:
            store.drop(change.wanted, change.items[0])
        return True

    def _list_all(self, store: Store) -> tuple[Mapping[str, tuple[str, ...]] | None, dict[Wanted, tuple[str, str]]]:
        """Fill the store. Returns the versions served, and each kind's (version, resourceVersion)."""
        store.server = server_version(self._connection)
        served = served_versions(self._connection)
        lists: dict[Wanted, tuple[str, str]] = {}
        with uncollected():
            for wanted in read_for_decisions():
                try:
                    lists[wanted] = self._list(wanted, served, store)
                except StatusError as error:
                    if wanted.needed:
                        raise refused(error, self._connection.account, "nodes,pods") from error
                    store.missing(wanted, STATES.get(error.code, "failed"), error.message)
        self._told("")
        return served, lists

    def _list(self, wanted: Wanted, served: Mapping[str, tuple[str, ...]] | None, store: Store) -> tuple[str, str]:
        count = 0
        at = ("", "")
        for page in pages(self._connection, wanted, served):
            if page.first:
                count = 0
                store.replace(wanted, page.version, ())
            store.add(wanted, page.version, page.items)
            at = page.version, page.resource_version
            count += len(page.items)
            self._told(f"reading {self.name}: {count:,} {wanted.plural} ...")
        return at
