"""The fake machine on which the traps of real NVML are tried."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.devices.hosts.fake import TRAPS, Fake


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[Fake]:
    made = Fake(tmp_path, TRAPS)
    yield made
    made.close()
