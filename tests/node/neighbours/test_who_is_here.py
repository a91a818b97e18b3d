"""Who else serves GPUs on a node: real sockets, pods and slices as the API server has them."""

from typing import Any

import pytest

from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.refusal import Refusal
from aliquot.node.neighbours.components import Component
from aliquot.node.neighbours.found import InCluster, OnMachine
from aliquot.node.neighbours.judge import judge
from aliquot.node.neighbours.look import look
from aliquot.node.preparing.answers import Prepared
from aliquot.node.serving.driver import DraDriver, KubeletFolders
from tests.node.machine import DOMAIN, GPU, Machine

Json = dict[str, Any]
NODE = "gpu-node-1"
UID = "0b9c7c3a-8f0f-4a55-9d4f-3f6a5d1e2c4b"


class Nobody:
    """Has no devices."""

    def prepare(self, claim: ClaimRef) -> Prepared | Refusal:
        return Refusal(f"no device for {claim}")

    def unprepare(self, claim: ClaimRef) -> Refusal | None:
        del claim
        return None


def pod(labels: Json, *containers: str, name: str = "p-x7k2v", node: str = NODE, phase: str = "Running") -> Json:
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": name.rpartition("-")[0], "uid": "1"}
    return {
        "metadata": {"name": name, "namespace": "gpu-operator", "labels": labels, "ownerReferences": [owner]},
        "spec": {"nodeName": node, "containers": [{"name": each} for each in containers or ("main",)]},
        "status": {"phase": phase},
    }


def slice_by(manager: str | None, driver: str = GPU, node: str = NODE) -> Json:
    fields = [{"manager": "kubectl-label", "operation": "Update", "fieldsV1": {"f:metadata": {}}}]
    if manager is not None:
        fields.append({"manager": manager, "operation": "Update", "fieldsV1": {"f:spec": {"f:devices": {}}}})
    return {
        "metadata": {"name": f"00000-{driver}-{node}-x", "managedFields": fields if manager is not None else []},
        "spec": {"driver": driver, "nodeName": node, "pool": {"name": node}},
    }


DRA = {"dra-driver-nvidia-gpu-component": "kubelet-plugin", "app.kubernetes.io/name": "dra-driver-nvidia-gpu"}


def test_an_empty_node(machine: Machine) -> None:
    verdict = judge(look(machine.kubelet, machine.root), InCluster(NODE, [], []))
    assert verdict.refusal is None
    assert (verdict.beside, verdict.unknown, verdict.leftovers) == ((), (), ())


def test_no_folders_at_all(machine: Machine) -> None:
    assert judge(look(machine.root / "gone", machine.root / "gone")).refusal is None


def test_nvidias_device_plugin_is_refused(machine: Machine) -> None:
    path = machine.listen("var/lib/kubelet/device-plugins/nvidia-gpu.sock")
    verdict = judge(look(machine.kubelet, machine.root))
    assert verdict.refusal is not None
    assert verdict.refusal.retry, "it may be taken away"
    assert str(verdict.refusal) == (
        "another one offers this node's GPUs, and none may be offered twice: NVIDIA's device plugin: it listens at "
        f"{path} (take it off this node first; aliquot node doctor has the steps)"
    )


def test_a_socket_that_nobody_serves_is_in_nobodys_way(machine: Machine) -> None:
    path = machine.listen("var/lib/kubelet/device-plugins/nvidia-gpu.sock", dead=True)
    other = machine.listen(f"var/lib/kubelet/plugins_registry/{GPU}-reg.sock", dead=True)
    verdict = judge(look(machine.kubelet, machine.root))
    assert verdict.refusal is None
    assert verdict.leftovers == (f"nobody listens at {path}", f"nobody listens at {other}")


def test_nvidias_dra_driver_is_refused(machine: Machine) -> None:
    machine.nvidias_driver()
    verdict = judge(look(machine.kubelet, machine.root))
    assert [one.component for one in verdict.in_the_way] == [Component.DRA_DRIVER]
    assert "it serves the driver gpu.nvidia.com at" in str(verdict.refusal)
    assert f"it listens at {machine.kubelet}/plugins/{GPU}/dra.sock" in str(verdict.refusal)


def test_its_compute_domains_are_left_to_it(machine: Machine) -> None:
    machine.nvidias_driver(DOMAIN)
    verdict = judge(look(machine.kubelet, machine.root), InCluster(NODE, [pod(DRA, "compute-domains")], []))
    assert verdict.refusal is None
    assert verdict.has(Component.DOMAINS)
    assert not verdict.has(Component.DRA_DRIVER)


@pytest.mark.parametrize("uid", ["", UID])
def test_an_agent_of_ours_is_no_stranger(machine: Machine, uid: str) -> None:
    """A rolling update has two agents at a time: same name, sockets side by side."""
    with DraDriver(GPU, Nobody(), KubeletFolders(machine.kubelet), pod_uid=uid):
        found = look(machine.kubelet, machine.root)
        assert judge(found, InCluster(NODE, [], [slice_by("aliquot-node")])).refusal is None
    [registered] = found.registered
    assert (registered.driver, registered.socket.ours) == (GPU, True)


def test_an_agent_of_ours_under_a_hashed_name(machine: Machine) -> None:
    root = machine.root / ("k" * (49 - len(str(machine.root))))
    with DraDriver(GPU, Nobody(), KubeletFolders(root), pod_uid=UID):
        found = look(root, machine.root)
    [registered] = found.registered
    assert UID not in registered.socket.path
    assert registered.socket.ours
    assert [one.ours for one in found.drivers[GPU]] == [True]
    assert judge(found).refusal is None


def test_other_drivers_arent_asked(machine: Machine) -> None:
    machine.nvidias_driver("csi.example.com")
    assert look(machine.kubelet, machine.root).registered == ()


def test_what_may_not_be_seen_is_unknown(machine: Machine) -> None:
    """A path that is too long for a socket's address can't be asked, whoever asks."""
    long = machine.root / ("l" * 90)
    (long / "device-plugins").mkdir(parents=True)
    (long / "device-plugins" / "nvidia-gpu.sock").write_text("")
    verdict = judge(look(long, machine.root))
    assert verdict.refusal is None
    assert len(verdict.unknown) == 1
    assert "can't be told" in verdict.unknown[0]


COMPONENTS = [
    ({"app": "nvidia-device-plugin-daemonset"}, (), Component.DEVICE_PLUGIN, True),
    ({"app.kubernetes.io/name": "nvidia-device-plugin"}, (), Component.DEVICE_PLUGIN, True),
    (DRA, ("gpus",), Component.DRA_DRIVER, True),
    ({"nvidia-dra-driver-gpu-component": "kubelet-plugin"}, ("gpus",), Component.DRA_DRIVER, True),
    (DRA, ("compute-domains",), Component.DOMAINS, False),
    ({"app": "nvidia-dcgm-exporter"}, (), Component.DCGM_EXPORTER, False),
    ({"app.kubernetes.io/name": "dcgm-exporter"}, (), Component.DCGM_EXPORTER, False),
    ({"app": "nvidia-mig-manager"}, (), Component.MIG_MANAGER, False),
    ({"app": "gpu-feature-discovery"}, (), Component.FEATURE_DISCOVERY, False),
    ({"app": "nvidia-container-toolkit-daemonset"}, (), Component.TOOLKIT, False),
    ({"app": "nvidia-driver-daemonset-6.8.0-45-generic-ubuntu24.04"}, (), Component.DRIVER, False),
    ({"app": "nvidia-operator-validator"}, (), Component.OTHER, False),
]


@pytest.mark.parametrize(
    ("labels", "containers", "component", "refused"),
    [pytest.param(*row, id=f"{next(iter(row[0].values()))} {next(iter(row[0]))} {row[1]}") for row in COMPONENTS],
)
def test_components_are_told_by_their_pods(
    labels: Json, containers: tuple[str, ...], component: Component, *, refused: bool
) -> None:
    cluster = InCluster(NODE, [pod(labels, *containers), pod({"app": "web"}), pod({})])
    verdict = judge(OnMachine(), cluster)
    [found] = (*verdict.in_the_way, *verdict.beside)
    assert found.component is component
    assert found.evidence == ("pod gpu-operator/p-x7k2v is on this node",)
    assert found.pods[0].owner == "daemonset/p"
    assert (verdict.refusal is not None) is refused


@pytest.mark.parametrize("changed", [{"node": "gpu-node-2"}, {"phase": "Failed"}, {"phase": "Succeeded"}])
def test_pods_elsewhere_and_pods_that_have_ended_dont_count(changed: dict[str, str]) -> None:
    cluster = InCluster(NODE, [pod({"app": "nvidia-device-plugin-daemonset"}, **changed)])
    assert judge(OnMachine(), cluster).refusal is None


def test_slices_of_the_same_driver_and_node_by_somebody_else_are_refused() -> None:
    verdict = judge(OnMachine(), InCluster(NODE, None, [slice_by("gpu-kubelet-plugin")]))
    assert "it has published 00000-gpu.nvidia.com-gpu-node-1-x (by gpu-kubelet-plugin) for gpu.nvidia.com" in str(
        verdict.refusal
    )
    unsaid = judge(OnMachine(), InCluster(NODE, None, [slice_by(None)]))
    assert unsaid.refusal is not None, "who doesn't sign isn't us"


@pytest.mark.parametrize(
    "one", [slice_by("aliquot-node"), slice_by("x", node="gpu-node-2"), slice_by("x", driver="nic.aliquot.dev")]
)
def test_slices_that_are_in_nobodys_way(one: Json) -> None:
    assert judge(OnMachine(), InCluster(NODE, None, [one])).refusal is None


def test_slices_of_a_driver_that_has_gone_are_left_over() -> None:
    """The kubelet takes them away half a minute after the driver."""
    verdict = judge(OnMachine(), InCluster(NODE, [pod({"app": "web"})], [slice_by("gpu-kubelet-plugin")]))
    assert verdict.refusal is None
    [left] = verdict.leftovers
    assert left == (
        "ResourceSlices of gpu.nvidia.com whose driver isn't on this node any more: 00000-gpu.nvidia.com-gpu-node-1-x "
        "(by gpu-kubelet-plugin)"
    )


def test_compute_domains_slices_are_its_drivers() -> None:
    verdict = judge(OnMachine(), InCluster(NODE, None, [slice_by("compute-domain-kubelet-plugin", driver=DOMAIN)]))
    assert verdict.refusal is None
    assert verdict.has(Component.DOMAINS)
