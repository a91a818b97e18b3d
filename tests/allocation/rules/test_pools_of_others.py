"""Pools of which a node sees nothing but counters: worked out once, and left out where they don't matter."""

from typing import Any

import pytest

from aliquot.allocation.behaviour import REPAIRED, V1_37
from aliquot.allocation.rules.pools import Pools
from tests.allocation import exactly, tight
from tests.allocation.exact.test_explosive import mig, scenario
from tests.allocation.tight import claim, of_profile, request

Row = dict[str, Any]


def on_node(slices: list[Row], name: str) -> list[Row]:
    return [
        {
            "metadata": {"name": f"{one['metadata']['name']}-{name}"},
            "spec": {**one["spec"], "nodeName": name, "pool": {**one["spec"]["pool"], "name": name}},
        }
        for one in slices
    ]


def cluster(*, broken: str = "") -> Row:
    slices = [one for name in ("n", "m", "o") for one in on_node(mig(1), name)]
    for one in slices:
        if one["spec"]["nodeName"] == "m" and broken == "incomplete":
            one["spec"]["pool"]["resourceSliceCount"] = 3
        if one["spec"]["nodeName"] == "m" and broken == "invalid" and "sharedCounters" in one["spec"]:
            one["spec"]["sharedCounters"] = [{"name": "other", "counters": {"c": {"value": "1"}}}]
    row = scenario(slices, [claim(0, [request("r", "mig", 1, of_profile("3g"))])])
    return {**row, "nodes": [{"metadata": {"name": name}} for name in ("n", "m", "o")], "node": "any"}


@pytest.mark.parametrize("broken", ["", "incomplete", "invalid"])
@pytest.mark.parametrize("behaviour", [REPAIRED, V1_37], ids=["1.36", "1.37"])
def test_what_is_left_out_is_in_good_order_and_offers_nothing(broken: str, behaviour: Any) -> None:
    question, _ = exactly.asked(cluster(broken=broken))
    pools = Pools(question.supply.slices, question.supply.features, "experimental", behaviour)
    for node in question.nodes:
        everything, useful = pools.gather(node), pools.gather_useful(node)
        left_out = [pool for pool in everything if pool not in useful]
        assert [pool for pool in everything if pool in useful] == list(useful)
        assert all(pool.state == "usable" and not pool.here for pool in left_out)
        assert any(pool.key == (tight.GPU, node.name) for pool in useful)


@pytest.mark.parametrize("broken", ["", "incomplete", "invalid"])
@pytest.mark.parametrize("mode", ["ExactCount", "All"])
def test_answers_as_the_plain_search_on_every_node(broken: str, mode: str) -> None:
    row = cluster(broken=broken)
    made = row["claims"][0]["spec"]["devices"]["requests"][0]["exactly"]
    made["allocationMode"] = mode
    if mode == "All":
        del made["count"]
    for node in row["nodes"]:
        one = {**row, "node": node["metadata"]["name"]}
        assert exactly.told(exactly.answer(one)) == exactly.told(exactly.plain_answer(one))
