"""Every XID of NVIDIA's catalogue: what it makes of its GPU."""

from dataclasses import replace

import pytest

from aliquot.devices.survey import Xid
from aliquot.devices.xids import Action
from aliquot.dra.device import DeviceTaint
from aliquot.node.health.hearing import heard
from aliquot.node.health.policy import Policy, Repeat
from aliquot.node.health.probing import begun, probed
from aliquot.node.health.states import NodeHealth
from aliquot.node.health.telling import Told, told
from tests.node.health.conftest import Clock, preset

# facts/nvml.md 4.2, its last column: where peers ignore what the catalogue wants reset, the catalogue counts
NOTHING = (43, 45, 78, 121, 141, 154, 160, 162, 163, 164, 165, 176)
SHOWN = (13, 31, 32, 63, 68, 69, 74, 92, 94, 109, 137, 144, 145, 146, 147, 148, 157, 159, 161, 166, 170, 174, 175, 999)
DRAINED = (46, 48, 61, 62, 64, 79, 95, 110, 119, 120, 136, 140, 143, 149, 150, 151, 155, 156, 158)
DRAINED_TOO = (167, 168, 169, 171, 172, 173)


@pytest.fixture
def health(clock: Clock) -> NodeHealth:
    return begun(NodeHealth(), preset("hgx-h100").survey(), clock(), Policy())


def after(health: NodeHealth, clock: Clock, *xids: Xid, policy: Policy | None = None) -> list[Told]:
    policy = policy or Policy()
    return list(told(heard(health, xids, clock(), policy), policy).values())


def on(health: NodeHealth, place: int, number: int, gi: int | None = None) -> Xid:
    return Xid(gpu=list(health.gpus)[place], number=number, gi=gi)


@pytest.mark.parametrize(
    ("number", "effect"),
    [
        *((number, None) for number in NOTHING),
        *((number, "None") for number in SHOWN),
        *((number, "NoSchedule") for number in (*DRAINED, *DRAINED_TOO)),
    ],
)
def test_alone(health: NodeHealth, clock: Clock, number: int, effect: str | None) -> None:
    found = after(health, clock, on(health, 2, number))
    expected = (
        () if effect is None else (DeviceTaint("gpu.nvidia.com/xid", effect, str(number), "2026-05-28T20:26:40Z"),)
    )
    assert [one.taints.gpu for one in found] == [(), (), expected, (), (), (), (), ()]
    assert found[2].verdict == ("UNHEALTHY" if effect == "NoSchedule" else "HEALTHY")
    assert found[2].healthy is (effect != "NoSchedule")
    assert found[2].message.startswith(f"XID {number}" if effect else "")


@pytest.mark.parametrize(("number", "apart", "effects"), [
    (74, 3600.0, ["NoSchedule"]),
    (74, 3601.0, ["None"]),
    (109, 10.0, ["NoSchedule"]),
    (13, 10.0, ["None"]),
])  # fmt: skip
def test_again(health: NodeHealth, clock: Clock, number: int, apart: float, effects: list[str]) -> None:
    policy = Policy()
    once = heard(health, [on(health, 0, number)], clock(), policy)
    clock.later(apart)
    twice = told(heard(once, [on(health, 0, number)], clock(), policy), policy)
    (taint,) = next(iter(twice.values())).taints.gpu
    assert ([taint.effect], taint.value) == (effects, str(number))


def test_what_keeps_off_is_not_made_less(health: NodeHealth, clock: Clock) -> None:
    policy = Policy()
    drained = heard(health, [on(health, 0, 109), on(health, 0, 109)], clock(), policy)
    clock.later(7200)
    alone = told(heard(drained, [on(health, 0, 109)], clock(), policy), policy)
    assert [one.effect for one in next(iter(alone.values())).taints.gpu] == ["NoSchedule"]


def test_why_it_is_too_often(health: NodeHealth, clock: Clock) -> None:
    found = after(health, clock, on(health, 0, 109), on(health, 0, 109))
    assert found[0].message == "XID 109: a context switch took too long: reset it (2 times within 60 minutes)"


def test_the_first_stays_until_it_is_over(health: NodeHealth, clock: Clock) -> None:
    policy = Policy()
    once = heard(health, [on(health, 0, 48)], clock(), policy)
    clock.later(60)
    twice = told(heard(once, [on(health, 0, 79), on(health, 0, 48)], clock(), policy), policy)
    first = next(iter(twice.values()))
    assert first.taints.gpu == (DeviceTaint("gpu.nvidia.com/xid", "NoSchedule", "48", "2026-05-28T20:26:40Z"),)
    assert first.message == (
        "XID 48: double-bit memory error: reset it; "
        "XID 79: the GPU fell off the bus: reboot the machine, a reset doesn't help"
    )


def test_one_instance_is_blamed(clock: Clock) -> None:
    policy = Policy()
    health = begun(NodeHealth(), preset("mixed").survey(), clock(), policy)
    found = after(health, clock, on(health, 0, 94, gi=2), on(health, 0, 13, gi=11))[0]
    assert (found.taints.gpu, found.verdict) == ((), "HEALTHY")
    assert {gi: [(one.effect, one.value) for one in taints] for gi, taints in found.taints.instances.items()} == {
        2: [("None", "94")],
        11: [("None", "13")],
    }
    assert found.message.startswith("instance 2: XID 94: ")
    survey = preset("mixed").survey()
    first, second = survey.gpus[0].instances
    gone = replace(survey, gpus=(replace(survey.gpus[0], instances=(second,)), *survey.gpus[1:]))
    blamed = heard(health, [on(health, 0, 94, gi=first.id), on(health, 0, 13, gi=second.id)], clock(), policy)
    left = told(probed(blamed, gone, clock(), policy), policy)[gone.gpus[0].uuid]
    assert list(left.taints.instances) == [second.id]  # the next one at the first's place is another
    everywhere = after(health, clock, on(health, 0, 95, gi=2))[0]
    assert [(one.effect, one.value) for one in everywhere.taints.gpu] == [("NoSchedule", "95")]


def test_by_policy(health: NodeHealth, clock: Clock) -> None:
    policy = Policy(
        actions={79: Action.IGNORE, 13: Action.DRAIN},
        repeats={31: Repeat(times=3, within_s=60)},
        effects={"gpu.nvidia.com/xid": "NoExecute"},
    )
    xids = [on(health, 0, 79), on(health, 1, 13), *[on(health, 2, 31)] * 2, *[on(health, 3, 31)] * 3]
    found = after(health, clock, *xids, policy=policy)
    assert [[(one.effect, one.value) for one in each.taints.gpu] for each in found[:4]] == [
        [],
        [("NoExecute", "13")],
        [("None", "31")],
        [("NoExecute", "31")],
    ]


def test_of_a_gpu_that_nobody_named(health: NodeHealth, clock: Clock) -> None:
    found = after(health, clock, Xid(gpu=None, number=79), Xid(gpu="GPU-foreign", number=79))
    assert all(not one.taints.gpu for one in found)
    by_place = after(health, clock, Xid(gpu="0000:1b:00.0", number=79))  # a lost one's log has only its address
    assert [bool(one.taints.gpu) for one in by_place][:2] == [True, False]
