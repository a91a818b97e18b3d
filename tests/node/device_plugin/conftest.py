"""Nodes that are stopped at the end."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from aliquot.node.device_plugin.offering.settings import Settings
from aliquot.sandbox.kubelet.kubelet import Kubelet
from aliquot.sandbox.kubelet.timing import BRISK
from tests.node.device_plugin.node import TWO, Memory, Node, host_of, settings
from tests.sandbox.objects import Api

Begin = Callable[..., Node]


@pytest.fixture
def root() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="d", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def begin(root: Path) -> Iterator[Begin]:
    """Start a node: begin(settings(…), host=text of a host's file, started=False, updated=False)."""
    with ExitStack() as stack:

        def make(
            config: Settings | None = None,
            host: str = TWO,
            kept: Memory | None = None,
            *,
            started: bool = True,
            updated: bool = True,
            cdi: list[Path] | None = None,
        ) -> Node:
            node = Node(root, host_of(host), config or settings(), kept)
            node.kubelet = stack.enter_context(Kubelet(root, "n1", Api(), timing=BRISK, cdi=cdi))
            if started:
                assert node.plugins.start() is None
                stack.callback(node.plugins.stop)
            if updated:
                node.update()
            return node

        yield make
