"""Judging all nodes at once, and judging changes, is judging node by node afresh."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.kube.pod import Pod
from aliquot.scheduling.cycle import Cycle, begin, first_failure
from aliquot.scheduling.equal_pods import shape
from aliquot.scheduling.filter_phase import promised, screen
from aliquot.scheduling.filters.reason import Fault, counted
from aliquot.scheduling.judge import fits, judge
from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.scheduling.versions import Release
from aliquot.snapshot.snapshot import Snapshot
from scenarios.strategies.clusters import NAMES, RELEASES, nodes, pods, worlds


@st.composite
def changes(draw: st.DrawFn, there: Snapshot) -> Snapshot:
    for _ in range(draw(st.integers(1, 3))):
        match draw(st.integers(0, 4)):
            case 0:
                there = there.with_object(draw(nodes()))
            case 1:
                there = there.without_node(draw(st.sampled_from(NAMES)))
            case 2:
                there = there.with_pod(draw(pods(draw(st.sampled_from(("r0", "r9"))), draw(st.sampled_from(NAMES)))))
            case 3:
                there = there.without_pods(["default/r1", "default/w0"])
            case _:
                there = there.with_pod(draw(pods("w1")))
    return there


@pytest.mark.law
@given(worlds(), pods("p"), RELEASES, st.data())
def test_all_at_once_is_one_by_one(there: Snapshot, asking: Pod, release: Release, data: st.DataObject) -> None:
    if data.draw(st.booleans()):
        there = data.draw(changes(there))
    cycle = begin(there, asking, release, None)
    assert isinstance(cycle, Cycle)
    screened = screen(there, cycle, shape(asking))
    assert not isinstance(screened, Fault)
    feasible: list[str] = []
    named = asking.affinity and asking.affinity.node and asking.affinity.node.terms[0].fields
    for name in there.nodes:
        if named and name not in ("a", asking.nominated_node):
            continue
        reasons = first_failure(cycle, there.load(name))
        assert not isinstance(reasons, Fault)
        if not promised(there, asking, name):
            outcome = screened.outcome(name)
            assert outcome is not None
            assert outcome.texts == tuple(reason.text for reason in reasons)
            every = fits(there, asking, name, release)
            assert (counted(every) if every else ()) == reasons
        if not reasons and not fits(there, asking, name, release):
            feasible.append(name)
    assert set(screened.feasible()) == set(feasible)


@pytest.mark.law
@given(worlds(), pods("p"), RELEASES, st.data())
def test_a_change_is_judged_as_if_it_had_always_been(
    there: Snapshot, asking: Pod, release: Release, data: st.DataObject
) -> None:
    judge(there, asking, release)  # what is kept from this must not show
    changed = data.draw(changes(there))
    afresh = Snapshot.of([*changed.nodes.values(), *changed.pods.values()])
    one, other = judge(changed, asking, release), judge(afresh, asking, release)
    if isinstance(one, Placement):
        assert isinstance(other, Placement)
        assert set(one.nodes) == set(other.nodes)
        assert one.message == other.message
        if one.preemption and other.preemption:
            options = {one.preemption.node, *one.preemption.alternatives}
            assert options == {other.preemption.node, *other.preemption.alternatives}
        else:
            assert one.preemption == other.preemption
    else:
        assert one == other


@pytest.mark.law
@given(worlds(), pods("p"), RELEASES)
def test_groups_are_all_nodes_once(there: Snapshot, asking: Pod, release: Release) -> None:
    verdict = judge(there, asking, release)
    if verdict.by_node is None:
        return
    told = [name for group in verdict.by_node.groups() for name in group.nodes]
    assert sorted(told) == sorted(there.nodes)
    for group in verdict.by_node.groups():
        for name in group.nodes:
            assert group.reasons == fits(there, asking, name, release)
    if isinstance(verdict, Refusal):
        assert all(group.reasons for group in verdict.groups)
