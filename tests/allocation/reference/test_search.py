"""The search itself: order, limits, the budget, and how it tells failures apart."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.allocation.allocator_features import Features
from aliquot.allocation.answer import Allocation, NoAllocation
from aliquot.allocation.behaviour import BEHAVIOURS, REPAIRED, V1_36, V1_37, Behaviour, behaviour_of
from aliquot.dra.claim import Claim, DeviceClass, DeviceToleration
from aliquot.dra.device import Device, DeviceTaint, Slice
from aliquot.kube.meta import Meta
from aliquot.kube.release import kubernetes_of
from aliquot.kube.selectors import NodeSelector, NodeSelectorTerm, Requirement
from scenarios.nouns.supplies import (
    DRIVER,
    NODE,
    claim,
    counters,
    device,
    distinct,
    engine,
    first_of,
    match,
    pool,
    recipe,
    request,
    supply,
)

INDEX = f"device.attributes['{DRIVER}'].index"


def gpus(count: int, kind: str = "gpu") -> list[Device]:
    return [device(f"gpu-{number}", index=number, kind=kind) for number in range(count)]


def names(answer: Allocation | NoAllocation) -> list[list[tuple[str, str]]]:
    assert isinstance(answer, Allocation), answer
    return [[(one.request, one.device.device) for one in result.results] for result in answer.claims]


def ask(offered: Slice, *claims: Claim, behaviour: Behaviour = V1_36) -> Allocation | NoAllocation:
    return engine(supply(offered), behaviour).allocate(NODE, claims)


def test_devices_come_in_order_and_later_requests_push_earlier_ones_on() -> None:
    answer = ask(pool(*gpus(3)), claim(request("any", count=2), request("first", f"{INDEX} == 0")))
    assert names(answer) == [[("any", "gpu-1"), ("any", "gpu-2"), ("first", "gpu-0")]]


def test_all_claims_of_a_pod_are_solved_together() -> None:
    answer = ask(pool(*gpus(2)), claim(request("r"), name="a"), claim(request("r", f"{INDEX} == 0"), name="b"))
    assert names(answer) == [[("r", "gpu-1")], [("r", "gpu-0")]]


def test_nothing_asked_is_nothing_given() -> None:
    assert ask(pool(*gpus(1))) == Allocation((), 1)
    assert names(ask(pool(*gpus(1)), claim(), claim(request("r", count=0)))) == [[], []]


def test_the_first_alternative_for_which_all_else_fits() -> None:
    wanted = claim(first_of("r", recipe("three", count=3), recipe("two", count=2)), request("last"))
    assert names(ask(pool(*gpus(3)), wanted)) == [[("r/two", "gpu-0"), ("r/two", "gpu-1"), ("last", "gpu-2")]]


@pytest.mark.parametrize(
    ("wanted", "behaviour", "error"),
    [
        (
            claim(request("r", count=33)),
            V1_36,
            "claim default/c: number of requested devices 33 exceeds the claim limit of 32",
        ),
        (
            claim(request("q"), request("r", count=32)),
            V1_37,
            "claim default/c, request r: adding 32 devices exceeds the claim limit of 32, with 1 already accounted for",
        ),
        (claim(request("r", count=2**63)), V1_36, f"claim default/c, request r: exact count {2**63} is too large"),
        (claim(request("r", mode="Most")), V1_36, "claim default/c, request r: unsupported count mode Most"),
        (
            claim(request("r", class_name="")),
            V1_36,
            "claim default/c, request r: missing device class name (unsupported request type?)",
        ),
        (
            claim(request("r", None)),
            V1_36,
            "claim default/c, request r, selector #0: CEL expression empty (unsupported selector type?)",
        ),
    ],
)
def test_what_cannot_be_handled_is_fatal(wanted: Claim, behaviour: Behaviour, error: str) -> None:
    answer = ask(pool(*gpus(1)), wanted, behaviour=behaviour)
    assert answer == NoAllocation("fatal", error)


def test_more_than_32_prunes_to_the_next_alternative() -> None:
    wanted = claim(request("many", count=31), first_of("r", recipe("two", count=2), recipe("one")))
    answer = ask(pool(*gpus(40)), wanted)
    assert names(answer)[0][-1] == ("r/one", "gpu-31")
    assert answer.steps < 50


def test_the_limit_is_per_claim() -> None:
    answer = ask(pool(*gpus(40)), claim(request("r", count=20), name="a"), claim(request("r", count=20), name="b"))
    assert [len(one) for one in names(answer)] == [20, 20]


def test_the_limit_in_a_later_claim_is_a_plain_no() -> None:
    """At a claim's end "too many" turns into "does not fit", so that earlier claims are tried otherwise."""
    second = claim(request("q", count=31), first_of("r", recipe("two", count=2)), name="b")
    assert "exceeds the claim limit" in str(ask(pool(*gpus(40)), claim(request("r"), name="a"), second))


# --- counting upstream's steps ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("requests", "devices", "steps"), [(8, 7, 27_399), (9, 8, 219_201), (10, 9, 1_972_819)])
def test_explosions_are_counted_without_being_walked(requests: int, devices: int, steps: int) -> None:
    wanted = claim(*(request(f"r{number}") for number in range(requests)))
    assert ask(pool(*gpus(devices)), wanted) == NoAllocation("does not fit", steps=steps)


@pytest.mark.parametrize(("count", "devices", "steps"), [(11, 10, 1_024), (21, 20, 1_048_576)])
def test_choices_of_one_request_are_counted_too(count: int, devices: int, steps: int) -> None:
    assert ask(pool(*gpus(devices)), claim(request("r", count=count))) == NoAllocation("does not fit", steps=steps)


def test_upstreams_ten_seconds_end_the_search() -> None:
    wanted = claim(*(request(f"r{number}") for number in range(14)))
    answer = ask(pool(*gpus(13)), wanted)
    assert answer == NoAllocation("gave up", "timed out trying to allocate devices", answer.steps)


def test_its_own_budget_ends_the_search() -> None:
    """32 requests for 128 devices with constraints that contradict each other."""
    wanted = claim(
        *(request(f"r{number}") for number in range(32)),
        constraints=[match(f"{DRIVER}/kind"), distinct(f"{DRIVER}/kind", "r30", "r31")],
    )
    asked = replace(engine(supply(pool(*gpus(128, kind="x")))), budget=5_000)
    answer = asked.allocate(NODE, [wanted])
    assert answer == NoAllocation("gave up", "undecided after testing 5000 devices", answer.steps)


@given(
    st.lists(st.tuples(st.integers(1, 2), st.sampled_from(["true", f"{INDEX} < 2", f"{INDEX} > 1"])), max_size=5),
    st.integers(1, 5),
    st.booleans(),
    st.booleans(),
)
def test_remembering_changes_nothing(wanted: list[tuple[int, str]], devices: int, tainted: bool, admin: bool) -> None:
    """Law: the answer and its steps are the same whether dead ends are remembered from the start or never."""
    made = [
        replace(one, taints=(DeviceTaint("t", "NoSchedule"),)) if tainted and number == 0 else one
        for number, one in enumerate(gpus(devices))
    ]
    asked = claim(
        *(
            request(f"r{number}", text, count=count, admin_access=True if admin and number == 1 else None)
            for number, (count, text) in enumerate(wanted)
        )
    )
    offered = engine(supply(pool(*made)))
    always, never = replace(offered, memory_from=0), replace(offered, memory_from=10**9)
    assert always.allocate(NODE, [asked]) == never.allocate(NODE, [asked]) == offered.allocate(NODE, [asked])


# --- which outcome it is ---------------------------------------------------------------------------------------------


def test_an_invalid_pool_is_told_only_if_nothing_fits() -> None:
    broken = pool(device("d"), device("d"), name="broken", label="b")
    asked = engine(supply(pool(*gpus(1)), broken))
    assert names(asked.allocate(NODE, [claim(request("r"))])) == [[("r", "gpu-0")]]
    assert asked.allocate(NODE, [claim(request("r", count=2))]) == NoAllocation(
        "this node only", "invalid resource pools were encountered", 2
    )


@pytest.mark.parametrize(
    ("slices", "error"),
    [
        (
            [pool(*gpus(1), count=2)],
            "asks for all devices, but resource pool drv.example.com/p is currently being updated",
        ),
        (
            [pool(device("d"), device("d"))],
            "asks for all devices, but resource pool drv.example.com/p is currently invalid",
        ),
    ],
)
def test_all_needs_every_pool_in_order(slices: list[Slice], error: str) -> None:
    answer = engine(supply(*slices)).allocate(NODE, [claim(request("r", mode="All"))])
    assert answer == NoAllocation("fatal", f"claim default/c, request r: {error}")


def test_all_takes_every_selected_device_or_nothing() -> None:
    wanted = claim(request("r", f"{INDEX} < 2", mode="All"))
    assert names(ask(pool(*gpus(3)), wanted)) == [[("r", "gpu-0"), ("r", "gpu-1")]]
    taken = engine(supply(pool(*gpus(3)), taken=["gpu-1"]))
    assert taken.allocate(NODE, [wanted]) == NoAllocation("does not fit", steps=2)
    none = claim(request("r", "false", mode="All"))
    assert ask(pool(*gpus(3)), none) == NoAllocation("does not fit", steps=1)


def test_all_against_a_constraint_is_fatal() -> None:
    wanted = claim(request("r", mode="All"), constraints=[match(f"{DRIVER}/index")])
    answer = ask(pool(*gpus(2)), wanted)
    assert isinstance(answer, NoAllocation)
    assert answer.error == (
        "claim default/c, request r: cannot add device drv.example.com/p/gpu-1 "
        "because a claim constraint would not be satisfied"
    )


def test_a_selector_that_cannot_be_evaluated_is_fatal_only_where_it_is_evaluated() -> None:
    wanted = claim(request("r", f"device.attributes['{DRIVER}'].nope == 1"))
    answer = ask(pool(*gpus(1)), wanted)
    assert answer == NoAllocation("fatal", "claim default/c: selector #0: CEL runtime error: no such key: nope", 1)
    later = ask(pool(*gpus(1)), wanted, behaviour=V1_37)
    assert isinstance(later, NoAllocation)
    assert later.error == (
        "claim default/c: selector #0 on device drv.example.com/p/gpu-0: CEL runtime error: no such key: nope. "
        "consider using CEL optional chaining (.? followed by orValue()) "
        "or guarding the check with has() for optional fields"
    )
    assert engine(supply(pool(*gpus(1)), taken=["gpu-0"])).allocate(NODE, [wanted]) == NoAllocation(
        "does not fit", steps=1
    )


def test_a_class_whose_selector_is_not_cel() -> None:
    odd = DeviceClass(Meta("odd"), (None,))
    asked = engine(supply(pool(*gpus(1)), classes=[odd]))
    assert asked.allocate(NODE, [claim(request("r", class_name="odd"))]) == NoAllocation(
        "fatal", "class odd: selector #0: CEL expression empty (unsupported selector type?)", 1
    )


def test_a_device_whose_own_node_selector_is_broken() -> None:
    """Found only when it's looked at: another device has made the slice relevant."""
    broken = NodeSelector((NodeSelectorTerm((Requirement("zone", "Near", ("a",)),)),))
    here, odd = replace(device("a"), node_name="n1"), replace(device("b"), node_selector=broken)
    mixed = replace(pool(here, odd, node=None), per_device_node_selection=True)
    answer = engine(supply(mixed)).allocate(NODE, [claim(request("r", count=2))])
    assert isinstance(answer, NoAllocation)
    assert answer.error.startswith("failed to parse node selector: zone: operator 'Near'")


@pytest.mark.parametrize("per_device", [False, True])
def test_a_broken_node_selector_of_a_slice_is_fatal(*, per_device: bool) -> None:
    broken = NodeSelector((NodeSelectorTerm((Requirement("zone", "Near", ("a",)),)),))
    slice_ = pool(*gpus(1), node=None)
    if per_device:
        devices = tuple(replace(one, node_selector=broken) for one in slice_.devices)
        slice_ = replace(slice_, per_device_node_selection=True, devices=devices)
    else:
        slice_ = replace(slice_, node_selector=broken)
    answer = engine(supply(slice_)).allocate(NODE, [claim(request("r"))])
    assert isinstance(answer, NoAllocation)
    assert answer.category == "fatal"
    assert answer.error.startswith("gather pool information: failed to perform node selection for ")


def test_a_node_selector_of_several_terms_is_fatal_once_picked() -> None:
    two = NodeSelector((NodeSelectorTerm((Requirement("zone", "In", ("a",)),)),) * 2)
    answer = engine(supply(replace(pool(*gpus(1), node=None), node_selector=two))).allocate(NODE, [claim(request("r"))])
    assert answer == NoAllocation(
        "fatal", "create NodeSelector for claim c: unsupported ResourceSlice.NodeSelector with 2 terms", 4
    )


@pytest.mark.parametrize(
    ("wanted", "features", "error"),
    [
        (
            claim(first_of("r", recipe("s"))),
            Features(),
            "claim default/c, request r: has subrequests, but the DRAPrioritizedList feature is disabled",
        ),
        (
            claim(request("r", admin_access=False)),
            Features(),
            "claim default/c, request r: admin access is requested, but the feature is disabled",
        ),
        (
            claim(request("r", capacity={})),
            Features(binding_conditions=True),
            "claim default/c, request r: has capacity requests, but the DRAConsumableCapacity feature is disabled",
        ),
        (
            claim(first_of("r", recipe("s", capacity={}))),
            Features(binding_conditions=True, prioritized_list=True),
            "claim default/c, subrequest s: has capacity requests, but the DRAConsumableCapacity feature is disabled",
        ),
        (
            claim(request("r"), constraints=[distinct("a/b")]),
            Features(),
            "claim default/c, constraint #0: empty constraint (unsupported constraint type?)",
        ),
        (
            claim(request("r", class_name="nope")),
            Features(),
            (
                "claim default/c, request r: could not retrieve device class nope: "
                'deviceclass.resource.k8s.io "nope" not found'
            ),
        ),
    ],
)
def test_a_feature_that_is_off_is_fatal_to_those_who_need_it(wanted: Claim, features: Features, error: str) -> None:
    answer = engine(supply(pool(*gpus(1)), features=features)).allocate(NODE, [wanted])
    assert answer == NoAllocation("fatal", error)


# --- defects, and the same without them ------------------------------------------------------------------------------


def partitions() -> tuple[Slice, Slice]:
    """A GPU of four slices: two halves of which one is tainted, and four quarters."""
    half = {"gpu": {"slices": "2"}}
    tainted = replace(device("half-0", uses=half, size=2), taints=(DeviceTaint("broken", "NoSchedule"),))
    quarters = [device(f"quarter-{number}", uses={"gpu": {"slices": "1"}}, size=1) for number in range(4)]
    return counters({"gpu": {"slices": "4"}}), pool(tainted, device("half-1", uses=half, size=2), *quarters, count=2)


@pytest.mark.parametrize(("behaviour", "fits"), [(V1_36, False), (V1_37, True), (REPAIRED, True)])
def test_counters_of_a_tainted_candidate(behaviour: Behaviour, *, fits: bool) -> None:
    wanted = claim(request("half", f"device.attributes['{DRIVER}'].size == 2"), request("rest", count=2))
    answer = engine(supply(*partitions()), behaviour).allocate(NODE, [wanted])
    assert isinstance(answer, Allocation) == fits


def fractional(amount: str) -> Slice:
    return pool(*(device(f"part-{number}", uses={"gpu": {"mem": amount}}) for number in range(5)), count=2)


@pytest.mark.parametrize(
    ("amount", "behaviour", "fits"),
    [("2.5Gi", V1_36, True), ("2560Mi", V1_36, False), ("2.5Gi", V1_37, False), ("2.5Gi", REPAIRED, False)],
)
def test_fractional_counters_are_given_away_twice_in_1_36(amount: str, behaviour: Behaviour, *, fits: bool) -> None:
    """Defect 10: five parts of 2.5Gi out of 10Gi; what is on the bill is taken for the first part's own need."""
    asked = engine(supply(counters({"gpu": {"mem": "10Gi"}}), fractional(amount)), behaviour)
    answer = asked.allocate(NODE, [claim(*(request(f"r{number}") for number in range(5)))])
    assert isinstance(answer, Allocation) == fits


def test_what_was_lent_stays_changed_on_the_next_node() -> None:
    sets, parts = counters({"gpu": {"mem": "10Gi"}}), fractional("2.5Gi")
    asked = engine(
        supply(replace(sets, node_name=None, all_nodes=True), replace(parts, node_name=None, all_nodes=True))
    )
    wanted = [claim(*(request(f"r{number}") for number in range(3)))]
    second = replace(NODE, meta=replace(NODE.meta, name="n2"))
    answers = [asked.allocate(node, wanted) for node in (NODE, second)]
    assert [one.steps for one in answers] == [8, 18]
    assert names(answers[1]) == [[("r0", "part-1"), ("r1", "part-0"), ("r2", "part-2")]]


def test_a_taint_that_is_tolerated_keeps_nobody_off() -> None:
    tolerant = request("r", tolerations=(DeviceToleration("broken", "Exists"),))
    answer = engine(supply(*partitions())).allocate(NODE, [claim(tolerant)])
    assert names(answer) == [[("r", "half-0")]]


@pytest.mark.parametrize(
    ("version", "name"),
    [("1.36", "1.36"), ("v1.36.2", "1.36"), ("1.34", "1.36"), ("v1.37.1", "1.37"), ("1.38", "1.37"),
     ("1.37.0-alpha.2", "1.37.0-alpha.2"), ("v1.37.0-alpha.1", "1.37.0-alpha.2")],
)  # fmt: skip
def test_the_behaviour_of_a_version(version: str, name: str) -> None:
    assert behaviour_of(kubernetes_of(version)) is BEHAVIOURS[name]
