"""Corners of the exact allocator: odd states, errors in upstream's words, limits; each beside the plain search."""

from typing import Any

import pytest

from aliquot.allocation.answer import Allocation, NoAllocation
from tests.allocation import exactly, tight
from tests.allocation.exact.test_explosive import gpus, mig, scenario, singles
from tests.allocation.tight import claim, distinct, first_of, gpu, match, of_profile, pool, recipe, request

Row = dict[str, Any]
BROKEN = "device.nope.nope(("


def same(row: Row) -> Any:
    answer = exactly.answer(row)
    assert exactly.told(answer) == exactly.told(exactly.plain_answer(row))
    return answer


def everything(**fields: Any) -> Row:
    made = request("r", "gpu", 0, **fields)
    made["exactly"]["allocationMode"] = "All"
    del made["exactly"]["count"]
    return made


def shareable(memory: str = "8Gi", **fields: Any) -> Row:
    return gpu(0, capacity={"memory": {"value": memory}}, allowMultipleAllocations=True, **fields)


def consumed(device: str, amount: str) -> Row:
    return {"allocatedCapacity": [{"driver": tight.GPU, "pool": "n", "device": device, "consumed": {"memory": amount}}]}


def capacity(amount: str) -> Row:
    return {"capacity": {"requests": {"memory": amount}}}


@pytest.mark.parametrize(
    ("slices", "claims", "category"),
    [
        pytest.param([], [claim(0, [])], "", id="no requests"),
        pytest.param(gpus(1), [], "", id="no claims"),
        pytest.param(gpus(1), [claim(0, [request("r", "gpu", 0)])], "", id="none of many"),
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
            "",
            id="or all of nothing",
        ),
    ],
)
def test_validation(slices: list[Row], claims: list[Row], category: str) -> None:
    answer = same(scenario(slices, claims))
    assert (answer.category if isinstance(answer, NoAllocation) else "") == category


@pytest.mark.parametrize("feature", ["adminAccess", "consumableCapacity", "prioritizedList"])
@pytest.mark.parametrize(
    "wanted",
    [
        request("r", "gpu", 1, adminAccess=False),
        request("r", "gpu", 1, **capacity("1Gi")),
        first_of("r", recipe("gpu", 1, **capacity("1Gi"))),
        first_of("r", recipe("gpu")),
    ],
)
def test_features_that_are_off(feature: str, wanted: Row) -> None:
    row = scenario(gpus(1), [claim(0, [wanted])])
    row["features"] = {**row["features"], feature: False}
    same(row)


@pytest.mark.parametrize("off", ["deviceBindingAndStatus", "partitionableDevices", "deviceTaints", "nothing"])
def test_devices_that_need_a_feature(off: str) -> None:
    waiting = gpu(1, bindingConditions=["ready"], bindingFailureConditions=["broken"])
    tainted = gpu(2, taints=[{"key": "t", "effect": "NoSchedule"}])
    slices = [
        *pool(tight.GPU, [waiting, tainted]),
        *[{**one, "spec": {**one["spec"], "pool": {**one["spec"]["pool"], "name": "m"}}} for one in mig(1)],
    ]
    for count in (1, 2, 3):
        row = scenario(slices, [claim(0, [request("r", "gpu", count)])])
        row["features"] = {**row["features"], off: False} if off != "nothing" else row["features"]
        same(row)


def test_an_error_counts_when_it_is_met() -> None:
    unguarded = f"device.attributes['{tight.GPU}'].sometimes == 1"
    bad = gpu(1)
    good = gpu(0)
    good["attributes"]["sometimes"] = {"int": 1}
    wanted = [claim(0, [request("r", "gpu", 1, unguarded)])]
    assert isinstance(same(scenario(pool(tight.GPU, [good, bad]), wanted)), Allocation)
    assert same(scenario(pool(tight.GPU, [bad, good]), wanted)).category == "fatal"
    taken = {**scenario(pool(tight.GPU, [bad, good]), wanted)}
    taken["allocatedDevices"] = [{"driver": tight.GPU, "pool": "n", "device": "gpu-1"}]
    assert isinstance(same(taken), Allocation)


def test_all_stops_at_a_constraint() -> None:
    row = scenario(gpus(8), [claim(0, [everything()], [match(f"{tight.GPU}/numa")])])
    assert same(row).category == "fatal"
    assert isinstance(same(scenario(gpus(4), [claim(0, [everything()], [match(f"{tight.GPU}/numa")])])), Allocation)
    assert isinstance(same(scenario(gpus(4), [claim(0, [everything()], [distinct(f"{tight.GPU}/index")])])), Allocation)
    assert same(scenario(gpus(4), [claim(0, [everything()], [distinct(f"{tight.GPU}/numa")])])).category == "fatal"
    assert same(scenario(gpus(4), [claim(0, [everything()], [match(f"{tight.GPU}/nope")])])).category == "fatal"


def test_the_limit_of_a_claim_leads_to_another_alternative() -> None:
    big = first_of("a", recipe("gpu", 20), recipe("gpu", 5))
    row = scenario(gpus(40), [claim(0, [big, first_of("b", recipe("gpu", 20), recipe("gpu", 13)), *singles(2)])])
    answer = same(row)
    assert isinstance(answer, Allocation)
    same(scenario(gpus(40), [claim(0, [big, request("b", "gpu", 27), request("c", "nic")])]))
    same(scenario(gpus(40), [claim(0, [big, request("b", "gpu", 20, "device.nope == 1")])]))
    same(scenario(gpus(40), [claim(1, [big, first_of("b", recipe("gpu", 20), recipe("nic", 4)), everything()])]))


def test_an_exclusive_device_with_shares_in_use() -> None:
    for amount in ("1Gi", "79Gi", "80Gi", "90Gi"):
        for wanted in (request("r", "gpu", 1, **capacity("1Gi")), everything(**capacity("1Gi")), request("r", "gpu")):
            same({**scenario(gpus(1), [claim(0, [wanted])]), **consumed("gpu-0", amount)})


def test_a_shareable_device_that_is_overdrawn_or_nearly_full() -> None:
    for amount in ("1Gi", "7Gi", "8Gi", "9Gi"):
        for wanted in (request("r", "gpu", 1, **capacity("1Gi")), everything(**capacity("1Gi"))):
            row = scenario(pool(tight.GPU, [shareable()]), [claim(0, [wanted]), claim(1, [wanted])])
            same({**row, **consumed("gpu-0", amount)})


@pytest.mark.parametrize("step", ["0", "1Gi"])
def test_a_policy_that_cannot_be_calculated_with(step: str) -> None:
    policy = {"default": "1Gi", "validRange": {"max": "4Gi", "step": step, **({"min": "1Gi"} if step == "0" else {})}}
    device = gpu(0, capacity={"memory": {"value": "8Gi", "requestPolicy": policy}}, allowMultipleAllocations=True)
    for wanted in (request("r", "gpu", 1, **capacity("2Gi")), everything(**capacity("2Gi"))):
        assert same(scenario(pool(tight.GPU, [device]), [claim(0, [wanted])])).category == "fatal"


def test_counters_of_which_less_than_nothing_is_left_block_their_devices_only() -> None:
    row = scenario(
        mig(2),
        [claim(0, [request("r", "mig", 1, of_profile("1g"))]), claim(1, [request("r", "gpu", 1, adminAccess=True)])],
    )
    taken = ["gpu-0-4g-0", "gpu-0-3g-0", "gpu-0-7g-0"]
    row["allocatedDevices"] = [{"driver": tight.GPU, "pool": "n", "device": name} for name in taken]
    answer = same(row)
    assert isinstance(answer, Allocation)
    assert answer.claims[0].results[0].device.device.startswith("gpu-1")


def test_unknown_devices_in_the_state_do_not_matter() -> None:
    row = scenario(mig(1), [claim(0, [request("r", "gpu")])])
    row["allocatedDevices"] = [{"driver": tight.GPU, "pool": pool_, "device": "gone"} for pool_ in ("n", "other")]
    row |= consumed("gone", "1Gi")
    assert isinstance(same(row), Allocation)


def test_devices_of_the_pool_on_other_nodes_draw_on_the_same_counters() -> None:
    (devices, counters) = mig(1)
    spec = {key: value for key, value in devices["spec"].items() if key not in {"nodeName", "devices"}}
    spec["pool"] = {**spec["pool"], "resourceSliceCount": 3}
    here, there = devices["spec"]["devices"][:8], devices["spec"]["devices"][8:]
    slices = [
        {"metadata": {"name": "a"}, "spec": {**spec, "nodeName": "n", "devices": here}},
        {"metadata": {"name": "b"}, "spec": {**spec, "nodeName": "m", "devices": there}},
        {"metadata": {"name": "c"}, "spec": {**counters["spec"], "pool": spec["pool"]}},
    ]
    for taken in (there[0]["name"], there[-1]["name"]):
        row = scenario(slices, [claim(0, [request("r", "any", 2)])])
        row["allocatedDevices"] = [{"driver": tight.GPU, "pool": "n", "device": taken}]
        same(row)


def test_selection_of_nodes_device_by_device() -> None:
    near = gpu(0, nodeName="n")
    far = gpu(1, nodeName="m")
    for broken in (False, True):
        selector = {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In" if broken else "Exists"}]}]
        }
        (one,) = pool(tight.GPU, [far, gpu(2, nodeSelector=selector), near, gpu(3, allNodes=True)])
        one["spec"]["perDeviceNodeSelection"] = True
        del one["spec"]["nodeName"]
        for count in (1, 2, 3):
            same(scenario([one], [claim(0, [request("r", "gpu", count)])]))
        same(scenario([one], [claim(0, [everything()])]))


def test_a_node_selector_with_several_terms_is_an_error_once_its_device_is_picked() -> None:
    (one,) = gpus(1)
    del one["spec"]["nodeName"]
    terms = [{"matchExpressions": [{"key": "kubernetes.io/os", "operator": "DoesNotExist"}]}] * 2
    one["spec"]["nodeSelector"] = {"nodeSelectorTerms": terms}
    assert same(scenario([one], [claim(0, [request("r", "gpu")])])).category == "fatal"
    one["spec"]["nodeSelector"] = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In"}]}]}
    assert same(scenario([one], [claim(0, [request("r", "gpu")])])).category == "fatal"


@pytest.mark.parametrize("wanted", [request("r", "gpu"), everything()])
def test_pools_that_cannot_be_used(wanted: Row) -> None:
    double = pool(tight.GPU, [gpu(0), gpu(0)])
    (half,) = pool("half.example.com", [gpu(1)])
    half["spec"]["pool"]["resourceSliceCount"] = 2
    for slices in (double, [half], [*double, half], [half, *gpus(1)]):
        same(scenario(slices, [claim(0, [wanted])]))
    assert same(scenario(double, [claim(0, [request("r", "gpu")])])).category == "this node only"


def test_consuming_nothing_of_a_counter_set_costs_nothing() -> None:
    sets = [{"name": "s", "counters": {"c": {"value": "1"}}}]
    idle = gpu(0, consumesCounters=[{"counterSet": "s", "counters": {}}])
    busy = gpu(1, consumesCounters=[{"counterSet": "s", "counters": {"c": {"value": "1"}}}])
    assert isinstance(
        same(scenario(pool(tight.GPU, [idle, busy], sets), [claim(0, [request("r", "gpu", 2)])])), Allocation
    )
