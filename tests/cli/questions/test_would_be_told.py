"""`aliquot explain --would`: what can't be used, isn't judged, or the API server would change or refuse."""

import pytest

from aliquot.cli.entry import run
from tests.kube.manifests import ASKS, CLASS, GPU, ONE_FREE, Ask, Json, node, pod, verdicts, workload

SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}


def test_what_makes_no_pods_is_an_error(ask: Ask) -> None:
    status, _, err = ask(ONE_FREE, [SERVICE, CLASS])
    assert status == 2
    assert "nothing in it makes pods: it holds only DeviceClass, Service" in err
    assert "hint: these are judged: Pod, Deployment" in err


def test_what_is_not_judged_is_told(ask: Ask) -> None:
    cluster = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "r"}}
    status, _, err = ask(ONE_FREE, [workload("Deployment"), cluster])
    assert status == 0
    assert "not judged: 1 RayCluster (if they make pods, those are not in the answer)" in err


def test_broken_objects_are_told_and_the_rest_is_judged(ask: Ask) -> None:
    status, answer, err = ask(ONE_FREE, [workload("Deployment", replicas="two"), pod("solo")])
    assert status == 0
    assert list(verdicts(answer)) == ["ml/solo"]
    assert 'spec.replicas: expected an integer, found "two"' in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["--would", "nowhere.yaml"], "nowhere.yaml: can't be opened", id="no such file"),
        pytest.param(["--would", "-", "-f", "-"], "standard input can't be the cluster and the manifest", id="twice"),
        pytest.param(["x", "--would", "a.yaml"], "only one of them", id="with a target"),
        pytest.param(["-A", "--would", "a.yaml"], "only one of them", id="with all"),
    ],
)
def test_mistakes(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", *arguments, *([] if "-f" in arguments else ["-f", "x.yaml"])]) == 2
    assert words in capsys.readouterr().err


def test_what_admission_would_fill_in_is_told(ask: Ask) -> None:
    given = {"type": "Container", "default": {"cpu": "2"}, "defaultRequest": {"cpu": "1"}}
    limits = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "small", "namespace": "ml"}}
    kata = pod("p", {**ASKS, "runtimeClassName": "kata"})
    _, _, err = ask([*ONE_FREE, {**limits, "spec": {"limits": [given]}}], [kata])
    assert "LimitRange ml/small gives requests of cpu to containers that have none: they're judged without" in err
    assert "RuntimeClass kata may add an overhead, which isn't counted" in err


def test_resources_that_the_api_server_refuses_are_no_room(ask: Ask) -> None:
    def asking(name: str, **resources: Json) -> Json:
        return pod(name, {"containers": [{"name": "main", "image": "x", "resources": resources}]})

    status, answer, _ = ask(
        [node()],
        [
            asking("more", requests={GPU: 1}, limits={GPU: 2}),
            asking("none", requests={GPU: 1}),
            asking("half", limits={GPU: "0.5"}),
            asking("well", limits={GPU: 1}),
        ],
    )
    assert status == 3
    assert verdicts(answer) == {
        "ml/more": "blocked",
        "ml/none": "blocked",
        "ml/half": "blocked",
        "ml/well": "placeable",
    }
    sentences = {one["pod"]: one["sentence"] for one in answer["pods"]}
    assert sentences["ml/more"] == (
        "The API server refuses it: container main asks for 1 nvidia.com/gpu with a limit of 2: they must be the same."
        " There would be room for it on g1."
    )
    assert "asks for 1 nvidia.com/gpu without a limit, which it must have" in sentences["ml/none"]
    assert "nvidia.com/gpu is given in whole numbers" in sentences["ml/half"]


def test_the_first_model_of_an_empty_cluster(ask: Ask) -> None:
    status, answer, err = ask([node()], [pod("p")])
    assert (status, verdicts(answer)) == (0, {"ml/p": "placeable"})
    assert "the cluster's input has no pods: nothing there counts as used" in err
