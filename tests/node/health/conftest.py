"""Simulated hosts, a clock that's moved by hand, and a watcher that looks often."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.hosts.simulated.presets import preset_text
from aliquot.node.health.moments import Moment
from aliquot.node.health.picture import Picture
from aliquot.node.health.timing import Timing
from aliquot.node.health.watch import Watch

BRISK = Timing(listen=0.05, look=0.1, soonest=0.0, answer=5.0, again=0.02, longest=0.05, release=0.0)
Watching = Callable[..., Watch]


class Clock:
    """Stands still until it's moved."""

    def __init__(self) -> None:
        self.moment = Moment(wall=1_780_000_000.0, up=1000.0, boot="b-1")

    def __call__(self) -> Moment:
        return self.moment

    def later(self, seconds: float) -> Moment:
        self.moment = replace(self.moment, wall=self.moment.wall + seconds, up=self.moment.up + seconds)
        return self.moment

    def rebooted(self, boot: str = "b-2") -> Moment:
        self.moment = replace(self.moment, wall=self.moment.wall + 300, up=10.0, boot=boot)
        return self.moment


@pytest.fixture
def clock() -> Clock:
    return Clock()


def host(text: str) -> SimulatedHost:
    return SimulatedHost(read_host(text, "host.yaml"))


def preset(name: str) -> SimulatedHost:
    text = preset_text(name)
    assert text is not None
    return host(text)


@pytest.fixture
def watching(clock: Clock) -> Iterator[Watching]:
    """Start a watcher: watching(host, changed, clock=clock, timing=BRISK, …)."""
    with ExitStack() as stack:

        def begin(on: Any, changed: Callable[[Picture], None], **options: Any) -> Watch:
            watch = Watch(on, changed, clock, **{"timing": BRISK, **options})
            watch.start()
            stack.callback(watch.stop)
            return watch

        yield begin


def soon(true: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not true():
        assert time.monotonic() < until
        time.sleep(0.005)
