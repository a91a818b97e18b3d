"""`aliquot explain --would`: what the manifest has and the cluster has already."""

from tests.kube.manifests import CLASS, ONE_FREE, SLICE, Ask, Json, node, pod, running, verdicts, workload

OWNER = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "llm", "uid": "u", "controller": True}


def test_what_is_there_is_replaced_and_told(ask: Ask) -> None:
    there = workload("Deployment", replicas=2)
    there["metadata"]["namespace"] = "ml"
    cluster = [node(), there, running("llm-a", OWNER), running("llm-b", OWNER)]
    status, answer, err = ask(cluster, [workload("Deployment", replicas=2)])
    assert status == 0
    assert verdicts(answer) == {"ml/llm-1": "placeable", "ml/llm-2": "placeable"}
    assert "Deployment ml/llm is there with 2 pods: judged as if it were deleted first" in err
    assert any("is there with 2 pods" in one["message"] for one in answer["warnings"])


def test_a_pod_that_runs_is_judged_anew(ask: Ask) -> None:
    status, answer, err = ask([node("g1", 1), running("holder")], [running("holder")])
    assert status == 0
    assert verdicts(answer) == {"ml/holder": "placeable"}
    assert "Pod ml/holder is there: it's taken away" in err
    assert "names its node (g1)" in err


def test_names_that_are_taken_are_not_given_again(ask: Ask) -> None:
    _, answer, _ = ask([node("g1", 8), pod("llm-1", phase="Pending")], [workload("Deployment", replicas=2)])
    assert list(verdicts(answer)) == ["ml/llm-2", "ml/llm-3"]


def test_what_is_there_already_and_the_same_is_left_as_it_is(ask: Ask) -> None:
    volume: Json = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "ml"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    bound = {
        **volume,
        "spec": {**volume["spec"], "storageClassName": "fast", "volumeName": "pv-1"},
        "status": {"phase": "Bound"},
    }
    claim: Json = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "shared", "namespace": "ml"},
        "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]}},
    }
    results = [{"request": "gpu", "driver": "gpu.nvidia.com", "pool": "g1", "device": "gpu-0"}]
    allocated = {**claim, "status": {"allocation": {"devices": {"results": results}}}}
    user = pod(
        "user", {"containers": [{"name": "c"}], "resourceClaims": [{"name": "g", "resourceClaimName": "shared"}]}
    )
    status, answer, err = ask([*ONE_FREE, SLICE, CLASS, bound, allocated], [user, volume, claim, CLASS])
    assert status == 0
    assert verdicts(answer) == {"ml/user": "placeable"}
    assert "is there" not in err


def test_a_workload_without_pods_is_replaced(ask: Ask) -> None:
    there = workload("Deployment", replicas=0)
    there["metadata"]["namespace"] = "ml"
    status, answer, err = ask([*ONE_FREE, there], [workload("Deployment")])
    assert status == 0
    assert list(verdicts(answer)) == ["ml/llm-1"]
    assert "Deployment ml/llm is there, without pods: the manifest's takes its place" in err
