"""The agent dies before and after every single change it makes; what comes after it loses nothing and leaks nothing."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from aliquot.devices.gpu import ComputeMode, TimeSlice
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.preparing.answers import Prepared
from aliquot.node.preparing.preparer import Preparer
from tests.node.agent import Node, opaque
from tests.node.deadly import Death, DeadlyDisk, DeadlyHost, Killed

MPS = {"mpsConfig": {"defaultActiveThreadPercentage": 50, "defaultPinnedDeviceMemoryLimit": "1Gi"}}
LONG = {"timeSlicingConfig": {"interval": "Long"}}
INSTANCE = "gpu-0-mig-1g5gb-19-4"
ON_A_WHOLE_ONE = "gpu-3-mig-1g10gb-19-2"


def share(name: str, number: int) -> dict[str, Any]:
    return {"device": name, "shareID": f"0000000{number}-0000-0000-0000-000000000000"}


@dataclass(frozen=True)
class Kind:
    """How a claim is shared, and who is there before it."""

    allocate: Callable[[Node], ClaimRef]
    before: Callable[[Node], ClaimRef] | None = None
    text: str = ""


def claim(*devices: Any, config: Any = None, uid: str = "c-aaaa") -> Callable[[Node], ClaimRef]:
    return lambda node: node.api.allocate(uid, *devices, config=config, name=f"of-{uid}")


KINDS = {
    "whole": Kind(claim("gpu-1")),
    "two": Kind(claim("gpu-1", "gpu-2")),
    "whole, where MIG is on": Kind(claim("gpu-3"), text="mig: true"),
    "MIG on demand": Kind(claim(INSTANCE)),
    "MIG, switched on for it": Kind(claim(ON_A_WHOLE_ONE)),
    "MIG, beside another claim's": Kind(claim(ON_A_WHOLE_ONE), claim("gpu-3-mig-1g10gb-19-3", uid="c-bbbb")),
    "MIG that stands": Kind(claim("gpu-0-mig-3g20gb-9-0")),
    "MPS": Kind(claim("gpu-1", config=opaque("MPS", **MPS))),
    "MPS on two": Kind(claim("gpu-1", "gpu-2", config=opaque("MPS", **MPS))),
    "MIG and MPS": Kind(claim(INSTANCE, config=opaque("MPS", mig=True, **MPS))),
    "time-slice": Kind(claim("gpu-1", config=opaque("TimeSlicing", **LONG))),
    "admin": Kind(claim({"device": "gpu-1", "adminAccess": True}), claim("gpu-1", uid="c-bbbb")),
    "shared": Kind(
        claim(share("gpu-1", 1), config=opaque("TimeSlicing", **LONG)),
        claim(share("gpu-1", 2), config=opaque("TimeSlicing", **LONG), uid="c-bbbb"),
    ),
}


def machine(folder: Path, kind: Kind) -> Node:
    text = Node.text.replace("H100-SXM-80GB,", f"H100-SXM-80GB, {kind.text},") if kind.text else Node.text
    folder.mkdir(parents=True)
    return Node(folder, text=text)


def state_of(node: Node) -> Any:
    """What of the host a claim may change; a time-slice that nobody set is the default one."""
    gpus = node.host.survey().gpus
    return (
        [(gpu.uuid, gpu.mig, gpu.instances, gpu.compute_mode, gpu.time_slice or TimeSlice.DEFAULT) for gpu in gpus],
        node.host.mps_daemons(),
        node.specs(),
    )


def dying(node: Node, work: Callable[[Preparer], Any], moment: int | None) -> Death:
    """Let an agent do something, until it dies."""
    death = Death(moment)
    agent = node.agent(disk=DeadlyDisk(death), host=DeadlyHost(node.host, death))
    with suppress(Killed):
        agent.start()
        work(agent)
    return death


def moments(
    folder: Path, kind: Kind, ready: Callable[[Node], Callable[[Preparer], Any]]
) -> Iterator[tuple[int, str, Node]]:
    """Machines on each of which an agent has died at another moment of the same work."""
    whole = machine(folder / "whole", kind)
    for moment, where in enumerate(dying(whole, ready(whole), None).where):
        node = machine(folder / str(moment), kind)
        death = dying(node, ready(node), moment)
        assert death.where[-1] == where
        yield moment, where, node


def prepared_before(node: Node, kind: Kind) -> tuple[Any, ClaimRef]:
    """The state of the machine with those who are there already, and the claim."""
    agent = node.agent()
    agent.start()
    if kind.before is not None:
        assert isinstance(agent.prepare(kind.before(node)), Prepared)
    return state_of(node), kind.allocate(node)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_killed_while_it_prepares(folder: Path, kind: Kind) -> None:
    count, seen = 0, {}

    def ready(node: Node) -> Callable[[Preparer], Any]:
        before, ref = prepared_before(node, kind)
        seen[node.folder] = before, ref
        return lambda agent: agent.prepare(ref)

    for _, where, node in moments(folder, kind, ready):
        before, ref = seen[node.folder]
        agent = node.agent()
        assert all(found.what in {"half-done", "spec"} for found in agent.start()), where
        answer = agent.prepare(ref)
        assert isinstance(answer, Prepared), (where, answer)
        assert agent.prepare(ref) == answer, where
        assert len(agent.entries()) == 1 + (kind.before is not None)
        assert agent.unprepare(ref) is None, where
        assert state_of(node) == before, where
        assert ref.uid not in {entry.claim.uid for entry in agent.entries()}, where
        count += 1
    print(f"{count} moments")
    assert count >= 24


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_killed_while_it_prepares_and_the_pod_never_comes_back(folder: Path, kind: Kind) -> None:
    seen = {}

    def ready(node: Node) -> Callable[[Preparer], Any]:
        before, ref = prepared_before(node, kind)
        seen[node.folder] = before, ref
        return lambda agent: agent.prepare(ref)

    for _, where, node in moments(folder, kind, ready):
        before, ref = seen[node.folder]
        node.api.delete(ref.name)
        agent = node.agent()
        agent.start()
        assert state_of(node) == before, where
        assert ref.uid not in {entry.claim.uid for entry in agent.entries()}, where


@pytest.mark.parametrize("again", ["unprepare", "prepare", "nothing"])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_killed_while_it_unprepares(folder: Path, kind: Kind, again: str) -> None:
    """Whoever asks for the claim then: the kubelet again, a new pod, or nobody, since the claim was deleted."""
    count, seen = 0, {}

    def ready(node: Node) -> Callable[[Preparer], Any]:
        before, ref = prepared_before(node, kind)
        agent = node.agent()
        agent.start()
        assert isinstance(agent.prepare(ref), Prepared)
        seen[node.folder] = before, ref
        return lambda agent: agent.unprepare(ref)

    for _, where, node in moments(folder, kind, ready):
        before, ref = seen[node.folder]
        if again == "nothing":
            node.api.delete(ref.name)
        agent = node.agent()
        agent.start()
        if again == "prepare":
            assert isinstance(agent.prepare(ref), Prepared), where
            assert f"k8s.gpu.nvidia.com-claim_{ref.uid}.json" in node.specs(), where
        if again != "nothing":
            assert agent.unprepare(ref) is None, where
        assert state_of(node) == before, where
        assert ref.uid not in {entry.claim.uid for entry in agent.entries()}, where
        count += 1
    print(f"{count} moments")
    assert count >= 8
