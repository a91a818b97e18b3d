"""Pools of which a node sees nothing but counters: worked out once, and left out where they don't matter."""

from typing import Any

import pytest

from aliquot.allocation.behaviour import REPAIRED, V1_37
from aliquot.allocation.rules.pools import Pools
from scenarios.api.allocation import node, scenario
from scenarios.api.claims import claim, request
from scenarios.api.selectors import of_profile
from scenarios.api.slices import on_node
from scenarios.asking import exactly
from scenarios.drivers import GPU
from scenarios.tight.partitions import cut_gpus

Row = dict[str, Any]


def cluster(*, broken: str = "") -> Row:
    slices = [one for name in ("n", "m", "o") for one in on_node(cut_gpus(1), name)]
    for one in slices:
        if one["spec"]["nodeName"] == "m" and broken == "incomplete":
            one["spec"]["pool"]["resourceSliceCount"] = 3
        if one["spec"]["nodeName"] == "m" and broken == "invalid" and "sharedCounters" in one["spec"]:
            one["spec"]["sharedCounters"] = [{"name": "other", "counters": {"c": {"value": "1"}}}]
    row = scenario("pools of others", slices, [claim(0, [request("r", "mig", 1, of_profile("3g"))])])
    return {**row, "nodes": [node(name) for name in ("n", "m", "o")], "node": "any"}


@pytest.mark.parametrize("broken", ["", "incomplete", "invalid"])
@pytest.mark.parametrize("behaviour", [REPAIRED, V1_37], ids=["1.36", "1.37"])
def test_what_is_left_out_is_in_good_order_and_offers_nothing(broken: str, behaviour: Any) -> None:
    question, _ = exactly.asked(cluster(broken=broken))
    pools = Pools(question.supply.slices, question.supply.features, "experimental", behaviour)
    for where in question.nodes:
        everything, useful = pools.gather(where), pools.gather_useful(where)
        left_out = [pool for pool in everything if pool not in useful]
        assert [pool for pool in everything if pool in useful] == list(useful)
        assert all(pool.state == "usable" and not pool.here for pool in left_out)
        assert any(pool.key == (GPU, where.name) for pool in useful)


@pytest.mark.parametrize("broken", ["", "incomplete", "invalid"])
@pytest.mark.parametrize("mode", ["ExactCount", "All"])
def test_answers_as_the_plain_search_on_every_node(broken: str, mode: str) -> None:
    row = cluster(broken=broken)
    made = row["claims"][0]["spec"]["devices"]["requests"][0]["exactly"]
    made["allocationMode"] = mode
    if mode == "All":
        del made["count"]
    for where in row["nodes"]:
        one = {**row, "node": where["metadata"]["name"]}
        assert exactly.told(exactly.answer(one)) == exactly.told(exactly.plain_answer(one))
