"""Loading a CDI spec and injecting from it, beside the Go library, in one run: ``python -m speed cdi``.

A spec of eight GPUs and `all`, as the NVIDIA generator writes it; two devices are injected. Cold: the folder is read,
then injected. Warm: the registry is there. Host nodes are not asked for (types and numbers are given), on both sides.
The sides take turns; each side's best round counts, so that a busy machine doesn't decide.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import yaml

from aliquot.cdi.folders import Folders
from aliquot.cdi.host import GivenNodes
from aliquot.cdi.inject import inject
from conformance import reference
from conformance.reference import MissingReferenceError

Json = dict[str, Any]
ROUNDS: Final = 5
REPEAT: Final = 30
COLD_TARGET: Final = 5.0
WARM_TARGET: Final = 2.0


def node(path: str, minor: int) -> Json:
    """A device node that needs no look at the host."""
    return {"path": path, "type": "c", "major": 195, "minor": minor, "fileMode": 438, "permissions": "rwm"}


def mount(path: str) -> Json:
    """A driver file."""
    options = ["ro", "nosuid", "nodev", "rbind", "rprivate"]
    return {"hostPath": path, "containerPath": path, "options": options}


def hook(*arguments: str) -> Json:
    """A hook of the NVIDIA toolkit."""
    return {"hookName": "createContainer", "path": "/usr/bin/nvidia-cdi-hook", "args": ["nvidia-cdi-hook", *arguments]}


def spec() -> Json:
    """Nine devices: eight GPUs and all of them."""
    nodes = [[node(f"/dev/nvidia{n}", n), node(f"/dev/dri/renderD{128 + n}", n)] for n in range(8)]
    libraries = [mount(f"/usr/lib/x86_64-linux-gnu/libnvidia-{n}.so.560.35.3") for n in range(40)]
    devices = [{"name": str(n), "containerEdits": {"deviceNodes": own}} for n, own in enumerate(nodes)]
    devices.append({"name": "all", "containerEdits": {"deviceNodes": [each for own in nodes for each in own]}})
    return {
        "cdiVersion": "0.5.0",
        "kind": "nvidia.com/gpu",
        "devices": devices,
        "containerEdits": {
            "env": ["NVIDIA_VISIBLE_DEVICES=void"],
            "deviceNodes": [node(f"/dev/nvidia{name}", 254) for name in ("ctl", "-modeset", "-uvm", "-uvm-tools")],
            "mounts": libraries,
            "hooks": [hook("create-symlinks", "--link", "a::b"), hook("update-ldcache", "--folder", "/usr/lib")],
        },
    }


def container() -> Json:
    """An ordinary OCI spec."""
    return {
        "ociVersion": "1.1.0",
        "process": {"user": {"uid": 0, "gid": 0}, "cwd": "/", "args": ["sh"], "env": ["PATH=/usr/bin:/bin"]},
        "mounts": [{"destination": each, "source": each} for each in ("/proc", "/dev", "/sys", "/dev/shm")],
        "linux": {"namespaces": [{"type": "pid"}], "resources": {"devices": [{"allow": False, "access": "rwm"}]}},
    }


def median_ns(once: Callable[[], object]) -> float:
    """The middle time of warm calls."""
    once()
    times: list[int] = []
    for _ in range(REPEAT):
        start = time.perf_counter_ns()
        once()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times)


def ours(folder: Path, oci: Json, names: list[str]) -> tuple[float, float]:
    """Nanoseconds cold and warm."""
    host = GivenNodes({}, frozenset())
    warm = Folders([folder]).registry()
    cold_ns = median_ns(lambda: inject(oci, names, Folders([folder]).registry(), host))
    return cold_ns, median_ns(lambda: inject(oci, names, warm, host))


def theirs(text: str, oci: Json, names: list[str]) -> tuple[float, float]:
    """Go's, likewise."""
    given = {"dirs": ["etc"], "files": {"etc/nvidia.yaml": text}, "oci": oci, "devices": names}
    case = {"name": "nine devices", "file": "inject.json", "input": given}
    (told,) = reference.ask("1.36", "measure-cdi", [case], "--repeat", str(REPEAT))
    return told["cold_ns"], told["warm_ns"]


def main() -> None:
    try:
        reference.build("1.36")
    except MissingReferenceError as error:
        print(f"  no comparison: {error}")
        return
    text, oci, names = yaml.safe_dump(spec(), sort_keys=False), container(), ["nvidia.com/gpu=0", "nvidia.com/gpu=3"]
    with tempfile.TemporaryDirectory() as root:
        (Path(root) / "nvidia.yaml").write_text(text)
        rounds = [(ours(Path(root), oci, names), theirs(text, oci, names)) for _ in range(ROUNDS)]
    print(f"  {'':8} {'Go, us':>9} {'ours, us':>9} {'ratio':>9}    target")
    for number, (kind, target) in enumerate((("cold", COLD_TARGET), ("warm", WARM_TARGET))):
        mine_us = min(mine[number] for mine, _ in rounds) / 1e3
        go_us = min(go[number] for _, go in rounds) / 1e3
        ratio = mine_us / go_us
        remark = "ok" if ratio <= target else "SLOW"
        print(f"  {kind:8} {go_us:9.1f} {mine_us:9.1f} {ratio:8.2f}x <= {target:.0f}x {remark}")


if __name__ == "__main__":
    main()
