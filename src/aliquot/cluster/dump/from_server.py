"""A dump of what an API server has."""

import tempfile
from collections.abc import Callable, Iterator, Mapping

import msgspec

from aliquot.cluster.anonymous.objects import FIRST
from aliquot.cluster.api.connection import Connection
from aliquot.cluster.api.faults import refused
from aliquot.cluster.api.kinds import Wanted, read_for_a_dump
from aliquot.cluster.api.listing import STATES, pages, served_versions, server_version
from aliquot.cluster.dump.prune import pruned
from aliquot.cluster.dump.sources import Change
from aliquot.cluster.header import Header
from aliquot.cluster.listed import Listed
from aliquot.cluster.objects.status import StatusError
from aliquot.cluster.problem import Problem

IN_MEMORY_BYTES = 2**26
"""Up to here a kind's objects wait in memory until their list is complete; more wait in a file without a name."""


class ServerSource:
    """Every kind that decisions read and that explains something, as far as it's served and may be listed.

    Args:
        connection: to the server.
        told: hears what is being done, in words for a person; empty: done.
    """

    def __init__(self, connection: Connection, told: Callable[[str], None] = lambda _: None) -> None:
        self._connection = connection
        self._told = told
        self._server = ""
        self._listed: list[Listed] = []
        self.warnings: list[Problem] = []

    def lines(self, change: Change) -> Iterator[bytes]:
        """Every object as it's changed, as JSON without line breaks.

        Raises:
            UnavailableError: the server can't be reached, doesn't know us, or lets us list no nodes or no pods.
        """
        self._server = server_version(self._connection)
        served = served_versions(self._connection)
        for wanted in sorted(read_for_a_dump(), key=lambda one: one.kind not in FIRST):
            try:
                yield from self._kind(wanted, served, change)
            except StatusError as error:
                self._missing(wanted, error)
        self._told("")

    def header(self) -> Header:
        """The server's version, and what became of each kind."""
        return Header(self._server, tuple(self._listed))

    def _kind(self, wanted: Wanted, served: Mapping[str, tuple[str, ...]] | None, change: Change) -> Iterator[bytes]:
        """The kind's objects, once their list is complete: it may expire, and begin again."""
        version, count = "", 0
        with tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES) as spool:
            for page in pages(self._connection, wanted, served):
                if page.first:
                    count = 0
                    spool.seek(0)
                    spool.truncate()
                version = page.version
                says = {"apiVersion": wanted.api_version(version), "kind": wanted.kind}
                for item in page.items:
                    made = change(pruned({**says, **msgspec.json.decode(item), **says}))
                    if made is not None:
                        spool.write(msgspec.json.encode(made) + b"\n")
                count += len(page.items)
                self._told(f"{count:,} {wanted.plural} ...")
            spool.seek(0)
            for line in spool:
                yield line.rstrip(b"\n")
        self._listed.append(Listed(kind=wanted.kind, resource=wanted.resource, version=version, count=count))

    def _missing(self, wanted: Wanted, error: StatusError) -> None:
        if wanted.needed:
            raise refused(error, self._connection.account, "nodes,pods") from error
        state = STATES.get(error.code, "failed")
        self._listed.append(Listed(kind=wanted.kind, resource=wanted.resource, state=state))
        if state != "absent":
            self.warnings.append(Problem("", f"{wanted.resource} can't be listed: {error.message}"))
