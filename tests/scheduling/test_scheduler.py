"""Verdicts: who runs, who could, who waits, and the scheduler's sentence."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from aliquot.allocation.answer import Answer
from aliquot.allocation.claims.pod_check import Checked, Fault, PodCheck, Unschedulable
from aliquot.allocation.claims.pod_claims import NotReady
from aliquot.allocation.inputs import Prepared
from aliquot.dra.claim import Claim, DeviceClass
from aliquot.kube.meta import Meta
from aliquot.kube.node import Node
from aliquot.kube.pod import HostPort, Pod, PodClaim, Volume
from aliquot.kube.release import Kubernetes
from aliquot.kube.selectors import Affinity, NodeSelector, NodeSelectorTerm, Requirement
from aliquot.kube.taints import Taint
from aliquot.scheduling.outcome import NodeGroup, Placement, Refusal
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.load import NodeLoad
from aliquot.snapshot.snapshot import Snapshot
from scenarios.nouns.clusters import GPU, NOW, TOLERATES_GPU, cluster, node, pod

TAINTED = (Taint("nvidia.com/gpu", "NoSchedule", "present"),)
NO_HELP = "Preemption is not helpful for scheduling"


def refusal(snapshot: Snapshot, asking: Pod, of: Kubernetes = NOW) -> Refusal:
    found = Scheduler(of).judge(snapshot, asking)
    assert isinstance(found, Refusal)
    assert found.pending
    return found


def test_who_runs_runs() -> None:
    found = Scheduler(NOW).judge(cluster(), pod("p", "n"))
    assert found == Placement("default/p", "running", ("n",))
    assert not found.pending
    assert Scheduler(NOW).judge(cluster(), pod("p", phase="Failed")) == Placement("default/p", "running", ())


def test_who_is_gated_waits() -> None:
    found = refusal(cluster(node("n")), replace(pod("p"), scheduling_gates=("example.com/quota",)))
    assert (found.verdict, found.reason) == ("gated", "SchedulingGated")
    assert found.message == "Scheduling is blocked due to non-empty scheduling gates"
    assert found.groups == ()
    assert found.reasons("n") == ()


def test_who_is_going_is_left_alone() -> None:
    found = refusal(cluster(node("n")), pod("p", deleted="2026-01-01T00:00:00Z"))
    assert (found.verdict, found.reason, found.message) == ("pending", "", "")


def test_without_nodes_there_is_a_sentence_of_its_own() -> None:
    assert refusal(cluster(), pod("p")).message == "no nodes available to schedule pods"


def test_every_node_that_fits_is_named() -> None:
    there = cluster(node("a", gpu=1), node("b"), node("c", gpu=1))
    found = Scheduler(NOW).judge(there, pod("p", gpu=1))
    assert isinstance(found, Placement)
    assert (found.verdict, found.nodes, found.message) == ("placeable", ("a", "c"), "")


def test_counts_sort_as_text_and_one_node_may_count_twice() -> None:
    nodes = [node(f"n{n}", cpu=10) for n in range(10)]
    there = cluster(*nodes, node("t1", taints=TAINTED), node("t2", taints=TAINTED), node("x", cpu=10, memory=10))
    found = refusal(there, pod("p", cpu=100, memory=1000))
    assert found.message == (
        "0/13 nodes are available: 1 Insufficient memory, 11 Insufficient cpu, 2 node(s) had untolerated taint(s). "
        "no new claims to deallocate, preemption: 0/13 nodes are available: 13 Preemption is not helpful for "
        "scheduling."
    )
    assert found.counts == {"Insufficient cpu": 11, "Insufficient memory": 1, "node(s) had untolerated taint(s)": 2}
    assert found.total == 13


def test_all_filters_are_told_and_the_first_is_counted() -> None:
    there = cluster(node("n", taints=TAINTED, cordoned=True, gpu=1), pod("x", "n", gpu=1))
    found = refusal(there, replace(pod("p", gpu=1), node_selector={"tier": "gold"}))
    assert [r.filter for r in found.reasons("n")] == [
        "NodeUnschedulable",
        "TaintToleration",
        "NodeAffinity",
        "NodeResourcesFit",
    ]
    assert found.counts == {"node(s) were unschedulable": 1}


@pytest.mark.parametrize(
    ("minor", "message"),
    [
        (31, "untolerated taint {nvidia.com/gpu: present}. preemption: 0/1 nodes are available: 1 " + NO_HELP + "."),
        (34, "{nvidia.com/gpu: present}. no new claims to deallocate, preemption: 0/1 nodes are available: 1 "),
        (36, "node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/1 nodes are available: 1 "),
        (37, "node(s) had untolerated taint(s). preemption: 0/1 nodes are available: 1 " + NO_HELP + "."),
    ],
)
def test_words_of_the_releases(minor: int, message: str) -> None:
    assert message in refusal(cluster(node("n", taints=TAINTED)), pod("p"), Kubernetes(minor)).message


def test_device_classes_show_that_the_gate_is_on() -> None:
    there = cluster(node("n", taints=TAINTED), DeviceClass(Meta("gpu")))
    assert "no new claims to deallocate, preemption" in refusal(there, pod("p"), Kubernetes(33)).message


def named(*names: str, more: tuple[Requirement, ...] = ()) -> Affinity:
    return Affinity(
        NodeSelector(tuple(NodeSelectorTerm(more, (Requirement("metadata.name", "In", (name,)),)) for name in names))
    )


def test_named_nodes_leave_the_others_out() -> None:
    there = cluster(node("a", gpu=1), node("b", gpu=1), node("c", gpu=1), pod("x", "a", gpu=1))
    asking = pod("p", gpu=1, affinity=named("a"))
    assert refusal(there, asking).message == (
        "0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. "
        "no new claims to deallocate, preemption: 0/3 nodes are available: 1 No preemption victims found for incoming "
        "pod, 2 Preemption is not helpful for scheduling."
    )
    assert refusal(there, asking, Kubernetes(31)).counts == {"Insufficient nvidia.com/gpu": 1}
    found = Scheduler(NOW).judge(there, pod("p", gpu=1, affinity=named("b", "a")))
    assert isinstance(found, Placement)
    assert found.nodes == ("b",)
    assert refusal(there, pod("p", affinity=named("none"))).counts == {
        "node(s) didn't satisfy plugin(s) [NodeAffinity]": 3
    }


def test_contradicting_names_end_it_at_once() -> None:
    term = NodeSelectorTerm(fields=tuple(Requirement("metadata.name", "In", (name,)) for name in "ab"))
    asking = pod("p", affinity=Affinity(NodeSelector((term,))))
    there = cluster(node("a"), node("b"))
    assert refusal(there, asking).message == "0/2 nodes are available: pod affinity terms conflict. not found"
    assert refusal(there, asking, Kubernetes(33)).message == (
        f"0/2 nodes are available: pod affinity terms conflict. preemption: 0/2 nodes are available: 2 {NO_HELP}."
    )
    never = replace(asking, preemption_policy="Never")
    assert refusal(there, never, Kubernetes(33)).message.endswith(
        "preemption: not eligible due to preemptionPolicy=Never."
    )


def test_a_nominated_node_is_looked_at_first_and_alone() -> None:
    there = cluster(node("a", gpu=1), node("b", gpu=1))
    found = Scheduler(NOW).judge(there, pod("p", gpu=1, nominated="b"))
    assert isinstance(found, Placement)
    assert found.nodes == ("b",)
    full = there.with_pod(pod("x", "b", gpu=1))
    found = Scheduler(NOW).judge(full, pod("p", gpu=1, nominated="b"))
    assert isinstance(found, Placement)
    assert found.nodes == ("a",)


def test_promised_room_is_not_given_away() -> None:
    there = cluster(node("n", gpu=1), pod("waits", gpu=1, priority=5, nominated="n"))
    found = refusal(there, pod("p", gpu=1, priority=5))
    assert found.counts == {"Insufficient nvidia.com/gpu": 1}
    assert [r.text for r in found.reasons("n")] == ["Insufficient nvidia.com/gpu"]
    assert isinstance(Scheduler(NOW).judge(there, pod("p", gpu=1, priority=6)), Placement)
    assert isinstance(Scheduler(NOW).judge(there, there.pods["default/waits"]), Placement)
    roomy = there.with_node(node("n", gpu=2))
    assert isinstance(Scheduler(NOW).judge(roomy, pod("p", gpu=1, priority=5)), Placement)


def test_alike_nodes_are_told_together() -> None:
    there = cluster(
        *(node(f"n{n}", gpu=1) for n in range(3)), node("t", taints=TAINTED), pod("x", "n1", gpu=1), node("ok", gpu=2)
    )
    found = Scheduler(NOW).judge(there, pod("p", gpu=1))
    assert found.by_node is not None
    assert [(group.nodes, [r.text for r in group.reasons]) for group in found.by_node.groups()] == [
        (("n0", "n2", "ok"), []),
        (("n1",), ["Insufficient nvidia.com/gpu"]),
        (("t",), ["node(s) had untolerated taint(s)", "Insufficient nvidia.com/gpu"]),
    ]
    full = refusal(there, pod("p", gpu=3))
    assert [group.nodes for group in full.groups] == [("n0", "n2"), ("n1",), ("t",), ("ok",)]
    assert dict(full.per_node())["ok"][0].found == "2 free of 2"
    assert isinstance(full.groups[0], NodeGroup)


def test_a_pod_with_ports_is_told_node_by_node() -> None:
    asking = replace(pod("p"), containers=(replace(pod("p").containers[0], ports=(HostPort(80),)),))
    there = cluster(node("a"), node("b"), replace(asking, node_name="a", meta=Meta("web", "default")))
    found = Scheduler(NOW).judge(there, asking)
    assert isinstance(found, Placement)
    assert found.nodes == ("b",)
    full = there.with_node(node("b", taints=TAINTED))
    assert [len(group.reasons) for group in refusal(full, asking).groups] == [1, 1]
    assert refusal(full, asking).counts == {
        "node(s) didn't have free ports for the requested pod ports": 1,
        "node(s) had untolerated taint(s)": 1,
    }


def test_one_node_is_judged_alone() -> None:
    there = cluster(node("n", taints=TAINTED, gpu=1))
    assert Scheduler(NOW).reasons(there, pod("p", gpu=1, tolerations=TOLERATES_GPU), "n") == ()
    assert [r.subject for r in Scheduler(NOW).reasons(there, pod("p", gpu=2), "n")] == ["nvidia.com/gpu", GPU]
    with pytest.raises(KeyError):
        Scheduler(NOW).reasons(there, pod("p"), "none")


def test_features_are_looked_at_last() -> None:
    asking = replace(pod("p", gpu=1), needs_features=("F",))
    there = cluster(node("a", gpu=1), node("b"), node("c", gpu=1, features=("F",)))
    found = Scheduler(NOW).judge(there, asking)
    assert isinstance(found, Placement)
    assert found.nodes == ("c",)
    assert refusal(there.without_node("c"), asking).counts == {
        "Insufficient nvidia.com/gpu": 1,
        "node(s) didn't match Pod's required features": 1,
    }


def test_what_is_not_checked_is_named() -> None:
    asking = replace(
        pod("p", gpu=1),
        scheduler_name="volcano",
        scheduling_group="gang",
        volumes=(
            Volume("conf", "configMap"),
            Volume("data", "persistentVolumeClaim", "disk"),
            Volume("scratch", "ephemeral"),
        ),
        claims=(PodClaim("gpu", template_name="t"),),
    )
    there = cluster(node("n", gpu=1), DeviceClass(Meta("gpu.nvidia.com"), extended_resource=GPU))
    assert Scheduler(NOW).judge(there, asking).not_checked == (
        "scheduler volcano: judged as kube-scheduler with its defaults would",
        "gang scheduling: the pod is judged without its group gang",
        "volumes: data (persistentVolumeClaim disk), scratch (ephemeral)",
        "dynamic resources: claims gpu",
        "dynamic resources: nvidia.com/gpu (device class gpu.nvidia.com)",
    )
    assert len(Scheduler(Kubernetes(35)).judge(there, asking).not_checked) == 4


def test_a_served_resource_is_left_to_the_class() -> None:
    there = cluster(node("n"), DeviceClass(Meta("gpu.nvidia.com"), extended_resource=GPU))
    assert isinstance(Scheduler(NOW).judge(there, pod("p", gpu=1)), Placement)
    assert isinstance(Scheduler(Kubernetes(35)).judge(there, pod("p", gpu=1)), Refusal)
    full = refusal(there.with_node(node("n", taints=TAINTED)), pod("p", gpu=1))
    assert "still not schedulable" in full.message


# --- claims ---------------------------------------------------------------------------------------------------------


class Devices(PodCheck):
    """Nodes that have a free device; what is said of the others."""

    def __init__(self, free: str, fault_on: str = "") -> None:
        super().__init__(pod("p"), (), None, {}, {}, Nothing())
        self.free, self.fault_on = free, fault_on

    def check(self, load: NodeLoad) -> str | Fault:
        if load.node.name == self.fault_on:
            return Fault("CEL runtime error")
        return "" if load.node.name in self.free else "cannot allocate all claims"


class Nothing:
    """An engine that isn't asked."""

    def prepare(self, claims: Sequence[Claim]) -> Prepared:
        raise AssertionError(claims)

    def allocate(self, node: Node, claims: Sequence[Claim]) -> Answer:
        raise AssertionError(node, claims)


@dataclass(frozen=True, eq=False)
class Allocator:
    """Answers as it was told to."""

    answer: Checked

    def prepare(self, snapshot: Snapshot, pod: Pod) -> Checked:
        assert snapshot.nodes
        assert pod.key
        return self.answer


CLAIMING = replace(pod("p"), claims=(PodClaim("gpu", template_name="t"),))


def test_claims_are_tried_where_all_else_fits() -> None:
    there = cluster(node("a"), node("b"), node("t", taints=TAINTED))
    found = Scheduler(NOW, claims=Allocator(Devices("bt"))).judge(there, CLAIMING)
    assert isinstance(found, Placement)
    assert (found.nodes, found.not_checked) == (("b",), ())
    none = Scheduler(NOW, claims=Allocator(Devices(""))).judge(there, CLAIMING)
    assert none.message == (
        "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 cannot allocate all claims. still not "
        f"schedulable, preemption: 0/3 nodes are available: 3 {NO_HELP}."
    )
    assert none.by_node is not None
    assert [r.filter for r in none.by_node.reasons("t")] == ["TaintToleration", "DynamicResources"]
    assert [len(group.nodes) for group in none.by_node.groups()] == [2, 1]


def test_a_fault_ends_the_attempt_only_where_it_is_met() -> None:
    there = cluster(node("a"), node("b"), node("t", taints=TAINTED))
    met = Scheduler(NOW, claims=Allocator(Devices("b", fault_on="a"))).judge(there, CLAIMING)
    assert isinstance(met, Refusal)
    assert (met.reason, met.message) == ("SchedulerError", "CEL runtime error")
    hidden = Scheduler(NOW, claims=Allocator(Devices("b", fault_on="t"))).judge(there, CLAIMING)
    assert isinstance(hidden, Placement)
    reasons = Scheduler(NOW, claims=Allocator(Devices("", fault_on="t"))).reasons(there, CLAIMING, "t")
    assert [(r.filter, r.counts) for r in reasons] == [("TaintToleration", True), ("DynamicResources", False)]
    changed = there.with_node(node("a", gpu=1))
    assert (
        Scheduler(NOW, claims=Allocator(Devices("", fault_on="a"))).judge(changed, CLAIMING).message
        == "CEL runtime error"
    )
    named_pod = replace(CLAIMING, affinity=named("a"))
    assert (
        Scheduler(NOW, claims=Allocator(Devices("", fault_on="a"))).judge(there, named_pod).message
        == "CEL runtime error"
    )


def test_a_fault_while_preempting_is_what_preemption_says() -> None:
    class Moody(Devices):
        def check(self, load: NodeLoad) -> str | Fault:
            return "" if load.pods else Fault(f"mood on {load.node.name}")

    there = cluster(node("a", gpu=1), node("b", gpu=1), pod("x", "a", gpu=1), pod("y", "b", gpu=1))
    asking = replace(CLAIMING, containers=pod("p", gpu=1).containers, priority=1)
    found = Scheduler(NOW, claims=Allocator(Moody(""))).judge(there, asking)
    assert found.message.endswith("still not schedulable, preemption: [mood on a, mood on b]")
    alone = Scheduler(NOW, claims=Allocator(Moody(""))).judge(there.without_node("b"), asking)
    assert alone.message.endswith("still not schedulable, preemption: mood on a")


def test_before_any_node_is_looked_at() -> None:
    there = cluster(node("a"), node("b"))
    busy = Scheduler(NOW, claims=Allocator(Unschedulable("resourceclaim in use"))).judge(there, CLAIMING)
    assert isinstance(busy, Refusal)
    assert busy.message == (
        "0/2 nodes are available: resourceclaim in use. no new claims to deallocate, preemption: 0/2 nodes are "
        f"available: 2 {NO_HELP}."
    )
    missing = Scheduler(NOW, claims=Allocator(NotReady("claim not created yet"))).judge(there, CLAIMING)
    assert isinstance(missing, Refusal)
    assert (missing.reason, missing.message) == ("", "")
    broken = Scheduler(NOW, claims=Allocator(Fault("running PreFilter plugin: oops"))).judge(there, CLAIMING)
    assert isinstance(broken, Refusal)
    assert (broken.reason, broken.message) == ("SchedulerError", "running PreFilter plugin: oops")
    for answer in (Unschedulable("no"), NotReady("no"), Fault("no")):
        assert [r.text for r in Scheduler(NOW, claims=Allocator(answer)).reasons(there, CLAIMING, "a")] == ["no"]
    assert isinstance(Scheduler(NOW, claims=Allocator(None)).judge(there, pod("p")), Placement)
