"""The machine's clocks."""

import time
from pathlib import Path

from aliquot.node.health.moments import now, rfc3339


def test_now() -> None:
    moment = now("b-1")
    assert abs(moment.wall - time.time()) < 5
    assert moment.up >= float(Path("/proc/uptime").read_text(encoding="ascii").split()[0]) - 5
    later = now("b-1")
    assert (later.since(moment.up, "b-1") or 0.0) >= 0.0
    assert now("b-1").since(moment.up + 1000, "b-1") == 0.0
    assert now("b-2").since(moment.up, "b-1") is None


def test_as_kubernetes_writes_it() -> None:
    assert rfc3339(1_780_000_000.9) == "2026-05-28T20:26:40Z"
