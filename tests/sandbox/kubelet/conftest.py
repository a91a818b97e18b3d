"""A kubelet's root that is short enough for sockets, and kubelets that are stopped at the end."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from aliquot.kube.release import Kubernetes
from aliquot.sandbox.kubelet.kubelet import Kubelet
from aliquot.sandbox.kubelet.timing import BRISK, Timing
from tests.sandbox.objects import Api

Start = Callable[..., Kubelet]


@pytest.fixture
def root() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="k", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def api() -> Api:
    return Api()


@pytest.fixture
def start(root: Path, api: Api) -> Iterator[Start]:
    """Start a kubelet on the root: start(minor=36, cdi=[folder], timing=…)."""
    with ExitStack() as stack:

        def begin(minor: int = 37, timing: Timing = BRISK, cdi: list[Path] | None = None, **gates: bool) -> Kubelet:
            kubernetes = Kubernetes(minor).changed(gates.items())
            return stack.enter_context(Kubelet(root, "n1", api, kubernetes=kubernetes, timing=timing, cdi=cdi))

        yield begin
