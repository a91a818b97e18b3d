"""DeviceTaintRules in slices."""

import pytest

from aliquot.allocation.rules.device_taint_rules import tainted_slices
from aliquot.dra.device import DeviceTaint, TaintRule
from aliquot.kube.meta import Meta
from scenarios.nouns.supplies import DRIVER, device, pool

TAINT = DeviceTaint("maintenance", "NoSchedule")


@pytest.mark.parametrize(
    ("driver", "pool_name", "name", "tainted"),
    [
        (None, None, None, ["a", "b"]),
        (DRIVER, "p", None, ["a", "b"]),
        (DRIVER, "p", "b", ["b"]),
        (None, None, "a", ["a"]),
        ("other", None, None, []),
        (DRIVER, "q", None, []),
        (None, None, "c", []),
    ],
)
def test_a_rule_names_driver_pool_and_device(
    driver: str | None, pool_name: str | None, name: str | None, tainted: list[str]
) -> None:
    before = pool(device("a"), device("b"))
    (after,) = tainted_slices([before], [TaintRule(Meta("r"), TAINT, driver, pool_name, name)])
    assert [one.name for one in after.devices if TAINT in one.taints] == tainted
    assert (after is before) == (not tainted)


def test_a_rules_taint_comes_behind_the_devices_own() -> None:
    from dataclasses import replace

    own = DeviceTaint("own", "None")
    before = pool(replace(device("a"), taints=(own,)))
    (after,) = tainted_slices([before], [TaintRule(Meta("r"), TAINT), TaintRule(Meta("s"), TAINT, device="a")])
    assert after.devices[0].taints == (own, TAINT, TAINT)
