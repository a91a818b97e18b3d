"""Stories around the decision: pods asked for together, workloads without pods, promises, rivals, ends."""

from typing import Any

from aliquot.advisor.explain import explain
from aliquot.advisor.explanation.asked import find
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.scheduler import Scheduler
from scenarios.api.cluster import node, pod
from scenarios.explained import snapshot, story

JUDGE = Scheduler.of(Kubernetes(36))


def test_what_is_placed_first_isnt_free_for_the_next() -> None:
    world = snapshot(node("n1", gpu=1), *[pod(f"p{i}", gpu=1) for i in range(3)], pod("urgent", gpu=1, priority=10))
    told = {one.pod.name: (one.verdict, one.forecast) for one in explain(world, world.pending(), JUDGE)}
    after = "Forecast: after ml/urgent is placed (earlier in the queue), no room is left for it."
    assert told == {
        "p0": ("placeable", after),
        "p1": ("placeable", after),
        "p2": ("placeable", after),
        "urgent": ("placeable", ""),
    }


def test_one_pod_by_itself_is_told_the_same_as_among_all() -> None:
    world = snapshot(node("n1", gpu=1), *[pod(f"p{i}", gpu=1) for i in range(3)])
    every = {one.pod.key: one for one in explain(world, world.pending(), JUDGE)}
    for waiting in world.pending():
        (alone,) = explain(world, [waiting], JUDGE)
        one = every[waiting.key]
        assert (alone.verdict, alone.sentence, alone.forecast) == (one.verdict, one.sentence, one.forecast)


def test_twins_are_told_under_their_own_names() -> None:
    world = snapshot(node("n1", gpu=0), *[pod(f"llm-{i}", gpu=1, owner="Deployment/llm", labels={}) for i in range(3)])
    for one in explain(world, world.pending(), JUDGE):
        assert one.sentence.startswith("No node offers nvidia.com/gpu, though its labels say that n1 has NVIDIA GPUs")
        assert one.siblings == 2


def workload(kind: str) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": "llm", "namespace": "ml"},
        "spec": {
            "replicas": 1,
            "template": {"spec": {"containers": [{"name": "m", "resources": {"limits": {"nvidia.com/gpu": "2"}}}]}},
        },
    }


def test_a_workload_without_pods_is_judged_by_its_template() -> None:
    world = snapshot(node("n1", gpu=1), workload("Deployment"))
    pods = find(world, "deployment", "llm", "ml")
    (told,) = explain(world, pods, JUDGE)
    assert told.verdict == "pending"
    assert "asks for 2 nvidia.com/gpu" in told.sentence
    assert find(world, "deployment", "llm", "other") == []


def test_a_replica_set_is_found_by_its_own_name_too() -> None:
    world = snapshot(node("n1"), pod("llm-1", owner="Deployment/llm"))
    assert [one.name for one in find(world, "replicaset", "llm-5d", None)] == ["llm-1"]
    assert [one.name for one in find(world, "deployment", "llm", None)] == ["llm-1"]


def test_rivals_of_higher_priority_go_first() -> None:
    world = snapshot(node("n1", gpu=0), pod("vip", gpu=1, priority=9), pod("p", gpu=1))
    told = {one.pod.name: one.note for one in explain(world, world.pending(), JUDGE)}
    assert told["p"] == "Pods of higher priority wait for the same and go first: ml/vip."
    assert told["vip"] == ""


def test_a_promise_is_told() -> None:
    waiting = pod("p", gpu=1)
    waiting["status"]["nominatedNodeName"] = "n1"
    leaving = pod("a", on="n1", gpu=1)
    leaving["metadata"]["deletionTimestamp"] = "2026-11-30T18:00:00Z"
    assert "has promised it room on n1, once ml/a is gone: wait." in story(node("n1", gpu=1), waiting, leaving).note


def test_a_pod_that_is_being_deleted_gets_no_ways_out() -> None:
    leaving = pod("p", gpu=1)
    leaving["metadata"]["deletionTimestamp"] = "2026-11-30T18:00:00Z"
    world = snapshot(node("n1", gpu=0), leaving)
    (told,) = explain(world, world.pods.values(), JUDGE)
    assert told.sentence == "ml/p is being deleted; it won't be placed any more."
    assert told.ways_out == ()


def test_bound_isnt_running_yet() -> None:
    waiting = pod("p", on="n1")
    waiting["status"]["phase"] = "Pending"
    lost = pod("lost", on="gone")
    ended = pod("ended", on="n1")
    ended["status"]["phase"] = "Failed"
    world = snapshot(node("n1"), waiting, lost, ended)
    told = {one.pod.name: one.sentence for one in explain(world, world.pods.values(), JUDGE)}
    assert told["p"] == "ml/p is bound to n1; its phase is Pending: it's the kubelet's turn."
    assert told["lost"] == "ml/lost is bound to gone, a node that isn't in the input."
    assert told["ended"] == "ml/ended has ended (Failed) and won't run again by itself: the pod's status says why."


def test_what_isnt_checked_may_be_why_the_cluster_refuses() -> None:
    waiting = pod("p", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}])
    waiting["status"]["conditions"] = [
        {
            "type": "PodScheduled",
            "status": "False",
            "reason": "Unschedulable",
            "message": "0/1 nodes are available: pvc.",
        }
    ]
    told = story(node("n1"), waiting)
    assert told.verdict == "placeable"
    assert "The cluster refuses it, perhaps for what isn't checked here: 0/1" in told.note
    assert "Take them too: kubectl get pvc,pv,storageclasses -A -o json" in told.note
    assert told.sentence.startswith("As far as the input shows")
