"""The DynamicResources filter, and binding."""

from dataclasses import replace

import pytest

from aliquot.allocation.answer import NoAllocation
from aliquot.allocation.behaviour import V1_36
from aliquot.allocation.claims.bound import bound_claims, extended_status
from aliquot.allocation.claims.extended import new_claim
from aliquot.allocation.claims.pod_check import Fault, PodCheck, Unschedulable, prepare, supply_of
from aliquot.allocation.claims.pod_claims import NotReady
from aliquot.allocation.inputs import Engine, Supply
from aliquot.allocation.reference.allocator import Reference
from aliquot.allocation.rules.cel_selectors import selectors_of
from aliquot.dra.claim import (
    AllocatedDevice,
    Claim,
    ClaimAllocation,
    ClaimSpec,
    Consumer,
    DeviceClass,
    DeviceStatus,
    Request,
)
from aliquot.dra.device import Capacity, DeviceId, DeviceTaint, RequestPolicy, TaintRule
from aliquot.kube.meta import Meta
from aliquot.kube.node import Node
from aliquot.kube.pod import Container, Pod, PodClaim
from aliquot.kube.release import Kubernetes
from aliquot.kube.selectors import NodeSelector, NodeSelectorTerm, Requirement
from aliquot.snapshot.snapshot import Snapshot
from aliquot.units.quantity import Quantity
from scenarios.nouns.supplies import claim, device, first_of, pool, recipe, request

GPU = "example.com/gpu"
NOW = Kubernetes(36)
ANY = DeviceClass(Meta("any"), extended_resource=GPU)
POD = Pod(Meta("p", "default", uid="u"), claims=(PodClaim("gpu", claim_name="c"),))
GREEDY = Pod(Meta("p", "default", uid="u"), (Container("main", {GPU: 1}),))


def node(name: str, gpus: int = 0) -> Node:
    return Node(Meta(name), {GPU: gpus} if gpus else {})


def cluster(*things: object) -> Snapshot:
    return Snapshot.of((node("n1"), node("n2"), ANY, *things))


def make(offered: Supply) -> Engine:
    return Reference(offered, selectors_of(NOW, offered.features), V1_36)


def look(snapshot: Snapshot, pod: Pod = POD, kubernetes: Kubernetes = NOW) -> PodCheck:
    found = prepare(snapshot, pod, kubernetes, make)
    assert isinstance(found, PodCheck), found
    return found


def only_on(name: str) -> ClaimAllocation:
    here = Requirement("metadata.name", "In", (name,))
    return ClaimAllocation(node_selector=NodeSelector((NodeSelectorTerm(fields=(here,)),)))


def test_a_pod_without_claims_is_no_concern() -> None:
    assert prepare(cluster(), Pod(Meta("p", "default")), NOW, make) is None


def test_a_claim_that_is_not_there() -> None:
    assert isinstance(prepare(cluster(), POD, NOW, make), NotReady)


def test_node_by_node() -> None:
    check = look(cluster(pool(device("d")), claim(request("r"))))
    snapshot = cluster()
    assert [check.check(snapshot.load(name)) for name in ("n1", "n2")] == ["", "cannot allocate all claims"]
    assert check.post_filter == "still not schedulable"
    assert check.check(snapshot.load("n2")) == "cannot allocate all claims"
    assert list(check.answers) == ["n1", "n2"]


@pytest.mark.parametrize(
    ("wanted", "kubernetes", "text"),
    [
        (request("r", class_name="x"), NOW, "request r: device class x does not exist"),
        (first_of("r", recipe("s", class_name="x")), NOW, "request r/s: device class x does not exist"),
        (first_of("r"), NOW, "resource claim default/c, request r: unknown request type"),
        (
            first_of("r", recipe("s")),
            NOW.changed((("DRAPrioritizedList", False),)),
            "resource claim default/c, request r: has subrequests, but the DRAPrioritizedList feature is disabled",
        ),
    ],
)
def test_no_node_is_looked_at(wanted: Request, kubernetes: Kubernetes, text: str) -> None:
    assert prepare(cluster(claim(wanted)), POD, kubernetes, make) == Unschedulable(text)


def test_a_request_without_a_class_is_an_error() -> None:
    found = prepare(cluster(claim(request("r", class_name=""))), POD, NOW, make)
    assert found == Fault('running PreFilter plugin "DynamicResources": request r: unsupported request type')


def test_an_allocated_claim_is_where_its_devices_are() -> None:
    held = replace(claim(request("r")), allocation=only_on("n2"))
    check = look(cluster(held))
    assert check.check(cluster().load("n2")) == ""
    assert check.check(cluster().load("n1")) == "resourceclaim not available on the node"
    assert check.post_filter == "deallocation of ResourceClaim completed"
    assert check.answers == {}


@pytest.mark.parametrize(
    ("consumers", "text"),
    [
        ((Consumer("pods", "p", "u"),), "deallocation of ResourceClaim completed"),
        ((Consumer("pods", "q", "v"),), "still not schedulable"),
        ((Consumer("pods", "p", "u"), Consumer("pods", "q", "v")), "still not schedulable"),
    ],
)
def test_a_claim_that_others_use_is_not_freed(consumers: tuple[Consumer, ...], text: str) -> None:
    check = look(cluster(replace(claim(request("r")), allocation=only_on("n2"), reserved_for=consumers)))
    check.check(cluster().load("n1"))
    assert check.post_filter == text


@pytest.mark.parametrize(
    ("conditions", "kubernetes", "problem"),
    [
        ({"broken": "True"}, NOW, "resourceclaim not available on the node"),
        ({"broken": "False", "ready": "True"}, NOW, ""),
        ({}, NOW, ""),
        ({"broken": "True"}, NOW.changed((("DRADeviceBindingConditions", False),)), ""),
    ],
)
def test_a_device_that_cannot_be_bound(conditions: dict[str, str], kubernetes: Kubernetes, problem: str) -> None:
    d = DeviceId("drv.example.com", "p", "d")
    given = AllocatedDevice("r", d, binding_conditions=("ready",), binding_failure_conditions=("broken",))
    held = replace(claim(request("r")), allocation=ClaimAllocation((given,)), devices=(DeviceStatus(d, conditions),))
    check = look(cluster(held), kubernetes=kubernetes)
    assert check.check(cluster().load("n1")) == problem
    assert (check.post_filter == "deallocation of ResourceClaim completed") == bool(problem)


def test_a_claim_with_256_pods_cannot_be_bound_to_one_more() -> None:
    crowd = tuple(Consumer("pods", f"p{number}", f"u{number}") for number in range(256))
    found = prepare(cluster(replace(claim(request("r")), allocation=only_on("n1"), reserved_for=crowd)), POD, NOW, make)
    assert isinstance(found, Fault)
    assert found.message.startswith('running PreBind plugin "DynamicResources": add reservation to claim default/c: ')


def test_an_allocation_whose_node_selector_is_broken() -> None:
    broken = ClaimAllocation(node_selector=NodeSelector((NodeSelectorTerm((Requirement("a", "Near"),)),)))
    found = prepare(cluster(replace(claim(request("r")), allocation=broken)), POD, NOW, make)
    assert isinstance(found, Fault)
    assert found.message.startswith('running PreFilter plugin "DynamicResources": a: operator')


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (NoAllocation("does not fit"), "cannot allocate all claims"),
        (
            NoAllocation("this node only", "invalid resource pools were encountered"),
            "invalid resource pools were encountered",
        ),
        (NoAllocation("fatal", "x"), Fault('running "DynamicResources" filter plugin: x')),
        (
            NoAllocation("gave up", "timed out trying to allocate devices"),
            Fault('running "DynamicResources" filter plugin: node n1: timed out trying to allocate devices'),
        ),
    ],
)
def test_what_the_allocator_says_in_the_schedulers_words(answer: NoAllocation, problem: str | Fault) -> None:
    check = look(cluster(claim(request("r"))))
    check.answers["n1"] = answer
    assert check.check(cluster().load("n1")) == problem


def test_taint_rules_count_where_their_gate_is_on_or_they_are_there() -> None:
    rule = TaintRule(Meta("r"), DeviceTaint("t", "NoSchedule"))
    tainted = cluster(pool(device("d")), claim(request("r")), rule)
    assert look(tainted).check(tainted.load("n1")) == "cannot allocate all claims"
    off = NOW.changed((("DRADeviceTaints", False),))
    assert look(tainted, kubernetes=off).check(tainted.load("n1")) == ""
    assert supply_of(tainted, NOW) is supply_of(tainted, NOW)


# --- extended resources ----------------------------------------------------------------------------------------------


def test_a_node_that_does_not_serve_the_resource_itself_serves_it_by_devices() -> None:
    snapshot = Snapshot.of((node("n1"), node("n2", gpus=4), ANY, pool(device("d"))))
    check = look(snapshot, GREEDY)
    assert [check.check(snapshot.load(name)) for name in ("n1", "n2")] == ["", ""]
    (bound,) = bound_claims(check, snapshot.load("n1"))
    assert bound.meta.key == "default/p-extended-resources"
    assert bound.allocation is not None
    assert [one.request for one in bound.allocation.results] == ["container-0-request-0"]
    status = extended_status(check, "n1")
    assert status is not None
    assert status.claim_name == "p-extended-resources"
    assert status.mappings == (("main", GPU, "container-0-request-0"),)
    assert bound_claims(check, snapshot.load("n2")) == ()
    assert extended_status(check, "n2") is None


def test_the_gate_for_extended_resources() -> None:
    assert prepare(cluster(), GREEDY, Kubernetes(35), make) is None


def test_a_resource_that_nobody_serves() -> None:
    both = replace(GREEDY, containers=(Container("main", {GPU: 1, "example.com/x": 1}),))
    snapshot = cluster(pool(device("d")))
    assert look(snapshot, both).check(snapshot.load("n1")) == "cannot fit resource"


def test_a_claim_left_over_from_an_earlier_cycle_is_deleted_first() -> None:
    left = new_claim(GREEDY)
    left = Claim(replace(left.meta, name="p-extended-resources-x"), ClaimSpec((request("r"),)))
    check = look(cluster(left), GREEDY)
    assert check.check(cluster().load("n1")) == "cannot schedule extended resource claim"
    assert check.post_filter == "deletion of ResourceClaim completed"


def test_claims_and_extended_resources_together() -> None:
    both = replace(GREEDY, claims=POD.claims)
    snapshot = Snapshot.of((node("n1"), node("n2", gpus=4), ANY, pool(device("d"), device("e")), claim(request("r"))))
    check = look(snapshot, both)
    assert check.check(snapshot.load("n1")) == ""
    assert [one.meta.name for one in bound_claims(check, snapshot.load("n1"))] == ["c", "p-extended-resources"]
    assert check.check(snapshot.load("n2")) == "cannot allocate all claims"


# --- binding ---------------------------------------------------------------------------------------------------------


def test_a_bound_pod_stands_in_its_claims() -> None:
    shared = device("d", capacity={"mem": Capacity(Quantity.of(10), RequestPolicy(Quantity.of(1)))}, shared=True)
    held = replace(claim(name="held"), allocation=only_on("n1"), reserved_for=(Consumer("pods", "p", "u"),))
    two = replace(POD, claims=(*POD.claims, PodClaim("held", claim_name="held")))
    snapshot = cluster(pool(shared), claim(request("r", count=1), request("s")), held)
    check = look(snapshot, two)
    assert check.check(snapshot.load("n1")) == ""
    kept, fresh = bound_claims(check, snapshot.load("n1"))
    assert kept == held
    assert fresh.reserved_for == (Consumer("pods", "p", "u"),)
    assert fresh.allocation is not None
    assert [one.share_id for one in fresh.allocation.results] == ["default/c/0", "default/c/1"]


def test_binding_where_nothing_was_given() -> None:
    snapshot = cluster(claim(request("r")))
    check = look(snapshot)
    check.check(snapshot.load("n1"))
    with pytest.raises(ValueError, match="node n1 doesn't serve the claims of pod default/p"):
        bound_claims(check, snapshot.load("n1"))
