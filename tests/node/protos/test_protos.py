"""The kubelet's interfaces: the generated code is that of the .proto files, and the wire is the kubelet's."""

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from google.protobuf.message import Message

from aliquot.node.protos import services
from aliquot.node.protos.generated import (
    agent_v1_pb2,
    device_plugin_v1beta1_pb2,
    dra_v1_pb2,
    dra_v1beta1_pb2,
    health_v1_pb2,
    health_v1alpha1_pb2,
    pod_resources_v1_pb2,
    registration_v1_pb2,
    runtime_v1_pb2,
)
from aliquot.node.protos.rpc import Method, Streaming

if TYPE_CHECKING:
    from google.protobuf.descriptor import MethodDescriptor

ROOT = Path(__file__).parent.parent.parent.parent
GENERATED = ROOT / "src/aliquot/node/protos/generated"
FILES = (
    agent_v1_pb2.DESCRIPTOR,
    device_plugin_v1beta1_pb2.DESCRIPTOR,
    dra_v1_pb2.DESCRIPTOR,
    dra_v1beta1_pb2.DESCRIPTOR,
    health_v1_pb2.DESCRIPTOR,
    health_v1alpha1_pb2.DESCRIPTOR,
    pod_resources_v1_pb2.DESCRIPTOR,
    registration_v1_pb2.DESCRIPTOR,
    runtime_v1_pb2.DESCRIPTOR,
)
METHODS = {value.path: value for value in vars(services).values() if isinstance(value, Method)}


def test_the_committed_code_is_what_protoc_writes(tmp_path: Path) -> None:
    subprocess.run(
        [ROOT / "tools/make-protos", tmp_path], check=True, timeout=60, env={**os.environ, "PYTHON": sys.executable}
    )
    written = {file.name: file.read_text() for file in tmp_path.iterdir()}
    committed = {file.name: file.read_text() for file in GENERATED.glob("*_pb2.py*")}
    assert written == committed, "run `make protos`"
    assert len(written) == 2 * len(FILES)


def test_every_method_of_the_proto_files_is_there_with_its_types() -> None:
    found: dict[str, MethodDescriptor] = {}
    for file in FILES:
        for service in file.services_by_name.values():
            found |= {f"{service.full_name}/{method.name}": method for method in service.methods}
    assert set(METHODS) == set(found)
    for path, method in METHODS.items():
        assert method.asked.DESCRIPTOR is found[path].input_type, path
        assert method.answer.DESCRIPTOR is found[path].output_type, path
        assert isinstance(method, Streaming) is found[path].server_streaming, path


WIRE_PATHS = {
    "/pluginregistration.Registration/GetInfo",
    "/pluginregistration.Registration/NotifyRegistrationStatus",
    "/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodePrepareResources",
    "/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodeUnprepareResources",
    "/k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin/NodePrepareResources",
    "/k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin/NodeUnprepareResources",
    "/v1.DRAResourceHealth/NodeWatchResources",
    "/v1alpha1.DRAResourceHealth/NodeWatchResources",
    "/v1beta1.Registration/Register",
    "/v1beta1.DevicePlugin/GetDevicePluginOptions",
    "/v1beta1.DevicePlugin/ListAndWatch",
    "/v1beta1.DevicePlugin/GetPreferredAllocation",
    "/v1beta1.DevicePlugin/Allocate",
    "/v1beta1.DevicePlugin/PreStartContainer",
    "/v1.PodResourcesLister/List",
    "/v1.PodResourcesLister/Get",
    "/v1.PodResourcesLister/GetAllocatableResources",
    "/aliquot.node.v1.Agent/Who",
    "/runtime.v1.RuntimeService/Version",
}


def test_paths_on_the_wire() -> None:
    assert {method.wire for method in METHODS.values()} == WIRE_PATHS


@pytest.mark.parametrize(
    ("message", "wire"),
    [
        pytest.param(
            registration_v1_pb2.PluginInfo(type="t", name="n", endpoint="e", supported_versions=["a", "b"]),
            "0a0174 12016e 1a0165 220161 220162",
            id="PluginInfo",
        ),
        pytest.param(
            registration_v1_pb2.RegistrationStatus(plugin_registered=True, error="e"), "0801 120165", id="status"
        ),
        pytest.param(dra_v1_pb2.Claim(namespace="s", uid="u", name="n"), "0a0173 120175 1a016e", id="Claim"),
        pytest.param(
            dra_v1_pb2.NodePrepareResourceResponse(
                devices=[
                    dra_v1_pb2.Device(
                        request_names=["r"], pool_name="p", device_name="d", cdi_device_ids=["c"], share_id="s"
                    )
                ],
                error="e",
            ),
            "0a0f 0a0172 120170 1a0164 220163 2a0173 120165",
            id="Device of v1",
        ),
        pytest.param(
            dra_v1beta1_pb2.Device(request_names=["r"], pool_name="p", device_name="d", cdi_device_ids=["c"]),
            "0a0172 120170 1a0164 220163",
            id="Device of v1beta1",
        ),
        pytest.param(
            health_v1_pb2.DeviceHealth(
                device=health_v1_pb2.DeviceIdentifier(pool_name="p", device_name="d"),
                health=health_v1_pb2.UNHEALTHY,
                last_updated_time=3,
                health_check_timeout_seconds=4,
                message="m",
            ),
            "0a06 0a0170 120164 1002 1803 2004 2a016d",
            id="DeviceHealth",
        ),
        pytest.param(
            device_plugin_v1beta1_pb2.RegisterRequest(
                version="v",
                endpoint="e",
                resource_name="r",
                options=device_plugin_v1beta1_pb2.DevicePluginOptions(
                    pre_start_required=True, get_preferred_allocation_available=True
                ),
            ),
            "0a0176 120165 1a0172 2204 0801 1001",
            id="RegisterRequest",
        ),
        pytest.param(
            device_plugin_v1beta1_pb2.ContainerPreferredAllocationRequest(
                available_deviceIDs=["a"], must_include_deviceIDs=["m"], allocation_size=2
            ),
            "0a0161 12016d 1802",
            id="ContainerPreferredAllocationRequest",
        ),
        pytest.param(
            device_plugin_v1beta1_pb2.ContainerAllocateResponse(
                envs={"k": "v"},
                mounts=[device_plugin_v1beta1_pb2.Mount(container_path="c", host_path="h", read_only=True)],
                devices=[device_plugin_v1beta1_pb2.DeviceSpec(container_path="c", host_path="h", permissions="r")],
                annotations={"k": "v"},
                cdi_devices=[device_plugin_v1beta1_pb2.CDIDevice(name="n")],
            ),
            "0a06 0a016b 120176 1208 0a0163 120168 1801 1a09 0a0163 120168 1a0172 2206 0a016b 120176 2a03 0a016e",
            id="ContainerAllocateResponse",
        ),
        pytest.param(
            device_plugin_v1beta1_pb2.Device(
                ID="i",
                health="h",
                topology=device_plugin_v1beta1_pb2.TopologyInfo(nodes=[device_plugin_v1beta1_pb2.NUMANode(ID=1)]),
            ),
            "0a0169 120168 1a04 0a02 0801",
            id="Device of the device plugin API",
        ),
        pytest.param(
            pod_resources_v1_pb2.ContainerResources(
                name="n",
                devices=[pod_resources_v1_pb2.ContainerDevices(resource_name="r", device_ids=["d"])],
                cpu_ids=[1],
                memory=[pod_resources_v1_pb2.ContainerMemory(memory_type="t", size=2)],
                dynamic_resources=[
                    pod_resources_v1_pb2.DynamicResource(
                        claim_name="c",
                        claim_namespace="s",
                        claim_resources=[
                            pod_resources_v1_pb2.ClaimResource(
                                cdi_devices=[pod_resources_v1_pb2.CDIDevice(name="i")],
                                driver_name="r",
                                pool_name="p",
                                device_name="d",
                                share_id="h",
                            )
                        ],
                    )
                ],
            ),
            "0a016e 1206 0a0172 120164 1a0101 2205 0a0174 1002"
            " 2a19 120163 1a0173 2211 0a03 0a0169 120172 1a0170 220164 2a0168",
            id="ContainerResources",
        ),
        pytest.param(
            pod_resources_v1_pb2.GetPodResourcesRequest(pod_name="p", pod_namespace="s"),
            "0a0170 120173",
            id="GetPodResourcesRequest",
        ),
    ],
)
def test_bytes_on_the_wire(message: Message, wire: str) -> None:
    """Numbers and types of fields, byte for byte: what a kubelet in Go reads and writes."""
    assert message.SerializeToString(deterministic=True).hex() == wire.replace(" ", "")
    assert type(message).FromString(bytes.fromhex(wire)) == message


def test_claims_are_answered_by_uid_in_a_map() -> None:
    answer = dra_v1_pb2.NodeUnprepareResourcesResponse(claims={"u": dra_v1_pb2.NodeUnprepareResourceResponse()})
    assert answer.SerializeToString().hex(" ") == "0a 05 0a 01 75 12 00"


def test_a_share_that_is_not_given_is_not_on_the_wire() -> None:
    assert not dra_v1_pb2.Device(pool_name="p").HasField("share_id")
    assert "share_id" not in dra_v1beta1_pb2.Device.DESCRIPTOR.fields_by_name
