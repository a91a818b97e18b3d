"""Verdicts: who runs, who could, who waits, and the scheduler's sentence."""

from dataclasses import dataclass, replace

import pytest

from aliquot.dra.claim import DeviceClass
from aliquot.kube.meta import Meta
from aliquot.kube.pod import HostPort, Pod, PodClaim, Volume
from aliquot.kube.selectors import Affinity, NodeSelector, NodeSelectorTerm, Requirement
from aliquot.kube.taints import Taint
from aliquot.scheduling.filters.dynamic_resources import ClaimCheck, NotGenerated, Rejected
from aliquot.scheduling.filters.reason import Fault, Reason
from aliquot.scheduling.judge import fits, judge
from aliquot.scheduling.outcome import NodeGroup, Placement, Refusal
from aliquot.scheduling.versions import NEWEST, OLDEST, Release, release
from aliquot.snapshot.load import NodeLoad
from aliquot.snapshot.snapshot import Snapshot
from scenarios.nouns.clusters import GPU, NOW, TOLERATES_GPU, cluster, node, pod

TAINTED = (Taint("nvidia.com/gpu", "NoSchedule", "present"),)
NO_HELP = "Preemption is not helpful for scheduling"


def refusal(snapshot: Snapshot, asking: Pod, of: Release = NOW) -> Refusal:
    found = judge(snapshot, asking, of)
    assert isinstance(found, Refusal)
    assert found.pending
    return found


def test_who_runs_runs() -> None:
    found = judge(cluster(), pod("p", "n"), NOW)
    assert found == Placement("default/p", "running", ("n",))
    assert not found.pending
    assert judge(cluster(), pod("p", phase="Failed"), NOW) == Placement("default/p", "running", ())


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
    found = judge(there, pod("p", gpu=1), NOW)
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
    assert message in refusal(cluster(node("n", taints=TAINTED)), pod("p"), Release(minor)).message


def test_device_classes_show_that_the_gate_is_on() -> None:
    there = cluster(node("n", taints=TAINTED), DeviceClass(Meta("gpu")))
    assert "no new claims to deallocate, preemption" in refusal(there, pod("p"), Release(33)).message


@pytest.mark.parametrize(
    ("text", "minor"),
    [("v1.36.2", 36), ("1.36", 36), ("1.33+", 33), ("1.37.0-alpha.1", 37), ("1.20", OLDEST), ("v1.99.0", NEWEST)],
)
def test_the_nearest_known_release(text: str, minor: int) -> None:
    assert release(text) == Release(minor)
    assert str(Release(36)) == "1.36"


@pytest.mark.parametrize("text", ["", "2.0", "latest", "v1"])
def test_what_is_no_version(text: str) -> None:
    with pytest.raises(ValueError, match="not a Kubernetes version"):
        release(text)


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
    assert refusal(there, asking, Release(31)).counts == {"Insufficient nvidia.com/gpu": 1}
    found = judge(there, pod("p", gpu=1, affinity=named("b", "a")), NOW)
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
    assert refusal(there, asking, Release(33)).message == (
        f"0/2 nodes are available: pod affinity terms conflict. preemption: 0/2 nodes are available: 2 {NO_HELP}."
    )
    never = replace(asking, preemption_policy="Never")
    assert refusal(there, never, Release(33)).message.endswith(
        "preemption: not eligible due to preemptionPolicy=Never."
    )


def test_a_nominated_node_is_looked_at_first_and_alone() -> None:
    there = cluster(node("a", gpu=1), node("b", gpu=1))
    found = judge(there, pod("p", gpu=1, nominated="b"), NOW)
    assert isinstance(found, Placement)
    assert found.nodes == ("b",)
    full = there.with_pod(pod("x", "b", gpu=1))
    found = judge(full, pod("p", gpu=1, nominated="b"), NOW)
    assert isinstance(found, Placement)
    assert found.nodes == ("a",)


def test_promised_room_is_not_given_away() -> None:
    there = cluster(node("n", gpu=1), pod("waits", gpu=1, priority=5, nominated="n"))
    found = refusal(there, pod("p", gpu=1, priority=5))
    assert found.counts == {"Insufficient nvidia.com/gpu": 1}
    assert [r.text for r in found.reasons("n")] == ["Insufficient nvidia.com/gpu"]
    assert isinstance(judge(there, pod("p", gpu=1, priority=6), NOW), Placement)
    assert isinstance(judge(there, there.pods["default/waits"], NOW), Placement)
    roomy = there.with_node(node("n", gpu=2))
    assert isinstance(judge(roomy, pod("p", gpu=1, priority=5), NOW), Placement)


def test_alike_nodes_are_told_together() -> None:
    there = cluster(
        *(node(f"n{n}", gpu=1) for n in range(3)), node("t", taints=TAINTED), pod("x", "n1", gpu=1), node("ok", gpu=2)
    )
    found = judge(there, pod("p", gpu=1), NOW)
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
    found = judge(there, asking, NOW)
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
    assert fits(there, pod("p", gpu=1, tolerations=TOLERATES_GPU), "n", NOW) == ()
    assert [r.subject for r in fits(there, pod("p", gpu=2), "n", NOW)] == ["nvidia.com/gpu", GPU]
    with pytest.raises(KeyError):
        fits(there, pod("p"), "none", NOW)


def test_features_are_looked_at_last() -> None:
    asking = replace(pod("p", gpu=1), needs_features=("F",))
    there = cluster(node("a", gpu=1), node("b"), node("c", gpu=1, features=("F",)))
    found = judge(there, asking, NOW)
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
    assert judge(there, asking, NOW).not_checked == (
        "scheduler volcano: judged as kube-scheduler with its defaults would",
        "gang scheduling: the pod is judged without its group gang",
        "volumes: data (persistentVolumeClaim disk), scratch (ephemeral)",
        "dynamic resources: claims gpu",
        "dynamic resources: nvidia.com/gpu (device class gpu.nvidia.com)",
    )
    assert len(judge(there, asking, Release(35)).not_checked) == 4


def test_a_served_resource_is_left_to_the_class() -> None:
    there = cluster(node("n"), DeviceClass(Meta("gpu.nvidia.com"), extended_resource=GPU))
    assert isinstance(judge(there, pod("p", gpu=1), NOW), Placement)
    assert isinstance(judge(there, pod("p", gpu=1), Release(35)), Refusal)
    full = refusal(there.with_node(node("n", taints=TAINTED)), pod("p", gpu=1))
    assert "still not schedulable" in full.message


# --- claims ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Devices:
    """Nodes that have a free device; what is said of the others."""

    free: frozenset[str]
    post_filter: str = "still not schedulable"
    fault_on: str = ""

    def check(self, load: NodeLoad) -> tuple[Reason, ...] | Fault:
        if load.node.name == self.fault_on:
            return Fault("CEL runtime error")
        return () if load.node.name in self.free else (Reason("DynamicResources", "cannot allocate all claims"),)


@dataclass(frozen=True)
class Allocator:
    """Answers as it was told to."""

    answer: ClaimCheck | Rejected | NotGenerated | Fault | None

    def prepare(
        self, snapshot: Snapshot, pod: Pod, release: Release
    ) -> ClaimCheck | Rejected | NotGenerated | Fault | None:
        assert snapshot.nodes
        assert pod.key
        assert release.dynamic_resources
        return self.answer


CLAIMING = replace(pod("p"), claims=(PodClaim("gpu", template_name="t"),))


def test_claims_are_tried_where_all_else_fits() -> None:
    there = cluster(node("a"), node("b"), node("t", taints=TAINTED))
    found = judge(there, CLAIMING, NOW, Allocator(Devices(frozenset("bt"))))
    assert isinstance(found, Placement)
    assert (found.nodes, found.not_checked) == (("b",), ())
    none = judge(there, CLAIMING, NOW, Allocator(Devices(frozenset())))
    assert none.message == (
        "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 cannot allocate all claims. still not "
        f"schedulable, preemption: 0/3 nodes are available: 3 {NO_HELP}."
    )
    assert none.by_node is not None
    assert [r.filter for r in none.by_node.reasons("t")] == ["TaintToleration", "DynamicResources"]
    assert [len(group.nodes) for group in none.by_node.groups()] == [2, 1]


def test_a_fault_ends_the_attempt_only_where_it_is_met() -> None:
    there = cluster(node("a"), node("b"), node("t", taints=TAINTED))
    met = judge(there, CLAIMING, NOW, Allocator(Devices(frozenset("b"), fault_on="a")))
    assert isinstance(met, Refusal)
    assert (met.reason, met.message) == ("SchedulerError", "CEL runtime error")
    hidden = judge(there, CLAIMING, NOW, Allocator(Devices(frozenset("b"), fault_on="t")))
    assert isinstance(hidden, Placement)
    reasons = fits(there, CLAIMING, "t", NOW, Allocator(Devices(frozenset(), fault_on="t")))
    assert [(r.filter, r.counts) for r in reasons] == [("TaintToleration", True), ("DynamicResources", False)]
    changed = there.with_node(node("a", gpu=1))
    assert judge(changed, CLAIMING, NOW, Allocator(Devices(frozenset(), fault_on="a"))).message == "CEL runtime error"
    named_pod = replace(CLAIMING, affinity=named("a"))
    assert judge(there, named_pod, NOW, Allocator(Devices(frozenset(), fault_on="a"))).message == "CEL runtime error"


def test_a_fault_while_preempting_is_what_preemption_says() -> None:
    @dataclass(frozen=True)
    class Moody(Devices):
        def check(self, load: NodeLoad) -> tuple[Reason, ...] | Fault:
            return () if load.pods else Fault(f"mood on {load.node.name}")

    there = cluster(node("a", gpu=1), node("b", gpu=1), pod("x", "a", gpu=1), pod("y", "b", gpu=1))
    asking = replace(CLAIMING, containers=pod("p", gpu=1).containers, priority=1)
    found = judge(there, asking, NOW, Allocator(Moody(frozenset())))
    assert found.message.endswith("still not schedulable, preemption: [mood on a, mood on b]")
    alone = judge(there.without_node("b"), asking, NOW, Allocator(Moody(frozenset())))
    assert alone.message.endswith("still not schedulable, preemption: mood on a")


def test_before_any_node_is_looked_at() -> None:
    there = cluster(node("a"), node("b"))
    busy = judge(there, CLAIMING, NOW, Allocator(Rejected("resourceclaim in use")))
    assert isinstance(busy, Refusal)
    assert busy.message == (
        "0/2 nodes are available: resourceclaim in use. no new claims to deallocate, preemption: 0/2 nodes are "
        f"available: 2 {NO_HELP}."
    )
    missing = judge(there, CLAIMING, NOW, Allocator(NotGenerated("claim not created yet")))
    assert isinstance(missing, Refusal)
    assert (missing.reason, missing.message) == ("", "")
    broken = judge(there, CLAIMING, NOW, Allocator(Fault("running PreFilter plugin: oops")))
    assert isinstance(broken, Refusal)
    assert (broken.reason, broken.message) == ("SchedulerError", "running PreFilter plugin: oops")
    for answer in (Rejected("no"), NotGenerated("no"), Fault("no")):
        assert [r.text for r in fits(there, CLAIMING, "a", NOW, Allocator(answer))] == ["no"]
    assert isinstance(judge(there, pod("p"), NOW, Allocator(None)), Placement)
