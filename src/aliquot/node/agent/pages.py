"""/metrics, /healthz and /readyz of the agent, and its work counted."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path

from aliquot import __version__
from aliquot.devices.hosts.protocol import Host
from aliquot.dra.device import DeviceId
from aliquot.node.agent.watched import Watched
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.refusal import Refusal
from aliquot.node.config.values import NodeConfig
from aliquot.node.metrics.app import pages
from aliquot.node.metrics.collector import DeviceCollector, Options, PodResources
from aliquot.node.metrics.own import Own, registry
from aliquot.node.metrics.server import PagesServer
from aliquot.node.preparing.answers import Prepared
from aliquot.node.preparing.preparer import Preparer


class Pages:
    """What the agent tells of itself and of its devices.

    Args:
        node: the node's name.
        config: where it's told, and by which names.
        host: whose activity is asked.
        watched: how the GPUs are.
        preparers: by driver.
    """

    def __init__(
        self, node: str, config: NodeConfig, host: Host, watched: Watched, preparers: Mapping[str, Preparer]
    ) -> None:
        self._registry = registry()
        self._address = config.metrics_address
        self._preparers = preparers
        self.own = Own(self._registry, __version__)
        for driver, preparer in preparers.items():
            self.own.prepared.labels(driver).set_function(partial(_count, preparer))
        self._registry.register(
            DeviceCollector(
                Options(node=node, dcgm=config.dcgm_names),
                lambda: watched.watch.picture.survey,
                host.activity,
                PodResources(Path(config.kubelet_root) / "pod-resources" / "kubelet.sock"),
                uuids=self._uuids,
                healthy=lambda: {uuid: one.healthy for uuid, one in watched.watch.picture.told.items()},
            )
        )

    def served(
        self, alive: Callable[[], Sequence[str]], ready: Callable[[], Sequence[str]]
    ) -> AbstractContextManager[object]:
        """The server, to be used with `with`; nothing where there's no address.

        Raises:
            OSError: the address is taken.
        """
        if not self._address:
            return nullcontext()
        host, _, port = self._address.rpartition(":")
        return PagesServer(pages(self._registry, alive, ready), host.strip("[]"), int(port))

    def prepared(self, found: Prepared | Refusal, seconds: float) -> None:
        """A claim was prepared, or refused."""
        refused = isinstance(found, Refusal)
        self.own.prepare_seconds.labels("refused" if refused else "prepared").observe(seconds)
        if refused:
            self.own.errors.labels("prepare").inc()

    def unprepared(self, found: Refusal | None, seconds: float) -> None:
        """A claim was let go, or not."""
        self.own.unprepare_seconds.labels("unprepared" if found is None else "refused").observe(seconds)
        if found is not None:
            self.own.errors.labels("unprepare").inc()

    def _uuids(self) -> Mapping[DeviceId, str]:
        """Of MIG instances that were made for claims."""
        return {
            device.device: device.instance
            for preparer in self._preparers.values()
            for entry in preparer.entries()
            for device in entry.devices
            if device.instance is not None
        }


def _count(preparer: Preparer) -> float:
    return float(len(preparer.held()))


class Timed:
    """A preparer whose calls are timed, counted and told."""

    def __init__(self, preparer: Preparer, pages: Pages, tell: Callable[[ClaimRef, object, float], None]) -> None:
        self._preparer, self._pages, self._tell = preparer, pages, tell

    def prepare(self, claim: ClaimRef) -> Prepared | Refusal:
        """See `Preparer`."""
        begun = time.monotonic()
        found = self._preparer.prepare(claim)
        took = time.monotonic() - begun
        self._pages.prepared(found, took)
        self._tell(claim, found, took)
        return found

    def unprepare(self, claim: ClaimRef) -> Refusal | None:
        """See `Preparer`."""
        begun = time.monotonic()
        found = self._preparer.unprepare(claim)
        took = time.monotonic() - begun
        self._pages.unprepared(found, took)
        self._tell(claim, found, took)
        return found
