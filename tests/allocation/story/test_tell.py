"""The story of a refusal: every reason on every device."""

from dataclasses import replace

import pytest

from aliquot.allocation.allocator_features import Features
from aliquot.allocation.answer import (
    AttributeMissing,
    CapacityShort,
    CapacityUnknown,
    ConstraintBroken,
    CounterShort,
    DeviceReason,
    FeatureOff,
    Held,
    NoAllocation,
    NodeNotSelected,
    PoolStory,
    SelectorError,
    SelectorFalse,
    Story,
    Tainted,
)
from aliquot.allocation.behaviour import REPAIRED, V1_36, Behaviour
from aliquot.allocation.inputs import AllocatedState, Holder, Supply
from aliquot.allocation.rules.cel_selectors import selectors_of
from aliquot.allocation.story.tell import tell
from aliquot.dra.claim import Claim, DeviceClass
from aliquot.dra.device import Capacity, Device, DeviceId, DeviceTaint, RequestPolicy, Slice, ValidRange
from aliquot.kube.meta import Meta
from aliquot.kube.release import Kubernetes
from aliquot.kube.selectors import NodeSelector, NodeSelectorTerm, Requirement
from aliquot.units.quantity import Quantity
from scenarios.nouns.supplies import (
    DEFAULT,
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

ATTRIBUTES = f"device.attributes['{DRIVER}']"
TAINT = DeviceTaint("gpu.example.com/xid", "NoSchedule", "79")


def story(offered: Supply, *claims: Claim, behaviour: Behaviour = V1_36) -> Story:
    return tell(offered, NODE, claims, selectors_of(Kubernetes(36), offered.features), behaviour)


def of_device(told: Story, name: str, request_name: str = "r") -> tuple[DeviceReason, ...]:
    (wanted,) = [one for one in told.requests if one.request == request_name]
    (found,) = [one for one in wanted.devices if one.device.device == name]
    return found.reasons


def test_every_reason_of_a_device_is_told() -> None:
    """Held, tainted and a wrong attribute, told together."""
    held = DeviceId(DRIVER, "p", "gpu-0")
    state = AllocatedState(frozenset({held}), holders={held: (Holder("ml/train", ("train-0",)),)})
    offered = supply(
        pool(
            device("gpu-0", productName="H100"),
            replace(device("gpu-1", productName="H100"), taints=(TAINT,)),
            device("gpu-2", productName="A100"),
        ),
        state=state,
    )
    told = story(offered, claim(request("r", f"{ATTRIBUTES}.productName == 'H100' && true")))
    assert of_device(told, "gpu-0") == (Held("ml/train", ("train-0",)),)
    assert of_device(told, "gpu-1") == (Tainted(TAINT),)
    expression, term = f"{ATTRIBUTES}.productName == 'H100' && true", f"{ATTRIBUTES}.productName == 'H100'"
    assert of_device(told, "gpu-2") == (SelectorFalse("request", 0, expression, term),)
    assert [one.usable for one in told.requests] == [0]
    assert told.requests[0].wanted == 1


def test_a_selector_without_a_verdict() -> None:
    offered = supply(pool(device("gpu-0", productName="H100")), taken=["gpu-0"])
    told = story(offered, claim(request("r", "true", f"{ATTRIBUTES}.productname == 'H100'")))
    expression = f"{ATTRIBUTES}.productname == 'H100'"
    assert of_device(told, "gpu-0") == (
        SelectorError("request", 1, expression, "runtime", "no such key: productname"),
        Held(""),
    )
    broken = of_device(story(offered, claim(request("r", "nope"))), "gpu-0")[0]
    assert isinstance(broken, SelectorError)
    assert broken.phase == "compile"
    assert "undeclared reference to 'nope'" in broken.text
    assert broken.text.endswith("^")
    unknown = of_device(story(offered, claim(request("r", None))), "gpu-0")[0]
    assert isinstance(unknown, SelectorError)


def test_of_a_device_of_another_class_only_that_is_told() -> None:
    nic = DeviceClass(Meta("nic"), (f"device.driver == 'nic.example.com' && {ATTRIBUTES}.x == 1",))
    offered = supply(pool(device("gpu-0")), classes=[nic], taken=["gpu-0"])
    told = story(offered, claim(request("r", f"{ATTRIBUTES}.x == 1", class_name="nic")))
    assert of_device(told, "gpu-0") == (
        SelectorFalse("class nic", 0, str(nic.selectors[0]), "device.driver == 'nic.example.com'"),
    )


def test_a_false_expression_none_of_whose_parts_is_false_alone() -> None:
    told = story(supply(pool(device("d"))), claim(request("r", "cel.bind(x, 1, x == 2) || false")))
    assert of_device(told, "d") == (
        SelectorFalse("request", 0, "cel.bind(x, 1, x == 2) || false", "cel.bind(x, 1, x == 2) || false"),
    )


def test_admin_access_minds_no_holder() -> None:
    offered = supply(pool(device("gpu-0")), taken=["gpu-0"])
    assert of_device(story(offered, claim(request("r", admin_access=True))), "gpu-0") == ()


def test_per_device_node_selection() -> None:
    elsewhere = replace(device("a"), node_name="n2")
    here = replace(device("b"), node_name="n1")
    broken = NodeSelector((NodeSelectorTerm((Requirement("zone", "Near"),)),))
    offered = supply(replace(pool(here, elsewhere, node=None), per_device_node_selection=True))
    told = story(offered, claim(request("r")))
    assert of_device(told, "a") == (NodeNotSelected(),)
    assert of_device(told, "b") == ()
    third = replace(device("c"), node_selector=broken)
    offered = supply(replace(pool(here, third, node=None), per_device_node_selection=True))
    assert of_device(story(offered, claim(request("r"))), "c") == (NodeNotSelected(),)


def test_features_that_are_off() -> None:
    late = replace(device("late"), binding_conditions=("ready",))
    part = device("part", uses={"s": {"c": "1"}})
    told = story(supply(pool(late, part), features=Features()), claim(request("r")))
    assert of_device(told, "late") == (FeatureOff("DRADeviceBindingConditions"),)
    assert of_device(told, "part") == (FeatureOff("DRAPartitionableDevices"),)


def halves(allocated: str = "a") -> tuple[Slice, Slice, AllocatedState]:
    names = ("a", "b", "c")
    parts = [device(name, uses={"gpu": {"mem": "30", "sm": "1"}}) for name in names]
    sets = counters({"gpu": {"mem": "50", "sm": "7"}, "other": {"mem": "5"}})
    return sets, pool(*parts, count=2), AllocatedState(frozenset({DeviceId(DRIVER, "p", allocated)}))


def test_counters_that_are_short_name_who_holds_them() -> None:
    *slices, state = halves()
    told = story(supply(*slices, state=state), claim(request("r")))
    short = CounterShort("gpu", "mem", Quantity.of(30), Quantity.of(20), (DeviceId(DRIVER, "p", "a"),))
    assert of_device(told, "b") == (short,)
    assert of_device(told, "a") == (Held(""), short)


def test_admin_access_and_counters() -> None:
    *slices, state = halves()
    wanted = claim(request("r", admin_access=True))
    assert len(of_device(story(supply(*slices, state=state), wanted), "a")) == 1
    assert of_device(story(supply(*slices, state=state), wanted, behaviour=REPAIRED), "a") == ()


def test_an_overdrawn_counter_blocks_the_pool_in_1_36() -> None:
    sets, parts, _ = halves()
    other = device("x", uses={"other": {"mem": "9"}})
    offered = supply(
        sets,
        replace(parts, devices=(*parts.devices, other)),
        state=AllocatedState(frozenset({DeviceId(DRIVER, "p", "x")})),
    )
    assert of_device(story(offered, claim(request("r"))), "a") == (
        CounterShort("other", "mem", Quantity.of(0), Quantity.of(-4), (DeviceId(DRIVER, "p", "x"),)),
    )
    assert of_device(story(offered, claim(request("r")), behaviour=REPAIRED), "a") == ()


def gb(number: int) -> Quantity:
    return Quantity.of(number)


@pytest.mark.parametrize(
    ("requested", "policy", "reasons"),
    [
        ({"mem": gb(30)}, None, ()),
        ({"mem": gb(70)}, None, (CapacityShort("mem", gb(70), gb(70), gb(60), total=gb(80)),)),
        ({"vram": gb(1)}, RequestPolicy(gb(1)), (CapacityUnknown("vram"),)),
        (None, None, (CapacityShort("mem", None, gb(80), gb(60), total=gb(80)),)),
        (
            {"mem": gb(30)},
            RequestPolicy(None, (), ValidRange(gb(10), gb(20))),
            (CapacityShort("mem", gb(30), gb(30), gb(60), broken_policy=True, total=gb(80)),),
        ),
        (
            {"mem": gb(30)},
            RequestPolicy(None, (), ValidRange(gb(10), gb(20), gb(0))),
            (CapacityShort("mem", gb(30), gb(30), gb(60), broken_policy=True, total=gb(80)),),
        ),
    ],
)
def test_capacity(
    requested: dict[str, Quantity] | None, policy: RequestPolicy | None, reasons: tuple[DeviceReason, ...]
) -> None:
    shared = device("d", capacity={"mem": Capacity(gb(80), policy)}, shared=True)
    state = AllocatedState(consumed={DeviceId(DRIVER, "p", "d"): {"mem": gb(20)}})
    told = story(supply(pool(shared), state=state), claim(request("r", capacity=requested)))
    assert of_device(told, "d") == reasons


def test_without_consumable_capacity_nobody_looks_at_it() -> None:
    told = story(supply(pool(device("d", capacity={"mem": "1"})), features=Features()), claim(request("r")))
    assert of_device(told, "d") == ()


# --- constraints -----------------------------------------------------------------------------------------------------


def pairs() -> tuple[Device, ...]:
    return (
        device("gpu-0", kind="gpu", root="a"),
        device("gpu-1", kind="gpu", root="b"),
        device("nic-0", kind="nic", root="b"),
        device("nic-1", kind="nic"),
    )


def test_a_value_that_no_other_request_can_have() -> None:
    """The GPU of a root whose NIC is missing, and a NIC without the attribute."""
    wanted = claim(
        request("gpu", f"{ATTRIBUTES}.kind == 'gpu'"),
        request("nic", f"{ATTRIBUTES}.kind == 'nic'"),
        constraints=[match(f"{DRIVER}/root", "gpu", "nic"), match(f"{DRIVER}/nope", "other")],
    )
    told = story(supply(pool(*pairs())), wanted)
    assert of_device(told, "gpu-0", "gpu") == (ConstraintBroken("matchAttribute", f"{DRIVER}/root", "a", ("b",)),)
    assert of_device(told, "gpu-1", "gpu") == ()
    assert of_device(told, "nic-1", "nic") == (AttributeMissing("matchAttribute", f"{DRIVER}/root"),)


def test_one_alternative_that_can_is_enough() -> None:
    gpu, nic = recipe("gpu", f"{ATTRIBUTES}.kind == 'gpu'"), recipe("nic", f"{ATTRIBUTES}.kind == 'nic'")
    wanted = claim(
        first_of("any", nic, gpu), request("r", f"{ATTRIBUTES}.kind == 'gpu'"), constraints=[match(f"{DRIVER}/root")]
    )
    told = story(supply(pool(*pairs())), wanted)
    assert of_device(told, "gpu-0") == ()
    assert [one.request for one in told.requests] == ["any/nic", "any/gpu", "r"]


def test_two_devices_of_one_value_are_wanted() -> None:
    wanted = claim(request("r", f"{ATTRIBUTES}.kind == 'gpu'", count=2), constraints=[match(f"{DRIVER}/root")])
    told = story(supply(pool(*pairs())), wanted)
    assert of_device(told, "gpu-0") == (ConstraintBroken("matchAttribute", f"{DRIVER}/root", "a", ("a", "b")),)


def test_distinct_needs_the_attribute() -> None:
    told = story(supply(pool(*pairs())), claim(request("r", mode="All"), constraints=[distinct(f"{DRIVER}/root")]))
    assert of_device(told, "nic-1") == (AttributeMissing("distinctAttribute", f"{DRIVER}/root"),)
    assert of_device(told, "nic-0") == ()
    assert told.requests[0].wanted is None


def test_lists_agree_in_any_value() -> None:
    listed = pool(device("a", numa=(0, 1)), device("b", numa=(1, 2)), device("c", numa=(3, 4)))
    wanted = claim(request("r", count=2), constraints=[match(f"{DRIVER}/numa")])
    told = story(supply(listed, features=replace(DEFAULT, list_attributes=True)), wanted)
    assert of_device(told, "a") == ()
    assert of_device(told, "c") == (
        ConstraintBroken("matchAttribute", f"{DRIVER}/numa", "3, 4", ("0", "1", "2", "3", "4")),
    )
    off = story(supply(pool(device("a"), device("b"))), claim(request("r"), constraints=[match(f"{DRIVER}/numa")]))
    assert of_device(off, "a") == (AttributeMissing("matchAttribute", f"{DRIVER}/numa"),)


def test_a_constraint_of_an_unknown_kind_says_nothing() -> None:
    told = story(
        supply(pool(device("a"))), claim(request("r"), constraints=[replace(match("x"), match_attribute=None)])
    )
    assert of_device(told, "a") == ()


# --- pools -----------------------------------------------------------------------------------------------------------

OTHER_ZONE = NodeSelector((NodeSelectorTerm((Requirement("zone", "In", ("b",)),)),))
BROKEN = NodeSelector((NodeSelectorTerm((Requirement("zone", "Near"),)),))


@pytest.mark.parametrize(
    ("slices", "state", "detail"),
    [
        ([pool(device("d"), count=2)], "incomplete", "1 of 2 slices"),
        ([pool(device("d"), device("d"))], "invalid", "duplicate device name d"),
        ([pool(device("d", uses={"s": {"c": "1"}}))], "invalid", "counter set s not found"),
        (
            [counters({"s": {"c": "1"}}), pool(device("d", uses={"s": {"x": "1"}}), count=2)],
            "invalid",
            "counter x not found in counter set s",
        ),
        (
            [counters({"s": {"c": "1"}}, count=2), replace(counters({"s": {"c": "1"}}, count=2), meta=Meta("again"))],
            "invalid",
            "duplicate counter set name s",
        ),
        (
            [pool(device("d"), count=2), pool(device("d"), node="n2", generation=2, label="t")],
            "outdated",
            "generation 2 is being published; this node still has 1",
        ),
        (
            [replace(pool(device("d"), node=None), node_selector=OTHER_ZONE)],
            "node not selected",
            "no node selection of its 1 slices matches",
        ),
        ([pool(device("d"), node=None)], "ignored", "its slices say nothing about nodes"),
    ],
)
def test_pools_that_supply_nothing(slices: list[Slice], state: str, detail: str) -> None:
    assert story(supply(*slices), claim(request("r"))).pools == (PoolStory(DRIVER, "p", state, detail),)  # type: ignore[arg-type]


def test_pools_without_partitionable_devices() -> None:
    told = story(supply(counters({"s": {"c": "1"}}), features=Features()), claim(request("r")))
    assert told.pools == (PoolStory(DRIVER, "p", "ignored", "DRAPartitionableDevices is off"),)
    told = story(supply(pool(device("d"), device("d")), features=Features()), claim(request("r")))
    assert told.pools == (PoolStory(DRIVER, "p", "invalid", "duplicate device name d"),)


def test_pools_of_other_nodes_are_not_told() -> None:
    assert story(supply(pool(device("d"), node="n2")), claim(request("r"))).pools == ()


def test_a_broken_node_selector_is_the_whole_story() -> None:
    told = story(supply(replace(pool(device("d"), node=None), node_selector=BROKEN)), claim(request("r")))
    assert [one.state for one in told.pools] == ["invalid"]


def test_a_request_of_an_unknown_class_or_kind() -> None:
    told = story(supply(pool(device("d"))), claim(request("r", class_name="nope"), first_of("none")))
    assert of_device(told, "d") == ()
    assert [one.request for one in told.requests] == ["r"]


def test_a_refusal_takes_its_story_along() -> None:
    offered = supply(pool(device("d")), taken=["d"])
    refusal = engine(offered).allocate(NODE, [claim(request("r"))])
    assert isinstance(refusal, NoAllocation)
    assert refusal.story is None
    told = story(offered, claim(request("r")))
    assert refusal.told(told).story is told
