"""`aliquot explain --would`: claims that the manifest's templates make."""

from tests.kube.manifests import CLASS, ONE_FREE, SLICE, Ask, Json, pod, verdicts, workload


def claim_template(name: str, device_class: str) -> Json:
    exactly = {"deviceClassName": device_class}
    spec = {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name},
        "spec": {"spec": spec},
    }


WITH_CLAIM = {"containers": [{"name": "main"}], "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "one"}]}


def test_claims_are_made_from_the_manifests_templates(ask: Ask) -> None:
    made = workload("Deployment", replicas=2, template={"metadata": {}, "spec": WITH_CLAIM})
    status, answer, _ = ask([*ONE_FREE, SLICE], [made, claim_template("one", "gpu"), CLASS])
    assert status == 3
    assert verdicts(answer) == {"ml/llm-1": "placeable", "ml/llm-2": "placeable"}
    assert "ml/llm-1" in answer["pods"][1]["forecast"]


def test_a_template_that_nobody_has(ask: Ask) -> None:
    made = workload("Deployment", template={"metadata": {}, "spec": WITH_CLAIM})
    status, answer, _ = ask([*ONE_FREE, SLICE, CLASS], [made])
    assert status == 3
    assert verdicts(answer) == {"ml/llm-1": "pending"}
    assert "one" in answer["pods"][0]["sentence"]


def test_devices_that_nobody_publishes_are_unknown(ask: Ask) -> None:
    made = workload("Deployment", template={"metadata": {}, "spec": WITH_CLAIM})
    _, _, err = ask(ONE_FREE, [made, claim_template("one", "gpu"), CLASS])
    assert "no ResourceSlices, and ml/llm-1 asks for devices by claims" in err


def test_another_class_of_the_same_name(ask: Ask) -> None:
    other = {**CLASS, "spec": {"selectors": [{"cel": {"expression": 'device.driver == "gpu.amd.com"'}}]}}
    made = [pod("p", WITH_CLAIM), claim_template("one", "gpu")]
    assert ask([*ONE_FREE, SLICE, CLASS], [*made, CLASS])[0] == 0
    status, _, err = ask([*ONE_FREE, SLICE, CLASS], [*made, other])
    assert status == 3
    assert "DeviceClass gpu is there and differs: the manifest's takes its place" in err
