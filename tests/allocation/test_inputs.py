"""What allocated claims have taken, and which features are on."""

from dataclasses import replace

import pytest

from aliquot.allocation.allocator_features import Features, features_of, implementation_of, supports
from aliquot.allocation.inputs import AllocatedState, Holder, allocated_state
from aliquot.allocation.rules.selectors import Selectors, SelectorVerdict
from aliquot.dra.claim import AllocatedDevice, Claim, ClaimAllocation, Consumer
from aliquot.dra.device import Device, DeviceId
from aliquot.kube.release import Kubernetes, kubernetes_of
from aliquot.units.quantity import Quantity
from scenarios.nouns.supplies import claim, device

A, B = DeviceId("drv", "p", "a"), DeviceId("drv", "p", "b")


def allocated(*results: AllocatedDevice, name: str = "c", pods: tuple[str, ...] = ()) -> Claim:
    consumers = tuple(Consumer("pods", pod, pod) for pod in pods)
    return replace(claim(name=name), allocation=ClaimAllocation(results), reserved_for=consumers)


def share(owner: str, mem: int | None) -> AllocatedDevice:
    consumed = None if mem is None else {"mem": Quantity.of(mem)}
    return AllocatedDevice("r", A, share_id=owner, consumed=consumed)


def test_what_claims_hold() -> None:
    state = allocated_state(
        [
            claim(),
            allocated(share("1", 3), share("2", 4), pods=("p",)),
            allocated(share("3", None), AllocatedDevice("r", B), name="d"),
            allocated(AllocatedDevice("r", DeviceId("drv", "p", "admin"), admin_access=True)),
        ],
        consumable_capacity=True,
    )
    assert state.devices == {B}
    assert state.shares == {(A, "1"), (A, "2"), (A, "3")}
    assert state.consumed == {A: {"mem": Quantity.of(7)}}
    assert state.holders == {A: (Holder("default/c", ("p",)), Holder("default/d")), B: (Holder("default/d"),)}
    assert state.shared_devices() == {A}
    assert [state.holds(one) for one in (A, B, DeviceId("drv", "p", "admin"))] == [True, True, False]


def test_without_consumable_capacity_a_share_is_the_whole_device() -> None:
    state = allocated_state([allocated(share("1", 3))], consumable_capacity=False)
    assert state.devices == {A}
    assert not state.shares
    assert not state.consumed


def test_capacity_alone_counts_as_held() -> None:
    assert AllocatedState(consumed={A: {}}).holds(A)


@pytest.mark.parametrize(
    ("version", "implementation"),
    [
        ("1.33", "stable"),
        ("1.34", "stable"),
        ("1.35", "stable"),
        ("v1.36.2", "incubating"),
        ("1.37", "incubating"),
        ("1.99", "incubating"),
    ],
)
def test_the_implementation_of_a_version(version: str, implementation: str) -> None:
    assert implementation_of(features_of(kubernetes_of(version))) == implementation


def test_list_attributes_reach_the_allocator_from_1_37_on() -> None:
    gate = (("DRAListTypeAttributes", True),)
    assert not features_of(Kubernetes(36, gates=gate)).list_attributes
    features = features_of(Kubernetes(37, gates=gate))
    assert implementation_of(features) == "experimental"
    assert not supports("incubating", features)


@pytest.mark.parametrize(("changed", "on"), [({}, True), ({"DRAResourceClaimDeviceStatus": False}, False)])
def test_binding_conditions_need_two_gates(changed: dict[str, bool], *, on: bool) -> None:
    release = Kubernetes(36).changed(changed.items())
    assert features_of(release).binding_conditions == on
    assert release.on("DRADeviceBindingConditions")


@pytest.mark.parametrize("features", [Features(binding_conditions=True), Features(fractional_range=True)])
def test_what_stable_cannot(features: Features) -> None:
    assert not supports("stable", features)


def test_a_selector_is_evaluated_once_per_distinct_device() -> None:
    asked: list[str] = []

    def evaluate(expression: str, driver: str, one: Device) -> SelectorVerdict:
        asked.append(f"{expression} {driver} {one.name}")
        return True

    selectors = Selectors(evaluate)
    a, b, c = device("a", x=1), device("b", x=1), device("c", x=2)
    assert [selectors.verdict("e", "drv", one) for one in (a, b, c, a)] == [True] * 4
    assert selectors.verdict("e", "other", a)
    assert asked == ["e drv a", "e drv c", "e other a"]
