"""The watcher over NVML: two sessions of one machine, one asked and one listened to."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from aliquot.node.health.picture import Picture
from aliquot.node.health.timing import Timing
from tests.devices.hosts.fake import TRAPS, Fake
from tests.node.health.conftest import Watching, soon

TIMING = Timing(listen=0.2, look=0.2, soonest=0.0, answer=30.0, again=0.05, longest=0.1, release=0.0)


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[Fake]:
    made = Fake(tmp_path, TRAPS)
    yield made
    made.close()


def test_lost_hung_and_told(fake: Fake, watching: Watching) -> None:
    asked, listened = fake.host(limit_s=3), fake.host(limit_s=3)
    pictures = list[Picture]()

    def taints(place: int) -> list[str]:
        told = list(pictures[-1].told.values()) if pictures else []
        return [f"{one.key}={one.value}" for one in told[place].taints.gpu] if told else ["nothing yet"]

    watching(asked, pictures.append, events=listened, timing=TIMING, release=asked.release)
    soon(lambda: [taints(place) for place in range(3)] == [[], [], []])
    fake.put({"event.0": "2 95 4294967295 4294967295"})
    soon(lambda: taints(2) == ["gpu.nvidia.com/xid=95"])
    fake.put({"event.1": "-1 0 0 0", "g1.lost": 1})  # a wait that says lost, and not which
    soon(lambda: taints(1) == ["gpu.nvidia.com/gpu-lost=lost"])
    assert [len(pictures[-1].survey.gpus), len(pictures[-1].published.gpus)] == [2, 3]
    fake.drop("g1.lost")
    soon(lambda: taints(1) == [])
    fake.put({"g0.sleep.nvmlDeviceGetMigMode": 600_000})
    soon(lambda: taints(0) == ["gpu.nvidia.com/gpu-lost=hung"])
    assert taints(2) == ["gpu.nvidia.com/xid=95"]
    fake.drop("g0.sleep")
    soon(lambda: taints(0) == [])  # after the driver was let go
    assert taints(2) == ["gpu.nvidia.com/xid=95"]
