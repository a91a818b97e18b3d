"""Device taints and tolerations."""

import pytest

from aliquot.allocation.rules.device_taints import blocking_taints, tolerates
from aliquot.dra.claim import DeviceToleration
from aliquot.dra.device import Device, DeviceTaint


@pytest.mark.parametrize(
    ("toleration", "tolerated"),
    [
        (DeviceToleration("k", "Equal", "v"), True),
        (DeviceToleration("k", "", "v"), True),
        (DeviceToleration("k", "Equal", "w"), False),
        (DeviceToleration("k", "Exists"), True),
        (DeviceToleration("", "Exists"), True),
        (DeviceToleration("", "Equal", "v"), True),
        (DeviceToleration("j", "Exists"), False),
        (DeviceToleration("k", "Exists", effect="NoSchedule"), True),
        (DeviceToleration("k", "Exists", effect="NoExecute"), False),
        (DeviceToleration("k", "Matches", "v"), False),
    ],
)
def test_tolerates(toleration: DeviceToleration, *, tolerated: bool) -> None:
    assert tolerates(toleration, DeviceTaint("k", "NoSchedule", "v")) == tolerated


def test_only_known_effects_block() -> None:
    taints = tuple(DeviceTaint(effect, effect) for effect in ("None", "NoSchedule", "NoExecute", "Later"))
    blocking = blocking_taints(Device("d", taints=taints), [DeviceToleration("NoExecute", "Exists")])
    assert [taint.key for taint in blocking] == ["NoSchedule"]
