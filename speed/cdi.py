"""Loading CDI specs and injecting devices, beside the Go library in one run: ``python -m speed cdi``.

The spec is a node's of eight GPUs (nine devices, with `all`), as generated. Cold is what a container engine does that
starts for one container: read the folders, then inject. Warm is a daemon with its registry at hand. The OCI spec is
parsed outside of the clock on both sides; the two take turns, and the ratio is the median over the rounds. What either
side makes ready when a file is read (Go its cache, ours the injector) it has when it's warm, and makes anew when cold.

Ours is CPU time: on a busy machine the scheduler takes the processor away within the longer call, hardly ever within
the shorter one, so that wall time would compare the neighbours. On an idle machine the two clocks agree.
"""

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from aliquot.cdi.documents.write import to_yaml
from aliquot.cdi.generate.inventory import FoundNode, Gpu, Inventory
from aliquot.cdi.generate.inventory_json import inventory_of
from aliquot.cdi.generate.spec import Options, generate
from aliquot.cdi.host.local_nodes import LocalNodes
from aliquot.cdi.injection.inject import Injector, inject
from aliquot.cdi.machine.folders import Folders
from aliquot.cdi.spec import ContainerEdits, Spec
from conformance import reference
from conformance.cdi_generate import RECORDED
from conformance.reference import MissingReferenceError
from speed.limits import ROUNDS, Ratio, missed, ratio

REPEAT: Final = 51
COLD, WARM = 5.0, 1.5
"""How many times Go's time ours may be."""

FILE: Final = "etc/nvidia.yaml"
ASKED: Final = {"one device": ["nvidia.com/gpu=3"], "all devices": ["nvidia.com/gpu=all"]}
OCI: Final[dict[str, Any]] = {
    "ociVersion": "1.0.2",
    "process": {"args": ["sh"], "cwd": "/", "env": [f"V{i}=value" for i in range(8)], "user": {"uid": 0, "gid": 0}},
    "root": {"path": "rootfs"},
    "mounts": [
        {"destination": path, "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "noexec"]}
        for path in ("/proc", "/dev", "/dev/pts", "/dev/shm", "/dev/mqueue", "/sys", "/sys/fs/cgroup", "/etc/hosts")
    ],
    "linux": {"resources": {"devices": [{"allow": False, "access": "rwm"}]}, "namespaces": [{"type": "mount"}]},
}


def nine_devices() -> Spec:
    """The spec of a node with eight GPUs. Nodes have their type, so that no host is needed to inject them."""
    recorded = inventory_of(json.loads(RECORDED.read_text(encoding="utf-8")))
    nodes = tuple(FoundNode(path=f"/dev/nvidia{n}", major=195, minor=n) for n in range(8))
    others = tuple(node for node in recorded.nodes if node.path.startswith(("/dev/nvidia-", "/dev/nvidiactl")))
    gpus = tuple(Gpu(index=n, minor=n) for n in range(8))
    host: Inventory = replace(recorded, nodes=(*nodes, *others), gpus=gpus)
    spec = generate(host, Options(strategies=("index",))).spec
    devices = tuple(replace(device, edits=_typed(device.edits)) for device in spec.devices)
    return replace(spec, devices=devices, edits=_typed(spec.edits))


def _typed(edits: ContainerEdits) -> ContainerEdits:
    return replace(edits, device_nodes=tuple(replace(node, type="c") for node in edits.device_nodes))


def ours(text: str, names: list[str]) -> dict[str, float]:
    """Our median times in nanoseconds, cold and warm."""
    with tempfile.TemporaryDirectory() as root:
        path = Path(root, FILE)
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
        folders = (path.parent,)
        injector = Injector(Folders(folders).registry())
        return {
            "cold_ns": _median(lambda oci: inject(oci, names, Folders(folders).registry(), LocalNodes())),
            "warm_ns": _median(lambda oci: injector.inject(oci, names, LocalNodes())),
        }


def _median(call: Callable[[dict[str, Any]], object]) -> float:
    times: list[int] = []
    for _ in range(REPEAT):
        oci = json.loads(json.dumps(OCI))
        start = time.process_time_ns()
        call(oci)
        times.append(time.process_time_ns() - start)
    return statistics.median(times)


def theirs(text: str, names: list[str]) -> dict[str, float]:
    """The Go library's, likewise."""
    given = {"dirs": ["etc"], "files": {FILE: text}, "oci": OCI, "devices": names}
    case = {"file": "speed.json", "name": "speed", "input": given}
    (answer,) = reference.ask("1.36", "measure-cdi", [case], "--repeat", str(REPEAT))
    return {key: float(answer[key]) for key in ("cold_ns", "warm_ns")}


def main() -> list[Ratio]:
    """Print the table."""
    text = to_yaml(nine_devices())
    ratios: list[Ratio] = []
    print(f"  {'':14} {'':5} {'Go µs':>10} {'ours µs':>10}")
    for title, names in ASKED.items():
        try:
            rounds = [(ours(text, names), theirs(text, names)) for _ in range(ROUNDS)]
        except MissingReferenceError as error:
            print(f"  no comparison: {error}")
            return []
        for key, target in (("cold_ns", COLD), ("warm_ns", WARM)):
            sides = [(mine[key], go[key]) for mine, go in rounds]
            our_us, go_us = (statistics.median(side) / 1e3 for side in zip(*sides, strict=True))
            ratios.append(ratio(f"cdi: {title}, {key[:4]}", sides, target))
            print(f"  {title:14} {key[:4]:5} {go_us:10.1f} {our_us:10.1f}   {ratios[-1]}")
    return ratios


if __name__ == "__main__":
    sys.exit(bool(missed(main())))
