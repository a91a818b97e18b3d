"""Corners of the exact allocator: odd states, errors in upstream's words, limits; each beside the plain search."""

from typing import Any

import pytest

from aliquot.allocation.answer import NoAllocation
from scenarios.api.allocation import held
from scenarios.api.allocation import scenario as written
from scenarios.api.claims import claim, distinct, first_of, match, recipe, request, request_all
from scenarios.api.devices import consumes, gpu
from scenarios.api.selectors import of_profile
from scenarios.api.slices import pool
from scenarios.asking import exactly
from scenarios.drivers import GPU
from scenarios.shapes.node import singles
from scenarios.tight.partitions import cut_gpus

Row = dict[str, Any]
BROKEN = "device.nope.nope(("


def scenario(slices: list[Row], claims: list[Row]) -> Row:
    return written("corner", slices, claims)


def gpus(count: int) -> list[Row]:
    return pool(GPU, [gpu(number) for number in range(count)])


def both_say(row: Row) -> list[str] | str:
    """What exact and the plain search agree on: the names of the devices, or the category of the refusal."""
    answer = exactly.answer(row)
    assert exactly.told(answer) == exactly.told(exactly.plain_answer(row))
    if isinstance(answer, NoAllocation):
        return answer.category
    return [given.device.device for claim_ in answer.claims for given in claim_.results]


def everything(**fields: Any) -> Row:
    return request_all("r", "gpu", **fields)


def shareable(memory: str = "8Gi", **fields: Any) -> Row:
    return gpu(0, capacity={"memory": {"value": memory}}, allowMultipleAllocations=True, **fields)


def consumed(device: str, amount: str) -> Row:
    return {"allocatedCapacity": [{"driver": GPU, "pool": "n", "device": device, "consumed": {"memory": amount}}]}


def capacity(amount: str) -> Row:
    return {"capacity": {"requests": {"memory": amount}}}


@pytest.mark.parametrize(
    ("slices", "claims", "told"),
    [
        pytest.param([], [claim(0, [])], [], id="no requests"),
        pytest.param(gpus(1), [], [], id="no claims"),
        pytest.param(gpus(1), [claim(0, [request("r", "gpu", 0)])], [], id="none of many"),
        pytest.param(gpus(1), [claim(0, [request("r", "nope")])], "fatal", id="no such class"),
        pytest.param(gpus(1), [claim(0, [request("r", "")])], "fatal", id="no class"),
        pytest.param(gpus(1), [claim(0, [request("r", "gpu", 33)])], "fatal", id="33 devices"),
        pytest.param(gpus(40), [claim(0, [everything()])], "fatal", id="all of 40"),
        pytest.param(gpus(1), [claim(0, [request("r", "gpu")], [{"requests": ["r"]}])], "fatal", id="empty constraint"),
        pytest.param(gpus(1), [claim(0, [request("r", "gpu", 1, BROKEN)])], "fatal", id="a selector that isn't CEL"),
        pytest.param(gpus(1), [claim(0, [everything(), request("s", "nope")])], "fatal", id="all, then no such class"),
        pytest.param(
            gpus(1),
            [claim(0, [{"name": "r", "exactly": {**recipe("gpu"), "selectors": [{}]}}])],
            "fatal",
            id="selector of another kind",
        ),
        pytest.param(
            gpus(1),
            [claim(0, [{"name": "r", "exactly": {**recipe("gpu"), "allocationMode": "Some"}}])],
            "fatal",
            id="another mode",
        ),
        pytest.param([], [claim(0, [everything()])], "does not fit", id="all of nothing"),
        pytest.param(
            gpus(3),
            [claim(0, [first_of("r", {**recipe("nic"), "allocationMode": "All"}, recipe("gpu"))])],
            ["gpu-0"],
            id="or all of nothing",
        ),
    ],
)
def test_validation(slices: list[Row], claims: list[Row], told: list[str] | str) -> None:
    assert both_say(scenario(slices, claims)) == told


ADMIN = request("r", "gpu", 1, adminAccess=False)
PART = request("r", "gpu", 1, **capacity("1Gi"))
PART_OR_NOTHING = first_of("r", recipe("gpu", 1, **capacity("1Gi")))
ONE_OR_NOTHING = first_of("r", recipe("gpu"))


@pytest.mark.parametrize(
    ("feature", "needing"),
    [
        ("adminAccess", [ADMIN]),
        ("consumableCapacity", [PART, PART_OR_NOTHING]),
        ("prioritizedList", [PART_OR_NOTHING, ONE_OR_NOTHING]),
    ],
)
def test_a_request_that_needs_a_feature_is_an_error_while_it_is_off(feature: str, needing: list[Row]) -> None:
    for wanted in (ADMIN, PART, PART_OR_NOTHING, ONE_OR_NOTHING):
        row = scenario(gpus(1), [claim(0, [wanted])])
        row["features"] = {**row["features"], feature: False}
        assert both_say(row) == ("fatal" if wanted in needing else ["gpu-0"])


@pytest.mark.parametrize(
    ("off", "usable"),
    [
        ("deviceBindingAndStatus", ["gpu-0"]),
        ("partitionableDevices", ["gpu-1"]),
        ("deviceTaints", ["gpu-0", "gpu-1", "gpu-2"]),
        ("nothing", ["gpu-0", "gpu-1"]),
    ],
)
def test_a_device_that_needs_a_feature_is_not_there_while_it_is_off(off: str, usable: list[str]) -> None:
    """gpu-0 has counters, gpu-1 waits for a condition, gpu-2 has a taint that only counts while taints do."""
    waiting = gpu(1, bindingConditions=["ready"], bindingFailureConditions=["broken"])
    tainted = gpu(2, taints=[{"key": "t", "effect": "NoSchedule"}])
    partitions = [{**one, "spec": {**one["spec"], "pool": {**one["spec"]["pool"], "name": "m"}}} for one in cut_gpus(1)]
    slices = [*pool(GPU, [waiting, tainted]), *partitions]
    for count in (1, 2, 3):
        row = scenario(slices, [claim(0, [request("r", "gpu", count)])])
        row["features"] = {name: on and name != off for name, on in row["features"].items()}
        assert both_say(row) == (usable[:count] if count <= len(usable) else "does not fit")


def test_an_error_counts_when_it_is_met() -> None:
    unguarded = f"device.attributes['{GPU}'].sometimes == 1"
    bad = gpu(1)
    good = gpu(0)
    good["attributes"]["sometimes"] = {"int": 1}
    wanted = [claim(0, [request("r", "gpu", 1, unguarded)])]
    assert both_say(scenario(pool(GPU, [good, bad]), wanted)) == ["gpu-0"]
    assert both_say(scenario(pool(GPU, [bad, good]), wanted)) == "fatal"
    assert both_say({**scenario(pool(GPU, [bad, good]), wanted), "allocatedDevices": held("gpu-1")}) == ["gpu-0"]


@pytest.mark.parametrize(
    ("count", "constraint", "holds"),
    [
        pytest.param(8, match(f"{GPU}/numa"), False, id="two NUMA nodes"),
        pytest.param(4, match(f"{GPU}/numa"), True, id="one NUMA node"),
        pytest.param(4, distinct(f"{GPU}/index"), True, id="all different"),
        pytest.param(4, distinct(f"{GPU}/numa"), False, id="two alike"),
        pytest.param(4, match(f"{GPU}/nope"), False, id="no such attribute"),
    ],
)
def test_all_under_a_constraint_that_does_not_hold_is_an_error(count: int, constraint: Row, holds: bool) -> None:
    told = both_say(scenario(gpus(count), [claim(0, [everything()], [constraint])]))
    assert told == ([f"gpu-{n}" for n in range(count)] if holds else "fatal")


BIG = first_of("a", recipe("gpu", 20), recipe("gpu", 5))


@pytest.mark.parametrize(
    ("requests", "told"),
    [
        pytest.param(
            [BIG, first_of("b", recipe("gpu", 20), recipe("gpu", 13)), *singles(2)], 5 + 20 + 2, id="the second of a"
        ),
        pytest.param([BIG, request("b", "gpu", 27), request("c", "nic")], "fatal", id="33 at the least"),
        pytest.param([BIG, request("b", "gpu", 20, "device.nope == 1")], "fatal", id="not CEL"),
        pytest.param(
            [BIG, first_of("b", recipe("gpu", 20), recipe("nic", 4)), everything()], "fatal", id="all of 40 and more"
        ),
    ],
)
def test_the_limit_of_a_claim_leads_to_another_alternative(requests: list[Row], told: int | str) -> None:
    found = both_say(scenario(gpus(40), [claim(0, requests)]))
    assert found == ([f"gpu-{n}" for n in range(told)] if isinstance(told, int) else told)


@pytest.mark.parametrize(
    ("amount", "part", "whole"),
    [("1Gi", True, False), ("79Gi", True, False), ("80Gi", False, False), ("90Gi", False, False)],
)
def test_an_exclusive_device_with_shares_in_use_gives_what_is_left(amount: str, part: bool, whole: bool) -> None:
    def told(wanted: Row) -> object:
        return both_say({**scenario(gpus(1), [claim(0, [wanted])]), **consumed("gpu-0", amount)})

    assert told(request("r", "gpu", 1, **capacity("1Gi"))) == (["gpu-0"] if part else "does not fit")
    assert told(everything(**capacity("1Gi"))) == (["gpu-0"] if part else "does not fit")
    assert told(request("r", "gpu")) == (["gpu-0"] if whole else "does not fit")


@pytest.mark.parametrize(
    ("amount", "fit"), [("1Gi", True), ("6Gi", True), ("7Gi", False), ("8Gi", False), ("9Gi", False)]
)
def test_two_shares_of_a_device_need_room_for_both(amount: str, fit: bool) -> None:
    for wanted in (request("r", "gpu", 1, **capacity("1Gi")), everything(**capacity("1Gi"))):
        row = scenario(pool(GPU, [shareable()]), [claim(0, [wanted]), claim(1, [wanted])])
        assert both_say({**row, **consumed("gpu-0", amount)}) == (["gpu-0", "gpu-0"] if fit else "does not fit")


@pytest.mark.parametrize("step", ["0", "1Gi"])
def test_a_policy_that_cannot_be_calculated_with(step: str) -> None:
    policy = {"default": "1Gi", "validRange": {"max": "4Gi", "step": step, **({"min": "1Gi"} if step == "0" else {})}}
    device = gpu(0, capacity={"memory": {"value": "8Gi", "requestPolicy": policy}}, allowMultipleAllocations=True)
    for wanted in (request("r", "gpu", 1, **capacity("2Gi")), everything(**capacity("2Gi"))):
        assert both_say(scenario(pool(GPU, [device]), [claim(0, [wanted])])) == "fatal"


def test_counters_of_which_less_than_nothing_is_left_block_their_devices_only() -> None:
    admin = request("r", "gpu", 1, adminAccess=True)
    row = scenario(cut_gpus(2), [claim(0, [request("r", "mig", 1, of_profile("1g"))]), claim(1, [admin])])
    row["allocatedDevices"] = held("gpu-0-4g-0", "gpu-0-3g-0", "gpu-0-7g-0")
    assert both_say(row) == ["gpu-1-1g-0", "gpu-0"]


def test_unknown_devices_in_the_state_do_not_matter() -> None:
    row = scenario(cut_gpus(1), [claim(0, [request("r", "gpu")])])
    row["allocatedDevices"] = [*held("gone"), *held("gone", pool="other")]
    row |= consumed("gone", "1Gi")
    assert both_say(row) == ["gpu-0"]


def test_devices_of_the_pool_on_other_nodes_draw_on_the_same_counters() -> None:
    (devices, counters) = cut_gpus(1)
    spec = {key: value for key, value in devices["spec"].items() if key not in {"nodeName", "devices"}}
    spec["pool"] = {**spec["pool"], "resourceSliceCount": 3}
    here, there = devices["spec"]["devices"][:8], devices["spec"]["devices"][8:]
    slices = [
        {"metadata": {"name": "a"}, "spec": {**spec, "nodeName": "n", "devices": here}},
        {"metadata": {"name": "b"}, "spec": {**spec, "nodeName": "m", "devices": there}},
        {"metadata": {"name": "c"}, "spec": {**counters["spec"], "pool": spec["pool"]}},
    ]
    row = scenario(slices, [claim(0, [request("r", "any", 2)])])
    assert there[0]["name"] == "gpu-0-2g-0"
    assert both_say({**row, "allocatedDevices": held("gpu-0-2g-0")}) == ["gpu-0-1g-2", "gpu-0-1g-3"]
    assert there[-1]["name"] == "gpu-0-7g-0"
    assert both_say({**row, "allocatedDevices": held("gpu-0-7g-0")}) == "does not fit"


@pytest.mark.parametrize("broken", [False, True])
def test_selection_of_nodes_device_by_device(broken: bool) -> None:
    """gpu-1 is on another node, gpu-2 wants a label that the node lacks; a selector that isn't one spoils the pool."""
    selector = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In" if broken else "Exists"}]}]}
    devices = [gpu(1, nodeName="m"), gpu(2, nodeSelector=selector), gpu(0, nodeName="n"), gpu(3, allNodes=True)]
    (one,) = pool(GPU, devices)
    one["spec"]["perDeviceNodeSelection"] = True
    del one["spec"]["nodeName"]
    usable = ["gpu-0", "gpu-3"]
    for count in (1, 2, 3):
        told = both_say(scenario([one], [claim(0, [request("r", "gpu", count)])]))
        assert told == ("fatal" if broken else usable[:count] if count < 3 else "does not fit")
    assert both_say(scenario([one], [claim(0, [everything()])])) == ("fatal" if broken else usable)


def test_a_node_selector_with_several_terms_is_an_error_once_its_device_is_picked() -> None:
    (one,) = gpus(1)
    del one["spec"]["nodeName"]
    terms = [{"matchExpressions": [{"key": "kubernetes.io/os", "operator": "DoesNotExist"}]}] * 2
    one["spec"]["nodeSelector"] = {"nodeSelectorTerms": terms}
    assert both_say(scenario([one], [claim(0, [request("r", "gpu")])])) == "fatal"
    one["spec"]["nodeSelector"] = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In"}]}]}
    assert both_say(scenario([one], [claim(0, [request("r", "gpu")])])) == "fatal"


def test_pools_that_cannot_be_used() -> None:
    """A pool that names a device twice is invalid, one of which a slice is missing is being updated."""
    double = pool(GPU, [gpu(0), gpu(0)])
    (half,) = pool("half.example.com", [gpu(1)])
    half["spec"]["pool"]["resourceSliceCount"] = 2

    def told(slices: list[Row], wanted: Row) -> object:
        return both_say(scenario(slices, [claim(0, [wanted])]))

    single = request("r", "gpu")
    assert told(double, single) == "this node only"
    assert told([half], single) == "does not fit"
    assert told([*double, half], single) == "this node only"
    assert told([half, *gpus(1)], single) == ["gpu-0"]
    for slices in (double, [half], [*double, half], [half, *gpus(1)]):
        assert told(slices, everything()) == "fatal"


def test_consuming_nothing_of_a_counter_set_costs_nothing() -> None:
    sets = [{"name": "s", "counters": {"c": {"value": "1"}}}]
    idle = gpu(0, consumesCounters=consumes("s", {}))
    busy = gpu(1, consumesCounters=consumes("s", {"c": {"value": "1"}}))
    row = scenario(pool(GPU, [idle, busy], sets), [claim(0, [request("r", "gpu", 2)])])
    assert both_say(row) == ["gpu-0", "gpu-1"]
