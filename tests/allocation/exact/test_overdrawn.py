"""A counter set that allocated claims overdraw: nothing more is given from it, and the story names those claims."""

from random import Random
from typing import Any

import pytest

from aliquot.advisor.dra.device_story import words
from aliquot.allocation.answer import Allocation, Answer, CounterShort, NoAllocation
from aliquot.allocation.behaviour import REPAIRED, V1_36, V1_37, Behaviour
from aliquot.allocation.exact.allocator import Exact
from aliquot.allocation.exact.live import LiveExact
from aliquot.allocation.inputs import Supply, allocated_state
from aliquot.allocation.reference.allocator import Reference
from aliquot.allocation.rules.cel_selectors import selectors_of
from aliquot.allocation.story.tell import tell
from aliquot.dra.claim import AllocatedDevice, Claim, ClaimAllocation, ClaimSpec
from aliquot.dra.device import Capacity, DeviceId, RequestPolicy
from aliquot.kube.meta import Meta
from aliquot.kube.release import Kubernetes
from aliquot.units.quantity import Quantity
from scenarios import oracle, tight
from scenarios.api.allocation import held
from scenarios.asking import exactly
from scenarios.nouns.supplies import DRIVER, NODE, claim, counters, device, pool, request, supply

ONE = Quantity.of(1)


def on_the_same_gpu(*names: str) -> Supply:
    """Two halves overdraw the memory of GPU 0; a third device there needs only of its compute, a fourth is elsewhere.

    A driver publishes such slices when a GPU is set up anew under claims that hold partitions of the old layout.
    """
    return supply(
        counters({"gpu-0": {"memory": "50", "compute": "7"}, "gpu-1": {"memory": "50"}}),
        pool(
            device("half-a", uses={"gpu-0": {"memory": "30"}}),
            device("half-b", uses={"gpu-0": {"memory": "30"}}),
            device("compute-only", uses={"gpu-0": {"compute": "1"}}),
            device("elsewhere", uses={"gpu-1": {"memory": "1"}}),
            device("plain"),
            count=2,
        ),
        state=allocated_state([holder(name) for name in names], consumable_capacity=True),
    )


def holder(name: str) -> Claim:
    given = AllocatedDevice("r", DeviceId(DRIVER, "p", name))
    return Claim(Meta(f"of-{name}", "ml"), ClaimSpec(), allocation=ClaimAllocation((given,)))


def exact(offered: Supply, asked: Claim) -> Answer:
    return Exact(offered, selectors_of(Kubernetes(36), offered.features)).allocate(NODE, [asked])


def plain(offered: Supply, asked: Claim, behaviour: Behaviour) -> Answer:
    return Reference(offered, selectors_of(Kubernetes(36), offered.features), behaviour, "experimental").allocate(
        NODE, [asked]
    )


def taken(answer: Answer) -> list[str]:
    assert isinstance(answer, Allocation)
    return [result.device.device for result in answer.claims[0].results]


def test_a_device_that_needs_another_counter_of_the_set_is_not_given() -> None:
    """kube-scheduler looks at every counter of the pool; the repaired rule at those of the device's own sets."""
    offered = on_the_same_gpu("half-a", "half-b")
    for asked, given in ((1, ["elsewhere"]), (2, ["elsewhere", "plain"]), (3, None)):
        wanted = claim(request("r", count=asked))
        for answer in (exact(offered, wanted), plain(offered, wanted, REPAIRED)):
            assert (taken(answer) if given else answer) == (given or NoAllocation("does not fit", steps=answer.steps))
    for release in (V1_36, V1_37):
        assert taken(plain(offered, claim(request("r")), release)) == ["plain"]


def test_a_set_that_is_used_up_but_not_overdrawn_still_gives_what_is_left_of_the_others() -> None:
    wanted = claim(request("r"))
    assert taken(exact(on_the_same_gpu("half-a"), wanted)) == ["compute-only"]


def test_a_set_that_declares_less_than_nothing_gives_nothing() -> None:
    offered = supply(
        counters({"gpu-0": {"memory": "50", "links": "-1"}}),
        pool(device("half", uses={"gpu-0": {"memory": "25"}}), device("plain"), count=2),
    )
    wanted = claim(request("r"))
    assert taken(exact(offered, wanted)) == taken(plain(offered, wanted, REPAIRED)) == ["plain"]


def test_a_further_share_of_a_device_whose_counters_are_paid_draws_on_nothing() -> None:
    half = {"memory": "30"}
    slots = Capacity(Quantity.of(4), RequestPolicy(ONE))
    sharing = device("shared", uses={"gpu-0": half}, capacity={"slots": slots}, shared=True)
    id_ = DeviceId(DRIVER, "p", "shared")
    share = AllocatedDevice("r", id_, share_id="s", consumed={"slots": ONE})
    held = Claim(Meta("of-share", "ml"), ClaimSpec(), allocation=ClaimAllocation((share,)))
    offered = supply(
        counters({"gpu-0": {"memory": "50"}}),
        pool(device("half", uses={"gpu-0": half}), device("next", uses={"gpu-0": half}), sharing, count=2),
        state=allocated_state([holder("half"), held], consumable_capacity=True),
    )
    wanted = claim(request("r"))
    assert taken(exact(offered, wanted)) == taken(plain(offered, wanted, REPAIRED)) == ["shared"]


def test_committing_and_releasing_tells_when_a_set_is_overdrawn() -> None:
    offered = on_the_same_gpu("half-a")
    engine = LiveExact(Exact(offered, selectors_of(Kubernetes(36), offered.features)))
    wanted, more = claim(request("r")), holder("half-b").allocation
    assert more is not None
    engine.commit([more])
    assert taken(engine.allocate(NODE, [wanted])) == ["elsewhere"]
    engine.release([more])
    assert taken(engine.allocate(NODE, [wanted])) == ["compute-only"]


@pytest.mark.parametrize("behaviour", [REPAIRED, V1_36, V1_37])
def test_the_story_names_the_claims_that_overdraw(behaviour: Behaviour) -> None:
    offered = on_the_same_gpu("half-a", "half-b")
    told = tell(offered, NODE, [claim(request("r"))], selectors_of(Kubernetes(36), offered.features), behaviour)
    (reasons,) = [one.reasons for one in told.requests[0].devices if one.device.device == "compute-only"]
    halves = (DeviceId(DRIVER, "p", "half-a"), DeviceId(DRIVER, "p", "half-b"))
    by_claims = ("ml/of-half-a", "ml/of-half-b")
    assert reasons[0] == CounterShort("gpu-0", "memory", Quantity.of(0), Quantity.of(-10), halves, by_claims)
    assert words(reasons[0]) == "memory of gpu-0 is overdrawn by ml/of-half-a, ml/of-half-b: -10 left"


def test_without_claims_to_name_it_is_still_told() -> None:
    reason = CounterShort("gpu-0", "memory", Quantity.of(0), Quantity.of(-10))
    assert words(reason) == "memory of gpu-0 is overdrawn: -10 left"


@pytest.mark.parametrize("family", ["mig", "coarse"])
def test_as_the_plain_search_and_an_independent_checker_have_it(family: str) -> None:
    """MIG layouts under claims that hold two partitions of one GPU, which often overlap."""
    draw = Random(family)
    given_beside = 0
    for seed in range(60):
        row = tight.scenario(family, seed)
        row["claims"] = row["claims"][:1]
        first, second = draw.sample(partitions(row, draw), 2)
        row["allocatedDevices"] = held(first["name"], second["name"])
        question, selectors = exactly.asked(row)
        answer, without = exactly.answer(row), exactly.plain_answer(row)
        assert exactly.told(answer) == exactly.told(without), row["name"]
        if isinstance(answer, Allocation):
            world = oracle.World.of(question.supply, question.nodes[0], question.claims, selectors)
            assert oracle.problems(world, answer.claims) == []
            given_beside += overlap(first, second)
    assert given_beside > 2


def partitions(row: dict[str, Any], draw: Random) -> list[dict[str, Any]]:
    """The devices that draw on one counter set, drawn among all."""
    by_set: dict[str, list[dict[str, Any]]] = {}
    for published in row["slices"]:
        for made in published["spec"].get("devices", ()):
            for use in made.get("consumesCounters", ()):
                by_set.setdefault(use["counterSet"], []).append(made)
    return draw.choice(list(by_set.values()))


def overlap(first: dict[str, Any], second: dict[str, Any]) -> bool:
    mine, others = (one["consumesCounters"][0]["counters"].keys() for one in (first, second))
    return bool(mine & others - {"compute"})
