"""Pools cut into slices: within the limits of every release, and one slice's change for one device's change.

What the API server would refuse is judged by `scenarios.api.slice_limits`, which knows nothing of the packer.
"""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.dra.device import Attribute, Capacity, CounterSet, CounterUse, Device, DeviceTaint, Slice
from aliquot.dra.slices.packing import pack
from aliquot.dra.slices.pool import Packed, Pool, Unfit
from aliquot.dra.write import slice_json
from aliquot.kube.meta import Meta
from aliquot.kube.release import Kubernetes
from aliquot.units.quantity import Quantity
from scenarios.api.slice_limits import complaints

ONE = Quantity.of(1)
PARTITIONABLE, TAINTS = "DRAPartitionableDevices", "DRADeviceTaints"
RELEASES = (34, 35, 36, 37)
TAINT = DeviceTaint("example.com/bad", "NoSchedule", "79")


def server(minor: int) -> Kubernetes:
    """One with every gate on that a release has."""
    return Kubernetes(minor).changed(((PARTITIONABLE, True), (TAINTS, True), ("DRAConsumableCapacity", True)))


def plain(name: str) -> Device:
    return Device(name, {"index": Attribute("int", 1)})


def divided(number: int, parts: int, counters: int = 15) -> tuple[CounterSet, list[Device]]:
    """A GPU of so many partitions, as a driver publishes it."""
    of_gpu = CounterSet(f"set-{number}", {f"c-{each}": ONE for each in range(counters)})
    names = [f"gpu-{number}-part-{part}" for part in range(parts)]
    return of_gpu, [
        Device(name, consumes=(CounterUse(of_gpu.name, {f"c-{at % counters}": ONE}),)) for at, name in enumerate(names)
    ]


def pool_of(*gpus: tuple[CounterSet, list[Device]], plains: Sequence[Device] = ()) -> Pool:
    devices = [*plains, *(device for _, devices in gpus for device in devices)]
    return Pool(
        driver="gpu.example.com",
        name="n1",
        node="n1",
        devices=tuple(devices),
        counter_sets=tuple(one for one, _ in gpus),
    )


def packed(pool: Pool, minor: int, before: Sequence[Slice] = ()) -> Packed:
    found = pack(pool, server(minor), before)
    assert isinstance(found, Packed), found
    assert complaints([slice_json(one) for one in found.slices], minor, dropped=False) == []
    assert sorted(device.name for one in found.slices for device in one.devices) == sorted(
        device.name for device in pool.devices
    )
    assert sorted(each.name for one in found.slices for each in one.shared_counters) == sorted(
        each.name for each in pool.counter_sets
    )
    return found


def with_device(pool: Pool, name: str, **changes: object) -> Pool:
    return replace(
        pool,
        devices=tuple(replace(one, **changes) if one.name == name else one for one in pool.devices),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("minor", RELEASES)
def test_twelve_divided_gpus(minor: int) -> None:
    """T5: 12 GPUs of 26 devices, 15 counters each."""
    pool = pool_of(*(divided(number, 26) for number in range(12)))
    slices = packed(pool, minor).slices
    with_sets = [one for one in slices if one.shared_counters]
    assert {(one.generation, one.slice_count, one.node_name) for one in slices} == {(1, len(slices), "n1")}
    if minor == 34:
        assert len(slices) == 12
        assert [(len(one.shared_counters), len(one.devices)) for one in slices] == [(1, 26)] * 12
    else:
        assert [len(one.shared_counters) for one in with_sets] == [8, 4]
        assert [len(one.devices) for one in slices if one not in with_sets] == [26] * 12


@pytest.mark.parametrize("minor", RELEASES)
def test_one_devices_change_is_one_slices_change(minor: int) -> None:
    pool = pool_of(*(divided(number, 26) for number in range(3)), plains=[plain(f"gpu-{n}") for n in range(3, 130)])
    before = packed(pool, minor).slices
    for name in ("gpu-1-part-3", "gpu-77"):
        tainted = with_device(pool, name, taints=(TAINT,))
        after = packed(tainted, minor, before)
        assert len(after.written) == 1
        assert after.removed == ()
        assert {one.generation for one in after.slices} == {1}
        (changed,) = [one for one in after.slices if one.meta.name in after.written]
        assert name in {device.name for device in changed.devices}
        withdrawn = replace(pool, devices=tuple(one for one in pool.devices if one.name != name))
        assert len(packed(withdrawn, minor, after.slices).written) == 1
        back = packed(pool, minor, packed(withdrawn, minor, after.slices).slices)
        assert len(back.written) == 1
        assert packed(pool, minor, before).written == ()


@pytest.mark.parametrize("minor", RELEASES)
def test_a_gpu_that_goes_and_comes_back_keeps_its_slice(minor: int) -> None:
    pool = pool_of(plains=[plain("gpu-0")])
    before = packed(pool, minor).slices
    gone = packed(replace(pool, devices=()), minor, before)
    assert [(len(one.devices), one.generation, one.meta.name) for one in gone.slices] == [
        (0, 1, "00000-gpu.example.com-n1")
    ]
    assert packed(replace(pool, devices=()), minor).slices == gone.slices  # no devices is one empty slice
    assert packed(pool, minor, gone.slices).slices == before


def test_more_than_one_change_is_a_new_generation_of_everything() -> None:
    pool = pool_of(divided(0, 4), divided(1, 4))
    before = packed(pool, 36).slices
    both = with_device(with_device(pool, "gpu-0-part-0", taints=(TAINT,)), "gpu-1-part-0", taints=(TAINT,))
    after = packed(both, 36, before)
    assert set(after.written) == {one.meta.name for one in before}
    assert {one.generation for one in after.slices} == {2}
    grown = packed(pool_of(divided(0, 4), divided(1, 4), divided(2, 4)), 36, before)
    assert [one.meta.name for one in grown.slices][:3] == [one.meta.name for one in before]
    assert {(one.generation, one.slice_count) for one in grown.slices} == {(2, 4)}


def test_empty_slices_go_with_the_next_generation() -> None:
    pool = pool_of(divided(0, 4), plains=[plain("gpu-1")])
    before = packed(pool, 36).slices
    without = packed(pool_of(divided(0, 4)), 36, before)
    assert [len(one.devices) for one in without.slices] == [0, 0, 4]
    assert without.removed == ()
    # both sets fit into one slice, the new GPU takes the empty one's place
    refilled = packed(pool_of(divided(0, 4), divided(1, 4)), 36, without.slices)
    assert len(refilled.slices) == 3
    smaller = packed(pool_of(divided(0, 4), divided(1, 4, counters=3), divided(2, 4)), 36, refilled.slices)
    gone = packed(pool_of(divided(2, 5)), 36, smaller.slices)
    assert {one.generation for one in gone.slices} == {max(one.generation for one in smaller.slices) + 1}
    assert [len(one.devices) for one in gone.slices] == [0, 5]
    assert len(gone.removed) == 2


def test_an_upgrade_of_the_server_changes_the_layout() -> None:
    pool = pool_of(divided(0, 26), divided(1, 26), plains=[plain("gpu-2")])
    older = packed(pool, 34).slices
    newer = packed(pool, 36, older)
    assert len(newer.slices) == 4
    assert {one.generation for one in newer.slices} == {2}
    assert packed(pool, 34, newer.slices).slices[0].generation == 3


def test_a_taint_keeps_the_time_when_it_was_added() -> None:
    pool = with_device(pool_of(plains=[plain("gpu-0")]), "gpu-0", taints=(TAINT,))
    first = packed(pool, 36).slices[0]
    (device,) = first.devices
    published = replace(
        first,
        meta=Meta(first.meta.name, uid="u-1", resource_version="7"),
        devices=(replace(device, taints=(replace(TAINT, time_added="2026-12-01T10:00:00Z"),)),),
    )
    again = packed(pool, 36, [published])
    assert again.written == ()
    assert again.slices == (published,)
    other = with_device(pool, "gpu-0", taints=(TAINT, replace(TAINT, value="48", effect="NoExecute")))
    (device,) = packed(other, 36, [published]).slices[0].devices
    assert [taint.time_added for taint in device.taints] == ["2026-12-01T10:00:00Z", None]
    assert slice_json(packed(other, 36, [published]).slices[0])["metadata"]["resourceVersion"] == "7"


def test_slices_of_others_are_left_alone() -> None:
    pool = pool_of(plains=[plain("gpu-0")])
    foreign = [
        replace(packed(pool, 36).slices[0], driver="other.example.com"),
        replace(packed(pool, 36).slices[0], node_name="n2"),
    ]
    found = packed(pool, 36, foreign)
    assert (len(found.slices), found.removed) == (1, ())


def test_a_slice_of_mixed_content_is_made_anew() -> None:
    pool = pool_of(divided(0, 2), plains=[plain("gpu-1")])
    mixed = Slice(
        Meta("gpu-node-x7k2p"), "gpu.example.com", "n1", 4, 1, "n1", devices=tuple(pool.devices)
    )  # as another publisher may have left it
    found = packed(pool, 36, [mixed])
    assert found.removed == ("gpu-node-x7k2p",)
    assert {one.generation for one in found.slices} == {5}
    named = replace(mixed, devices=(plain("gpu-1"),))
    kept = packed(pool_of(plains=[plain("gpu-1"), plain("gpu-2")]), 36, [named])
    assert [one.meta.name for one in kept.slices] == ["gpu-node-x7k2p"]


def test_long_names_of_nodes() -> None:
    node = ".".join(["a" * 50] * 5)[:253]
    pool = replace(pool_of(plains=[plain("gpu-0")]), name=node, node=node)
    (one,) = packed(pool, 36).slices
    assert len(one.meta.name) == 253


@pytest.mark.parametrize(
    ("pool", "minor", "words"),
    [
        (pool_of(plains=[plain("gpu-0"), plain("gpu-0")]), 36, "2 devices are called gpu-0"),
        (pool_of(divided(0, 1), divided(0, 0)), 36, "2 counter sets are called set-0"),
        (pool_of(divided(0, 1, counters=33)), 36, "counter set set-0 has 33 counters, at most 32 are allowed"),
        (pool_of((CounterSet("empty", {}), [])), 36, "counter set empty has no counters"),
        (
            pool_of(plains=[Device("gpu-0", {f"a{n}": Attribute("int", n) for n in range(33)})]),
            36,
            "device gpu-0 has 33 attributes and capacities, at most 32 are allowed",
        ),
        (
            pool_of(plains=[Device("gpu-0", {"long": Attribute("string", "x" * 65)})]),
            36,
            "the value of long has more than 64 letters",
        ),
        (
            pool_of(plains=[Device("gpu-0", {"list": Attribute("strings", ("a", "x" * 65))})]),
            36,
            "the value of list has more than 64 letters",
        ),
        (
            pool_of(plains=[Device("gpu-0", taints=tuple(replace(TAINT, key=f"a/{n}") for n in range(5)))]),
            34,
            "device gpu-0 has 5 taints, at most 4 are allowed",
        ),
        (
            pool_of(plains=[Device("gpu-0", consumes=(CounterUse("none", {"c": ONE}),))]),
            36,
            "device gpu-0 draws on counter set none, which isn't there",
        ),
        (
            pool_of(divided(0, 1), plains=[Device("gpu-9", consumes=(CounterUse("set-0", {"x": ONE}),))]),
            36,
            "device gpu-9 draws on x, which set-0 doesn't have",
        ),
        (
            pool_of(divided(0, 129)),
            34,
            "counter set set-0 and what draws on it need one slice, but that's 129 devices of at most 128",
        ),
        (
            pool_of(
                divided(0, 1, counters=20),
                divided(1, 1, counters=20),
                plains=[Device("both", consumes=tuple(CounterUse(f"set-{n}", {"c-0": ONE}) for n in (0, 1)))],
            ),
            34,
            "but that's 40 counters of at most 32",
        ),
    ],
)
def test_what_no_slicing_cures(pool: Pool, minor: int, words: str) -> None:
    found = pack(pool, server(minor))
    assert isinstance(found, Unfit)
    assert any(words in reason for reason in found.reasons), found.reasons


def test_what_a_server_would_drop_is_not_sent() -> None:
    pool = with_device(
        pool_of(divided(0, 1), plains=[replace(plain("gpu-1"), allow_multiple=True)]), "gpu-1", taints=(TAINT,)
    )
    found = pack(pool, Kubernetes(35))
    assert isinstance(found, Unfit)
    assert found.reasons == tuple(
        f"Kubernetes 1.35 would drop what needs the feature gate {gate}, which is off"
        for gate in (PARTITIONABLE, TAINTS, "DRAConsumableCapacity")
    )


def test_devices_that_draw_on_two_sets_stay_together_where_they_must() -> None:
    both = Device("both", consumes=tuple(CounterUse(f"set-{number}", {"c-0": ONE}) for number in (0, 1)))
    pool = pool_of(divided(0, 2, counters=8), divided(1, 2, counters=8), divided(2, 2), plains=[both])
    slices = packed(pool, 34).slices
    assert sorted(len(one.shared_counters) for one in slices) == [1, 2]
    assert packed(pool, 34, slices).written == ()
    packed(pool, 37)


def test_capacities_with_policies_are_written() -> None:
    from aliquot.dra.device import RequestPolicy, ValidRange

    shared = Device(
        "gpu-0",
        capacity={
            "memory": Capacity(Quantity.parse("40Gi"), RequestPolicy(ONE, valid_range=ValidRange(min=ONE))),
            "shares": Capacity(Quantity.of(4), RequestPolicy(valid_values=(ONE, Quantity.of(2)))),
        },
        allow_multiple=True,
    )
    (written,) = slice_json(packed(pool_of(plains=[shared]), 36).slices[0])["spec"]["devices"]
    assert written["allowMultipleAllocations"] is True
    assert written["capacity"] == {
        "memory": {"value": "40Gi", "requestPolicy": {"default": "1", "validRange": {"min": "1"}}},
        "shares": {"value": "4", "requestPolicy": {"validValues": ["1", "2"]}},
    }


@st.composite
def histories(draw: st.DrawFn) -> tuple[int, list[Pool]]:
    """A release, and a pool as it changes: GPUs are divided, undivided, tainted, lost."""
    pools = []
    for _ in range(draw(st.integers(1, 4))):
        kinds = draw(st.lists(st.sampled_from(["plain", "divided", "tainted", "gone"]), max_size=90))
        gpus = [
            divided(number, draw(st.integers(1, 30)), draw(st.integers(1, 20)))
            for number, kind in enumerate(kinds[:12])
            if kind == "divided"
        ]
        plains = [plain(f"gpu-{number}") for number, kind in enumerate(kinds) if kind in {"plain", "tainted"}]
        tainted = {f"gpu-{number}" for number, kind in enumerate(kinds) if kind == "tainted"}
        plains = [replace(one, taints=(TAINT,)) if one.name in tainted else one for one in plains]
        pools.append(pool_of(*gpus, plains=plains))
    return draw(st.sampled_from(RELEASES)), pools


@pytest.mark.law
@given(histories())
def test_whatever_happens_the_slices_are_right(history: tuple[int, list[Pool]]) -> None:
    minor, pools = history
    slices: tuple[Slice, ...] = ()
    for pool in pools:
        found = packed(pool, minor, slices)
        by_name = {one.meta.name: one for one in slices}
        assert {one.meta.name for one in found.slices} >= set(found.written)
        assert all(by_name[one.meta.name] == one for one in found.slices if one.meta.name not in found.written)
        assert set(found.removed) == set(by_name) - {one.meta.name for one in found.slices}
        if slices and len(found.written) > 1:
            assert found.slices[0].generation == slices[0].generation + 1
        assert packed(pool, minor, found.slices).written == ()  # and then it's quiet
        slices = found.slices
