"""An API server, a kubelet and an agent process, in one folder; used by tests, soaks and benchmarks."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.objects.resources import CLAIMS, NODES, SLICES
from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.kube.meta import Meta
from aliquot.kube.pod import Container, ContainerClaim, Pod, PodClaim
from aliquot.kube.release import Kubernetes
from aliquot.sandbox.cluster_api import ClusterApi
from aliquot.sandbox.kubelet.kubelet import Kubelet
from aliquot.sandbox.kubelet.timing import BRISK
from aliquot.sandbox.rest.server import RestServer

Json = dict[str, Any]
GPU: Final = "gpu.nvidia.com"
NAMESPACE: Final = "ml"


class RunningNode:
    """A machine whose agent can be killed; a context manager.

    Args:
        root: an empty folder with a short path: sockets lie in it.
        host: the text of its host file.
        minor: of Kubernetes.
        agent: the command that runs the agent, before its options.
        options: more of them.
    """

    def __init__(
        self,
        root: Path,
        host: str,
        *,
        minor: int = 37,
        agent: Sequence[str] = (sys.executable, "-m", "aliquot", "node", "run"),
        options: Sequence[str] = (),
        node: str = "n1",
    ) -> None:
        self.root, self.node = root, node
        self.cdi = root / "cdi"
        self.log = root / "log"
        file = root / "host.yaml"
        file.write_text(host, encoding="utf-8")
        self.host = SimulatedHost(read_host(host, "host"), state=root / "host.yaml.state")
        self.cluster = MemoryCluster()
        self.cluster.create(NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}})
        self.server = RestServer(self.cluster)
        self.kubelet = Kubelet(
            root / "k", node, ClusterApi(self.cluster), kubernetes=Kubernetes(minor), timing=BRISK, cdi=[self.cdi]
        )
        self.agent: subprocess.Popen[bytes] | None = None
        self._command, self._options = tuple(agent), tuple(options)
        self._stack = ExitStack()

    @property
    def checkpoint(self) -> Path:
        """The GPU driver's."""
        return self.root / "k/plugins" / GPU / "aliquot-checkpoint.json"

    def __enter__(self) -> Self:
        self._stack.enter_context(self.server)
        self.server.kubeconfig(self.root / "config")
        self._stack.enter_context(self.kubelet)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self._stack.close()

    # --- the agent ---------------------------------------------------------------------------------------------------
    def start(self, *more: str, within_s: float = 60.0, command: Sequence[str] = ()) -> None:
        """Start an agent (or what another command runs), and wait until the kubelet has taken it, or it has ended.

        Raises:
            AssertionError: it doesn't come to that.
        """
        assert self.agent is None
        with self.log.open("ab") as log:
            self.agent = subprocess.Popen(
                [*(command or self._command), *self.arguments, *self._options, *more], stderr=log
            )
        until(self.taken, within_s, self.told)

    @property
    def arguments(self) -> tuple[str, ...]:
        """Where it finds everything."""
        return (
            f"--host=sim:{self.root / 'host.yaml'}",
            f"--node-name={self.node}",
            f"--kubeconfig={self.root / 'config'}",
            f"--kubelet-root={self.root / 'k'}",
            f"--cdi-folder={self.cdi}",
            f"--state-folder={self.root / 'm'}",
        )

    def taken(self) -> bool:
        """Whether the kubelet can call it, or it has ended."""
        if self.agent is not None and self.agent.poll() is not None:
            return True
        return any(plugin.connected and plugin.name == GPU for plugin in self.kubelet.plugins())

    def stop(self) -> int:
        """SIGTERM; its exit status."""
        assert self.agent is not None
        self.agent.send_signal(signal.SIGTERM)
        agent, self.agent = self.agent, None
        return agent.wait(60)

    def kill(self) -> None:
        """SIGKILL, if it runs."""
        agent, self.agent = self.agent, None
        if agent is not None:
            agent.kill()
            agent.wait(10)

    def told(self) -> str:
        """Its log."""
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""

    # --- claims and pods ---------------------------------------------------------------------------------------------
    def allocate(self, name: str, *devices: str | Json, config: Json | None = None, driver: str = GPU) -> Pod:
        """A claim that has these devices, by name or as whole results; and the pod that it's reserved for."""
        results = [
            {
                "request": f"r{number}",
                "driver": driver,
                "pool": self.node,
                **({"device": each} if isinstance(each, str) else each),
            }
            for number, each in enumerate(devices)
        ]
        thing = self.cluster.create(
            CLAIMS,
            {
                "apiVersion": CLAIMS.api_version,
                "kind": "ResourceClaim",
                "metadata": {"namespace": NAMESPACE, "name": name},
                "spec": {"devices": {"requests": [{"name": f"r{number}"} for number in range(len(results))]}},
            },
        )
        thing["status"] = {
            "allocation": {"devices": {"results": results, "config": [] if config is None else [config]}},
            "reservedFor": [{"resource": "pods", "name": name, "uid": f"pod-{name}"}],
        }
        self.cluster.update(CLAIMS, thing, subresource="status")
        return Pod(
            Meta(name, NAMESPACE, uid=f"pod-{name}"),
            containers=(Container("main", claims=(ContainerClaim("gpu"),)),),
            node_name=self.node,
            claims=(PodClaim("gpu", claim_name=name),),
        )

    def delete(self, name: str) -> None:
        """The claim goes."""
        self.cluster.delete(CLAIMS, name, NAMESPACE)

    def devices(self, driver: str = GPU) -> dict[str, Json]:
        """What's published, by name."""
        return {
            device["name"]: device
            for one in self.cluster.list(SLICES).items
            if one["spec"]["driver"] == driver
            for device in one["spec"].get("devices", ())
        }

    def specs(self) -> tuple[str, ...]:
        """The names of CDI specs."""
        return tuple(sorted(path.name for path in self.cdi.iterdir())) if self.cdi.exists() else ()


def until(condition: Callable[[], object], seconds: float = 60.0, told: Callable[[], str] = lambda: "") -> None:
    """Wait for something.

    Raises:
        AssertionError: it didn't come to be, with what is told instead.
    """
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"it didn't come to be; {told()}"
        time.sleep(0.02)
