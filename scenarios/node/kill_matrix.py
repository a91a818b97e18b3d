"""The agent's process killed at each moment of preparing and unpreparing, started again, and the kubelet's retry.

A moment is before or after a change of the host or the disk, or in the middle of a write. `python -m
scenarios.node.kill_matrix` tries all of them; its exit status is 1 if anything was lost or leaked.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import msgspec

from aliquot.kube.pod import Pod
from aliquot.sandbox.kubelet.answers import Admitted
from scenarios.deaths.killed import Tally
from scenarios.deaths.kinds import KINDS, Allocate, Kind
from scenarios.deaths.machine import HOST, Json
from scenarios.node.running import RunningNode

DYING = (sys.executable, "-m", "scenarios.node.dying_agent")
WITHIN_S = 30.0


@dataclass
class _Wanted:
    """Takes the place of a `scenarios.deaths.machine.Machine`, to hear what a kind of claim asks for."""

    devices: tuple[str | Json, ...] = ()
    config: Json | None = None
    api: Any = field(init=False)

    def __post_init__(self) -> None:
        self.api = self

    def allocate(self, uid: str, *devices: str | Json, config: Json | None = None, name: str = "") -> None:
        del uid, name
        self.devices, self.config = devices, config


def killed(name: str, *, every: int = 1, first: int = 0) -> Tally:
    """Have the agent die at every moment (or every so-manieth) of a kind of claim, each in a process of its own."""
    kind, tally = KINDS[name], Tally()
    with _node(kind) as node:
        before = None
        if kind.before is not None:
            node.start()
            pod = _allocated(node, kind.before, "before")
            assert isinstance(node.kubelet.admit(pod, within_s=WITHIN_S), Admitted), node.told()
            node.stop()
        before = _state(node)
        moment = first
        while True:
            pod = _allocated(node, kind.allocate, f"c{moment}")
            died, admitted = _dies(node, pod, moment)
            if not died:
                return tally
            tally.moments += 1
            where = node.told().rpartition("dies ")[2].splitlines()[0]
            tally.wrong += [
                f"{name}, {where}: {complaint}" for complaint in _afterwards(node, pod, before, admitted=admitted)
            ]
            node.delete(pod.name)
            moment += every


@contextmanager
def _node(kind: Kind) -> Iterator[RunningNode]:
    root = Path(tempfile.mkdtemp(prefix="k", dir="/tmp"))
    try:
        with RunningNode(root, HOST) as node:
            if kind.divided:
                node.host.set_mig_mode(node.host.survey().gpus[3].uuid, enabled=True)
            yield node
    finally:
        shutil.rmtree(root)


def _allocated(node: RunningNode, allocate: Allocate, name: str) -> Pod:
    wanted = _Wanted()
    allocate(cast("Any", wanted))
    return node.allocate(name, *wanted.devices, config=wanted.config)


def _dies(node: RunningNode, pod: Pod, moment: int) -> tuple[bool, bool]:
    """Whether the agent died on the way (else the pod came and went), and whether the pod had been let in before."""
    node.start(f"--die-at={moment}", command=DYING)
    agent = node.agent
    assert agent is not None
    admitted = False
    if agent.poll() is None:
        admitted = isinstance(node.kubelet.admit(pod, within_s=2.0 if agent.poll() is None else 0), Admitted)
        if admitted and agent.poll() is None:
            node.kubelet.remove(pod, within_s=2.0)
    died = agent.poll() is not None
    node.kill()
    return died, admitted


def _afterwards(node: RunningNode, pod: Pod, before: Any, *, admitted: bool) -> Iterator[str]:
    """What's wrong after another agent has gone on; a pod that was let in before is on its way out already."""
    node.start()
    if not admitted and not isinstance(answer := node.kubelet.admit(pod, within_s=WITHIN_S), Admitted):
        yield f"not admitted: {answer}"
    left = node.kubelet.remove(pod, within_s=WITHIN_S)
    if left is not None:
        yield f"not removed: {left}"
    node.stop()
    if _state(node) != before:
        yield f"left: {_state(node)}, was {before}"


def _state(node: RunningNode) -> Any:
    """What of a machine a claim may change."""
    gpus = [
        (gpu.uuid, gpu.mig, [(one.placement, len(one.compute)) for one in gpu.instances], gpu.compute_mode)
        for gpu in node.host.survey().gpus
    ]
    held = (
        msgspec.json.decode(node.checkpoint.read_bytes())["payload"].get("claims", ())
        if node.checkpoint.exists()
        else ()
    )
    return gpus, node.host.mps_daemons(), node.specs(), len(held)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print how often the agent died, and what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--kind", choices=list(KINDS))
    given = parser.parse_args(arguments)
    tallies = [killed(name, every=given.every) for name in ([given.kind] if given.kind else KINDS)]
    wrong = [complaint for tally in tallies for complaint in tally.wrong]
    for complaint in wrong:
        print(complaint)
    print(f"kill -9 at {sum(tally.moments for tally in tallies)} moments of {len(tallies)} kinds: {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
