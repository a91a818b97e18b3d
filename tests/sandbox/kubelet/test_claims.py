"""Claims of pods: prepared before their containers start, unprepared after."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from aliquot.kube.meta import Meta, Owner
from aliquot.kube.pod import Container, ContainerClaim, ExtendedResourceClaim, PodClaim
from aliquot.node.protos.generated import dra_v1_pb2 as v1
from aliquot.node.protos.services import DRA_V1, DRA_V1BETA1
from aliquot.sandbox.kubelet.answers import Admitted, NotAdmitted, NotRemoved
from aliquot.sandbox.kubelet.checkpoint import DamagedCheckpointError
from tests.sandbox.driver import GPU, Driver, Unprepare, ready, unheld, whole
from tests.sandbox.kubelet.conftest import Start
from tests.sandbox.objects import Api, claim, pod

NIC = "nic.example.com"


def cdi_of(answer: Admitted | NotAdmitted, container: str = "main") -> tuple[str, ...]:
    assert isinstance(answer, Admitted), answer
    return answer.containers[container].cdi_devices


def why(answer: Admitted | NotAdmitted) -> str:
    assert isinstance(answer, NotAdmitted)
    assert (answer.reason, answer.final) == ("FailedPrepareDynamicResources", False)
    return answer.message.removeprefix("Failed to prepare dynamic resources: prepare dynamic resources: ")


def by_request(request: v1.NodePrepareResourcesRequest) -> v1.NodePrepareResourcesResponse:
    """Two devices, one of a request's alternative."""
    devices = [
        v1.Device(request_names=["small/mig"], pool_name="n1", device_name="gpu-0", cdi_device_ids=["ex.com/gpu=a"]),
        v1.Device(request_names=["big"], pool_name="n1", device_name="gpu-1", cdi_device_ids=["ex.com/gpu=b"]),
        v1.Device(pool_name="n1", device_name="both", cdi_device_ids=["ex.com/gpu=all"], share_id="s-1"),
    ]
    entry = v1.NodePrepareResourceResponse(devices=devices)
    return v1.NodePrepareResourcesResponse(claims={one.uid: entry for one in request.claims})


def answering(errors: dict[str, str]) -> Unprepare:
    return lambda _uids: errors


def test_a_claim_is_prepared_once_and_unprepared_at_the_end(root: Path, api: Api, start: Start) -> None:
    kubelet = start()
    api.add(claim())
    with Driver(root) as driver:
        ready(kubelet)
        assert cdi_of(kubelet.admit(pod())) == (f"{GPU}/claim=c-aaaa",)
        assert cdi_of(kubelet.admit(pod())) == (f"{GPU}/claim=c-aaaa",)
        (held,) = kubelet.claims()
        assert (held.name, held.uid, held.pods, held.prepared) == ("train", "c-aaaa", ("p-1",), True)
        assert kubelet.remove(pod()) is None
        assert kubelet.remove(pod()) is None
        assert driver.asked == [("prepare v1", ("c-aaaa",)), ("unprepare v1", ("c-aaaa",))]
        assert kubelet.claims() == ()


@pytest.mark.parametrize(("versions", "share"), [([DRA_V1], "s-1"), ([DRA_V1BETA1], None)])
def test_containers_get_the_devices_of_their_requests(
    root: Path, api: Api, start: Start, versions: list[str], share: str | None
) -> None:
    kubelet = start()
    api.add(claim())
    uses = {"small": ("small",), "alternative": ("small/mig",), "big": ("big",), "two": ("small", "big"), "all": ("",)}
    containers = tuple(
        Container(name, claims=tuple(ContainerClaim("gpu", request) for request in requests))
        for name, requests in uses.items()
    )
    both = replace(pod(), containers=(*containers, Container("none")))
    with Driver(root, versions=versions) as driver:
        driver.prepare = by_request
        ready(kubelet)
        answer = kubelet.admit(both)
        a, b, everything = "ex.com/gpu=a", "ex.com/gpu=b", "ex.com/gpu=all"
        assert {name: cdi_of(answer, name) for name in (*uses, "none")} == {
            "small": (a, everything),
            "alternative": (a, everything),
            "big": (b, everything),
            "two": (a, everything, b),
            "all": (a, b, everything),
            "none": (),
        }
        ((_, _), (_, _), (_, last)) = kubelet.claims()[0].devices
        assert last.share_id == share
        assert kubelet.remove(both) is None
        version = versions[0].partition(".")[0]
        assert [what for what, _ in driver.asked] == [f"prepare {version}", f"unprepare {version}"]


def test_claims_of_one_driver_are_asked_for_in_one_call(root: Path, api: Api, start: Start) -> None:
    kubelet = start()
    api.add(claim("a", "c-a"), claim("b", "c-b", drivers=(GPU, NIC)))
    two = pod(claims={"one": "a", "two": "b"})
    with Driver(root) as gpu, Driver(root, NIC) as nic:
        ready(kubelet, 2)
        assert isinstance(kubelet.admit(two), Admitted)
        assert gpu.asked == [("prepare v1", ("c-a", "c-b"))]
        assert nic.asked == [("prepare v1", ("c-b",))]
        assert kubelet.remove(two) is None
        assert gpu.asked[1:] == [("unprepare v1", ("c-a", "c-b"))]
        assert nic.asked[1:] == [("unprepare v1", ("c-b",))]


def test_a_shared_claim_is_unprepared_with_its_last_pod(root: Path, api: Api, start: Start) -> None:
    kubelet = start()
    api.add(claim(pods=("p-1", "p-2")))
    with Driver(root) as driver:
        ready(kubelet)
        assert cdi_of(kubelet.admit(pod("p-1"))) == cdi_of(kubelet.admit(pod("p-2"))) == (f"{GPU}/claim=c-aaaa",)
        assert kubelet.remove(pod("p-1")) is None
        assert [what for what, _ in driver.asked] == ["prepare v1"]
        assert kubelet.remove(pod("p-2")) is None
        assert [what for what, _ in driver.asked] == ["prepare v1", "unprepare v1"]


def test_what_is_missing_before_a_driver_is_asked(root: Path, api: Api, start: Start) -> None:
    kubelet = start()
    templated = replace(pod(), claims=(PodClaim("gpu", template_name="t"),))
    named = replace(templated, claim_names={"gpu": "train"})
    not_found = 'fetch ResourceClaim train: resourceclaims.resource.k8s.io "train" not found'
    with Driver(root) as driver:
        ready(kubelet)
        assert why(kubelet.admit(pod())) == not_found
        assert why(kubelet.admit(templated)) == 'pod "ml/pod-p-1": ResourceClaim not created yet'
        api.add(claim(pods=("p-9",)))
        assert why(kubelet.admit(pod())) == "pod pod-p-1 (p-1) is not allowed to use ResourceClaim train (c-aaaa)"
        api.add(claim())
        assert why(kubelet.admit(named)) == (
            "ResourceClaim train was not created for pod ml/pod-p-1 (pod is not owner)"
        )
        api.add(replace(claim(), allocation=None))
        assert why(kubelet.admit(pod())) == "ResourceClaim train: not allocated"
        api.add(claim(drivers=(GPU, NIC)))
        assert why(kubelet.admit(pod())) == f"DRA driver {NIC} is not registered"
        api.down = True
        assert why(kubelet.admit(pod())) == "fetch ResourceClaim train: connection refused"
        assert driver.asked == []
        assert kubelet.claims() == ()
        assert kubelet.remove(pod()) is None, "a pod whose driver never came can go"
        api.down = False
        api.add(replace(claim(), meta=Meta("train", "ml", "c-aaaa", owners=(Owner("Pod", "x", "p-1", True),))))
        assert cdi_of(kubelet.admit(named)) == (f"{GPU}/claim=c-aaaa",)


def test_a_claim_that_was_not_needed_is_passed_over(start: Start) -> None:
    kubelet = start()
    unneeded = replace(pod(), claims=(PodClaim("gpu", template_name="t"),), claim_names={"gpu": None})
    assert cdi_of(kubelet.admit(unneeded)) == ()


def test_answers_that_the_kubelet_refuses(root: Path, api: Api, start: Start) -> None:
    kubelet = start()
    api.add(claim("a", "c-a"), claim("b", "c-b"))
    two = pod(claims={"one": "a", "two": "b"})

    def answers(**entries: str) -> str:
        def prepare(_asked: v1.NodePrepareResourcesRequest) -> v1.NodePrepareResourcesResponse:
            found = {f"c-{name}": v1.NodePrepareResourceResponse(error=error) for name, error in entries.items()}
            return v1.NodePrepareResourcesResponse(claims=found)

        driver.prepare = prepare
        return why(kubelet.admit(two))

    def broken(_asked: v1.NodePrepareResourcesRequest) -> v1.NodePrepareResourcesResponse:
        raise ValueError("no NVML")

    with Driver(root) as driver:
        ready(kubelet)
        assert answers(a="gpu-0 is held", b="") == "NodePrepareResources failed for ResourceClaim a: gpu-0 is held"
        assert answers(a="") == "NodePrepareResources skipped 1 ResourceClaims"
        assert answers(x="") == "NodePrepareResources returned result for unknown claim UID c-x"
        driver.prepare = broken
        assert why(kubelet.admit(two)) == "NodePrepareResources: rpc error: code = Internal desc = no NVML"
        driver.prepare = whole
        assert cdi_of(kubelet.admit(two)) == (f"{GPU}/claim=c-a", f"{GPU}/claim=c-b")
        assert {uids for _, uids in driver.asked} == {("c-a", "c-b")}, "every try asks for both again"
        for answer, fault in (
            ({"c-a": "", "c-b": "in use"}, "NodeUnprepareResources failed for ResourceClaim b: in use"),
            ({"c-a": ""}, "NodeUnprepareResources skipped 1 ResourceClaims"),
            ({"c-x": ""}, "NodeUnprepareResources returned result for unknown claim UID c-x"),
        ):
            driver.unprepare = answering(answer)
            assert kubelet.remove(two) == NotRemoved(f"unprepare dynamic resources: {fault}")
        driver.unprepare = unheld
        assert kubelet.remove(two) is None


def test_it_goes_on_trying_until_the_driver_is_there(root: Path, api: Api, start: Start) -> None:
    kubelet = start()
    api.add(claim())
    answers: list[Admitted | NotAdmitted] = []
    waiting = threading.Thread(target=lambda: answers.append(kubelet.admit(pod(), within_s=20)))
    waiting.start()
    with Driver(root):
        waiting.join(timeout=20)
        assert cdi_of(answers[0]) == (f"{GPU}/claim=c-aaaa",)
        assert kubelet.remove(pod()) is None


def test_a_pod_stays_terminating_while_its_driver_is_away(root: Path, api: Api, start: Start) -> None:
    kubelet = start()
    api.add(claim())
    driver = Driver(root)
    driver.start()
    ready(kubelet)
    assert isinstance(kubelet.admit(pod()), Admitted)
    driver.die()
    failed = kubelet.remove(pod())
    assert isinstance(failed, NotRemoved)
    assert failed.message.startswith(
        "unprepare dynamic resources: NodeUnprepareResources: rpc error: code = Unavailable desc = "
    )
    driver.registration.unlink()
    assert kubelet.wait(lambda: kubelet.plugins() == ())
    assert kubelet.remove(pod()) == NotRemoved(f"unprepare dynamic resources: DRA driver {GPU} is not registered")
    api.claims.clear()
    with Driver(root) as back:
        assert kubelet.remove(pod(), within_s=10) is None
        assert back.asked == [("unprepare v1", ("c-aaaa",))], "the claim's object is gone, its name and UID aren't"


def test_after_a_restart_claims_are_prepared_again(root: Path, api: Api, start: Start) -> None:
    kubelet = start()
    api.add(claim())
    with Driver(root) as driver:
        ready(kubelet)
        before = kubelet.admit(pod())
        kubelet.restart()
        ready(kubelet)
        (held,) = kubelet.claims()
        assert (held.pods, held.prepared) == (("p-1",), False)
        assert held.devices[0][1].cdi_ids == (f"{GPU}/claim=c-aaaa",)
        assert kubelet.admit(pod()) == before
        kubelet.restart()
        ready(kubelet)
        assert kubelet.remove(pod()) is None
        assert [what for what, _ in driver.asked] == ["prepare v1", "prepare v1", "unprepare v1"]


def test_a_driver_that_was_updated_prepares_nothing_again(root: Path, api: Api, start: Start) -> None:
    """The kubelet doesn't tell a new plugin of claims that it prepared with the old one."""
    kubelet = start()
    api.add(claim())
    with Driver(root, instance="new") as new:
        with Driver(root, instance="old") as old:
            ready(kubelet, 2)
            assert isinstance(kubelet.admit(pod()), Admitted)
        ready(kubelet, 1)
        assert isinstance(kubelet.admit(pod()), Admitted)
        assert kubelet.remove(pod()) is None
        asked = [what for what, _ in (*old.asked, *new.asked)]
        assert asked == ["prepare v1", "unprepare v1"]
        assert new.asked[-1] == ("unprepare v1", ("c-aaaa",))


def test_a_claim_of_the_same_name_waits_for_the_old_one(root: Path, api: Api, start: Start) -> None:
    kubelet = start()
    api.add(claim())
    with Driver(root):
        ready(kubelet)
        assert isinstance(kubelet.admit(pod()), Admitted)
        api.add(claim(uid="c-bbbb", pods=("p-2",)))
        assert why(kubelet.admit(pod("p-2"))) == (
            "old ResourceClaim with same name train and different UID c-aaaa still exists "
            "(previous pod force-deleted?!)"
        )
        kubelet.forget(pod())
        assert isinstance(kubelet.admit(pod("p-2"), within_s=10), Admitted), "the tidying has found the old one"


def test_a_pod_deleted_by_force_is_tidied_up(root: Path, api: Api, start: Start) -> None:
    kubelet = start()
    api.add(claim())
    with Driver(root) as driver:
        ready(kubelet)
        assert isinstance(kubelet.admit(pod()), Admitted)
        kubelet.forget(pod())
        assert kubelet.wait(lambda: kubelet.claims() == ())
        assert driver.asked[-1] == ("unprepare v1", ("c-aaaa",))


def test_extended_resources_by_a_claim(root: Path, api: Api, start: Start) -> None:
    kubelet = start()
    api.add(claim("extra", "c-x", request="container-0-request-0"))
    amounts = {"ex.com/gpu": 1}
    asking = replace(
        pod(claims={}),
        containers=(Container("main", amounts, amounts), Container("side")),
        extended_claim=ExtendedResourceClaim("extra", (("main", "ex.com/gpu", "container-0-request-0"),)),
    )
    with Driver(root):
        ready(kubelet)
        answer = kubelet.admit(asking)
        assert cdi_of(answer, "main") == (f"{GPU}/claim=c-x",)
        assert cdi_of(answer, "side") == ()


def test_a_name_that_no_spec_has_fails_the_container_not_the_claim(root: Path, api: Api, start: Start) -> None:
    folder = root / "cdi"
    kubelet = start(cdi=[folder])
    api.add(claim())
    spec = {
        "cdiVersion": "0.5.0",
        "kind": f"{GPU}/claim",
        "devices": [{"name": "c-aaaa", "containerEdits": {"env": ["A=B"]}}],
    }
    with Driver(root):
        ready(kubelet)
        assert kubelet.admit(pod()) == NotAdmitted(
            "CreateContainerError", f"CDI device injection failed: unresolvable CDI devices {GPU}/claim=c-aaaa"
        )
        assert kubelet.claims()[0].prepared
        folder.mkdir()
        (folder / "claim.json").write_text(json.dumps(spec))
        assert cdi_of(kubelet.admit(pod())) == (f"{GPU}/claim=c-aaaa",)


def test_a_damaged_checkpoint_of_claims_stops_the_start(root: Path, api: Api, start: Start) -> None:
    kubelet = start()
    api.add(claim())
    with Driver(root):
        ready(kubelet)
        assert isinstance(kubelet.admit(pod()), Admitted)
    file = root / "dra_manager_state"
    file.write_text(file.read_text().replace("c-aaaa", "c-bbbb"))
    with pytest.raises(DamagedCheckpointError, match="its checksum doesn't match its data"):
        kubelet.restart()
    file.write_text("{")
    with pytest.raises(DamagedCheckpointError, match="dra_manager_state"):
        kubelet.start()
    file.unlink()
    kubelet.start()
    assert kubelet.claims() == ()
