"""Device plugins: registered, counted, and asked at a pod's admission."""

from dataclasses import replace
from pathlib import Path

import grpc
import pytest

from aliquot.kube.pod import Container
from aliquot.node.protos.generated import device_plugin_v1beta1_pb2 as pb
from aliquot.sandbox.kubelet.answers import Admitted, ContainerGets, DeviceNode, Mount, NotAdmitted
from aliquot.sandbox.kubelet.dra.health import Health
from aliquot.sandbox.kubelet.failures import failure
from aliquot.sandbox.kubelet.kubelet import Kubelet
from aliquot.sandbox.kubelet.resource_status import ResourceStatus
from aliquot.sandbox.kubelet.timing import BRISK
from tests.sandbox.device_plugin import RESOURCE, DevicePlugin
from tests.sandbox.kubelet.conftest import Start
from tests.sandbox.objects import asking


def counted(kubelet: Kubelet, **allocatable: int) -> None:
    expected = {f"nvidia.com/{name}": amount for name, amount in allocatable.items()}
    assert kubelet.wait(lambda: kubelet.allocatable() == expected), kubelet.allocatable()


def gets(answer: Admitted | NotAdmitted, container: str = "main") -> ContainerGets:
    assert isinstance(answer, Admitted), answer
    return answer.containers[container]


def seen(answer: Admitted | NotAdmitted, container: str = "main") -> str:
    return gets(answer, container).envs["VISIBLE"]


def why(answer: Admitted | NotAdmitted) -> str:
    assert isinstance(answer, NotAdmitted), answer
    assert (answer.reason, answer.final) == ("UnexpectedAdmissionError", True)
    before, after = "Allocate failed due to ", ", which is unexpected"
    assert answer.message.startswith(before), answer
    assert answer.message.endswith(after), answer
    return answer.message[len(before) : -len(after)]


def test_devices_are_counted_given_and_freed(root: Path, start: Start) -> None:
    kubelet = start()
    with DevicePlugin(root, "G0", "G1", "G2") as plugin:
        plugin.register()
        counted(kubelet, gpu=3)
        assert [(one.name, one.service, one.connected) for one in kubelet.plugins()] == [(RESOURCE, "v1beta1", True)]
        assert seen(kubelet.admit(asking("p-1", gpu=2))) == "G0,G1"
        assert seen(kubelet.admit(asking("p-1", gpu=2))) == "G0,G1", "the same pod again"
        few = f"requested number of devices unavailable for {RESOURCE}. Requested: 2, Available: 1"
        assert why(kubelet.admit(asking("p-2", gpu=2))) == few
        assert seen(kubelet.admit(asking("p-3", gpu=1))) == "G2"
        assert kubelet.allocatable() == kubelet.capacity() == {RESOURCE: 3}, "use isn't counted there"
        assert kubelet.remove(asking("p-1")) is None
        assert seen(kubelet.admit(asking("p-4", gpu=2))) == "G0,G1"
        assert plugin.asked == [("allocate", ("G0", "G1")), ("allocate", ("G2",)), ("allocate", ("G0", "G1"))]


def test_resources_that_no_plugin_has_are_passed_over(start: Start) -> None:
    assert gets(start().admit(asking(gpu=1))) == ContainerGets()


@pytest.mark.parametrize(
    ("resource", "version", "error"),
    [
        (
            RESOURCE,
            "v1alpha",
            'requested API version "v1alpha" is not supported by kubelet. Supported version is ["v1beta1"]',
        ),
        ("gpu", "v1beta1", 'the ResourceName "gpu" is invalid'),
        ("kubernetes.io/gpu", "v1beta1", 'the ResourceName "kubernetes.io/gpu" is invalid'),
        ("nvidia.com/mig-1g.5gb+me", "v1beta1", 'the ResourceName "nvidia.com/mig-1g.5gb+me" is invalid'),
        ("Nvidia.com/gpu", "v1beta1", 'the ResourceName "Nvidia.com/gpu" is invalid'),
    ],
)
def test_registrations_that_are_refused(root: Path, start: Start, resource: str, version: str, error: str) -> None:
    kubelet = start()
    with DevicePlugin(root, "G0", resource=resource) as plugin:
        with pytest.raises(grpc.RpcError) as refused:
            plugin.register(version)
        assert failure(refused.value) == f"rpc error: code = Unknown desc = {error}"
    assert kubelet.capacity() == {}


def test_a_plugin_that_does_not_serve_yet_is_refused(root: Path, start: Start) -> None:
    start(timing=replace(BRISK, dial_s=0.2))
    plugin = DevicePlugin(root)
    with pytest.raises(grpc.RpcError) as refused:
        plugin.register()
    assert failure(refused.value) == (
        f"rpc error: code = Unknown desc = failed to dial device plugin at {plugin.socket}: context deadline exceeded"
    )


def test_a_plugin_that_does_not_tell_its_options_is_refused(root: Path, start: Start) -> None:
    kubelet = start()
    with DevicePlugin(root, "G0") as plugin:
        plugin.fault["options"] = "no NVML"
        with pytest.raises(grpc.RpcError) as refused:
            plugin.register()
        assert failure(refused.value) == (
            "rpc error: code = Unknown desc = failed to get device plugin options: "
            "rpc error: code = Unknown desc = no NVML"
        )
    assert kubelet.plugins() == ()


def test_what_plugins_say_becomes_one(root: Path, start: Start) -> None:
    kubelet = start()

    def says(devices: tuple[str, ...]) -> pb.ContainerAllocateResponse:
        (name,) = devices
        return pb.ContainerAllocateResponse(
            envs={"BOTH": name, name: "1"},
            mounts=[pb.Mount(container_path="/lib", host_path=f"/{name}", read_only=True)],
            devices=[
                pb.DeviceSpec(container_path="/dev/ctl", host_path="/dev/ctl", permissions="rw"),
                pb.DeviceSpec(container_path=f"/dev/{name}", host_path=f"/dev/{name}", permissions="rwm"),
            ],
            annotations={f"a/{name}": "x"},
            cdi_devices=[pb.CDIDevice(name="ex.com/gpu=all"), pb.CDIDevice(name=f"ex.com/gpu={name}")],
        )

    gpu = DevicePlugin(root, "G0")
    mig = DevicePlugin(root, "M0", resource="nvidia.com/mig", socket="mig.sock")
    with gpu, mig:
        gpu.allocate = mig.allocate = says
        gpu.register()
        mig.register()
        counted(kubelet, gpu=1, mig=1)
        assert gets(kubelet.admit(asking(gpu=1, mig=1))) == ContainerGets(
            cdi_devices=("ex.com/gpu=all", "ex.com/gpu=G0", "ex.com/gpu=M0"),
            envs={"BOTH": "G0", "G0": "1", "M0": "1"},
            mounts=(Mount("/lib", "/G0", read_only=True),),
            devices=(
                DeviceNode("/dev/ctl", "/dev/ctl", "rw"),
                DeviceNode("/dev/G0", "/dev/G0", "rwm"),
                DeviceNode("/dev/M0", "/dev/M0", "rwm"),
            ),
            annotations={"a/G0": "x", "a/M0": "x"},
        )


def test_names_in_annotations_must_be_known_too(root: Path, start: Start) -> None:
    kubelet = start(cdi=[root / "cdi"])
    with DevicePlugin(root, "G0") as plugin:
        plugin.allocate = lambda devices: pb.ContainerAllocateResponse(
            annotations={"cdi.k8s.io/nvidia_gpu": f"nvidia.com/gpu={devices[0]}"}
        )
        plugin.register()
        counted(kubelet, gpu=1)
        assert kubelet.admit(asking(gpu=1)) == NotAdmitted(
            "CreateContainerError", "CDI device injection failed: unresolvable CDI devices nvidia.com/gpu=G0"
        )


def test_what_the_plugin_prefers_is_asked_for_and_taken_where_it_can(root: Path, start: Start) -> None:
    kubelet = start()
    with DevicePlugin(root, "G0", "G1", "G2", "G3") as plugin:
        plugin.options = pb.DevicePluginOptions(get_preferred_allocation_available=True)
        plugin.prefers = ["G3", "G9", "G3"]
        plugin.register()
        counted(kubelet, gpu=4)
        assert seen(kubelet.admit(asking("p-1", gpu=2))) == "G3,G0", "one isn't there, so another is taken"
        assert plugin.preferences == [(("G0", "G1", "G2", "G3"), (), 2)]
        plugin.prefers = ["G2", "G1"]
        assert seen(kubelet.admit(asking("p-2", gpu=1))) == "G2", "no more than was asked for"
        plugin.fault["prefer"] = "no topology"
        assert why(kubelet.admit(asking("p-3", gpu=1))) == (
            "device plugin GetPreferredAllocation rpc failed with err: rpc error: code = Unknown desc = no topology"
        )


def test_a_plugin_that_fails_fails_the_pod_for_good(root: Path, start: Start) -> None:
    kubelet = start()
    with DevicePlugin(root, "G0") as plugin:
        plugin.register()
        counted(kubelet, gpu=1)
        plugin.fault["allocate"] = "request for more than one"
        error = "rpc error: code = Unknown desc = request for more than one"
        assert why(kubelet.admit(asking(gpu=1), within_s=5)) == error
        assert kubelet.pods() == []
        plugin.fault.clear()
        assert seen(kubelet.admit(asking("p-2", gpu=1))) == "G0"


def test_before_a_container_starts(root: Path, start: Start) -> None:
    kubelet = start()
    with DevicePlugin(root, "G0") as plugin:
        plugin.options = pb.DevicePluginOptions(pre_start_required=True)
        plugin.fault["pre-start"] = "reset failed"
        plugin.register()
        counted(kubelet, gpu=1)
        assert kubelet.admit(asking(gpu=1)) == NotAdmitted(
            "CreateContainerError",
            "device plugin PreStartContainer rpc failed with err: rpc error: code = Unknown desc = reset failed",
        )
        plugin.fault.clear()
        assert seen(kubelet.admit(asking(gpu=1))) == "G0"
        assert plugin.asked == [("allocate", ("G0",)), ("pre-start", ("G0",)), ("pre-start", ("G0",))]


def test_devices_of_init_containers_are_used_again_but_not_those_of_sidecars(root: Path, start: Start) -> None:
    kubelet = start()
    one = {RESOURCE: 1}
    init = Container("init", one, one)
    sidecar = Container("sidecar", one, one, sidecar=True)
    with DevicePlugin(root, "G0", "G1") as plugin:
        plugin.register()
        counted(kubelet, gpu=2)
        answer = kubelet.admit(asking(init=[init, sidecar], gpu=1))
        assert [seen(answer, name) for name in ("init", "sidecar", "main")] == ["G0", "G0", "G1"]


def test_a_request_that_changed(root: Path, start: Start) -> None:
    kubelet = start()
    with DevicePlugin(root, "G0", "G1") as plugin:
        plugin.options = pb.DevicePluginOptions(pre_start_required=True)
        plugin.fault["pre-start"] = "not yet"
        plugin.register()
        counted(kubelet, gpu=2)
        kubelet.admit(asking(gpu=1))
        assert why(kubelet.admit(asking(gpu=2))) == (
            f'pod "p-1" container "main" changed request for resource "{RESOURCE}" from 1 to 2'
        )


def test_sick_devices_are_not_given(root: Path, start: Start) -> None:
    kubelet = start()
    with DevicePlugin(root, "G0", "G1") as plugin:
        plugin.register()
        counted(kubelet, gpu=2)
        plugin.list(G0=False, G1=True)
        counted(kubelet, gpu=1)
        assert kubelet.capacity() == {RESOURCE: 2}
        assert kubelet.devices(RESOURCE) == {"G0": False, "G1": True}
        mine = asking(gpu=1)
        assert seen(kubelet.admit(mine)) == "G1"
        plugin.list(G0=True, G1=False)
        sick = ResourceStatus(RESOURCE, (("G1", Health("Unhealthy")),))
        assert kubelet.wait(lambda: kubelet.resource_status(mine) == {"main": (sick,)})
        plugin.list(G0=False, G1=False)
        counted(kubelet, gpu=0)
        none = f"no healthy devices present; cannot allocate unhealthy devices {RESOURCE}"
        assert why(kubelet.admit(asking("p-2", gpu=1))) == none
        plugin.list(G2=True)
        counted(kubelet, gpu=1)
        assert seen(kubelet.admit(asking("p-2", gpu=1))) == "G2"


def test_a_lost_plugin_is_unhealthy_then_uncounted(root: Path, start: Start) -> None:
    kubelet = start(timing=replace(BRISK, resource_gone_s=3.0))
    with DevicePlugin(root, "G0", "G1") as plugin:
        plugin.register()
        counted(kubelet, gpu=2)
    counted(kubelet, gpu=0)
    assert kubelet.capacity() == {RESOURCE: 2}
    assert kubelet.wait(lambda: kubelet.capacity() == {})


def test_a_new_plugin_of_a_resource_replaces_the_old_one(root: Path, start: Start) -> None:
    kubelet = start()
    with DevicePlugin(root, "G0", socket="old.sock") as old:
        old.register()
        counted(kubelet, gpu=1)
        with DevicePlugin(root, "G0", "G1", socket="new.sock") as new:
            new.register()
            counted(kubelet, gpu=2)
            assert [Path(one.endpoint).name for one in kubelet.plugins()] == ["new.sock"]
            assert seen(kubelet.admit(asking(gpu=2))) == "G0,G1"


def test_through_plugins_registry(root: Path, start: Start) -> None:
    kubelet = start()
    with DevicePlugin(root, "G0") as plugin:
        plugin.show()
        counted(kubelet, gpu=1)
        assert kubelet.wait(lambda: plugin.told == [(True, "")])
        assert kubelet.plugins()[0].socket == str(plugin.registration)
        plugin.registration.unlink()
        counted(kubelet, gpu=0)
    with DevicePlugin(root, resource="gpu") as unnamed:
        unnamed.show()
        assert kubelet.wait(lambda: bool(unnamed.told))
        assert "the ResourceName 'gpu' is invalid" in unnamed.told[0][1]


def test_a_restarted_kubelet_takes_away_the_sockets_and_keeps_the_pods(root: Path, start: Start) -> None:
    kubelet = start()
    mine = asking(gpu=1)
    with DevicePlugin(root, "G0", "G1", "G2") as plugin:
        plugin.register()
        counted(kubelet, gpu=3)
        before = kubelet.admit(mine)
        kubelet.restart()
        assert not plugin.socket.exists(), "so that it notices"
        assert kubelet.allocatable() == {RESOURCE: 0}
        assert kubelet.admit(mine) == before, "it runs"
        none = f"no healthy devices present; cannot allocate unhealthy devices {RESOURCE}"
        assert why(kubelet.admit(asking("p-2", gpu=1))) == none, "the plugin is away"
        plugin.stop()
        plugin.start()
        plugin.register()
        counted(kubelet, gpu=3)
        assert seen(kubelet.admit(asking("p-3", gpu=2))) == "G1,G2"
        assert plugin.asked == [("allocate", ("G0",)), ("allocate", ("G1", "G2"))]


def test_after_a_reboot_pods_that_come_before_their_plugin_fail(root: Path, start: Start) -> None:
    kubelet = start()
    with DevicePlugin(root, "G0", "G1") as plugin:
        plugin.register()
        counted(kubelet, gpu=2)
        seen(kubelet.admit(asking("p-1", gpu=1)))
        seen(kubelet.admit(asking("p-2", gpu=1)))
        kubelet.restart(reboot=True)
        none = f"no healthy devices present; cannot allocate unhealthy devices {RESOURCE}"
        assert why(kubelet.admit(asking("p-1", gpu=1))) == none
        plugin.stop()
        plugin.start()
        plugin.devices.pop()
        plugin.register()
        counted(kubelet, gpu=1)
        sick = f"previously allocated devices are no longer healthy; cannot allocate unhealthy devices {RESOURCE}"
        assert why(kubelet.admit(asking("p-2", gpu=1))) == sick


def test_a_damaged_checkpoint_of_devices_is_passed_over(root: Path, start: Start) -> None:
    kubelet = start()
    with DevicePlugin(root, "G0") as plugin:
        plugin.register()
        counted(kubelet, gpu=1)
        seen(kubelet.admit(asking(gpu=1)))
        file = root / "device-plugins/kubelet_internal_checkpoint"
        file.write_bytes(file.read_bytes()[:-9])
        kubelet.restart()
        assert kubelet.capacity() == {}
        assert gets(kubelet.admit(asking(gpu=1))) == ContainerGets()


def test_other_things_in_the_folder(root: Path, start: Start) -> None:
    folder = root / "device-plugins/below"
    folder.mkdir(parents=True)
    (folder.parent / "stale.sock").touch()
    start()
    assert sorted(entry.name for entry in folder.parent.iterdir()) == ["below", "kubelet.sock"]
