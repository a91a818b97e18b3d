"""Anything in any order: claims, restarts, deaths, reboots, deletions, outages, and others at work on the same GPUs.

After every step: what the host has is what others made and what claims hold; nothing more, and nothing of others less.
"""

import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from aliquot.devices.gpu import ComputeMode, TimeSlice
from aliquot.devices.instances import Instance
from aliquot.devices.mig import Geometry, Placement
from aliquot.devices.survey import Survey
from aliquot.kube.release import Kubernetes
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.entry import Entry, State
from aliquot.node.claims.envelope import decode
from aliquot.node.claims.names import lock_of
from aliquot.node.claims.refusal import Refusal
from aliquot.node.preparing.answers import Prepared
from aliquot.sharing.claim_configs.values import Mps, TimeSlicing
from aliquot.sharing.publish.options import Options
from aliquot.sharing.publish.pools import published
from aliquot.sharing.setup.steps import StartMps
from scenarios.deaths.deadly import DeadlyDisk, DeadlyHost, Death, Killed
from scenarios.deaths.kinds import LONG, MPS, share
from scenarios.deaths.machine import DIVIDED, H100, NODE, WHOLE, Json, Machine, opaque

_MEMORY = Path("/dev/shm")
NAMES = (
    "gpu-1",
    "gpu-2",
    "gpu-3",
    *(f"gpu-0-mig-1g5gb-19-{start}" for start in (4, 5)),
    "gpu-0-mig-3g20gb-9-4",
    "gpu-1-mig-1g5gb-19-0",
    *(f"gpu-3-mig-1g10gb-19-{start}" for start in (0, 1)),
)
PLACES = (
    (DIVIDED, Placement(4, "1g.5gb")),
    (DIVIDED, Placement(5, "1g.5gb")),
    (DIVIDED, Placement(0, "3g.20gb")),
    (WHOLE, Placement(0, "1g.5gb")),
    (H100, Placement(0, "1g.10gb")),
    (H100, Placement(4, "3g.40gb")),
)
PAIRS = (("gpu-1", "gpu-1"), ("gpu-2", "gpu-2"), ("gpu-3-mig-1g10gb-19-0", "gpu-3-mig-1g10gb-19-1"))
SHARINGS = ("none", "turns", "mps", "admin", "share")
MOMENTS = st.none() | st.integers(0, 45)


class Agents(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="aliquot-", dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None))
        self.node = Machine(self.folder)
        self.agent = self.node.started()
        self.theirs = {each.uuid for gpu in self.node.host.survey().gpus for each in gpu.instances}
        self.touched: set[str] = set()
        """GPUs on which others made instances in this boot: MIG stays on there."""
        self.refs: list[ClaimRef] = []
        self.number = 0

    def teardown(self) -> None:
        try:
            self.everything_goes()
        finally:
            shutil.rmtree(self.folder)

    # --- what happens ------------------------------------------------------------------------------------------------
    @rule(
        names=st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True),
        sharing=st.sampled_from(SHARINGS),
        moment=MOMENTS,
    )
    def a_pod_comes(self, names: list[str], sharing: str, moment: int | None) -> None:
        self.number += 1
        on_mig = "-mig-" in names[0]
        names = [name for name in names if ("-mig-" in name) == on_mig][: 1 if on_mig else 2]
        results: list[str | Json] = list(names)
        if sharing == "admin":
            results = [{"device": name, "adminAccess": True} for name in names]
        elif sharing == "share":
            results = [share(name, self.number % 10) for name in names]
        configs: dict[str, Json] = {
            "mps": opaque("MPS", more=MPS, mig=on_mig),
            "turns": opaque("TimeSlicing", more={} if on_mig else LONG, mig=on_mig),
            "share": opaque("TimeSlicing", more={} if on_mig else LONG, mig=on_mig),
        }
        self.refs.append(self.node.api.allocate(f"c-{self.number}", *results, config=configs.get(sharing)))
        self.prepare(self.refs[-1], moment)

    @rule(names=st.sampled_from(PAIRS), moment=MOMENTS)
    def two_pods_come_and_the_first_goes(self, names: tuple[str, str], moment: int | None) -> None:
        """On one GPU: what was done to it for the first, the second still needs."""
        for name in names:
            self.a_pod_comes([name], "share", None)
        self.unprepare(self.refs[-2], moment)

    @precondition(lambda self: self.refs)
    @rule(data=st.data(), what=st.sampled_from(["prepare", "unprepare", "delete"]), moment=MOMENTS)
    def a_claim_is(self, data: st.DataObject, what: str, moment: int | None) -> None:
        ref = data.draw(st.sampled_from(self.refs))
        if what == "prepare":
            self.prepare(ref, moment)
        elif what == "unprepare":
            self.unprepare(ref, moment)
        else:
            self.refs.remove(ref)
            self.node.api.delete(ref.name)

    @rule(what=st.sampled_from(["starts", "reconciles"]), moment=MOMENTS)
    def the_agent(self, what: str, moment: int | None) -> None:
        self.do(lambda agent: agent.reconcile() if what == "reconciles" else None, moment, new=what == "starts")

    @rule(what=st.sampled_from(["reboots", "is divided", "has no API server", "has an API server", "loses its specs"]))
    def the_machine(self, what: str) -> None:
        if what in {"reboots", "is divided"}:
            before = [(gpu.uuid, each.placement) for gpu in self.survey().gpus for each in gpu.instances]
            self.node.reboot()
            self.theirs, self.touched = set(), set()
            if what == "is divided":  # others put instances where claims had theirs, before an agent starts
                for gpu, place in before:
                    assert place is not None
                    self.others_make(gpu, place)
            self.agent = self.node.started()
        elif what == "loses its specs":
            for name in self.node.specs():
                (self.node.cdi / name).unlink()
        else:
            self.node.api.down = what == "has no API server"

    @rule(data=st.data(), what=st.sampled_from(["create", "destroy", "replace"]))
    def others(self, data: st.DataObject, what: str) -> None:
        """Make an instance, or destroy one: their own, or a claim's, and perhaps put another in its place."""
        if what == "create":
            self.others_make(*data.draw(st.sampled_from(PLACES)))
            return
        there = [(gpu.uuid, each) for gpu in self.node.host.survey().gpus for each in gpu.instances]
        if there:
            gpu, instance = data.draw(st.sampled_from(there), label="destroyed")
            self.node.host.destroy_instance(gpu, instance.id)
            self.theirs.discard(instance.uuid)
            if what == "replace" and instance.placement is not None:
                self.others_make(gpu, instance.placement)

    def others_make(self, gpu: str, place: Placement) -> None:
        made = self.node.host.create_instance(gpu, place)
        if isinstance(made, Instance):
            self.theirs.add(made.uuid)
            self.touched.add(gpu)

    def prepare(self, ref: ClaimRef, moment: int | None) -> None:
        clear = self.is_clear(ref)
        answer = self.do(lambda agent: agent.prepare(ref), moment)
        event(f"prepare: {type(answer).__name__}{', clear' if clear else ''}")
        if isinstance(answer, Prepared):
            assert self.node.spec_of(ref.uid) in self.node.specs()
            assert self.stands(self.entry(ref))
        elif isinstance(answer, Refusal):
            assert not clear, answer
            assert answer.message

    def unprepare(self, ref: ClaimRef, moment: int | None) -> None:
        answer = self.do(lambda agent: (agent.unprepare(ref),), moment)
        assert answer in {None, (None,)}, answer
        if answer is not None:
            assert ref.uid not in {entry.claim.uid for entry in self.agent.entries()}

    # --- after every step ---------------------------------------------------------------------------------------------
    @invariant()
    def others_keep_what_they_have(self) -> None:
        assert self.theirs <= {each.uuid for gpu in self.survey().gpus for each in gpu.instances}

    @invariant()
    def held_and_available_are_all(self) -> None:
        """Every instance is others' or a claim's; on offer is all that others leave, whoever holds it."""
        survey = self.survey()
        own = self.agent.own(survey)
        for gpu in survey.gpus:
            ours = [each.placement for each in gpu.instances if each.uuid not in self.theirs]
            assert set(ours) <= set(own.get(gpu.uuid, ())), gpu
        offered = self.offered(survey, own)
        bare = tuple(
            replace(gpu, instances=tuple(each for each in gpu.instances if each.uuid in self.theirs))
            for gpu in survey.gpus
        )
        assert offered == self.offered(replace(survey, gpus=bare), {})

    @invariant()
    def no_device_is_given_out_twice(self) -> None:
        held = [(entry, device) for entry in self.agent.entries() for device in entry.devices if not device.admin]
        for number, (one, mine) in enumerate(held):
            for other, theirs in held[:number]:
                if one is other or mine.gpu != theirs.gpu or (mine.share_id and theirs.share_id):
                    continue
                assert None not in {mine.place, theirs.place}
                assert mine.place != theirs.place

    @invariant()
    def what_is_prepared_has_what_it_needs(self) -> None:
        """Whoever else comes and goes; but instances may be destroyed by others."""
        modes = {gpu.uuid: (gpu.compute_mode, gpu.time_slice) for gpu in self.survey().gpus}
        running = {each.pipe for each in self.node.host.mps_daemons()}
        for entry in self.agent.entries():
            if entry.state is not State.COMPLETED:
                continue
            assert all(step.daemon.pipe in running for step in entry.steps if isinstance(step, StartMps))
            for device in entry.devices:
                if device.gpu is None or device.place is not None or device.admin:
                    continue
                if isinstance(device.sharing, Mps):
                    assert modes[device.gpu][0] is ComputeMode.EXCLUSIVE_PROCESS
                if isinstance(device.sharing, TimeSlicing):
                    assert modes[device.gpu] == (ComputeMode.DEFAULT, device.sharing.interval)

    @invariant()
    def modes_and_daemons_are_claims(self) -> None:
        entries = self.agent.entries()
        uses = [device for entry in entries for device in entry.devices if not device.admin]
        exclusive = {device.gpu for device in uses if isinstance(device.sharing, Mps)}
        sliced = {device.gpu for device in uses if isinstance(device.sharing, TimeSlicing)}
        for gpu in self.survey().gpus:
            assert gpu.compute_mode is not ComputeMode.EXCLUSIVE_PROCESS or gpu.uuid in exclusive
            assert gpu.time_slice in {None, TimeSlice.DEFAULT} or gpu.uuid in sliced
        pipes = {step.daemon.pipe for entry in entries for step in entry.steps if isinstance(step, StartMps)}
        assert {each.pipe for each in self.node.host.mps_daemons()} <= pipes

    @invariant()
    def what_is_written_is_so(self) -> None:
        entries = {entry.claim.uid: entry for entry in self.agent.entries()}
        if self.node.state.exists():
            assert getattr(decode(self.node.state.read_bytes()), "entries", None) == entries
        assert {name.partition("_")[2].removesuffix(".json") for name in self.node.specs()} <= entries.keys()
        assert all(entry.boot == self.node.boot for entry in entries.values())
        assert all(entry.state is not State.STARTED for entry in entries.values())

    # --- within ------------------------------------------------------------------------------------------------------
    def do(self, work: Any, moment: int | None, *, new: bool = False) -> Any:
        """Let the agent do something; one that dies is followed by another."""
        death = Death(moment)
        agent = self.agent
        if moment is not None or new:
            agent = self.node.agent(disk=DeadlyDisk(death), host=DeadlyHost(self.node.host, death))
        with suppress(Killed):
            if agent is not self.agent:
                agent.start()
            done = work(agent)
            self.agent = agent if moment is None else self.node.started()
            return done
        self.agent = self.node.started()
        return None

    def survey(self) -> Survey:
        return self.node.host.survey()

    def entry(self, ref: ClaimRef) -> Entry:
        return next(entry for entry in self.agent.entries() if entry.claim == ref)

    def stands(self, entry: Entry) -> bool:
        """Whether everything that a claim needs is on the host."""
        survey = self.survey()
        places = {(gpu.uuid, each.placement) for gpu in survey.gpus for each in gpu.instances if each.uuid}
        pipes = {each.pipe for each in self.node.host.mps_daemons()}
        wanted = {step.daemon.pipe for step in entry.steps if isinstance(step, StartMps)}
        return wanted <= pipes and all((d.gpu, d.place) in places for d in entry.devices if d.place is not None)

    def is_clear(self, ref: ClaimRef) -> bool:
        """Whether nothing stands against preparing a claim: nobody else is on its GPUs, and it can be read."""
        thing = self.node.api.claims.get((ref.namespace, ref.name))
        if thing is None or self.node.api.down:
            return False
        results = thing["status"]["allocation"]["devices"]["results"]
        if any(result.get("adminAccess") for result in results):
            return False
        gpus = {lock_of(result["device"]) for result in results}
        others = [entry for entry in self.agent.entries() if entry.claim != ref and entry.claim in self.refs]
        if any(lock_of(device.device.device) in gpus for entry in others for device in entry.devices):
            return False
        return not any(f"gpu-{gpu.minor}" in gpus and gpu.instances for gpu in self.survey().gpus)

    def offered(self, survey: Survey, own: Any) -> set[str]:
        geometries = {
            gpu.uuid: found for gpu in survey.gpus if isinstance(found := self.node.host.geometry(gpu.uuid), Geometry)
        }
        options = Options(node=NODE, kubernetes=Kubernetes(minor=36), own=own)
        return {device.name for device in published(survey, geometries, options).gpus.devices}

    def everything_goes(self) -> None:
        self.node.api.down = False
        self.node.api.claims.clear()
        self.agent.reconcile()
        assert self.agent.entries() == ()
        assert self.node.specs() == []
        assert self.node.host.mps_daemons() == ()
        left = {each.uuid for gpu in self.survey().gpus for each in gpu.instances}
        assert left == self.theirs
        divided = {gpu.uuid for gpu in self.survey().gpus if gpu.mig_enabled}
        assert divided <= {DIVIDED, *self.touched}
        self.modes_and_daemons_are_claims()


@pytest.mark.law
def test_anything_in_any_order() -> None:
    few = max(15, (settings.default or settings()).max_examples // 10)  # each is 30 steps with an agent's start in most
    run_state_machine_as_test(
        Agents,
        settings=settings(
            max_examples=few, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
        ),
    )
