"""A disk that refuses, a checkpoint that's damaged or gone, two agents at once."""

import errno
import json
import multiprocessing
import os
import threading
from pathlib import Path

import pytest

from aliquot.devices.mig import Placement
from aliquot.node.claims.refusal import Refusal
from aliquot.node.keeping.boot import boot_id
from aliquot.node.keeping.disk import Disk
from aliquot.node.preparing.answers import Prepared
from scenarios.deaths.killed import state_of
from scenarios.deaths.machine import DIVIDED, Machine, opaque

INSTANCE = "gpu-0-mig-1g5gb-19-4"


class FailingDisk(Disk):
    """A disk that refuses changes of files of some name, from the n-th on or only once."""

    def __init__(self, code: int, part: str, *, after: int = 0, times: int = 1_000) -> None:
        self.code = code
        self.part = part
        self.after = after
        self.times = times

    def _may_fail(self, path: Path) -> None:
        if self.part not in path.name:
            return
        self.after -= 1
        if self.after < 0 and self.times > 0:
            self.times -= 1
            raise OSError(self.code, os.strerror(self.code), str(path))

    def write(self, path: Path, data: bytes, *, mode: int, durable: bool) -> None:
        super().write(path, data[: len(data) // 2], mode=mode, durable=False)
        self._may_fail(path)
        super().write(path, data, mode=mode, durable=durable)

    def remove(self, path: Path) -> bool:
        self._may_fail(path)
        return super().remove(path)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EIO])
@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize("part", ["checkpoint", "claim_"])
def test_a_disk_that_refuses(node: Machine, code: int, after: int, part: str) -> None:
    ref = node.api.allocate("c-aaaa", INSTANCE, config=opaque("MPS", mig=True))
    before = state_of(node)
    agent = node.agent(disk=FailingDisk(code, part, after=after if part == "checkpoint" else 0))
    agent.start()
    answer = agent.prepare(ref)
    assert isinstance(answer, Refusal)
    assert answer.retry
    assert "can't be written: " + os.strerror(code) in answer.message
    assert "retry" in answer.hint
    assert state_of(node) == before
    agent = node.agent()
    agent.start()
    assert isinstance(agent.prepare(ref), Prepared)


@pytest.mark.parametrize("part", ["checkpoint", "claim_"])
def test_unprepare_on_a_disk_that_refuses(node: Machine, part: str) -> None:
    before = state_of(node)
    agent = node.agent()
    agent.start()
    ref = node.api.allocate("c-aaaa", INSTANCE, config=opaque("MPS", mig=True))
    assert isinstance(agent.prepare(ref), Prepared)
    failing = node.agent(disk=FailingDisk(errno.EROFS, part))
    failing.start()
    refused = failing.unprepare(ref)
    assert isinstance(refused, Refusal)
    assert os.strerror(errno.EROFS) in refused.message
    agent = node.agent()
    agent.start()
    assert agent.unprepare(ref) is None
    assert state_of(node) == before


def test_one_that_refuses_once_loses_nothing_of_others(node: Machine) -> None:
    disk = FailingDisk(errno.ENOSPC, "checkpoint", after=3, times=1)
    agent = node.agent(disk=disk)
    agent.start()
    first, second = node.api.allocate("c-aaaa", "gpu-1"), node.api.allocate("c-bbbb", "gpu-2")
    assert isinstance(agent.prepare(first), Prepared)
    assert isinstance(agent.prepare(second), Refusal)
    assert isinstance(agent.prepare(second), Prepared)
    assert [entry.claim for entry in node.started().entries()] == [first, second]


# --- damage -----------------------------------------------------------------------------------------------------------
DAMAGE = {
    "empty": b"",
    "half": None,
    "zeros": b"\0" * 4096,
    "other JSON": b"[]",
    "other checksum": b'{"version":2,"readableFrom":1,"checksum":"sha256:00","payload":{}}',
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_checkpoint_is_moved_aside_and_its_copy_counts(node: Machine, damage: bytes | None) -> None:
    before = state_of(node)
    agent = node.agent()
    agent.start()
    ref = node.api.allocate("c-aaaa", INSTANCE, config=opaque("MPS", mig=True))
    first = agent.prepare(ref)
    good = node.state.read_bytes()
    node.state.write_bytes(good[: len(good) // 2] if damage is None else damage)
    agent = node.agent()
    found = agent.start()
    assert [each.what for each in found] == ["loss", "half-done"]  # the copy is from before the last change
    assert str(found[0]).startswith("the checkpoint is damaged: ")
    assert str(found[0]).endswith(f"kept as {node.state}.damaged-1; the copy before it is used")
    assert state_of(node) == before
    assert agent.prepare(ref) == first
    assert agent.reconcile() == ()
    assert node.started().start() == ()
    assert agent.unprepare(ref) is None
    assert state_of(node) == before


def test_both_damaged_claims_are_found_out_anew(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    refs = [
        node.api.allocate("c-aaaa", "gpu-1", config=opaque("MPS")),
        node.api.allocate("c-bbbb", INSTANCE),
        node.api.allocate("c-cccc", "gpu-2"),
    ]
    assert all(isinstance(agent.prepare(ref), Prepared) for ref in refs[:2])
    before = node.host.survey(), node.host.mps_daemons(), node.specs()
    for path in (node.state, node.state.with_name("checkpoint.json.previous")):
        path.write_bytes(b"?")
    node.api.down = True
    agent = node.agent()
    assert [each.what for each in agent.start()] == ["loss", "trouble"]
    assert (node.host.survey(), node.host.mps_daemons(), node.specs()) == before  # nothing is swept in the dark
    agent = node.agent()  # and it isn't forgotten over a restart
    assert [each.what for each in agent.start()] == ["loss", "trouble"]
    node.api.down = False
    assert [each.what for each in agent.reconcile()] == ["adopted", "adopted"]
    assert {entry.claim for entry in agent.entries()} == set(refs[:2])
    assert agent.reconcile() == ()
    assert (node.host.survey(), node.host.mps_daemons(), node.specs()) == before
    assert isinstance(agent.prepare(refs[0]), Prepared)
    assert [agent.unprepare(ref) for ref in refs[:2]] == [None, None]
    assert node.host.mps_daemons() == ()
    assert [str(each.placement) for each in node.host.survey().gpus[0].instances] == ["3g.20gb at 0", "1g.5gb at 4"]


def test_a_checkpoint_that_was_removed(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    ref = node.api.allocate("c-aaaa", "gpu-1")
    assert isinstance(agent.prepare(ref), Prepared)
    node.state.unlink()
    agent = node.agent()
    assert [each.what for each in agent.start()] == ["loss", "half-done"]
    assert isinstance(agent.prepare(ref), Prepared)


def test_a_checkpoint_that_can_t_be_read_is_no_damaged_one(node: Machine) -> None:
    node.state.mkdir(parents=True)
    agent = node.agent()
    (found,) = agent.start()
    assert str(found) == f"{node.state}: Is a directory (retry)"
    assert isinstance(agent.prepare(node.api.allocate("c-aaaa", "gpu-1")), Refusal)


# --- several at once --------------------------------------------------------------------------------------------------
def test_many_threads(node: Machine) -> None:
    """Each device is one claim's at a time; others go on beside it."""
    agent = node.agent(limit_s=60)
    agent.start()
    names = ["gpu-1", "gpu-2", INSTANCE, "gpu-0-mig-1g5gb-19-5", "gpu-3-mig-1g10gb-19-0", "gpu-3-mig-1g10gb-19-1"]
    wrong: list[object] = []

    def work(number: int) -> None:
        for turn in range(6):
            ref = node.api.allocate(f"c-{number}-{turn}", names[number])
            answer = agent.prepare(ref)
            again = agent.prepare(ref)
            if not isinstance(answer, Prepared) or again != answer:
                wrong.append((answer, again))
            if (refused := agent.unprepare(ref)) is not None:
                wrong.append(refused)

    before = state_of(node)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(names))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert state_of(node) == before
    assert node.started().entries() == ()


def test_two_claims_that_race_for_one_device(node: Machine) -> None:
    agent = node.agent()
    agent.start()
    refs = [node.api.allocate(f"c-{number}", "gpu-1") for number in range(8)]
    answers: list[object] = []
    threads = [threading.Thread(target=lambda ref=ref: answers.append(agent.prepare(ref))) for ref in refs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(answer, Prepared) for answer in answers) == 1
    assert len(agent.entries()) == len(node.specs()) == 1


def _other_agent(folder: Path, text: str, uids: list[str], device: str) -> None:
    machine = Machine(folder, text=text)
    agent = machine.agent(limit_s=60)
    for uid in uids:
        ref = machine.api.allocate(uid, device)
        assert isinstance(agent.prepare(ref), Prepared)


def test_two_agents_while_one_replaces_the_other(node: Machine) -> None:
    """Each writes the one checkpoint; neither loses what the other wrote."""
    context = multiprocessing.get_context("spawn")
    shares = [
        ([f"c-a{number}" for number in range(5)], "gpu-0-mig-1g5gb-19-{}"),
        ([f"c-b{number}" for number in range(5)], "gpu-3-mig-1g10gb-19-{}"),
    ]
    others = [
        context.Process(target=_other_agent, args=(node.folder, node.text, uids[:1], name.format(4)))
        for uids, name in shares
    ]
    for other in others:
        other.start()
    for other in others:
        other.join(120)
    assert [other.exitcode for other in others] == [0, 0]
    agent = node.agent()
    node.api.allocate("c-a0", "gpu-0-mig-1g5gb-19-4")
    node.api.allocate("c-b0", "gpu-3-mig-1g10gb-19-4")
    assert agent.start() == ()
    assert {entry.claim.uid for entry in agent.entries()} == {"c-a0", "c-b0"}


def test_an_agent_that_holds_its_turn_for_too_long(node: Machine) -> None:
    first, second = node.agent(), node.agent(limit_s=0.05)
    ref = node.api.allocate("c-aaaa", "gpu-1")
    inside, go_on = threading.Event(), threading.Event()

    def slow(namespace: str, name: str) -> None:
        inside.set()
        go_on.wait(30)

    node.api.get = slow  # type: ignore[method-assign]
    thread = threading.Thread(target=first.prepare, args=(ref,))
    thread.start()
    inside.wait(30)
    answer = second.prepare(ref)
    go_on.set()
    thread.join()
    assert isinstance(answer, Refusal)
    assert answer.message == f"another agent on this node has had {node.state}.lock for 0.05 s"


def test_this_boot(tmp_path: Path) -> None:
    assert len(boot_id()) == 36
    with pytest.raises(OSError, match="No such file"):
        boot_id(tmp_path)


def test_nothing_of_a_checkpoint_is_lost_when_others_prepare_meanwhile(node: Machine) -> None:
    """The file after 40 changes by 4 threads is what the agent says."""
    agent = node.agent()
    agent.start()
    node.host.destroy_instance(DIVIDED, node.host.survey().gpus[0].instances[0].id)
    refs = [node.api.allocate(f"c-{start}", f"gpu-0-mig-1g5gb-19-{start}") for start in range(7)]
    threads = [threading.Thread(target=agent.prepare, args=(ref,)) for ref in refs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(json.loads(node.state.read_bytes())["payload"]["claims"]) == 7
    assert sorted(agent.own(node.host.survey())[DIVIDED]) == [Placement(start, "1g.5gb") for start in range(7)]
