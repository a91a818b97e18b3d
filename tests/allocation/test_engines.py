"""Ready-made engines."""

from aliquot.allocation.answer import Allocation
from aliquot.allocation.engines import Engines
from aliquot.allocation.inputs import Engine, Supply
from aliquot.kube.release import Kubernetes
from scenarios.nouns.supplies import NODE, claim, device, pool, request, supply


def given_by(engine: Engine) -> list[str]:
    answer = engine.allocate(NODE, [claim(request("r"))])
    assert isinstance(answer, Allocation)
    return [one.device.device for one in answer.claims[0].results]


def test_the_reference_is_new_for_each_pod_and_keeps_verdicts() -> None:
    engines = Engines(Kubernetes(36), budget=7)
    offered = supply(pool(device("d")))
    first, second = engines.reference(offered), engines.reference(offered)
    assert given_by(first) == ["d"]
    assert first is not second
    assert first.selectors is second.selectors
    assert (first.budget, first.behaviour.name) == (7, "1.36")
    assert first.scenes is second.scenes
    later = engines.reference(supply(pool(device("e"))))
    assert later.selectors is first.selectors
    assert later.scenes is not first.scenes


def test_exact_stays_for_its_supply() -> None:
    engines = Engines(Kubernetes(36))
    offered: Supply = supply(pool(device("d")))
    first = engines.exact(offered)
    assert given_by(first) == ["d"]
    assert engines.exact(offered) is first
    assert engines.exact(supply(pool(device("d")))) is not first
