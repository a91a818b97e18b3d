"""An agent killed at each moment of each work on each kind of claim, and another one that goes on from the disk."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from aliquot.devices.gpu import TimeSlice
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.preparing.answers import Prepared
from aliquot.node.preparing.preparer import Preparer
from scenarios.deaths.deadly import DeadlyDisk, DeadlyHost, Death, Killed
from scenarios.deaths.kinds import Kind
from scenarios.deaths.machine import Machine

Work = Literal["prepare", "unprepare"]
Then = Literal["prepare", "unprepare", "deleted"]
"""Who comes after the death: the kubelet again, a new pod, or nobody, since the claim was deleted."""
WORKS: tuple[tuple[Work, Then], ...] = tuple((work, then) for work in get_args(Work) for then in get_args(Then))


@dataclass
class Tally:
    """What was tried, and what went wrong."""

    moments: int = 0
    wrong: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class _Ready:
    machine: Machine
    claim: ClaimRef
    before: Any
    """The state of the machine with those who are there already."""


def killed(folder: Path, kind: Kind, work: Work, then: Then, *, every: int = 1) -> Tally:
    """Have an agent die at every moment of a work, or at every so-manieth."""
    tally = Tally()
    for where, ready in _deaths(folder, kind, work, every):
        tally.moments += 1
        tally.wrong += [f"{where}: {complaint}" for complaint in _afterwards(ready, then)]
    return tally


def state_of(machine: Machine) -> Any:
    """What of a host a claim may change; a time-slice that nobody set is the default one."""
    gpus = machine.host.survey().gpus
    return (
        [(gpu.uuid, gpu.mig, gpu.instances, gpu.compute_mode, gpu.time_slice or TimeSlice.DEFAULT) for gpu in gpus],
        machine.host.mps_daemons(),
        machine.specs(),
    )


def _deaths(folder: Path, kind: Kind, work: Work, every: int) -> Iterator[tuple[str, _Ready]]:
    whole = _ready(folder / "whole", kind, work)
    moments = _dying(whole, work, None).where
    for moment in range(0, len(moments), every):
        ready = _ready(folder / str(moment), kind, work)
        death = _dying(ready, work, moment)
        assert death.where[-1] == moments[moment], "the same work has the same moments"
        yield moments[moment], ready


def _ready(folder: Path, kind: Kind, work: Work) -> _Ready:
    folder.mkdir(parents=True)
    machine = kind.machine(Machine(folder))
    agent = machine.agent()
    agent.start()
    if kind.before is not None:
        assert isinstance(agent.prepare(kind.before(machine)), Prepared)
    before, claim = state_of(machine), kind.allocate(machine)
    if work == "unprepare":
        assert isinstance(agent.prepare(claim), Prepared)
    return _Ready(machine, claim, before)


def _dying(ready: _Ready, work: Work, moment: int | None) -> Death:
    death = Death(moment)
    agent = ready.machine.agent(disk=DeadlyDisk(death), host=DeadlyHost(ready.machine.host, death))
    do: Callable[[ClaimRef], Any] = agent.prepare if work == "prepare" else agent.unprepare
    with suppress(Killed):
        agent.start()
        do(ready.claim)
    return death


def _afterwards(ready: _Ready, then: Then) -> Iterator[str]:
    """What's wrong with what comes after a death."""
    machine, claim = ready.machine, ready.claim
    if then == "deleted":
        machine.api.delete(claim.name)
    agent = machine.agent()
    yield from (f"at the start: {found}" for found in agent.start() if found.what in {"trouble", "loss"})
    if then == "prepare":
        yield from _prepared_twice(agent, claim, machine)
    if then != "deleted":
        refused = agent.unprepare(claim)
        if refused is not None:
            yield f"unprepare: {refused}"
    if state_of(machine) != ready.before:
        yield f"left: {state_of(machine)}, was {ready.before}"
    if claim.uid in {entry.claim.uid for entry in agent.entries()}:
        yield "an entry is left"


def _prepared_twice(agent: Preparer, claim: ClaimRef, machine: Machine) -> Iterator[str]:
    first = agent.prepare(claim)
    if not isinstance(first, Prepared):
        yield f"prepare: {first}"
        return
    if agent.prepare(claim) != first:
        yield "prepared again, it has another answer"
    if machine.spec_of(claim.uid) not in machine.specs():
        yield "it has no spec"
