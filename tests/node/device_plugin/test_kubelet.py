"""The kubelet goes and comes back, sockets are wiped, and others are there too."""

import shutil
import socket
import stat
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from aliquot.node.device_plugin.at_kubelet.sockets import Taken, socket_name
from aliquot.node.device_plugin.plugins import DevicePlugins
from aliquot.node.protos.generated import device_plugin_v1beta1_pb2 as pb
from aliquot.node.protos.rpc import dial
from aliquot.node.protos.services import LIST_AND_WATCH
from aliquot.sandbox.kubelet.kubelet import Kubelet
from tests.node.device_plugin.conftest import Begin
from tests.node.device_plugin.node import BRISK, G0, G1, Node, replicas, settings
from tests.sandbox.device_plugin import DevicePlugin

OWN = "aliquot-gpu.sock"


def counts(kubelet: Kubelet, count: int) -> bool:
    return kubelet.wait(lambda: kubelet.allocatable() == {"nvidia.com/gpu": count})


def test_its_socket_is_for_root_alone_and_gone_at_the_end(begin: Begin) -> None:
    node = begin()
    node.until(gpu=2)
    (plugin,) = node.kubelet.plugins()
    assert (plugin.name, plugin.endpoint) == ("nvidia.com/gpu", str(node.folder / OWN))
    assert stat.S_IMODE((node.folder / OWN).stat().st_mode) == 0o600
    node.plugins.stop()
    assert [path.name for path in node.folder.iterdir()] == ["kubelet.sock"]
    assert node.kubelet.wait(lambda: node.kubelet.allocatable() == {"nvidia.com/gpu": 0})


def test_numa_nodes_are_told(begin: Begin) -> None:
    node = begin()
    node.until(gpu=2)
    life = node.kubelet._alive
    assert {name: device.numa for name, device in life.resources.devices("nvidia.com/gpu").items()} == {
        G0: (0,),
        G1: (1,),
    }


def test_after_a_restart_of_the_kubelet_it_registers_again(begin: Begin) -> None:
    node = begin()
    node.until(gpu=2)
    assert node.gets("p-1", gpu=1).envs == {"NVIDIA_VISIBLE_DEVICES": G0}
    for _ in range(3):
        node.kubelet.restart()
        node.until(gpu=2)
    assert node.gets("p-2", gpu=1).envs == {"NVIDIA_VISIBLE_DEVICES": G1}, "who had which is kept"


def test_a_kubelet_that_comes_later_is_waited_for(begin: Begin) -> None:
    node = begin()
    node.until(gpu=2)
    node.kubelet.stop()
    (node.folder / "kubelet.sock").unlink(missing_ok=True)
    assert node.kubelet.wait(lambda: node.status().problem == f"there's no {node.folder}/kubelet.sock")
    assert not node.status().registered
    node.kubelet.start()
    node.until(gpu=2)
    assert (node.status().registered, node.status().problem) == (True, "")


def test_a_kubelet_that_does_not_answer_is_tried_again_and_told_once(begin: Begin) -> None:
    node = begin(started=False)
    node.kubelet.stop()
    path = node.folder / "kubelet.sock"
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    assert node.plugins.start() is None
    try:
        assert node.kubelet.wait(lambda: "didn't register it" in node.status().problem)
        assert node.kubelet.wait(lambda: len(node.told) > 1, within_s=0.3) is False, node.told
        node.kubelet.start()
        node.until(gpu=2)
    finally:
        node.plugins.stop()


def test_a_socket_that_was_wiped_is_made_again(begin: Begin) -> None:
    node = begin()
    node.until(gpu=2)
    before = (node.folder / OWN).stat().st_ino, node.told.count(f"nvidia.com/gpu: registered, by {node.folder / OWN}")
    (node.folder / OWN).unlink()
    assert node.kubelet.wait((node.folder / OWN).exists)
    node.until(gpu=2)
    assert before[1] == 1
    assert node.gets(gpu=2).envs == {"NVIDIA_VISIBLE_DEVICES": f"{G0},{G1}"}


def test_a_kubelet_that_has_hung_up_is_asked_again(begin: Begin) -> None:
    node = begin()
    node.until(gpu=2)
    endpoint = node.kubelet._alive.resources.endpoint("nvidia.com/gpu")
    assert endpoint is not None
    endpoint.stop()
    assert node.kubelet.allocatable() == {"nvidia.com/gpu": 0}
    node.until(gpu=2)


def test_many_who_listen_do_not_keep_the_kubelet_from_its_answers(begin: Begin) -> None:
    node = begin()
    node.until(gpu=2)
    with ExitStack() as stack:
        for _ in range(20):
            channel = stack.enter_context(dial(str(node.folder / OWN)))
            stream = LIST_AND_WATCH.on(channel)(pb.Empty())
            assert [device.ID for device in next(iter(stream)).devices] == [G0, G1]
        assert dict(node.allocate(G0).envs) == {"NVIDIA_VISIBLE_DEVICES": G0}
    node.until(gpu=2)
    assert node.gets(gpu=1).envs == {"NVIDIA_VISIBLE_DEVICES": G0}


def test_no_folder_yet(begin: Begin, root: Path) -> None:
    node = begin(started=False)
    told: list[str] = []
    later = root / "later"
    other = DevicePlugins(settings(), node.shared, folder=later, timing=BRISK, tell=told.append)
    assert other.start() is None
    try:
        other.update(node.host.survey())
        assert node.kubelet.wait(lambda: bool(told))
        assert told == [f"nvidia.com/gpu: there's no folder {later}"]
        shutil.copytree(node.folder, later, ignore=shutil.ignore_patterns("*.sock"))
        assert node.kubelet.wait((later / OWN).exists)
    finally:
        other.stop()


# --- others ---------------------------------------------------------------------------------------------------------
def test_nvidias_plugin_is_not_started_over(begin: Begin, root: Path) -> None:
    node = begin(started=False)
    with DevicePlugin(root, G0, G1, socket="nvidia-gpu.sock") as theirs:
        theirs.register()
        node.until(gpu=2)
        refusal = node.plugins.start()
        assert isinstance(refusal, Taken)
        assert refusal.sockets == (str(node.folder / "nvidia-gpu.sock"),)
        assert str(refusal).startswith(f"another device plugin listens at {node.folder}/nvidia-gpu.sock: it offers")
        assert "devicePlugin.enabled=false" in str(refusal)
        assert theirs.asked == []


def test_a_socket_that_nvidias_plugin_left_is_no_plugin(begin: Begin) -> None:
    node = begin(started=False)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(node.folder / "nvidia-gpu.sock"))
    assert node.plugins.start() is None
    try:
        node.until(gpu=2)
    finally:
        node.plugins.stop()


def test_nvidias_plugin_that_comes_later_is_not_fought(begin: Begin, root: Path) -> None:
    node = begin()
    node.until(gpu=2)
    with DevicePlugin(root, "theirs", socket="nvidia-gpu.sock") as theirs:
        theirs.register()
        assert node.kubelet.wait(lambda: "nvidia-gpu.sock" in node.status().problem)
        assert set(node.kubelet.devices("nvidia.com/gpu")) == {"theirs"}
        assert sum("nvidia-gpu.sock" in line for line in node.told) == 1
    node.until(gpu=2)


def test_a_newer_agent_takes_over_and_gives_back(begin: Begin, root: Path) -> None:
    old = begin()
    old.until(gpu=2)
    new = Node(root, old.host, settings())
    new.kubelet = old.kubelet
    assert new.plugins.start() is None
    new.update()
    words = f"another process serves at {old.folder / OWN}: a newer agent, or a second one"
    assert old.kubelet.wait(lambda: old.status().problem == words), old.status()
    assert old.kubelet.wait(lambda: new.status().registered)
    new.until(gpu=2)
    old.plugins.stop()
    assert new.gets(gpu=1).envs == {"NVIDIA_VISIBLE_DEVICES": G0}, "the old one's end takes nothing away"
    new.plugins.stop()
    assert not (old.folder / OWN).exists()


def test_an_older_agent_is_back_when_the_newer_one_has_gone(begin: Begin, root: Path) -> None:
    old = begin()
    old.until(gpu=2)
    new = Node(root, old.host, settings())
    assert new.plugins.start() is None
    new.update()
    assert old.kubelet.wait(lambda: "another process serves" in old.status().problem)
    new.plugins.stop()
    assert old.kubelet.wait(lambda: old.status().registered)
    old.until(gpu=2)


def test_something_else_at_its_path(begin: Begin) -> None:
    node = begin(updated=False)
    (node.folder / OWN).mkdir()
    node.update()
    assert node.kubelet.wait(lambda: node.status().problem == f"{node.folder / OWN}: Is a directory"), node.status()
    (node.folder / OWN).rmdir()
    node.until(gpu=2)


def test_a_folder_too_deep_for_sockets(begin: Begin, root: Path) -> None:
    node = begin(started=False)
    deep = root / ("x" * 110)
    deep.mkdir()
    other = DevicePlugins(settings(), node.shared, folder=deep, timing=BRISK, tell=node.told.append)
    assert other.start() is None
    other.update(node.host.survey())
    assert node.kubelet.wait(lambda: bool(node.told))
    other.stop()
    assert "no socket can be made there" in node.told[0]


def test_start_and_stop_may_be_called_again(begin: Begin) -> None:
    node = begin(started=False)
    node.plugins.stop()
    for _ in range(3):
        assert node.plugins.start() is None
        node.until(gpu=2)
        node.plugins.stop()
        node.plugins.stop()
        assert node.kubelet.wait(lambda: node.kubelet.allocatable() == {"nvidia.com/gpu": 0})


def test_everything_at_once(begin: Begin) -> None:
    node = begin(settings(replicas(4)))
    node.until(gpu=8)
    stop = threading.Event()
    faults: list[BaseException] = []

    def repeat(act: Callable[[], object]) -> None:
        try:
            while not stop.is_set():
                act()
        except BaseException as error:  # noqa: BLE001 - told at the end
            faults.append(error)

    def flip() -> None:
        node.plugins.set_health(G0, healthy=False, reason="XID 48")
        node.plugins.set_health(G0, healthy=True)

    def reload() -> None:
        for count in (2, 4):
            node.plugins.configure(settings(replicas(count)))

    threads = [threading.Thread(target=repeat, args=[act]) for act in (flip, node.update, reload, node.plugins.status)]
    for thread in threads:
        thread.start()
    for _ in range(4):
        node.kubelet.restart()
        (node.folder / OWN).unlink(missing_ok=True)
        assert node.kubelet.wait(lambda: node.status().registered)
    stop.set()
    for thread in threads:
        thread.join()
    assert faults == []
    node.plugins.configure(settings(replicas(4)))
    node.until(gpu=8)
    assert dict(node.allocate(f"{G1}::3").envs) == {"NVIDIA_VISIBLE_DEVICES": G1}


def test_names_of_sockets_fit() -> None:
    folder = Path("/var/lib/kubelet/device-plugins")
    assert socket_name("nvidia.com/mig-1g.5gb.shared", folder) == "aliquot-mig-1g.5gb.shared.sock"
    long = socket_name(f"nvidia.com/{'x' * 63}", folder / "deep")
    assert len(long) == len("aliquot-12345678.sock")
