"""Nodes to prepare claims on, and machines to look at."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenarios.deaths.machine import Machine
from tests.node.machine import Machine as LookedAt

_MEMORY = Path("/dev/shm")


@pytest.fixture
def folder() -> Iterator[Path]:
    """In memory where there's room, since every change of a node is synced."""
    made = Path(tempfile.mkdtemp(prefix="aliquot-", dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None))
    yield made
    shutil.rmtree(made)


@pytest.fixture
def node(folder: Path) -> Machine:
    return Machine(folder)


@pytest.fixture
def machine() -> Iterator[LookedAt]:
    with LookedAt() as made:
        yield made
