"""A smallest set of requirements that can't hold together."""

from dataclasses import replace

import pytest

from aliquot.allocation.behaviour import REPAIRED
from aliquot.allocation.inputs import AllocatedState, Engine, Holder, Supply
from aliquot.allocation.story.conflict import MOST, smallest_conflict
from aliquot.dra.claim import Claim, Constraint
from aliquot.dra.device import DeviceId, DeviceTaint
from scenarios.nouns.supplies import (
    DRIVER,
    NODE,
    claim,
    device,
    distinct,
    engine,
    first_of,
    match,
    pool,
    recipe,
    request,
    supply,
)

KIND = f"device.attributes['{DRIVER}'].kind"


def make(offered: Supply) -> Engine:
    return engine(offered, REPAIRED)


def conflict(offered: Supply, *claims: Claim) -> tuple[str, ...]:
    return smallest_conflict(offered, NODE, claims, make)


def test_too_few_devices() -> None:
    wanted = claim(request("a"), request("b", f"{KIND} == 'x'"))
    assert conflict(supply(pool(device("d", kind="x"))), wanted) == (
        "default/c: request a wants 1 of any",
        "default/c: request b wants 1 of any",
    )


def test_a_holder_is_named_if_it_matters() -> None:
    held = DeviceId(DRIVER, "p", "d")
    state = AllocatedState(frozenset({held}), holders={held: (Holder("ml/train"),)})
    told = conflict(supply(pool(device("d")), state=state), claim(request("r")))
    assert told == ("claim ml/train keeps drv.example.com/p/d", "default/c: request r wants 1 of any")
    unknown = conflict(supply(pool(device("d")), taken=["d"]), claim(request("r")))
    assert unknown[0] == "another claim keeps drv.example.com/p/d"


def test_taints_and_selectors() -> None:
    tainted = replace(device("d", kind="x"), taints=(DeviceTaint("t", "NoSchedule"),))
    told = conflict(supply(pool(tainted, device("e", kind="y"))), claim(first_of("r", recipe("s", f"{KIND} == 'x'"))))
    assert told == (
        "taints of devices count",
        f"default/c: request r/s wants {KIND} == 'x'",
        "default/c: request r wants 1 of any",
    )


@pytest.mark.parametrize(
    ("constraint", "told"),
    [
        (match(f"{DRIVER}/kind"), "all requests match in drv.example.com/kind"),
        (distinct(f"{DRIVER}/one", "a", "b"), "requests a, b differ in drv.example.com/one"),
    ],
)
def test_constraints(constraint: Constraint, told: str) -> None:
    offered = supply(pool(device("d", kind="x", one=1), device("e", kind="y", one=1)))
    wanted = claim(request("a"), request("b"), constraints=[constraint])
    assert conflict(offered, wanted) == (
        f"default/c: {told}",
        "default/c: request a wants 1 of any",
        "default/c: request b wants 1 of any",
    )


def test_all_is_told_as_all() -> None:
    told = conflict(supply(pool(device("d")), taken=["d"]), claim(request("r", mode="All")))
    assert told[-1] == "default/c: request r wants all of any"


def test_no_set_where_claims_fit_or_are_broken_or_are_too_many() -> None:
    assert conflict(supply(pool(device("d"))), claim(request("r"))) == ()
    assert conflict(supply(pool(device("d"))), claim(request("r", "nope"))) == ()
    many = [claim(*(request(f"r{number}") for number in range(MOST + 1)))]
    assert conflict(supply(pool(device("d"))), *many) == ()


def test_a_request_without_a_recipe_is_no_recipe() -> None:
    assert conflict(supply(pool(device("d"))), claim(first_of("none"))) == ()
