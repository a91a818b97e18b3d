"""`aliquot node run`: the agent of this node."""

import os
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from cyclopts import Parameter

from aliquot.cli.agent.logs import logging_to_stderr
from aliquot.cli.host_input import HostOption, host_of
from aliquot.cli.output import fail, warn
from aliquot.cluster.api.connection import Connection
from aliquot.cluster.api.kube_cluster import KubeCluster
from aliquot.cluster.api.kubeconfig import account
from aliquot.cluster.api.listing import server_version
from aliquot.cluster.objects.status import StatusError
from aliquot.cluster.unavailable import UnavailableError
from aliquot.devices.hosts.mps_processes import MpsProcesses
from aliquot.devices.hosts.protocol import Host, HostFault
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.kube.reading.shape import FaultsError
from aliquot.kube.release import Kubernetes, kubernetes_of
from aliquot.node.agent.agent import Agent
from aliquot.node.agent.machine import Machine
from aliquot.node.config.read import read_config
from aliquot.node.config.values import NodeConfig
from aliquot.node.keeping.boot import boot_id
from aliquot.node.keeping.local_files import LocalFiles
from aliquot.node.keeping.simulated_files import SimulatedFiles
from aliquot.node.neighbours.judge import judge
from aliquot.node.neighbours.look import look
from aliquot.sharing.plugin_config.read import read_plugin_config
from aliquot.sharing.plugin_config.values import PluginConfig

T = TypeVar("T")
FAULT, UNUSABLE = 1, 2
NODE_NAME, POD_UID = "NODE_NAME", "POD_UID"
"""Environment variables by which a pod is told of itself (downward API)."""


def run(
    *,
    config: Annotated[Path | None, Parameter(name=["--config", "-c"])] = None,
    node_name: str | None = None,
    host: HostOption = "nvml",
    kubeconfig: Path | None = None,
    context: str | None = None,
    kubelet_root: str | None = None,
    cdi_folder: str | None = None,
    state_folder: Path = Path("/run/aliquot/mps"),
    pod_uid: str | None = None,
    log_format: Literal["text", "json"] = "text",
) -> int:
    """Publish this node's devices and prepare claims for its kubelet, until SIGTERM.

    Args:
        config: A NodeConfig file; options go before it.
        node_name: The name of this machine's Node; else of the variable NODE_NAME, else the machine's own.
        host: nvml (this machine), sim:FILE or preset:NAME.
        kubeconfig: The API server's; without it those of KUBECONFIG, else ~/.kube/config, else the pod's account.
        context: Of the kubeconfig.
        kubelet_root: The kubelet's folder; /var/lib/kubelet unless the file says otherwise.
        cdi_folder: Where CDI specs are written; /var/run/cdi unless the file says otherwise.
        state_folder: For MPS daemons: short, since a socket's address holds 107 bytes, and gone with a boot.
        pod_uid: Of the agent's pod, for rolling updates with two at a time; else of the variable POD_UID.
        log_format: text or json, on stderr.
    """
    wanted = _configured(config, kubelet_root, cdi_folder)
    counted = _plugin(wanted.device_plugin_config) if wanted is not None else None
    found = host_of(host)
    if wanted is None or counted is None or found is None:
        return UNUSABLE
    name = node_name or os.environ.get(NODE_NAME) or os.uname().nodename
    logging_to_stderr(log_format, wanted.log_level)
    try:
        with Connection(account(context, kubeconfig)) as connection:
            cluster = KubeCluster(connection)
            simulated = isinstance(found, SimulatedHost)
            others = judge(look(Path(wanted.kubelet_root), Path("/") if not simulated else Path(wanted.kubelet_root)))
            if others.refusal is not None:
                fail(others.refusal.message, others.refusal.hint)
                return FAULT
            machine = Machine(
                node=name,
                boot=f"simulated-{found.boots}" if isinstance(found, SimulatedHost) else boot_id(),
                host=found,
                another=lambda: found if isinstance(found, SimulatedHost) else host_of(host) or found,
                daemons=found if isinstance(found, SimulatedHost) else MpsProcesses(),
                files=SimulatedFiles() if simulated else LocalFiles(driver_root=wanted.driver_root),
                objects=cluster,
                state=state_folder,
                pod_uid=os.environ.get(POD_UID, "") if pod_uid is None else pod_uid,
            )
            agent = Agent(machine, wanted, _release(connection), counted)
            with _until_told(agent):
                agent.run()
    except UnavailableError as error:
        fail(error.message, error.hint)
        return UNUSABLE
    except ValueError as error:
        fail(str(error))
        return UNUSABLE
    except OSError as error:
        fail(str(error))
        return FAULT
    finally:
        _let_go(found)
    return 0


def _configured(path: Path | None, kubelet_root: str | None, cdi_folder: str | None) -> NodeConfig | None:
    """The file with the options before it; None after saying everything that's wrong."""
    config = NodeConfig() if path is None else _read("--config", path, read_config)
    if config is None:
        return None
    given = {"kubelet_root": kubelet_root, "cdi_folder": cdi_folder}
    return NodeConfig(**{**_fields(config), **{key: value for key, value in given.items() if value is not None}})


def _plugin(path: str) -> PluginConfig | None:
    """NVIDIA's file; None after saying everything that's wrong with it."""
    if not path:
        return PluginConfig()
    found = _read("devicePluginConfig", Path(path), read_plugin_config)
    if found is None:
        return None
    config, minor = found
    for fault in minor:
        warn(f"{path}: {fault.path}: {fault.message}")
    return config


def _read(what: str, path: Path, read: Callable[[Any], T]) -> T | None:
    """What a YAML file says; None after saying everything that's wrong with it."""
    try:
        return read(yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader))
    except OSError as error:
        fail(f"{what}: can't read {path}: {error.strerror}")
    except FaultsError as error:
        for fault in error.faults:
            fail(f"{path}: {fault.path}: {fault.message}" if fault.path else f"{path}: {fault.message}", fault.hint)
    except (yaml.YAMLError, ValueError) as error:
        fail(f"{what}: {path}: no YAML: {error}")
    return None


@contextmanager
def _until_told(agent: Agent) -> Generator[None]:
    """SIGTERM and Ctrl-C end it in good order."""
    before = {number: signal.signal(number, lambda *_: agent.stop()) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _fields(config: NodeConfig) -> dict[str, Any]:
    return {field.name: getattr(config, field.name) for field in fields(config)}


def _release(connection: Connection) -> Kubernetes:
    """The API server's release; the newest that is known where it doesn't tell."""
    try:
        return kubernetes_of(server_version(connection))
    except (ValueError, UnavailableError, StatusError):
        return Kubernetes()


def _let_go(host: Host) -> None:
    with suppress(HostFault):
        host.release()
