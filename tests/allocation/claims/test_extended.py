"""Extended resources that device classes serve."""

import pytest

from aliquot.allocation.claims.extended import (
    ANNOTATION,
    claim_for,
    classes_by_resource,
    earlier_claim,
    is_extended,
    new_claim,
)
from aliquot.dra.claim import Claim, ClaimSpec, DeviceClass
from aliquot.kube.meta import Meta, Owner
from aliquot.kube.pod import Container, Pod

GPU = "example.com/gpu"
CLASS = DeviceClass(Meta("gpu"), extended_resource=GPU)
SERVED = {GPU: CLASS}


def pod(*containers: Container, init: tuple[Container, ...] = ()) -> Pod:
    return Pod(Meta("p", "default", uid="u"), containers, init)


def container(name: str, gpus: int, *, sidecar: bool = False, **others: int) -> Container:
    return Container(name, {"cpu": 100, **others, GPU: gpus}, sidecar=sidecar)


def asked(wanted: Pod) -> tuple[list[tuple[str, int]], list[tuple[str, str]]]:
    made, status = claim_for(new_claim(wanted), wanted, SERVED)
    requests = [(one.name, one.exactly.count) for one in made.spec.requests if one.exactly]
    return requests, [(who, request) for who, _, request in status.mappings]


def test_a_class_serves_its_resource_and_its_own_name() -> None:
    older = DeviceClass(Meta("old", created="2026-01-01T00:00:00Z"), extended_resource=GPU)
    newer = DeviceClass(Meta("new", created="2026-02-01T00:00:00Z"), extended_resource=GPU)
    same = DeviceClass(Meta("a-new", created="2026-02-01T00:00:00Z"), extended_resource=GPU)
    prefix = "deviceclass.resource.kubernetes.io/"
    served = classes_by_resource([newer, older, same])
    assert {name: one.meta.name for name, one in served.items()} == {
        GPU: "a-new", prefix + "old": "old", prefix + "new": "new", prefix + "a-new": "a-new",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "extended"),
    [
        ("cpu", False),
        (GPU, True),
        ("kubernetes.io/x", False),
        ("sub.kubernetes.io/x", False),
        ("deviceclass.resource.kubernetes.io/gpu", True),
        ("requests.example.com/gpu", False),
    ],
)
def test_which_resources_are_extended(name: str, *, extended: bool) -> None:
    assert is_extended(name) == extended


@pytest.mark.parametrize(
    ("wanted", "requests", "mappings"),
    [
        (pod(container("a", 2)), [("container-0-request-1", 2)], [("a", "container-0-request-1")]),
        (pod(container("a", 0)), [], []),
        (
            pod(container("a", 1), container("b", 2, memory=5)),
            [("container-0-request-1", 1), ("container-1-request-1", 2)],
            [("a", "container-0-request-1"), ("b", "container-1-request-1")],
        ),
        # an init container uses the devices of the containers after it
        (
            pod(container("a", 2), init=(container("i", 1),)),
            [("container-1-request-1", 2)],
            [("a", "container-1-request-1"), ("i", "container-1-request-1")],
        ),
        # ... and asks for what it needs above them
        (
            pod(container("a", 1), init=(container("i", 3),)),
            [("container-0-request-1", 2), ("container-1-request-1", 1)],
            [("a", "container-1-request-1"), ("i", "container-1-request-1"), ("i", "container-0-request-1")],
        ),
        # init containers share the request of the greediest
        (
            pod(container("a", 0), init=(container("i", 1), container("j", 3))),
            [("container-1-request-1", 3)],
            [("i", "container-1-request-1"), ("j", "container-1-request-1")],
        ),
        # a sidecar lasts
        (
            pod(container("a", 1), init=(container("s", 1, sidecar=True), container("i", 1))),
            [("container-0-request-1", 1), ("container-2-request-1", 1)],
            [("s", "container-0-request-1"), ("a", "container-2-request-1"), ("i", "container-2-request-1")],
        ),
    ],
)
def test_requests(wanted: Pod, requests: list[tuple[str, int]], mappings: list[tuple[str, str]]) -> None:
    assert asked(wanted) == (requests, mappings)


def test_the_claim_of_an_earlier_cycle() -> None:
    wanted = pod()
    fresh = new_claim(wanted)
    assert earlier_claim(wanted, [fresh]) is fresh
    others = Owner("Pod", "q", "v", controller=True)
    foreign = Claim(Meta("x", "default", annotations={ANNOTATION: "true"}, owners=(others,)), ClaimSpec())
    assert earlier_claim(wanted, [foreign, Claim(Meta("y", "default"), ClaimSpec())]) is None
