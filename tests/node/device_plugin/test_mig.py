"""MIG devices as resources, and what changes while the plugin runs."""

from dataclasses import replace

import pytest

from aliquot.devices.hosts.simulated.shape import Fault
from aliquot.devices.instances import Instance
from aliquot.devices.mig import Placement
from tests.node.device_plugin.conftest import Begin
from tests.node.device_plugin.node import G0, G1, Node, settings

MACHINE = f"""
name: mig
gpus:
  - {{model: A100-40GB, uuid: {G0}, mig: true, instances: ["3g.20gb@0", "1g.5gb@4", "1g.5gb@5"], numa: 1}}
  - {{model: A100-40GB, uuid: {G1}}}
"""
ALIKE = f"""
name: mig
gpus:
  - {{model: A100-40GB, uuid: {G0}, mig: true, instances: ["3g.20gb@0", "3g.20gb@4"]}}
  - {{model: A100-40GB, uuid: {G1}, mig: true, instances: ["3g.20gb@0"]}}
"""
MIXED = "flags: {migStrategy: mixed}"
SINGLE = "flags: {migStrategy: single}"
SMALL = "nvidia.com/mig-1g.5gb"


def migs(node: Node, gpu: int = 0) -> dict[str, str]:
    """UUIDs by place."""
    return {f"{each.profile}@{each.start}": each.uuid or "" for each in node.host.survey().gpus[gpu].instances}


def test_mixed_names_them_by_profile_beside_whole_gpus(begin: Begin) -> None:
    node = begin(settings(MIXED), MACHINE)
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 1, SMALL: 2})
    assert list(node.kubelet.devices("nvidia.com/gpu")) == [G1]
    large = migs(node)["3g.20gb@0"]
    assert list(node.kubelet.devices("nvidia.com/mig-3g.20gb")) == [large]
    assert dict(node.allocate(large, resource="nvidia.com/mig-3g.20gb").envs) == {"NVIDIA_VISIBLE_DEVICES": large}
    assert sorted(path.name for path in node.folder.glob("aliquot-*")) == [
        "aliquot-gpu.sock",
        "aliquot-mig-1g.5gb.sock",
        "aliquot-mig-3g.20gb.sock",
    ]


def test_by_index_as_the_base_spec_counts_them(begin: Begin) -> None:
    config = "flags: {migStrategy: mixed, plugin: {deviceIDStrategy: index}}"
    node = begin(settings(config), MACHINE)
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 1, SMALL: 2})
    uuids = migs(node)
    ids = uuids["1g.5gb@5"], uuids["1g.5gb@4"]
    assert dict(node.allocate(*ids, resource=SMALL).envs) == {"NVIDIA_VISIBLE_DEVICES": "0:1,0:2"}
    assert dict(node.allocate(G1).envs) == {"NVIDIA_VISIBLE_DEVICES": "1"}


def test_single_offers_them_as_gpus(begin: Begin) -> None:
    node = begin(settings(SINGLE), ALIKE)
    node.until(gpu=3)
    assert list(node.kubelet.devices("nvidia.com/gpu")) == sorted([*migs(node, 0).values(), *migs(node, 1).values()])


def test_single_wants_them_alike_and_says_what_is_not(begin: Begin) -> None:
    node = begin(settings(SINGLE), MACHINE)
    assert node.plugins.status().resources == ()
    problems = node.plugins.status().problems
    assert problems == (
        "migStrategy single wants MIG on all GPUs or on none: it's off on gpu 1 (0000:11:00.0)",
        "migStrategy single wants all instances alike: there are 1g.5gb, 3g.20gb",
    )
    assert node.told == list(problems)


def test_without_a_strategy_a_gpu_in_mig_mode_is_counted_and_not_given(begin: Begin) -> None:
    node = begin(settings(), MACHINE)
    node.until(gpu=1)
    assert node.kubelet.capacity() == {"nvidia.com/gpu": 2}
    assert node.plugins.status().problems == ("gpu 0 (0000:10:00.0): MIG is on, and it's counted whole",)
    assert node.refused(G0) == (
        f"gpu 0 (0000:10:00.0) ({G0}) isn't healthy: MIG is on, so it can't be used as a whole: "
        "migStrategy mixed or single offers its instances"
    )


def test_a_change_is_told_without_a_restart(begin: Begin) -> None:
    node = begin(settings(MIXED), MACHINE)
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 1, SMALL: 2})
    gone = node.host.survey().gpus[0].instances
    for each in gone:
        if each.profile == "1g.5gb":
            assert node.host.destroy_instance(G0, each.id) is None
    assert isinstance(node.host.create_instance(G0, Placement(4, "2g.10gb")), Instance)
    node.update()
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 1, "nvidia.com/mig-2g.10gb": 1})
    assert node.kubelet.wait(lambda: not (node.folder / "aliquot-mig-1g.5gb.sock").exists())
    assert node.kubelet.devices(SMALL) == {}
    assert f"{SMALL} isn't offered any more" in node.told
    assert isinstance(node.host.create_instance(G0, Placement(6, "1g.5gb")), Instance)
    node.update()
    node.until_all(
        {"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 1, "nvidia.com/mig-2g.10gb": 1, SMALL: 1},
    )


def test_mig_that_is_switched_on_moves_a_gpu(begin: Begin) -> None:
    node = begin(settings(MIXED), MACHINE)
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 1, SMALL: 2})
    node.host.set_mig_mode(G1, enabled=True)
    for start in range(7):
        assert isinstance(node.host.create_instance(G1, Placement(start, "1g.5gb")), Instance)
    node.update()
    node.until_all({"nvidia.com/mig-3g.20gb": 1, SMALL: 9})


@pytest.mark.parametrize("config", [MIXED, SINGLE])
def test_a_gpu_without_instances_offers_nothing(begin: Begin, config: str) -> None:
    empty = f"gpus: [{{model: A100-40GB, uuid: {G0}, mig: true}}]"
    node = begin(settings(config), empty)
    assert node.plugins.status().resources == ()


def test_mig_devices_are_time_sliced_too(begin: Begin) -> None:
    config = "{flags: {migStrategy: mixed}, sharing: {timeSlicing: {resources: [{name: mig-1g.5gb, replicas: 3}]}}}"
    node = begin(settings(config), MACHINE)
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 1, SMALL: 6})
    one = migs(node)["1g.5gb@4"]
    assert dict(node.allocate(f"{one}::2", resource=SMALL).envs) == {"NVIDIA_VISIBLE_DEVICES": one}
    assert node.plugins.status().problems == ()
    assert node.kept.data is None, "a MIG device has no time-slice that could be set"


def test_one_mig_device_fails_alone(begin: Begin) -> None:
    node = begin(settings(MIXED), MACHINE)
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 1, SMALL: 2})
    bad = migs(node)["1g.5gb@4"]
    node.plugins.set_health(bad, healthy=False, reason="XID 94")
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 1, SMALL: 1})
    assert node.refused(bad, resource=SMALL) == f"1g.5gb of gpu 0 (0000:10:00.0) ({bad}) isn't healthy: XID 94"


def test_a_gpu_fails_with_all_its_mig_devices_and_no_others(begin: Begin) -> None:
    node = begin(settings(MIXED), MACHINE)
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 1, SMALL: 2})
    node.plugins.set_health(G0, healthy=False)
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 0, SMALL: 0})
    assert "no reason was told" in node.refused(migs(node)["1g.5gb@4"], resource=SMALL)
    node.plugins.set_health(G0, healthy=True)
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 1, SMALL: 2})


def test_a_mig_device_that_was_made_anew_is_another_one(begin: Begin) -> None:
    node = begin(settings(MIXED), MACHINE)
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 1, SMALL: 2})
    uuid = migs(node)["1g.5gb@4"]
    node.plugins.set_health(uuid, healthy=False, reason="XID 94")
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 1, SMALL: 1})
    number = next(each.id for each in node.host.survey().gpus[0].instances if each.uuid == uuid)
    assert node.host.destroy_instance(G0, number) is None
    node.update()
    assert isinstance(node.host.create_instance(G0, Placement(4, "1g.5gb")), Instance)
    node.update()
    assert migs(node)["1g.5gb@4"] == uuid, "this host's UUIDs are made of the place"
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 1, SMALL: 2})


def test_a_lost_gpu_keeps_its_mig_devices_in_the_list(begin: Begin) -> None:
    node = begin(settings(MIXED), MACHINE)
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 1, SMALL: 2})
    node.host.inject(Fault(gpu=0, lost=True))
    node.update()
    node.until_all({"nvidia.com/gpu": 1, "nvidia.com/mig-3g.20gb": 0, SMALL: 0})
    assert node.kubelet.capacity()[SMALL] == 2
    assert node.host.reset(G0) is None
    node.update()
    assert node.kubelet.wait(lambda: node.kubelet.devices(SMALL) == {}), "a reset takes instances away"


def test_a_mig_device_without_a_uuid_is_told_of_and_not_offered(begin: Begin) -> None:
    node = begin(settings(MIXED), MACHINE, updated=False)
    survey = node.host.survey()
    divided, whole = survey.gpus
    nameless = tuple(
        replace(each, compute=tuple(replace(one, uuid=None) for one in each.compute)) for each in divided.instances[:2]
    )
    gpu = replace(divided, instances=(*nameless, *divided.instances[2:]))
    node.plugins.update(replace(survey, gpus=(gpu, whole)))
    node.until_all({"nvidia.com/gpu": 1, SMALL: 1})
    assert set(node.kubelet.capacity()) == {"nvidia.com/gpu", SMALL}
    assert node.plugins.status().problems == (
        "gpu 0 (0000:10:00.0): the driver doesn't tell the UUID of a MIG device, so it can't be offered",
    )
