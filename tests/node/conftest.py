"""Folders for nodes: in memory where there's room, since every change of a node is synced."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenarios.deaths.machine import Machine

_MEMORY = Path("/dev/shm")


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="aliquot-", dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None))
    yield made
    shutil.rmtree(made)


@pytest.fixture
def node(folder: Path) -> Machine:
    return Machine(folder)
