"""`aliquot node run` as a process, between a kubelet and an API server."""

import json
import socket
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from aliquot.cluster.objects.resources import CLAIMS
from aliquot.devices.hosts.simulated.shape import Fault
from aliquot.devices.instances import placements_of
from aliquot.dra.device import DeviceId
from aliquot.sandbox.kubelet.answers import Admitted, NotAdmitted
from aliquot.sandbox.kubelet.dra.health import UNKNOWN
from scenarios.node.running import GPU, RunningNode, until
from tests.node.agent.conftest import Begin
from tests.sandbox.objects import asking

pytestmark = pytest.mark.enable_socket
MIG = "gpu-2-mig-1g5gb-19-0"


def admitted(node: RunningNode, pod: Any) -> tuple[str, ...]:
    answer = node.kubelet.admit(pod, within_s=40)
    assert isinstance(answer, Admitted), (answer, node.told())
    return answer.containers["main"].cdi_devices


def test_it_publishes_prepares_lets_go_and_ends(begin: Begin) -> None:
    node = begin()
    node.start()
    until(lambda: {"gpu-0", "gpu-1", MIG, "gpu-3"} <= node.devices().keys(), told=node.told)
    until(lambda: list(node.devices("nic.aliquot.dev")) == ["nic-0000-9a-00-0"], told=node.told)
    pod = node.allocate("train", MIG)
    (device,) = admitted(node, pod)
    uid = node.cluster.list(CLAIMS).items[0]["metadata"]["uid"]
    assert device == f"k8s.gpu.nvidia.com/claim={uid}-{MIG}"
    gpu = node.host.survey().gpus[2]
    assert [str(place) for place in placements_of(gpu.instances)] == ["1g.5gb at 0"]
    (spec,) = node.specs()
    written = json.loads((node.cdi / spec).read_text())
    (edits,) = [one["containerEdits"] for one in written["devices"]]
    assert edits["deviceNodes"][0]["path"] == "/dev/nvidia2"
    assert MIG in node.devices(), "it's the claim's own, and stays on offer"
    assert node.kubelet.remove(pod, within_s=40) is None
    assert node.host.survey().gpus[2].instances == ()
    assert node.specs() == ()
    assert node.stop() == 0
    assert [line.split("Z ", 1)[1] for line in node.told().splitlines() if "ready" in line] == ["ready"]
    assert not list((node.root / "k/plugins_registry").iterdir())


def test_what_it_held_it_still_holds_after_it_was_killed(begin: Begin) -> None:
    node = begin()
    node.start()
    first = node.allocate("first", "gpu-0")
    given = admitted(node, first)
    node.kill()
    for spec in node.cdi.iterdir():
        spec.unlink()
    node.start()
    until(lambda: len(node.specs()) == 1, told=node.told)
    second = node.kubelet.admit(node.allocate("second", "gpu-0"), within_s=1)
    assert isinstance(second, NotAdmitted)
    assert "gpu-0 is held by claim ml/first" in second.message
    assert node.kubelet.remove(first, within_s=40) is None
    assert given
    assert node.specs() == ()


def test_a_reboot_leaves_nothing_that_counts(begin: Begin) -> None:
    node = begin()
    node.start()
    pod = node.allocate("train", MIG)
    admitted(node, pod)
    node.kill()
    node.host.reboot()
    for spec in node.cdi.iterdir():
        spec.unlink()
    node.kubelet.restart(reboot=True)
    node.start()
    (device,) = admitted(node, pod)
    assert MIG in device
    assert len(node.host.survey().gpus[2].instances) == 1
    assert node.kubelet.remove(pod, within_s=40) is None


def test_a_claim_that_is_gone_is_let_go_at_the_start(begin: Begin) -> None:
    node = begin()
    node.start()
    admitted(node, node.allocate("train", MIG))
    node.kill()
    node.delete("train")
    node.start()
    until(lambda: node.host.survey().gpus[2].instances == (), told=node.told)
    assert node.specs() == ()


def test_a_damaged_checkpoint_keeps_nobody_from_starting(begin: Begin) -> None:
    node = begin()
    node.start()
    pod = node.allocate("train", MIG)
    admitted(node, pod)
    node.kill()
    node.checkpoint.write_bytes(b'{"version": 2, "chec')
    node.start()
    until(lambda: "the checkpoint is damaged" in node.told(), told=node.told)
    assert node.kubelet.remove(pod, within_s=40) is None
    until(lambda: node.host.survey().gpus[2].instances == (), told=node.told)


def test_an_api_server_that_is_away_the_whole_time(begin: Begin) -> None:
    node = begin()
    node.server.down()
    node.start()
    pod = node.allocate("train", MIG)
    answer = node.kubelet.admit(pod, within_s=1)
    assert isinstance(answer, NotAdmitted)
    assert "can't be read" in answer.message
    node.server.up()
    admitted(node, pod)


CONFIG = """
apiVersion: node.aliquot.dev/v1alpha1
kind: NodeConfig
offer: {gpus: [{product: T4, by: device-plugin}]}
devicePluginConfig: ROOT/plugin.yaml
"""
SLICED = "version: v1\nsharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}\n"


def test_each_gpu_goes_one_way(begin: Begin) -> None:
    node = begin()
    (node.root / "plugin.yaml").write_text(SLICED)
    path = node.root / "node.yaml"
    path.write_text(CONFIG.replace("ROOT", str(node.root)))
    node.start(f"--config={path}")
    until(lambda: node.kubelet.allocatable().get("nvidia.com/gpu") == 4, told=node.told)
    until(lambda: "gpu-0" in node.devices(), told=node.told)
    assert "gpu-3" not in node.devices()
    answer = node.kubelet.admit(asking(gpu=1), within_s=40)
    assert isinstance(answer, Admitted), (answer, node.told())
    t4 = node.host.survey().gpus[3].uuid
    assert answer.containers["main"].envs["NVIDIA_VISIBLE_DEVICES"] == t4


@pytest.mark.parametrize(
    ("file", "words"),
    [
        pytest.param("apiVersion: v1\nkind: NodeConfig\nmig: on\n", ["apiVersion", "mig"], id="two faults"),
        pytest.param("[]", ["expected an object"], id="no object"),
        pytest.param("a: [", ["no YAML"], id="no YAML"),
    ],
)
def test_a_wrong_configuration_is_said(begin: Begin, file: str, words: list[str]) -> None:
    node = begin()
    path = node.root / "node.yaml"
    path.write_text(file)
    node.start(f"--config={path}")
    assert node.agent is not None
    assert node.agent.wait(10) == 2
    assert all(word in node.told() for word in words), node.told()
    assert "Traceback" not in node.told()


def test_an_xid_keeps_new_claims_off_one_gpu_until_it_is_mended(begin: Begin) -> None:
    node = begin()
    node.start()
    until(lambda: "gpu-0" in node.devices(), told=node.told)
    node.host.inject(Fault(gpu=0, xid=95))
    until(lambda: node.devices()["gpu-0"].get("taints"), 40, node.told)
    (taint,) = [one for one in node.devices()["gpu-0"]["taints"] if one["key"] == "gpu.nvidia.com/xid"]
    assert (taint["value"], taint["effect"]) == ("95", "NoSchedule")
    assert "taints" not in node.devices()["gpu-1"]
    bad = DeviceId(GPU, "n1", "gpu-0")
    until(lambda: node.kubelet.health().get(bad, UNKNOWN).status == "Unhealthy", 20, node.told)
    node.kill()
    node.start()
    until(lambda: node.devices().get("gpu-0") and node.kubelet.health().get(bad), 20, node.told)
    after = [one for one in node.devices()["gpu-0"]["taints"] if one["key"] == "gpu.nvidia.com/xid"]
    assert after == [taint], "it's the same taint, from the same time"
    node.host.reset(node.host.survey().gpus[0].uuid)
    until(lambda: "taints" not in node.devices()["gpu-0"], 60, node.told)


def test_its_pages(begin: Begin) -> None:
    node = begin()
    path = node.root / "node.yaml"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    path.write_text(f"apiVersion: node.aliquot.dev/v1alpha1\nkind: NodeConfig\nmetricsAddress: 127.0.0.1:{port}\n")
    node.start(f"--config={path}")
    admitted(node, node.allocate("train", MIG))

    def page(name: str) -> tuple[int, str]:
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", f"/{name}")
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    until(lambda: page("readyz") == (200, "ok\n"), 20, node.told)
    assert page("healthz") == (200, "ok\n")
    status, text = page("metrics")
    assert status == 200
    lines = text.splitlines()
    assert 'aliquot_node_prepare_seconds_count{outcome="prepared"} 1.0' in lines
    assert 'aliquot_node_prepared_devices{driver="gpu.nvidia.com"} 1.0' in lines
    assert any(line.startswith("DCGM_FI_DEV_GPU_TEMP{") and 'gpu="0"' in line for line in lines), text
    assert page("")[0] == 404


def test_it_does_not_start_beside_nvidias_device_plugin(begin: Begin) -> None:
    node = begin()
    folder = node.root / "k/device-plugins"
    folder.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as theirs:
        theirs.bind(str(folder / "nvidia-gpu.sock"))
        theirs.listen()
        node.start()
        assert node.agent is not None
        assert node.agent.wait(20) == 1
    assert "nvidia-gpu.sock" in node.told()
    assert not list((node.root / "k/plugins_registry").glob("*.sock"))


def test_the_example_configuration_is_taken(begin: Begin) -> None:
    node = begin()
    example = Path(__file__).parents[3] / "examples/node/agent.yaml"
    path = node.root / "node.yaml"
    path.write_text(example.read_text().replace("127.0.0.1:9400", "127.0.0.1:0"))
    node.start(f"--config={path}")
    until(lambda: "gpu-0" in node.devices(), told=node.told)
    assert node.stop() == 0
