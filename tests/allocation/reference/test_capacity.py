"""Consumable capacity in one call: what fits, and the request that grows (defect 9)."""

import pytest

from aliquot.allocation.answer import Allocation, NoAllocation
from aliquot.allocation.behaviour import REPAIRED, V1_36, V1_37, Behaviour
from aliquot.allocation.inputs import AllocatedState
from aliquot.allocation.reference.capacity import InUse, requested_amounts
from aliquot.dra.claim import Claim
from aliquot.dra.device import Capacity, DeviceId, RequestPolicy, ValidRange
from aliquot.units.quantity import Quantity
from scenarios.nouns.supplies import (
    DRIVER,
    NODE,
    claim,
    device,
    engine,
    first_of,
    pool,
    quantities,
    recipe,
    request,
    supply,
)

D = DeviceId(DRIVER, "p", "d")
FREE = RequestPolicy()
"""A policy that rounds nothing."""


def ask(
    policy: RequestPolicy | None, size: str, *claims: Claim, behaviour: Behaviour = V1_36
) -> Allocation | NoAllocation:
    shared = device("d", capacity={"mem": Capacity(Quantity.parse(size), policy)}, shared=True)
    return engine(supply(pool(shared)), behaviour).allocate(NODE, claims)


def consumed(answer: Allocation | NoAllocation) -> list[str]:
    assert isinstance(answer, Allocation), answer
    results = [one for result in answer.claims for one in result.results]
    return [str(one.consumed["mem"]) for one in results if one.consumed]


def wants(name: str, amount: str) -> Claim:
    return claim(request("r", capacity=quantities({"mem": amount})), name=name)


@pytest.mark.parametrize(
    ("behaviour", "amounts"),
    [(V1_36, ["2560Mi", "7680Mi"]), (V1_37, ["2560Mi", "2560Mi"]), (REPAIRED, ["2560Mi", "2560Mi"])],
)
def test_a_fractional_request_grows_in_1_36(behaviour: Behaviour, amounts: list[str]) -> None:
    assert consumed(ask(FREE, "80Gi", wants("a", "2.5Gi"), wants("b", "2.5Gi"), behaviour=behaviour)) == amounts


def test_a_whole_request_stays() -> None:
    assert consumed(ask(FREE, "80Gi", wants("a", "2Gi"), wants("b", "2Gi"))) == ["2Gi", "2Gi"]


def test_shares_up_to_the_amount() -> None:
    assert consumed(ask(FREE, "5Gi", wants("a", "2Gi"), wants("b", "3Gi"))) == ["2Gi", "3Gi"]
    assert ask(FREE, "5Gi", wants("a", "2Gi"), wants("b", "4Gi")) == NoAllocation("does not fit", steps=4)


@pytest.mark.parametrize(
    ("amount", "policy", "error"),
    [
        ("-1", None, 'capacity "mem": capacity value is negative'),
        (
            "10E",
            RequestPolicy(None, (), ValidRange(Quantity.of(1), None, Quantity.of(1))),
            (
                'capacity "mem": capacity request cannot be represented in the device\'s range arithmetic: '
                "request 10E exceeds MaxInt64"
            ),
        ),
    ],
)
def test_1_37_gives_up_on_amounts_it_cannot_calculate_with(
    amount: str, policy: RequestPolicy | None, error: str
) -> None:
    answer = ask(policy, "80", wants("c", amount), behaviour=V1_37)
    where = "claim default/c, request r: checking capacity for device drv.example.com/p/d: "
    assert answer == NoAllocation("fatal", where + error, 1)
    every = claim(request("r", mode="All", capacity=quantities({"mem": amount})))
    assert ask(policy, "80", every, behaviour=V1_37) == NoAllocation(
        "fatal", where.replace("drv.example.com/p/d", "d") + error
    )


def test_a_capacity_that_the_device_lacks_skips_it() -> None:
    assert ask(None, "80", claim(request("r", capacity=quantities({"vram": "1"})))) == NoAllocation(
        "does not fit", steps=1
    )


@pytest.mark.parametrize(("behaviour", "steps"), [(V1_36, 1), (V1_37, 1)])
def test_all_and_capacity_in_use(behaviour: Behaviour, steps: int) -> None:
    """1.36 leaves a full device out and finds none; 1.37 keeps it and fails on it."""
    shared = device("d", capacity={"mem": "5"}, shared=True)
    state = AllocatedState(shares=frozenset({(D, "x")}), consumed={D: quantities({"mem": "5"})})
    asked = engine(supply(pool(shared), state=state), behaviour)
    assert asked.allocate(NODE, [claim(request("r", mode="All"))]) == NoAllocation("does not fit", steps=steps)


def test_going_back_frees_the_share() -> None:
    picky = claim(first_of("r", recipe("two", count=2), recipe("one")), request("s", capacity=quantities({"mem": "2"})))
    answer = ask(RequestPolicy(Quantity.of(2)), "4", picky)
    assert consumed(answer) == ["2", "2"]


def test_the_last_share_given_back_ends_the_sharing() -> None:
    use = InUse(AllocatedState(), REPAIRED, fractional=False)
    capacities = {"mem": Capacity(Quantity.of(4))}
    first = use.take(requested_amounts(quantities({"mem": "1"})), D, capacities)
    second = use.take(requested_amounts(quantities({"mem": "2"})), D, capacities)
    use.give_back(second, D, keep=False)
    assert use.shared(D)
    use.give_back(first, D, keep=True)
    assert use.shared(D)
    use.give_back({}, D, keep=False)
    assert not use.shared(D)
    use.give_back(first, D, keep=False)
    assert not use.shared(D)


def test_1_37_counts_a_share_without_capacity_as_use() -> None:
    state = AllocatedState(shares=frozenset({(D, "x")}))
    assert InUse(state, V1_37, fractional=False).shared(D)
    assert not InUse(state, V1_36, fractional=False).shared(D)
