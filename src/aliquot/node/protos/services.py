"""The methods of the kubelet's interfaces, and the words that go with them."""

from typing import Final

from aliquot.node.protos.generated import agent_v1_pb2 as agent
from aliquot.node.protos.generated import device_plugin_v1beta1_pb2 as device_plugin
from aliquot.node.protos.generated import dra_v1_pb2 as dra_v1
from aliquot.node.protos.generated import dra_v1beta1_pb2 as dra_v1beta1
from aliquot.node.protos.generated import health_v1_pb2 as health_v1
from aliquot.node.protos.generated import health_v1alpha1_pb2 as health_v1alpha1
from aliquot.node.protos.generated import pod_resources_v1_pb2 as pod_resources
from aliquot.node.protos.generated import registration_v1_pb2 as registration
from aliquot.node.protos.generated import runtime_v1_pb2 as runtime
from aliquot.node.protos.rpc import Streaming, Unary

# --- registration through plugins_registry: the plugin serves -------------------------------------------------------
GET_INFO: Final = Unary("pluginregistration.Registration/GetInfo", registration.InfoRequest, registration.PluginInfo)
NOTIFY: Final = Unary(
    "pluginregistration.Registration/NotifyRegistrationStatus",
    registration.RegistrationStatus,
    registration.RegistrationStatusResponse,
)
DRA_PLUGIN: Final = "DRAPlugin"
DEVICE_PLUGIN: Final = "DevicePlugin"

# --- DRA: the driver serves. The names by which PluginInfo offers services aren't those of the wire -----------------
DRA_V1: Final = "v1.DRAPlugin"
DRA_V1BETA1: Final = "v1beta1.DRAPlugin"
HEALTH_V1: Final = "v1.DRAResourceHealth"
HEALTH_V1ALPHA1: Final = "v1alpha1.DRAResourceHealth"

PREPARE_V1: Final = Unary(
    "k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodePrepareResources",
    dra_v1.NodePrepareResourcesRequest,
    dra_v1.NodePrepareResourcesResponse,
)
UNPREPARE_V1: Final = Unary(
    "k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodeUnprepareResources",
    dra_v1.NodeUnprepareResourcesRequest,
    dra_v1.NodeUnprepareResourcesResponse,
)
PREPARE_V1BETA1: Final = Unary(
    "k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin/NodePrepareResources",
    dra_v1beta1.NodePrepareResourcesRequest,
    dra_v1beta1.NodePrepareResourcesResponse,
)
UNPREPARE_V1BETA1: Final = Unary(
    "k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin/NodeUnprepareResources",
    dra_v1beta1.NodeUnprepareResourcesRequest,
    dra_v1beta1.NodeUnprepareResourcesResponse,
)
WATCH_HEALTH_V1: Final = Streaming(
    "v1.DRAResourceHealth/NodeWatchResources",
    health_v1.NodeWatchResourcesRequest,
    health_v1.NodeWatchResourcesResponse,
)
WATCH_HEALTH_V1ALPHA1: Final = Streaming(
    "v1alpha1.DRAResourceHealth/NodeWatchResources",
    health_v1alpha1.NodeWatchResourcesRequest,
    health_v1alpha1.NodeWatchResourcesResponse,
)

# --- the device plugin API: the kubelet serves REGISTER, the plugin the others --------------------------------------
DEVICE_PLUGIN_API: Final = "v1beta1"
HEALTHY: Final = "Healthy"
UNHEALTHY: Final = "Unhealthy"

REGISTER: Final = Unary("v1beta1.Registration/Register", device_plugin.RegisterRequest, device_plugin.Empty)
OPTIONS: Final = Unary(
    "v1beta1.DevicePlugin/GetDevicePluginOptions", device_plugin.Empty, device_plugin.DevicePluginOptions
)
LIST_AND_WATCH: Final = Streaming(
    "v1beta1.DevicePlugin/ListAndWatch", device_plugin.Empty, device_plugin.ListAndWatchResponse
)
PREFERRED: Final = Unary(
    "v1beta1.DevicePlugin/GetPreferredAllocation",
    device_plugin.PreferredAllocationRequest,
    device_plugin.PreferredAllocationResponse,
)
ALLOCATE: Final = Unary("v1beta1.DevicePlugin/Allocate", device_plugin.AllocateRequest, device_plugin.AllocateResponse)
PRE_START: Final = Unary(
    "v1beta1.DevicePlugin/PreStartContainer",
    device_plugin.PreStartContainerRequest,
    device_plugin.PreStartContainerResponse,
)

# --- pod resources: the kubelet serves ------------------------------------------------------------------------------
LIST_PODS: Final = Unary(
    "v1.PodResourcesLister/List", pod_resources.ListPodResourcesRequest, pod_resources.ListPodResourcesResponse
)
GET_POD: Final = Unary(
    "v1.PodResourcesLister/Get", pod_resources.GetPodResourcesRequest, pod_resources.GetPodResourcesResponse
)
GET_ALLOCATABLE: Final = Unary(
    "v1.PodResourcesLister/GetAllocatableResources",
    pod_resources.AllocatableResourcesRequest,
    pod_resources.AllocatableResourcesResponse,
)

# --- an agent of ours serves, beside whatever else it serves there --------------------------------------------------
WHO: Final = Unary("aliquot.node.v1.Agent/Who", agent.WhoRequest, agent.WhoResponse)

# --- the container runtime serves -----------------------------------------------------------------------------------
RUNTIME_VERSION: Final = Unary("runtime.v1.RuntimeService/Version", runtime.VersionRequest, runtime.VersionResponse)
