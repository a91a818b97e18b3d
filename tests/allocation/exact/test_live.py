"""Committing and releasing claims: the engine that follows them answers as one that is made anew."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from aliquot.allocation.answer import Allocation
from aliquot.allocation.exact.allocator import Exact
from aliquot.allocation.exact.live import LiveExact
from aliquot.allocation.inputs import Supply, allocated_state
from aliquot.dra.claim import AllocatedDevice, Claim, ClaimAllocation, ClaimSpec
from aliquot.dra.device import DeviceId
from aliquot.kube.meta import Meta
from scenarios import tight
from scenarios.api.allocation import node
from scenarios.api.slices import on_node
from scenarios.asking import exactly
from scenarios.drivers import GPU

Row = dict[str, Any]


def cluster(row: Row, nodes: int) -> Row:
    """A scenario's devices on several nodes, each with pools of its own."""
    names = [f"n{number}" for number in range(nodes)]
    slices = [one for name in names for one in on_node(row["slices"], name)]
    return {**row, "nodes": [node(name) for name in names], "slices": slices, "allocatedDevices": [], "node": "any"}


def holding(allocations: list[ClaimAllocation], supply: Supply) -> Supply:
    claims = [Claim(Meta(f"h{number}"), ClaimSpec(), each) for number, each in enumerate(allocations)]
    return Supply(supply.slices, supply.classes, allocated_state(claims, consumable_capacity=True), supply.features)


def with_own_shares(allocation: ClaimAllocation, number: int) -> ClaimAllocation:
    return replace(
        allocation,
        results=tuple(
            one if one.share_id is None else replace(one, share_id=f"{number}/{place}")
            for place, one in enumerate(allocation.results)
        ),
    )


@pytest.mark.parametrize("family", ["mig", "pairs", "shares", "coarse"])
def test_follows_as_if_made_anew(family: str) -> None:
    draw = Random(family)
    for seed in range(4):
        row = cluster(tight.scenario(family, seed), 3)
        base, question = exactly.engine(row)
        exact = LiveExact(base)
        held: list[ClaimAllocation] = []
        for step in range(25):
            where = draw.choice(question.nodes)
            claim = draw.choice(question.claims)
            if held and draw.random() < 0.35:
                exact.release([held.pop(draw.randrange(len(held)))])
            answer = exact.allocate(where, [claim])
            anew = Exact(holding(held, question.supply), exact.cluster.selectors)
            assert exactly.told(answer) == exactly.told(anew.allocate(where, [claim]))
            if isinstance(answer, Allocation):
                made = with_own_shares(answer.claims[0], step)
                held.append(made)
                exact.commit([made])


def test_only_the_nodes_that_changed_are_named_and_prepared_claims_follow() -> None:
    row = cluster(tight.scenario("pairs", 5), 4)
    base, question = exactly.engine(row)
    live = LiveExact(base)
    wanted = live.prepare([question.claims[0]])
    before = {node.name: wanted.on(node) for node in question.nodes}
    assert live.changed_since(live.changes) == []
    seen, first = live.changes, before["n2"]
    assert isinstance(first, Allocation)
    live.commit(first.claims)
    assert live.changed_since(seen) == ["n2"]
    now = {node.name: wanted.on(node) for node in question.nodes}
    assert [name for name in now if exactly.told(now[name]) != exactly.told(before[name])] == ["n2"]
    seen = live.changes
    live.release(first.claims)
    assert live.changed_since(seen) == ["n2"]
    assert {node.name: wanted.on(node) for node in question.nodes} == before


def test_the_engine_that_it_began_with_stays_as_it_is() -> None:
    base, question = exactly.engine(cluster(tight.scenario("pairs", 5), 2))
    prepared, node = base.prepare([question.claims[0]]), question.nodes[0]
    before = prepared.on(node)
    assert isinstance(before, Allocation)
    live = LiveExact(base)
    live.commit(before.claims)
    assert prepared.on(node) == before
    assert exactly.told(live.allocate(node, [question.claims[0]])) != exactly.told(before)


def test_a_changed_node_is_looked_at_again() -> None:
    row = tight.scenario("pairs", 5)
    row["slices"] = [
        {
            **one,
            "spec": {
                **{key: value for key, value in one["spec"].items() if key != "nodeName"},
                "nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "gpu", "operator": "Exists"}]}]},
            },
        }
        for one in row["slices"]
    ]
    row["allocatedDevices"] = []
    exact, question = exactly.engine(row)
    without = question.nodes[0]
    labelled = exactly.asked({**row, "nodes": [{"metadata": {"name": "n", "labels": {"gpu": "yes"}}}]})[0].nodes[0]
    wanted = [question.claims[0]]
    assert not isinstance(exact.allocate(without, wanted), Allocation)
    assert isinstance(exact.allocate(labelled, wanted), Allocation)
    assert not isinstance(exact.allocate(without, wanted), Allocation)


def test_an_unknown_pool_and_admin_access_change_nothing() -> None:
    row = tight.scenario("pairs", 5)
    base, question = exactly.engine(row)
    exact = LiveExact(base)
    before = exact.allocate(question.nodes[0], question.claims)
    admin = AllocatedDevice("r", DeviceId(GPU, "n", "gpu-0"), admin_access=True)
    elsewhere = AllocatedDevice("r", DeviceId("other.example.com", "p", "d"))
    exact.commit([ClaimAllocation((admin, elsewhere))])
    assert exactly.told(exact.allocate(question.nodes[0], question.claims)) == exactly.told(before)
