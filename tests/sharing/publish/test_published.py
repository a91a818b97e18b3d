"""What a host publishes, where a command has no way to say it: instances of claims, and drivers that tell little."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from aliquot.devices.gpu import ComputeMode, Gpu, Memory, Recovery
from aliquot.devices.instances import ComputeInstance, Instance, MigMode
from aliquot.devices.links import Nic
from aliquot.devices.mig import Geometry, Placement, geometry
from aliquot.devices.survey import Driver, Survey, Xid
from aliquot.dra.device import DeviceTaint
from aliquot.kube.release import Kubernetes
from aliquot.sharing.publish.options import Options
from aliquot.sharing.publish.pools import Published, published

A100 = "A100-40GB"
UUID = "GPU-00000000-0000-0000-0000-000000000001"


def cut(key: str = A100) -> Geometry:
    found = geometry(key)
    assert found is not None
    return found


def gpu(*instances: Instance, mig: bool = True, **changes: object) -> Gpu:
    made = Gpu(
        index=0,
        uuid=UUID,
        name="NVIDIA A100-SXM4-40GB",
        pci="0000:07:00.0",
        minor=0,
        memory=Memory(total=40 << 30, used=0),
        mig=MigMode(mig, mig),
        instances=instances,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def instance(place: Placement, number: int = 1, **changes: object) -> Instance:
    profile = cut().profile(place.profile)
    made = Instance(
        id=number,
        profile=place.profile,
        profile_id=9 if profile is None or profile.profile_id is None else profile.profile_id,
        start=place.start,
        size=4 if profile is None else profile.memory_slices,
        compute=(ComputeInstance(id=0, uuid="MIG-1"),),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def offered(
    one: Gpu, geometries: Mapping[str, Geometry] | None = None, *, xids: tuple[Xid, ...] = (), **options: object
) -> Published:
    survey = Survey(host="test", driver=Driver(version="580.65.06"), gpus=(one,), xids=xids)
    known = {UUID: cut()} if geometries is None else geometries
    return published(survey, known, replace(Options(node="n1", kubernetes=Kubernetes(36)), **options))  # type: ignore[arg-type]


def names(found: Published) -> set[str]:
    return {device.name for device in found.gpus.devices}


def left_out(found: Published) -> list[str]:
    return [str(one) for one in found.left_out]


def test_an_instance_that_was_made_for_a_claim_leaves_everything_on_offer() -> None:
    place = Placement(0, "3g.20gb")
    undivided = offered(gpu())
    assert len(names(undivided)) == 25  # and not the whole one: switching MIG off takes a reset
    own = offered(gpu(instance(place)), own={UUID: [place]})
    assert own == undivided  # its claim holds its place: the scheduler counts
    assert names(offered(gpu(instance(place)), own={UUID: [place]}, mig="static")) == set()
    other = Placement(4, "3g.20gb")
    both = offered(gpu(instance(place), instance(other, 2)), own={UUID: [place]})
    assert "gpu-0-mig-3g20gb-9-4" in names(both)
    assert "gpu-0-mig-4g20gb-5-0" in names(both)
    assert "gpu-0" not in names(both)
    standing = next(device for device in both.gpus.devices if device.name == "gpu-0-mig-3g20gb-9-4")
    assert standing.consumes == ()


def test_on_hopper_the_whole_gpu_stays_on_offer_while_mig_is_on_for_claims() -> None:
    place = Placement(0, "3g.40gb")
    hopper = gpu(name="NVIDIA H100 80GB HBM3", compute_capability="9.0")
    undivided = offered(hopper, {UUID: cut("H100-80GB")})
    assert len(names(undivided)) == 26
    held = replace(hopper, instances=(replace(instance(place), size=4, profile_id=9),))
    assert offered(held, {UUID: cut("H100-80GB")}, own={UUID: [place]}) == undivided
    assert "gpu-0" not in names(offered(held, {UUID: cut("H100-80GB")}))


@pytest.mark.parametrize("name", ["NVIDIA A100-SXM4-40GB", "NVIDIA H100 80GB HBM3"])
def test_a_gpu_whose_mig_mode_changes_at_the_next_reset_is_not_offered_as_a_whole(name: str) -> None:
    found = offered(replace(gpu(name=name), mig=MigMode(current=False, pending=True)))
    assert "gpu-0" not in names(found)
    assert left_out(found) == [
        "gpu-0 isn't published: MIG will be on after the next reset: the GPU can't be kept whole"
    ]


def test_a_gpu_that_no_program_may_use_is_not_offered_as_a_whole() -> None:
    found = offered(gpu(mig=False, compute_mode=ComputeMode.PROHIBITED))
    assert (names(found), left_out(found)) == (
        set(),
        ["gpu-0 isn't published: compute mode prohibited: no program may use it"],
    )


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"compute": ()}, "it has no compute instance: a leftover, which may be destroyed"),
        (
            {"compute": (ComputeInstance(id=0, uuid="MIG-1"), ComputeInstance(id=1, uuid="MIG-2"))},
            "it's divided further, into compute instances",
        ),
        ({"compute": (ComputeInstance(id=0),)}, "its UUID isn't known"),
        ({"start": None}, "where it lies isn't known: the agent needs more rights"),
    ],
)
def test_an_instance_that_cannot_be_given_away(changes: dict[str, object], why: str) -> None:
    found = offered(gpu(instance(Placement(0, "3g.20gb"), 7, **changes)))
    assert f"gpu-0, instance 7 (3g.20gb) isn't published: {why}" in left_out(found)
    assert "gpu-0-mig-3g20gb-9-0" not in names(found)
    assert "gpu-0" not in names(found)
    # where it lies is taken, whoever made it; where that isn't known, nothing is on offer
    assert ("gpu-0-mig-3g20gb-9-4" in names(found)) == ("start" not in changes)


def test_a_gpu_whose_ways_to_be_cut_are_not_known() -> None:
    found = offered(gpu(instance(Placement(0, "3g.20gb"))), {})
    assert names(found) == {"gpu-0-mig-3g20gb-9-0"}
    assert found.gpus.devices[0].capacity.keys() == {f"memorySlice{number}" for number in range(4)}
    assert left_out(found) == ["dividing gpu-0 on demand isn't published: where its MIG instances may lie isn't known"]
    strange = offered(gpu(instance(Placement(0, "5g.30gb"))))
    assert names(strange) == {"gpu-0-mig-5g30gb-9-0"}
    assert left_out(strange) == ["dividing gpu-0 on demand isn't published: what 5g.30gb takes of it isn't known"]


def test_what_a_driver_does_not_tell_is_left_out() -> None:
    found = offered(gpu(mig=False, minor=None))
    assert names(found) == set()
    assert left_out(found) == ["gpu 0 (0000:07:00.0) isn't published: the driver doesn't tell its minor number"]
    poor = gpu(mig=False, memory=None, name="NVIDIA A100X")
    survey = Survey(host="test", gpus=(replace(poor, mig=None),))
    (device,) = published(survey, {}, Options(node="n1")).gpus.devices
    assert set(device.attributes) == {"type", "uuid", "productName", "resource.kubernetes.io/pciBusID"}
    assert device.capacity == {}


def test_a_profile_without_an_id_has_no_name() -> None:
    known = cut("A30")
    nameless = [replace(each, profile_id=None) if each.name == "2g.12gb+me" else each for each in known.profiles]
    assert any("2g12gb-me-6-" in name for name in names(offered(gpu(), {UUID: known})))
    found = names(offered(gpu(), {UUID: replace(known, profiles=tuple(nameless))}))
    assert found
    assert not any("2g12gb-me" in name for name in found)


def taints(found: Published, name: str) -> tuple[DeviceTaint, ...]:
    return next(device.taints for device in found.gpus.devices if device.name == name)


def test_an_old_driver_tells_no_recovery_so_its_xids_count() -> None:
    xids = (Xid(gpu=UUID, number=31), Xid(gpu=UUID, number=48), Xid(gpu="GPU-other", number=79))
    found = offered(gpu(mig=False, recovery=None), xids=xids)
    assert taints(found, "gpu-0") == (
        DeviceTaint("gpu.nvidia.com/xid", "None", "31"),
        DeviceTaint("gpu.nvidia.com/xid", "NoSchedule", "48"),
    )
    assert taints(offered(gpu(mig=False, recovery=Recovery.NONE), xids=xids), "gpu-0") == (
        DeviceTaint("gpu.nvidia.com/xid", "None", "48"),
    )
    # 1.34 knows no effect None
    old = offered(
        gpu(mig=False, recovery=None), xids=xids, kubernetes=Kubernetes(34).changed([("DRADeviceTaints", True)])
    )
    assert taints(old, "gpu-0") == (DeviceTaint("gpu.nvidia.com/xid", "NoSchedule", "48"),)


def test_an_error_that_only_one_instance_met() -> None:
    two = (instance(Placement(0, "3g.20gb"), 1), instance(Placement(4, "3g.20gb"), 2))
    xids = (Xid(gpu=UUID, number=94, gi=2, ci=0), Xid(gpu=UUID, number=45, gi=1, ci=0))
    found = offered(gpu(*two, recovery=Recovery.NONE), xids=xids)
    assert taints(found, "gpu-0-mig-3g20gb-9-4") == (DeviceTaint("gpu.nvidia.com/xid", "None", "94"),)
    assert taints(found, "gpu-0-mig-3g20gb-9-0") == ()


def test_a_memory_row_that_failed() -> None:
    found = offered(gpu(mig=False, rows_failed=True))
    assert taints(found, "gpu-0") == (DeviceTaint("gpu.nvidia.com/memory", "NoSchedule", "row-remap-failed"),)
    withdrawn = offered(gpu(mig=False, rows_failed=True), kubernetes=Kubernetes(35))
    assert names(withdrawn) == set()
    assert withdrawn.gpus.counter_sets == ()


def test_a_card_that_tells_little() -> None:
    survey = Survey(host="test", nics=(Nic(pci="0000:9a:00.0", rdma=("mlx5_0",)), Nic(pci="0000:01:00.0")))
    found = published(survey, {}, Options(node="n1"))
    (card,) = found.nics.devices
    assert card.capacity == {}
    assert set(card.attributes) == {
        "type",
        "virtualFunction",
        "rdmaDevice",
        "resource.kubernetes.io/pciBusID",
    }
    assert [pool.driver for pool in found.pools] == ["gpu.nvidia.com", "nic.aliquot.dev"]


def test_a_part_without_mig_whose_driver_tells_a_mode_all_the_same() -> None:
    found = offered(gpu(mig=False, name="NVIDIA L40S", pci_id="10de:26b9"), {})
    assert (names(found), found.left_out) == ({"gpu-0"}, ())


def test_a_gpu_that_tells_no_memory_is_not_shared_by_memory() -> None:
    (by_memory,) = offered(gpu(mig=False, memory=None), {}, shares="memory").gpus.devices
    (by_number,) = offered(gpu(mig=False, memory=None), {}, shares=2).gpus.devices
    assert (by_memory.allow_multiple, by_number.allow_multiple) == (False, True)
    assert by_number.capacity.keys() == {"shares"}


def test_a_share_ends_at_a_whole_mib() -> None:
    (device,) = offered(gpu(mig=False, memory=Memory(total=(3 << 20) + 5, used=0)), {}, shares="memory").gpus.devices
    policy = device.capacity["memory"].policy
    assert policy is not None
    assert policy.valid_range is not None
    assert str(device.capacity["memory"].value) == str(policy.default) == str(policy.valid_range.max) == "3Mi"


def test_memory_that_is_guessed_from_a_name_does_not_replace_what_the_driver_reports() -> None:
    """Of an H100 with 64 GB nobody has published what its profiles hold."""
    hopper = gpu(mig=False, name="NVIDIA H100 64GB", compute_capability="9.0", memory=Memory(total=64 << 30, used=0))
    found = offered(hopper, {UUID: cut("H100-64GB")})
    (whole,) = [device for device in found.gpus.devices if device.name == "gpu-0"]
    assert {name: str(one.value) for name, one in whole.capacity.items()} == {"memory": "64Gi"}
    assert whole.consumes
