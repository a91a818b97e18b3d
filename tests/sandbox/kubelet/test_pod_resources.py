"""The pod-resources socket, as monitoring asks it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import grpc
import pytest

from aliquot.kube.pod import Container, ContainerClaim, Pod
from aliquot.node.protos.generated import device_plugin_v1beta1_pb2 as device_plugin
from aliquot.node.protos.generated import dra_v1_pb2 as v1
from aliquot.node.protos.generated import pod_resources_v1_pb2 as pb
from aliquot.node.protos.rpc import dial
from aliquot.node.protos.services import GET_ALLOCATABLE, GET_POD, HEALTHY, LIST_PODS
from aliquot.sandbox.kubelet.answers import Admitted
from aliquot.sandbox.kubelet.failures import failure
from aliquot.sandbox.kubelet.kubelet import Kubelet
from tests.sandbox.device_plugin import RESOURCE, DevicePlugin
from tests.sandbox.driver import GPU, Driver
from tests.sandbox.kubelet.conftest import Start
from tests.sandbox.objects import Api, claim, pod


@pytest.fixture
def channel(root: Path) -> Iterator[grpc.Channel]:
    with dial(str(root / "pod-resources/kubelet.sock")) as connection:
        yield connection


def two_devices(request: v1.NodePrepareResourcesRequest) -> v1.NodePrepareResourcesResponse:
    devices = [
        v1.Device(request_names=["r0"], pool_name="n1", device_name="mig-0", cdi_device_ids=["ex.com/gpu=a"]),
        v1.Device(
            request_names=["r1"], pool_name="n1", device_name="gpu-1", cdi_device_ids=["ex.com/gpu=b"], share_id="s"
        ),
    ]
    entry = v1.NodePrepareResourceResponse(devices=devices)
    return v1.NodePrepareResourcesResponse(claims={one.uid: entry for one in request.claims})


def mine() -> Pod:
    """Counted devices, a claim, a sidecar that has neither, and an init container that has ended."""
    amounts = {RESOURCE: 2}
    main = Container("main", amounts, amounts, claims=(ContainerClaim("gpu", "r0"),))
    return replace(
        pod(),
        containers=(main, Container("other")),
        init_containers=(Container("init"), Container("side", sidecar=True)),
    )


def admitted(kubelet: Kubelet, root: Path, api: Api) -> tuple[Driver, DevicePlugin]:
    api.add(claim())
    driver, plugin = Driver(root), DevicePlugin(root, "G0", "G1")
    driver.prepare = two_devices
    plugin.devices = [
        device_plugin.Device(
            ID=name, health=HEALTHY, topology=device_plugin.TopologyInfo(nodes=[device_plugin.NUMANode(ID=numa)])
        )
        for name, numa in (("G0", 0), ("G1", 1))
    ]
    driver.start()
    plugin.start()
    plugin.register()
    assert kubelet.wait(lambda: len([one for one in kubelet.plugins() if one.connected]) == 2)
    assert kubelet.wait(lambda: kubelet.allocatable() == {RESOURCE: 2})
    assert isinstance(kubelet.admit(mine()), Admitted)
    return driver, plugin


def counted(name: str, numa: int) -> pb.ContainerDevices:
    topology = pb.TopologyInfo(nodes=[pb.NUMANode(ID=numa)])
    return pb.ContainerDevices(resource_name=RESOURCE, device_ids=[name], topology=topology)


def test_what_each_container_has(root: Path, api: Api, start: Start, channel: grpc.Channel) -> None:
    kubelet = start()
    driver, plugin = admitted(kubelet, root, api)
    a, b = pb.CDIDevice(name="ex.com/gpu=a"), pb.CDIDevice(name="ex.com/gpu=b")
    expected = pb.PodResources(
        name="pod-p-1",
        namespace="ml",
        containers=[
            pb.ContainerResources(name="side"),
            pb.ContainerResources(
                name="main",
                devices=[counted("G0", 0), counted("G1", 1)],
                dynamic_resources=[
                    pb.DynamicResource(
                        claim_name="train",
                        claim_namespace="ml",
                        claim_resources=[
                            pb.ClaimResource(driver_name=GPU, pool_name="n1", device_name="mig-0", cdi_devices=[a]),
                            # both quirks of the real one: all of the claim's devices, and the names of those before
                            pb.ClaimResource(
                                driver_name=GPU, pool_name="n1", device_name="gpu-1", cdi_devices=[a, b], share_id="s"
                            ),
                        ],
                    )
                ],
            ),
            pb.ContainerResources(name="other"),
        ],
    )
    assert list(LIST_PODS.on(channel)(pb.ListPodResourcesRequest(), timeout=5).pod_resources) == [expected]
    one = GET_POD.on(channel)(pb.GetPodResourcesRequest(pod_name="pod-p-1", pod_namespace="ml"), timeout=5)
    assert one.pod_resources == expected
    with pytest.raises(grpc.RpcError) as absent:
        GET_POD.on(channel)(pb.GetPodResourcesRequest(pod_name="x", pod_namespace="ml"), timeout=5)
    assert failure(absent.value) == "rpc error: code = Unknown desc = pod x in namespace ml not found"
    assert kubelet.remove(mine()) is None
    assert list(LIST_PODS.on(channel)(pb.ListPodResourcesRequest(), timeout=5).pod_resources) == []
    driver.stop()
    plugin.stop()


def test_what_can_be_given(root: Path, api: Api, start: Start, channel: grpc.Channel) -> None:
    kubelet = start()
    driver, plugin = admitted(kubelet, root, api)
    ask = GET_ALLOCATABLE.on(channel)
    answer = ask(pb.AllocatableResourcesRequest(), timeout=5)
    assert list(answer.devices) == [counted("G0", 0), counted("G1", 1)]
    plugin.list(G0=True, G1=False)
    assert kubelet.wait(lambda: kubelet.allocatable() == {RESOURCE: 1})
    answer = ask(pb.AllocatableResourcesRequest(), timeout=5)
    assert [list(one.device_ids) for one in answer.devices] == [["G0"]]
    driver.stop()
    plugin.stop()


@pytest.mark.parametrize(
    ("minor", "gates"),
    [(33, {}), (36, {"KubeletPodResourcesDynamicResources": False, "KubeletPodResourcesGet": False})],
)
def test_before_the_gates(
    root: Path, api: Api, start: Start, channel: grpc.Channel, minor: int, gates: dict[str, bool]
) -> None:
    kubelet = start(minor, **gates)
    driver, plugin = admitted(kubelet, root, api)
    (found,) = LIST_PODS.on(channel)(pb.ListPodResourcesRequest(), timeout=5).pod_resources
    assert [len(one.dynamic_resources) for one in found.containers] == [0, 0, 0]
    assert len(found.containers[1].devices) == 2
    with pytest.raises(grpc.RpcError) as disabled:
        GET_POD.on(channel)(pb.GetPodResourcesRequest(pod_name="pod-p-1", pod_namespace="ml"), timeout=5)
    assert failure(disabled.value) == "rpc error: code = Unknown desc = PodResources API Get method disabled"
    driver.stop()
    plugin.stop()


def test_the_socket_is_there_again_after_a_restart(root: Path, api: Api, start: Start) -> None:
    kubelet = start()
    driver, plugin = admitted(kubelet, root, api)
    kubelet.restart()
    with dial(str(root / "pod-resources/kubelet.sock")) as again:
        (found,) = LIST_PODS.on(again)(pb.ListPodResourcesRequest(), timeout=5).pod_resources
    main = found.containers[1]
    assert [list(one.device_ids) for one in main.devices] == [["G0"], ["G1"]]
    assert [one.device_name for one in main.dynamic_resources[0].claim_resources] == ["mig-0", "gpu-1"]
    driver.stop()
    plugin.stop()
