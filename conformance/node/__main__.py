"""Have a driver over Kubernetes' library run at our kubelet and API server: ``python -m conformance.node``.

Exit status: 0 all is as it must be, 1 it isn't, 2 there's no driver (Go or its modules are missing).
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.objects.resources import CLAIMS, NODES, SLICES
from aliquot.kube.meta import Meta
from aliquot.kube.pod import Container, ContainerClaim, Pod, PodClaim
from aliquot.kube.release import Kubernetes
from aliquot.node.protos.services import DRA_V1, DRA_V1BETA1
from aliquot.sandbox.cluster_api import ClusterApi
from aliquot.sandbox.kubelet.answers import Admitted
from aliquot.sandbox.kubelet.kubelet import Kubelet
from aliquot.sandbox.kubelet.timing import BRISK
from aliquot.sandbox.rest.server import RestServer
from conformance.node.driver import DRIVER, Places, build, in_go, running
from conformance.reference import MissingReferenceError

NODE: Final = "n1"
NAMESPACE: Final = "ml"
SPOKEN: Final = {33: DRA_V1BETA1, 37: DRA_V1}
"""Minor version of a kubelet -> what it speaks with drivers of this library."""
WAIT_S: Final = 60.0


class Stand:
    """Our side: an API server and a kubelet, that nobody has started yet."""

    def __init__(self, folder: Path, minor: int) -> None:
        self.cluster = MemoryCluster()
        self.cluster.create(NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}})
        self.server = RestServer(self.cluster)
        self.places = Places(folder, NODE, folder / "config")
        self.places.cdi.mkdir()
        self.kubelet = Kubelet(
            self.places.kubelet,
            NODE,
            ClusterApi(self.cluster),
            kubernetes=Kubernetes(minor),
            timing=BRISK,
            cdi=[self.places.cdi],
        )

    def pod(self, name: str, device: str) -> Pod:
        """A pod whose claim has a device."""
        result = {"request": "gpu", "driver": DRIVER, "pool": NODE, "device": device}
        request = {"name": "gpu", "exactly": {"deviceClassName": DRIVER}}
        metadata = {"namespace": NAMESPACE, "name": name}
        claim = self.cluster.create(CLAIMS, {"metadata": metadata, "spec": {"devices": {"requests": [request]}}})
        reserved = [{"resource": "pods", "name": name, "uid": f"pod-{name}"}]
        claim["status"] = {"allocation": {"devices": {"results": [result]}}, "reservedFor": reserved}
        self.cluster.update(CLAIMS, claim, subresource="status")
        return Pod(
            Meta(name, NAMESPACE, uid=f"pod-{name}"),
            containers=(Container("main", claims=(ContainerClaim("gpu"),)),),
            node_name=NODE,
            claims=(PodClaim("gpu", claim_name=name),),
        )

    def spoken(self) -> list[str]:
        """What is spoken with drivers that can be called."""
        return [plugin.service for plugin in self.kubelet.plugins() if plugin.connected]

    def published(self) -> list[str]:
        """The devices of the node's slices, if the Node owns these."""
        slices = [one for one in self.cluster.list(SLICES).items if one["spec"]["nodeName"] == NODE]
        owned = all(owner["name"] == NODE for one in slices for owner in one["metadata"].get("ownerReferences", [{}]))
        return [device["name"] for one in slices for device in one["spec"]["devices"]] if owned else []

    def specs(self) -> list[str]:
        """Files for the container runtime."""
        return [path.name for path in self.places.cdi.iterdir()]

    def refused(self, pod: Pod, holder: str) -> bool:
        """Whether a pod isn't started, because another claim holds its GPU."""
        answer = self.kubelet.admit(pod)
        return not isinstance(answer, Admitted) and f"is held by claim {NAMESPACE}/{holder}" in answer.message


def eventually(holds: Callable[[], object]) -> bool:
    """Whether something comes to be."""
    until = time.monotonic() + WAIT_S
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def checks(stand: Stand, minor: int) -> Iterator[tuple[str, bool]]:
    """(What must be so, whether it is), step by step."""
    eight = [f"gpu-{number}" for number in range(8)]
    places, kubelet = stand.places, stand.kubelet
    with running(in_go(places), places.log) as process:
        yield f"the kubelet takes it, and speaks {SPOKEN[minor]}", eventually(lambda: stand.spoken() == [SPOKEN[minor]])
        yield "its GPUs are published, and the slice is the Node's", eventually(lambda: stand.published() == eight)
        if minor == max(SPOKEN):  # the library lets half a minute go by
            kubelet.restart()
            yield (
                "it publishes again what a starting kubelet deletes",
                eventually(lambda: stand.published() == eight and stand.spoken()),
            )
        first, second = stand.pod("first", "gpu-3"), stand.pod("second", "gpu-3")
        given = kubelet.admit(first, within_s=WAIT_S)
        names = given.containers["main"].cdi_devices if isinstance(given, Admitted) else ()
        yield "a pod gets the CDI device of its claim", [name.rpartition("-gpu-")[2] for name in names] == ["3"]
        yield "a GPU that a claim holds isn't given to another", stand.refused(second, "first")
        process.kill()
        process.wait()
    with running(in_go(places), places.log) as process:
        yield "it's taken again after it was killed", eventually(lambda: stand.spoken() == [SPOKEN[minor]])
        yield "what it held it still holds", eventually(lambda: stand.refused(second, "first"))
        yield "its slice is there, once", eventually(lambda: stand.published() == eight)
        kubelet.remove(first, within_s=WAIT_S)
        yield "a claim that is let go leaves no spec", stand.specs() == []
        yield "its GPU goes to the next pod", isinstance(kubelet.admit(second, within_s=WAIT_S), Admitted)
        stand.cluster.delete(CLAIMS, "second", NAMESPACE)
        yield "a claim that is gone can be let go", kubelet.remove(second, within_s=WAIT_S) is None
    yield (
        "it ends when it's told to, and takes its sockets away",
        (process.returncode == 0 and not list(kubelet.folders.registry.iterdir())),
    )


def main() -> int:
    try:
        build()
    except MissingReferenceError as error:
        print(f"no comparison: {error}", file=sys.stderr)
        return 2
    wrong = 0
    for minor in SPOKEN:
        with tempfile.TemporaryDirectory(prefix="n") as folder:
            stand = Stand(Path(folder), minor)
            with stand.server, stand.kubelet:
                stand.server.kubeconfig(stand.places.kubeconfig)
                for what, holds in checks(stand, minor):
                    print(f"kubeletplugin at a kubelet 1.{minor}: {what}: {'ok' if holds else 'NO'}", flush=True)
                    wrong += not holds
            if wrong:
                print(stand.places.log.read_text(errors="replace")[-4000:])
                break
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
