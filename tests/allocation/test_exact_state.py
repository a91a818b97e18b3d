"""Committing and releasing claims: the engine that follows them answers as one that is made anew."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from aliquot.allocation.answer import Allocation
from aliquot.allocation.exact.allocator import Exact
from aliquot.allocation.exact.survey import Survey
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
        exact, question = exactly.engine(row)
        held: list[ClaimAllocation] = []
        for step in range(25):
            where = draw.choice(question.nodes)
            claim = draw.choice(question.claims)
            if held and draw.random() < 0.35:
                exact.release([held.pop(draw.randrange(len(held)))])
            answer = exact.allocate(where, [claim])
            anew = Exact(holding(held, question.supply), exact.selectors)
            assert exactly.told(answer) == exactly.told(anew.allocate(where, [claim]))
            if isinstance(answer, Allocation):
                made = with_own_shares(answer.claims[0], step)
                held.append(made)
                exact.commit([made])


def test_a_survey_asks_only_the_nodes_that_changed() -> None:
    row = cluster(tight.scenario("pairs", 5), 4)
    exact, question = exactly.engine(row)
    nodes = {node.name: node for node in question.nodes}
    wanted = [question.claims[0]]
    survey = Survey(exact, wanted, nodes)
    assert survey.update() == ["n0", "n1", "n2", "n3"]
    assert survey.update() == []
    first = survey.answers["n2"]
    assert isinstance(first, Allocation)
    exact.commit(first.claims)
    assert survey.update() == ["n2"]
    assert exactly.told(survey.answers["n2"]) != exactly.told(first)
    assert survey.answers == {name: exact.allocate(node, wanted) for name, node in nodes.items()}
    exact.release(first.claims)
    assert survey.update() == ["n2"]
    assert exactly.told(survey.answers["n2"]) == exactly.told(first)


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
    exact, question = exactly.engine(row)
    before = exact.allocate(question.nodes[0], question.claims)
    admin = AllocatedDevice("r", DeviceId(GPU, "n", "gpu-0"), admin_access=True)
    elsewhere = AllocatedDevice("r", DeviceId("other.example.com", "p", "d"))
    exact.commit([ClaimAllocation((admin, elsewhere))])
    assert exactly.told(exact.allocate(question.nodes[0], question.claims)) == exactly.told(before)
