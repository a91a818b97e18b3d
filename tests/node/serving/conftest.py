"""A kubelet's root that is short enough for sockets."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def root() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="n", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)
