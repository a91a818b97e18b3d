"""The oracle finds fault with engines that are wrong, each in a way of its own."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from aliquot.allocation.answer import Allocation, Answer, NoAllocation
from aliquot.allocation.exact.allocator import Exact
from aliquot.allocation.inputs import AllocatedState, Supply
from aliquot.allocation.rules.selectors import Selectors
from aliquot.dra.claim import AllocatedDevice, Claim, ClaimSpec
from aliquot.dra.device import CounterSet, Device, DeviceId
from aliquot.kube.node import Node
from aliquot.units.quantity import Quantity
from scenarios import ordinary
from scenarios.asking import exactly
from scenarios.oracle import World, judge
from scenarios.several_nodes import spread
from scenarios.tight import turns

ASKED = [
    exactly.asked(make(4, number)) for make in (ordinary.scenario, spread, turns.scenario) for number in range(120)
]
QUESTIONS = [
    (question, World.of(question.supply, node, question.claims, selectors))
    for question, selectors in ASKED
    for node in question.nodes
]
Results = tuple[AllocatedDevice, ...]
Engine = Callable[[Supply, Selectors, Node, tuple[Claim, ...]], Answer]


def right(supply: Supply, selectors: Selectors, node: Node, claims: Sequence[Claim]) -> Answer:
    return Exact(supply, selectors).allocate(node, claims)


def refuses(*_asked: object) -> Answer:
    return NoAllocation("does not fit")


def fails(*_asked: object) -> Answer:
    return NoAllocation("fatal", "for no reason")


def results_changed(change: Callable[[Results], Results]) -> Engine:
    """The first claim that is given devices is given others."""

    def answer(supply: Supply, selectors: Selectors, node: Node, claims: Sequence[Claim]) -> Answer:
        told = right(supply, selectors, node, claims)
        if not isinstance(told, Allocation):
            return told
        given = list(told.claims)
        place = next((place for place, one in enumerate(given) if one.results), None)
        if place is not None:
            given[place] = replace(given[place], results=change(given[place].results))
        return replace(told, claims=tuple(given))

    return answer


def supply_changed(change: Callable[[Supply], Supply]) -> Engine:
    """Sees devices, or what is taken of them, as they aren't."""
    return lambda supply, selectors, node, claims: right(change(supply), selectors, node, claims)


def claims_changed(change: Callable[[ClaimSpec], ClaimSpec]) -> Engine:
    """Overlooks something that is asked for."""
    return lambda supply, selectors, node, claims: right(
        supply, selectors, node, [replace(one, spec=change(one.spec)) for one in claims]
    )


def devices_changed(change: Callable[[Device], Device]) -> Engine:
    return supply_changed(
        lambda supply: replace(
            supply, slices=tuple(replace(one, devices=tuple(map(change, one.devices))) for one in supply.slices)
        )
    )


def more(amount: Quantity) -> Quantity:
    return Quantity.of_milli(amount.milli_value() * 10)


def larger(device: Device) -> Device:
    return replace(device, capacity={key: replace(one, value=more(one.value)) for key, one in device.capacity.items()})


def more_counters(supply: Supply) -> Supply:
    def filled(one: CounterSet) -> CounterSet:
        return replace(one, counters={name: more(amount) for name, amount in one.counters.items()})

    return replace(
        supply,
        slices=tuple(replace(one, shared_counters=tuple(map(filled, one.shared_counters))) for one in supply.slices),
    )


def everywhere(supply: Supply) -> Supply:
    def moved(thing: Any) -> Any:
        return replace(thing, node_name=None, node_selector=None, all_nodes=True)

    return replace(
        supply,
        slices=tuple(
            replace(moved(one), per_device_node_selection=None, devices=tuple(map(moved, one.devices)))
            for one in supply.slices
        ),
    )


def without_selectors(spec: ClaimSpec) -> ClaimSpec:
    return replace(
        spec,
        requests=tuple(
            replace(
                one,
                exactly=one.exactly and replace(one.exactly, selectors=()),
                first_available=tuple(replace(each, selectors=()) for each in one.first_available),
            )
            for one in spec.requests
        ),
    )


def one_wrong(results: Results) -> Results:
    gone = DeviceId("gone.example.com", "p", "d")
    return (replace(results[0], device=gone), *results[1:])


def half_consumed(results: Results) -> Results:
    return tuple(
        replace(
            one, consumed={name: Quantity.of_milli(amount.milli_value() // 2) for name, amount in one.consumed.items()}
        )
        if one.consumed
        else one
        for one in results
    )


MUTANTS: dict[str, tuple[Engine, int]] = {
    "refuses everything": (refuses, 100),
    "errors for no reason": (fails, 250),
    "forgets a device": (results_changed(lambda results: results[:-1]), 100),
    "gives a device twice": (results_changed(lambda results: (*results, results[-1])), 100),
    "gives a device that isn't there": (results_changed(one_wrong), 100),
    "writes down half of what a share takes": (results_changed(half_consumed), 12),
    "gives what is taken": (supply_changed(lambda supply: replace(supply, state=AllocatedState())), 30),
    "gives devices of other nodes": (supply_changed(everywhere), 40),
    "overlooks counters": (supply_changed(more_counters), 20),
    "overlooks capacity": (devices_changed(larger), 8),
    "overlooks taints": (devices_changed(lambda device: replace(device, taints=())), 3),
    "overlooks constraints": (claims_changed(lambda spec: replace(spec, constraints=())), 25),
    "overlooks selectors": (claims_changed(without_selectors), 70),
    "sees no device": (supply_changed(lambda supply: replace(supply, slices=())), 100),
}
"""What is wrong with an engine -> the engine, and how many of its answers the oracle must object to at the least."""


def objections(engine: Engine) -> int:
    return sum(
        bool(judge(world, engine(question.supply, world.selectors, world.node, world.claims)).complaints)
        for question, world in QUESTIONS
    )


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_engine_is_found_out(name: str) -> None:
    engine, least = MUTANTS[name]
    assert objections(engine) >= least


def test_the_right_one_is_not() -> None:
    assert objections(right) == 0
