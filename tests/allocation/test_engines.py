"""Ready-made engines."""

from aliquot.allocation.engines import ExactEngines, ReferenceEngines
from aliquot.allocation.inputs import Engine, Supply
from scenarios.nouns.supplies import NODE, claim, device, pool, request, supply


def check(engine: Engine) -> None:
    answer = engine.allocate(NODE, [claim(request("r"))])
    assert not hasattr(answer, "category"), answer


def test_the_reference_is_new_for_each_pod_and_keeps_verdicts() -> None:
    engines = ReferenceEngines(budget=7)
    offered = supply(pool(device("d")))
    first, second = engines(offered, "1.36"), engines(offered, "1.36")
    check(first)
    assert first is not second
    assert first.selectors is second.selectors
    assert (first.budget, first.behaviour.name) == (7, "1.36")
    assert first.scenes is second.scenes
    later = engines(offered, "1.37")
    assert later.selectors is not first.selectors
    assert later.scenes is not first.scenes


def test_exact_stays_for_its_supply() -> None:
    engines = ExactEngines()
    offered: Supply = supply(pool(device("d")))
    first = engines(offered, "1.36")
    check(first)
    assert engines(offered, "1.36") is first
    assert engines(supply(pool(device("d"))), "1.36") is not first
