"""Laws of pods with volumes, on random claims, volumes and classes."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.kube.storage import PersistentVolume, PersistentVolumeClaim
from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.scheduling.placing.placing_loop import Loop
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot
from scenarios.nouns.clusters import NOW, node
from tests.scheduling.volumes_world import claim, storage_class, using, volume

ZONES = ("x", "y")


@st.composite
def worlds(draw: st.DrawFn) -> Snapshot:
    things: list[object] = [node(f"n-{zone}", labels={"zone": zone}, cpu=1000) for zone in ZONES]
    things += [storage_class(waits=draw(st.booleans()), makes=draw(st.booleans()))] if draw(st.booleans()) else []
    for name in ("a", "b"):
        if draw(st.booleans()):
            bound = draw(st.sampled_from(("", f"v-{name}")))
            modes = draw(st.sampled_from((("ReadWriteOnce",), ("ReadWriteOncePod",))))
            things.append(claim(name, volume=bound, modes=modes))
        if draw(st.booleans()):
            things.append(
                volume(
                    f"v-{name}", zone=draw(st.sampled_from(("", *ZONES))), claimed_by=draw(st.sampled_from(("", name)))
                )
            )
    used = draw(st.sampled_from(("", "a")))
    things.append(using(*([used] if used else []), name="there", on="n-x"))
    asked = draw(st.lists(st.sampled_from(("a", "b")), max_size=2, unique=True))
    things.append(using(*asked))
    return Snapshot.of(things)


@pytest.mark.law
@given(worlds())
def test_a_node_is_named_if_it_has_no_reason(there: Snapshot) -> None:
    asking, scheduler = there.pods["default/p"], Scheduler(NOW)
    verdict = scheduler.judge(there, asking)
    free = tuple(name for name in there.nodes if not scheduler.reasons(there, asking, name))
    assert (verdict.nodes if isinstance(verdict, Placement) else ()) == free


@pytest.mark.law
@given(worlds())
def test_without_volumes_in_the_input_nothing_is_held_against_a_pod(there: Snapshot) -> None:
    asking = there.pods["default/p"]
    bare = Snapshot.of([*there.nodes.values(), *there.pods.values()])
    assert isinstance(Scheduler(NOW).judge(bare, asking), Placement)
    told = Scheduler(NOW).judge(bare, asking).not_checked
    assert bool(told) is bool(asking.volumes)


@pytest.mark.law
@given(worlds())
def test_the_loop_decides_as_the_judge_does(there: Snapshot) -> None:
    asking = there.pods["default/p"]
    verdict = Scheduler(NOW).judge(there, asking)
    placed = Loop(there, Scheduler(NOW)).place(asking)
    if isinstance(verdict, Refusal):
        assert isinstance(placed, Refusal)
        assert placed.message == verdict.message
    else:
        assert isinstance(placed, Placement)
        assert placed.verdict == "running"
        assert placed.nodes[0] in (verdict.nodes or (verdict.preemption.node if verdict.preemption else "",))


@pytest.mark.law
@given(worlds())
def test_a_what_if_is_judged_as_the_same_input_would_be(there: Snapshot) -> None:
    """Changed tables, and what earlier judging has left in the memory, change no answer."""
    asking, scheduler = there.pods["default/p"], Scheduler(NOW)
    scheduler.judge(there, asking)
    changed = there.with_object(volume("v-a", zone="y", claimed_by="a")).with_object(claim("a", volume="v-a"))
    fresh = replace(
        Snapshot.of(
            [
                *there.nodes.values(),
                *there.pods.values(),
                *(changed.objects(PersistentVolumeClaim).values()),
                *(changed.objects(PersistentVolume).values()),
                *(changed.objects(type(storage_class())).values()),
            ]
        ),
        kinds=there.kinds,
    )
    assert scheduler.judge(changed, asking) == scheduler.judge(fresh, asking)
