"""Judging all nodes at once, and judging changes, is judging node by node afresh."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.allocation.claims.pod_check import Fault
from aliquot.kube.pod import Pod
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.cycle import Cycle, begin
from aliquot.scheduling.equal_pods import verdict_key
from aliquot.scheduling.filter_order import first_failure
from aliquot.scheduling.filter_phase import nominated_ahead, run_filters
from aliquot.scheduling.filters.reason import counted
from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.scheduling.scheduler import Scheduler
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
def test_all_at_once_is_one_by_one(there: Snapshot, asking: Pod, kubernetes: Kubernetes, data: st.DataObject) -> None:
    if data.draw(st.booleans()):
        there = data.draw(changes(there))
    cycle = begin(there, asking, kubernetes, None)
    assert isinstance(cycle, Cycle)
    filtered = run_filters(there, cycle, verdict_key(asking))
    assert not isinstance(filtered, Fault)
    feasible: list[str] = []
    named = asking.affinity and asking.affinity.node and asking.affinity.node.terms[0].fields
    for name in there.nodes:
        if named and name not in ("a", asking.nominated_node):
            continue
        reasons = first_failure(cycle, there.load(name))
        assert not isinstance(reasons, Fault)
        if not nominated_ahead(there, asking, name):
            outcome = filtered.outcome(name)
            assert outcome is not None
            assert outcome.texts == tuple(reason.text for reason in reasons)
            every = Scheduler(kubernetes).reasons(there, asking, name)
            assert (counted(every) if every else ()) == reasons
        if not reasons and not Scheduler(kubernetes).reasons(there, asking, name):
            feasible.append(name)
    assert set(filtered.feasible()) == set(feasible)


@pytest.mark.law
@given(worlds(), pods("p"), RELEASES, st.data())
def test_a_change_is_judged_as_if_it_had_always_been(
    there: Snapshot, asking: Pod, kubernetes: Kubernetes, data: st.DataObject
) -> None:
    Scheduler(kubernetes).judge(there, asking)  # what is kept from this must not show
    changed = data.draw(changes(there))
    afresh = Snapshot.of([*changed.nodes.values(), *changed.pods.values()])
    one, other = Scheduler(kubernetes).judge(changed, asking), Scheduler(kubernetes).judge(afresh, asking)
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
def test_groups_are_all_nodes_once(there: Snapshot, asking: Pod, kubernetes: Kubernetes) -> None:
    verdict = Scheduler(kubernetes).judge(there, asking)
    if verdict.by_node is None:
        return
    told = [name for group in verdict.by_node.groups() for name in group.nodes]
    assert sorted(told) == sorted(there.nodes)
    for group in verdict.by_node.groups():
        for name in group.nodes:
            assert group.reasons == Scheduler(kubernetes).reasons(there, asking, name)
    if isinstance(verdict, Refusal):
        assert all(group.reasons for group in verdict.groups)
