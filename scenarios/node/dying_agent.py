"""An agent process that kills itself with SIGKILL at one moment of its work: `python -m scenarios.node.dying_agent`.

It's the agent that `aliquot node run` runs, on a host and a disk that count the changes made to them.
"""

import argparse
import os
import signal
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from aliquot.cli.agent.logs import logging_to_stderr
from aliquot.cluster.api.connection import Connection
from aliquot.cluster.api.kube_cluster import KubeCluster
from aliquot.cluster.api.kubeconfig import account
from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.kube.release import Kubernetes
from aliquot.node.agent.agent import Agent
from aliquot.node.agent.machine import Machine
from aliquot.node.config.values import NodeConfig
from aliquot.node.keeping.simulated_files import SimulatedFiles
from scenarios.deaths.deadly import DeadlyDisk, DeadlyHost, Death


class RealDeath(Death):
    """As `kill -9` has it."""

    def __init__(self, moment: int) -> None:
        """To come at the moment of that number."""
        super().__init__(None)
        self._at = moment
        self._counting = threading.Lock()

    def _moment(self, where: str) -> None:
        with self._counting:
            super()._moment(where)
            if self.passed - 1 == self._at:
                os.write(2, f"dies {where}\n".encode())
                os.kill(os.getpid(), signal.SIGKILL)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run until the moment comes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--die-at", type=int, required=True)
    for name in ("host", "node-name", "kubeconfig", "kubelet-root", "cdi-folder", "state-folder"):
        parser.add_argument(f"--{name}", required=True)
    given = parser.parse_args(arguments)
    file = Path(given.host.removeprefix("sim:"))
    host = SimulatedHost(
        read_host(file.read_text(encoding="utf-8"), "host"), state=file.with_name(f"{file.name}.state")
    )
    death = RealDeath(given.die_at)
    deadly = cast("Any", DeadlyHost(host, death))
    logging_to_stderr("text", "info")
    with Connection(account(None, Path(given.kubeconfig))) as connection:
        machine = Machine(
            node=given.node_name,
            boot=f"simulated-{host.boots}",
            host=deadly,
            another=lambda: host,
            daemons=deadly,
            files=SimulatedFiles(),
            objects=KubeCluster(connection),
            state=Path(given.state_folder),
            disk=DeadlyDisk(death),
        )
        config = NodeConfig(kubelet_root=given.kubelet_root, cdi_folder=given.cdi_folder)
        agent = Agent(machine, config, Kubernetes())
        signal.signal(signal.SIGTERM, lambda *_: agent.stop())
        agent.run()


if __name__ == "__main__":
    main()
