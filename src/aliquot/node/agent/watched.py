"""How the node's GPUs are: watched, remembered over restarts, and told to whoever has to know."""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from aliquot.devices.hosts.protocol import Host
from aliquot.dra.slices.pool import Pool
from aliquot.node.config.values import NodeConfig
from aliquot.node.health import moments
from aliquot.node.health.picture import Picture
from aliquot.node.health.policy import Effect, Policy
from aliquot.node.health.telling import Verdict, statuses
from aliquot.node.health.watch import Watch
from aliquot.node.keeping.disk import Disk
from aliquot.node.serving.health_board import Health, Key
from aliquot.sharing.publish.health import LOST, MEMORY, RECOVERY, XID

_LOG: Final = logging.getLogger(__name__)
_HEALTH: Final = {
    Verdict.HEALTHY: Health.HEALTHY,
    Verdict.UNHEALTHY: Health.UNHEALTHY,
    Verdict.UNKNOWN: Health.UNKNOWN,
}


class Watched:
    """Watches from start to stop; a context manager.

    Args:
        asked: the host, for looks at it.
        listened: another object of the same host, for its events.
        config: what a fault does to pods.
        state: the file in which it's remembered.
        disk: where that is.
        boot: the id of this boot.
        changed: is told after every change, in the watcher's thread.
    """

    def __init__(
        self,
        asked: Host,
        listened: Host,
        config: NodeConfig,
        state: Path,
        disk: Disk,
        *,
        boot: str,
        changed: Callable[[Picture], None],
    ) -> None:
        saved = None
        with suppress(OSError):
            saved = disk.read(state)
        effects: dict[str, Effect] = dict.fromkeys((XID, LOST, RECOVERY, MEMORY), config.taint_effect)
        self._changed = changed
        self.watch = Watch(
            asked,
            self._tell,
            lambda: moments.now(boot),
            events=listened,
            policy=Policy(effects=effects),
            saved=saved,
            save=lambda data: disk.replace(state, data),
            release=asked.release,
        )

    def __enter__(self) -> Self:
        self.watch.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.watch.stop()

    def _tell(self, picture: Picture) -> None:
        for each in picture.news:
            _LOG.log(logging.INFO if each.good else logging.WARNING, "%s: %s", each.gpu, each.message)
        self._changed(picture)


def health_of(pool: Pool, picture: Picture) -> Mapping[Key, tuple[Health, str]]:
    """A pool's devices, for the kubelet's health stream."""
    return {
        (pool.name, one.device): (_HEALTH[one.verdict], one.message) for one in statuses(pool.devices, picture.told)
    }
