"""Nodes with an agent process."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from scenarios.node.running import RunningNode

HOST = """
name: n1
migUuids: fresh
gpus:
  - {model: H100-SXM-80GB}
  - {model: H100-SXM-80GB}
  - {model: A100-40GB, mig: true}
  - {model: T4}
nics:
  - {pci: "0000:9a:00.0", kind: infiniband, rdma: [mlx5_0], interfaces: [ib0]}
"""
Begin = Callable[..., RunningNode]


@pytest.fixture
def begin() -> Iterator[Begin]:
    """Make a node: begin(host=…, options=…)."""
    with ExitStack() as stack:

        def make(host: str = HOST, **more: object) -> RunningNode:
            root = Path(tempfile.mkdtemp(prefix="a", dir="/tmp"))
            stack.callback(shutil.rmtree, root)
            return stack.enter_context(RunningNode(root, host, **more))  # type: ignore[arg-type] # as RunningNode has them

        yield make
