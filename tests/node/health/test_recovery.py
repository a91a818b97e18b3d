"""When a GPU is good again."""

from dataclasses import replace
from typing import Any

import pytest

from aliquot.devices.gpu import Recovery
from aliquot.devices.survey import Silence, Survey, Trouble, Unreadable, Xid
from aliquot.node.health.hearing import heard
from aliquot.node.health.policy import Policy
from aliquot.node.health.probing import begun, blinded, probed, was_reset
from aliquot.node.health.states import NodeHealth, decode, encode
from aliquot.node.health.telling import news, remembered, told
from aliquot.sharing.publish.options import Options
from aliquot.sharing.publish.pools import published
from tests.node.health.conftest import Clock, preset

SURVEY = preset("hgx-h100").survey()
GPU = SURVEY.gpus[2]


def seen(**changes: Any) -> Survey:
    """As GPU 2 is now."""
    gpu = replace(GPU, **changes)
    return replace(SURVEY, gpus=(*SURVEY.gpus[:2], gpu, *SURVEY.gpus[3:]))


def without(silence: Silence | None = Silence.LOST) -> Survey:
    """GPU 2 is silent, or in no list at all."""
    lost = Unreadable(index=2, trouble=Trouble(message="the GPU is lost"), pci=GPU.pci, silence=silence or Silence.LOST)
    return replace(SURVEY, gpus=(*SURVEY.gpus[:2], *SURVEY.gpus[3:]), unreadable=(lost,) if silence else ())


def taints(health: NodeHealth, policy: Policy | None = None) -> list[str]:
    return [f"{one.key}={one.value}:{one.effect}" for one in told(health, policy or Policy())[GPU.uuid].taints.gpu]


def drained(clock: Clock, number: int = 79) -> NodeHealth:
    health = begun(NodeHealth(), SURVEY, clock(), Policy())
    return heard(health, [Xid(gpu=GPU.uuid, number=number)], clock(), Policy())


XID = ["gpu.nvidia.com/xid=79:NoSchedule"]


@pytest.mark.parametrize("policy", [Policy(), Policy(drained_s=600), Policy(after_reset=False)], ids=str)
@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize("waits", [599.0, 600.0])
@pytest.mark.parametrize(
    ("now", "may"),
    [
        ({"recovery": Recovery.NONE}, True),
        ({"recovery": None}, True),
        ({"recovery": Recovery.NONE, "rows_failed": True}, False),
        ({"recovery": Recovery.NONE, "uncorrected_errors": 1}, False),
        ({"recovery": Recovery.RESET}, False),
    ],
)
def test_a_draining_xid(
    clock: Clock, policy: Policy, reset: bool, waits: float, now: dict[str, Any], may: bool
) -> None:
    """Over once the driver wants nothing and there was a reset, or time has passed where the policy says so."""
    health = drained(clock)
    if reset:
        health = was_reset(health, GPU.uuid)
    clock.later(waits)
    health = probed(health, seen(**now), clock(), policy)
    by_reset = reset and policy.after_reset
    by_time = policy.drained_s is not None and waits >= policy.drained_s and now["recovery"] is Recovery.NONE
    over = may and (by_reset or by_time)
    assert ([one for one in taints(health, policy) if "/xid" in one] == []) is over


def test_started_again(clock: Clock) -> None:
    health = drained(clock)
    assert taints(probed(health, SURVEY, clock(), Policy(after_reset=False))) == XID
    clock.rebooted()
    assert taints(begun(health, SURVEY, clock(), Policy(after_reset=False))) == []


@pytest.mark.parametrize(
    ("before", "after", "over"),
    [
        ({"uncorrected_errors": 3}, {"uncorrected_errors": 0}, True),  # counted since the driver was loaded
        ({"uncorrected_errors": 0}, {"uncorrected_errors": 0}, False),
        ({"recovery": Recovery.RESET}, {"recovery": Recovery.NONE}, True),
        ({"recovery": Recovery.NONE}, {"recovery": Recovery.NONE}, False),
        ({"recovery": Recovery.RESET}, {"recovery": Recovery.REBOOT}, False),
    ],
)
def test_signs_of_a_reset(clock: Clock, before: dict[str, Any], after: dict[str, Any], over: bool) -> None:
    health = probed(drained(clock), seen(**before), clock(), Policy())
    assert "gpu.nvidia.com/xid=79:NoSchedule" in taints(health)
    health = probed(health, seen(**after), clock(), Policy())
    assert (not [one for one in taints(health) if "/xid" in one]) is over


@pytest.mark.parametrize(
    ("silence", "taint", "verdict", "reset"),
    [
        (Silence.LOST, "gpu.nvidia.com/gpu-lost=lost:NoSchedule", "UNHEALTHY", True),
        (Silence.HUNG, "gpu.nvidia.com/gpu-lost=hung:NoSchedule", "UNHEALTHY", False),
        (Silence.NOT_COUNTED, "gpu.nvidia.com/gpu-lost=not-counted:NoSchedule", "UNHEALTHY", True),
        (None, "gpu.nvidia.com/gpu-lost=lost:NoSchedule", "UNHEALTHY", True),
        (Silence.UNTOLD, "gpu.nvidia.com/unmonitored=not-told:None", "UNKNOWN", False),
    ],
)
def test_silence(clock: Clock, silence: Silence | None, taint: str, verdict: str, reset: bool) -> None:
    """It stays published as it last stood; a GPU that comes back from where only a reset brings it was reset."""
    start = begun(NodeHealth(), SURVEY, clock(), Policy())
    health = probed(start, without(silence), clock(), Policy())
    assert taints(health) == [taint]
    assert told(health, Policy())[GPU.uuid].verdict == verdict
    shown = remembered(without(silence), health)
    assert (len(shown.gpus), shown.gpus[2].uuid, shown.unreadable) == (8, GPU.uuid, ())
    hit = heard(health, [Xid(gpu=GPU.pci, number=79)], clock(), Policy())
    back = probed(hit, SURVEY, clock(), Policy())
    assert taints(back) == ([] if reset else XID)
    assert [each.good for each in news(health, probed(health, SURVEY, clock(), Policy()))] == [True]


def test_what_the_driver_says_stands_as_long_as_it_says_so(clock: Clock) -> None:
    start = begun(NodeHealth(), seen(rows_pending=True, uncorrected_errors=2), clock(), Policy())
    assert taints(start) == ["gpu.nvidia.com/memory=row-remap-pending:None"]
    assert told(start, Policy())[GPU.uuid].message == (
        "a memory row waits to be remapped: reset the GPU when convenient; "
        "uncorrected memory errors since the driver was loaded: reset the GPU when convenient"
    )
    clock.later(60)
    worse = probed(
        start, seen(rows_failed=True, rows_pending=True, recovery=Recovery.DRAIN_AND_RESET), clock(), Policy()
    )
    stamped = {
        f"{one.key}={one.value}:{one.effect}": one.time_added for one in told(worse, Policy())[GPU.uuid].taints.gpu
    }
    assert stamped == {
        "gpu.nvidia.com/recovery=drain-and-reset:NoSchedule": "2026-05-28T20:27:40Z",
        "gpu.nvidia.com/memory=row-remap-failed:NoSchedule": "2026-05-28T20:27:40Z",
        "gpu.nvidia.com/memory=row-remap-pending:None": "2026-05-28T20:26:40Z",
    }
    assert taints(probed(worse, seen(recovery=Recovery.NONE), clock(), Policy())) == []


@pytest.mark.parametrize(("later", "left"), [(3599.0, ["gpu.nvidia.com/xid=13:None"]), (3600.0, [])])
def test_what_is_only_shown_goes_after_an_hour(clock: Clock, later: float, left: list[str]) -> None:
    health = drained(clock, 13)
    clock.later(later)
    assert taints(probed(health, SURVEY, clock(), Policy())) == left


def test_the_wall_clock_jumps(clock: Clock) -> None:
    """What waits goes by the machine's own clock; timeAdded stays what it was."""
    health = drained(clock, 13)
    added = told(health, Policy())[GPU.uuid].taints.gpu[0].time_added
    clock.moment = replace(clock.moment, wall=clock.moment.wall + 10 * 365 * 86400)
    health = probed(health, SURVEY, clock(), Policy())
    clock.moment = replace(clock.moment, wall=0.0)
    health = probed(health, SURVEY, clock(), Policy())
    assert [one.time_added for one in told(health, Policy())[GPU.uuid].taints.gpu] == [added]


def test_the_log_is_read_once(clock: Clock) -> None:
    """Where the driver tells what it wants, what is past is only shown; where it doesn't, the catalogue counts."""
    xids = (Xid(gpu=GPU.uuid, number=79), Xid(gpu=GPU.uuid, number=43))
    assert taints(begun(NodeHealth(), replace(SURVEY, xids=xids), clock(), Policy())) == ["gpu.nvidia.com/xid=79:None"]
    old = replace(seen(recovery=None), xids=xids)
    health = begun(NodeHealth(), old, clock(), Policy())
    assert taints(health) == XID
    cleared = probed(was_reset(health, GPU.uuid), old, clock(), Policy())
    assert taints(cleared) == []
    assert taints(begun(decode(encode(cleared)), old, clock(), Policy())) == []
    heard_then = heard(begun(NodeHealth(), SURVEY, clock(), Policy()), xids, clock(), Policy())
    cleared = probed(was_reset(heard_then, GPU.uuid), SURVEY, clock(), Policy())
    assert taints(begun(cleared, old, clock(), Policy())) == []


@pytest.mark.parametrize(
    ("silence", "verdict", "left"),
    [
        (Silence.LOST, "UNHEALTHY", []),
        (Silence.HUNG, "UNHEALTHY", XID),
        (Silence.UNTOLD, "UNKNOWN", XID),
        (None, "UNHEALTHY", []),
    ],
)
def test_no_driver_answers(clock: Clock, silence: Silence | None, verdict: str, left: list[str]) -> None:
    """One that was away was loaded anew; one that hung, or may not be asked, tells nothing of a reset."""
    away = replace(without(Silence.NOT_COUNTED), gpus=(), driver=None, driver_silence=silence)
    gone = probed(drained(clock), replace(away, troubles=(Trouble(message="it's away"),)), clock(), Policy())
    assert next(one.verdict for one in told(gone, Policy()).values()) == verdict
    assert told(gone, Policy())[GPU.uuid].verdict == "UNHEALTHY"  # by its XID
    assert taints(probed(gone, SURVEY, clock(), Policy())) == left


def test_a_driver_that_is_loaded_anew(clock: Clock) -> None:
    health = drained(clock)
    away = Survey(host="nvml", troubles=(Trouble(message="the kernel module isn't loaded"),))
    gone = probed(health, away, clock(), Policy())
    assert {one.verdict for one in told(gone, Policy()).values()} == {"UNHEALTHY"}
    assert taints(gone) == ["gpu.nvidia.com/xid=79:NoSchedule", "gpu.nvidia.com/gpu-lost=lost:NoSchedule"]
    shown = remembered(away, gone)
    assert (gone.blind, len(shown.gpus), shown.driver) == ("the kernel module isn't loaded", 8, SURVEY.driver)
    assert len(published(shown, {}, Options(node="n1", mig="static")).pools[0].devices) == 8
    back = probed(gone, SURVEY, clock(), Policy())
    assert (back.blind, {one.message for one in told(back, Policy()).values()}) == ("", {""})


def test_a_gpu_that_was_taken_out(clock: Clock) -> None:
    """In the same start of the machine it's lost; after the next one it's forgotten, once the driver answers."""
    start = begun(NodeHealth(), SURVEY, clock(), Policy())
    assert taints(probed(start, without(None), clock(), Policy())) == ["gpu.nvidia.com/gpu-lost=lost:NoSchedule"]
    clock.rebooted()
    away = begun(start, Survey(host="nvml", troubles=(Trouble(message="no driver"),)), clock(), Policy())
    assert len(away.gpus) == 8
    after = begun(away, without(None), clock(), Policy())
    assert (len(after.gpus), GPU.uuid in after.gpus) == (7, False)
    assert news(away, after)[-1].message == "the GPU is gone since the machine was started again"
    assert len(begun(away, without(Silence.NOT_COUNTED), clock(), Policy()).gpus) == 8


def test_no_answer_at_all(clock: Clock) -> None:
    health = blinded(drained(clock), "a look at the GPUs: no answer within 300 s", clock())
    assert taints(health) == [*XID, "gpu.nvidia.com/gpu-lost=hung:NoSchedule"]
    assert taints(probed(health, SURVEY, clock(), Policy())) == XID


def test_its_bytes(clock: Clock) -> None:
    health = probed(drained(clock), without(), clock(), Policy())
    assert decode(encode(health)) == health
    with pytest.raises(ValueError, match="no state of GPU health"):
        decode(b'{"gpus": 3}')
    with pytest.raises(ValueError, match="version 2; this program knows 1"):
        decode(encode(replace(health, version=2)))
