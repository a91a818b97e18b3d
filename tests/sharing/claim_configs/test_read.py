"""Opaque configurations: all faults at once with their paths, defaults, and limits as MPS takes them."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from aliquot.devices.gpu import TimeSlice
from aliquot.kube.reading.shape import FaultsError
from aliquot.sharing.claim_configs.limits import limits_of
from aliquot.sharing.claim_configs.read import read_config
from aliquot.sharing.claim_configs.values import ClaimConfig, Mps, TimeSlicing

HEAD = "apiVersion: resource.nvidia.com/v1beta1\nkind: {}\n"


def config(text: str, kind: str = "GpuConfig") -> Any:
    return yaml.safe_load(HEAD.format(kind) + text)


def faults(value: Any) -> dict[str, str]:
    with pytest.raises(FaultsError) as caught:
        read_config(value)
    paths = [fault.path for fault in caught.value.faults]
    assert len(set(paths)) == len(paths), paths
    return {fault.path: f"{fault.message} | {fault.hint}" for fault in caught.value.faults}


# facts of DRA, T9
T9 = """
sharing:
  strategy: MPS
  timeSlicingConfig: {interval: Long}
  mpsConfig:
    defaultActiveThreadPercentage: 150
    defaultPinnedDeviceMemoryLimit: 512Ki
    defaultPerDevicePinnedMemoryLimit: {"3": 8Gi}
    unknownField: 1
"""


def test_every_fault_at_once() -> None:
    found = faults(config(T9))
    assert found == {
        "sharing.timeSlicingConfig": "belongs to the strategy TimeSlicing, and the strategy is MPS | "
        "leave it out, or change the strategy",
        "sharing.mpsConfig.defaultActiveThreadPercentage": "150 is no percentage | 0 to 100",
        "sharing.mpsConfig.defaultPinnedDeviceMemoryLimit": "512Ki is too little | at least 1Mi: MPS counts whole MiB",
        "sharing.mpsConfig.unknownField": "no such field | known: defaultActiveThreadPercentage, "
        "defaultPinnedDeviceMemoryLimit, defaultPerDevicePinnedMemoryLimit, multiUser",
    }


def test_a_limit_for_a_device_that_there_is_not_is_found_with_the_devices() -> None:
    read = read_config(config('sharing: {strategy: MPS, mpsConfig: {defaultPerDevicePinnedMemoryLimit: {"3": 8Gi}}}'))
    assert isinstance(read.sharing, Mps)
    limits, wrong = limits_of(read.sharing, ["GPU-a", "GPU-b"])
    assert limits is None
    assert [(fault.path, fault.message, fault.hint) for fault in wrong] == [
        (
            "sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit.3",
            "the configuration has no device 3",
            "its 2 devices have the numbers 0, 1, by UUID GPU-a, GPU-b",
        )
    ]


def test_from_a_checkpoint_unknown_fields_are_passed_over() -> None:
    value = config("sharing: {strategy: MPS, newer: {}, mpsConfig: {unknownField: 1, multiUser: true}}\nalso: 1")
    assert read_config(value, strict=False) == ClaimConfig(for_mig=False, sharing=Mps(multi_user=True))
    with pytest.raises(FaultsError):
        read_config(config("sharing: {strategy: MPS, mpsConfig: {defaultActiveThreadPercentage: 101}}"), strict=False)


@pytest.mark.parametrize(
    ("text", "kind", "sharing"),
    [
        ("", "GpuConfig", None),
        ("sharing: null", "GpuConfig", None),
        ("", "MigDeviceConfig", None),
        ("sharing: {strategy: TimeSlicing}", "GpuConfig", TimeSlicing(TimeSlice.DEFAULT)),
        ("sharing: {strategy: TimeSlicing, timeSlicingConfig: {}}", "GpuConfig", TimeSlicing(TimeSlice.DEFAULT)),
        ("sharing: {strategy: TimeSlicing, timeSlicingConfig: {interval: Long}}", "GpuConfig",
         TimeSlicing(TimeSlice.LONG)),
        ("sharing: {strategy: TimeSlicing}", "MigDeviceConfig", TimeSlicing(TimeSlice.DEFAULT)),
        ("sharing: {strategy: MPS}", "GpuConfig", Mps()),
        ("sharing: {strategy: MPS, mpsConfig: {}}", "MigDeviceConfig", Mps()),
        ("sharing: {strategy: MPS, mpsConfig: {multiUser: false, defaultActiveThreadPercentage: 100}}", "GpuConfig",
         Mps(percent=100)),
        ("sharing: {strategy: MPS, mpsConfig: {defaultPinnedDeviceMemoryLimit: 10737418240}}", "GpuConfig",
         Mps(memory_mib=10240)),
        ("sharing: {strategy: MPS, mpsConfig: {defaultPinnedDeviceMemoryLimit: 10Gi}}", "GpuConfig",
         Mps(memory_mib=10240)),
        ("sharing: {strategy: MPS, mpsConfig: {defaultPinnedDeviceMemoryLimit: 10G}}", "GpuConfig",
         Mps(memory_mib=9536)),
        ("sharing: {strategy: MPS, mpsConfig: {defaultActiveThreadPercentage: 0}}", "GpuConfig", Mps(percent=0)),
    ],
)  # fmt: skip
def test_what_they_say(text: str, kind: str, sharing: object) -> None:
    assert read_config(config(text, kind)) == ClaimConfig(for_mig=kind == "MigDeviceConfig", sharing=sharing)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, {"": "expected an object, found null"}),
        ([], {"": "expected an object, found a list"}),
        ({}, {"apiVersion": "missing", "kind": "missing | GpuConfig or MigDeviceConfig"}),
        ({"apiVersion": "gpu.nvidia.com/v1alpha1", "kind": "GPUConfig"},
         {"apiVersion": "isn't known | resource.nvidia.com/v1beta1", "kind": "did you mean GpuConfig?"}),
        (config("iommu: {backendPolicy: LegacyOnly}", "VfioDeviceConfig"),
         {"kind": "which Aliquot doesn't do (NVIDIA's own driver does, with its feature gate PassthroughSupport)"}),
        (config("domainID: x", "ComputeDomainChannelConfig"), {"kind": "compute-domain.nvidia.com"}),
        (config("sharing: MPS"), {"sharing": 'expected an object, found "MPS"'}),
        (config("sharing: {}"),
         {"sharing.strategy": "missing | TimeSlicing or MPS (NVIDIA's own driver needs its feature gate"
                              " TimeSlicingSettings or MPSSupport for it)"}),
        (config("sharing: {strategy: mps}"), {"sharing.strategy": "did you mean MPS?"}),
        (config("sharing: {strategy: time-slicing}"), {"sharing.strategy": "did you mean TimeSlicing?"}),
        (config("sharing: {strategy: 5}"), {"sharing.strategy": "expected a string, found 5"}),
        (config("sharing: {strategy: Magic, stratgy: MPS}"),
         {"sharing.strategy": "TimeSlicing or MPS", "sharing.stratgy": "did you mean strategy?"}),
        (config("sharing: {strategy: TimeSlicing, mpsConfig: {}, timeSlicingConfig: {interval: Forever}}"),
         {"sharing.mpsConfig": "the strategy is TimeSlicing",
          "sharing.timeSlicingConfig.interval": "Default, Short, Medium, Long"}),
        (config("sharing: {strategy: TimeSlicing, timeSlicingConfig: {interval: Long}}", "MigDeviceConfig"),
         {"sharing.timeSlicingConfig": "a MIG device has no time-slice"}),
        (config("sharing: {strategy: MPS, mpsConfig: {defaultActiveThreadPercentage: '50', multiUser: 'yes',"
                " defaultPinnedDeviceMemoryLimit: lots}}"),
         {"sharing.mpsConfig.defaultActiveThreadPercentage": "take the quotes away",
          "sharing.mpsConfig.multiUser": "expected true or false",
          "sharing.mpsConfig.defaultPinnedDeviceMemoryLimit": "expected a quantity"}),
        (config("sharing: {strategy: MPS, mpsConfig: {defaultActiveThreadPercentage: -1,"
                " defaultPerDevicePinnedMemoryLimit: {'-1': 1Gi, gpu0: 1Gi, '0': 5, '1': null, '2': x}}}"),
         {"sharing.mpsConfig.defaultActiveThreadPercentage": "-1 is no percentage",
          "sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit.-1": "names no device",
          "sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit.gpu0": "names no device",
          "sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit.0": "5 is too little",
          "sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit.1": "how much",
          "sharing.mpsConfig.defaultPerDevicePinnedMemoryLimit.2": "expected a quantity"}),
    ],
)  # fmt: skip
def test_faults(value: Any, expected: dict[str, str]) -> None:
    found = faults(value)
    assert set(found) == set(expected)
    for path, part in expected.items():
        assert part in found[path], path


@pytest.mark.parametrize(
    ("mps", "uuids", "limits"),
    [
        (Mps(), ["GPU-a"], None),
        (Mps(memory_mib=10240), ["GPU-a", "GPU-b"], ("10240M", "10240M")),
        (Mps(memory_mib=10240, memory_mib_of={"1": 512}), ["GPU-a", "GPU-b"], ("10240M", "512M")),
        (Mps(memory_mib_of={"GPU-b": 8192}), ["GPU-a", "GPU-b"], ("", "8192M")),
        (Mps(memory_mib_of={"0": 8192}), [None], ("8192M",)),
    ],
)
def test_limits_by_number_or_uuid(mps: Mps, uuids: list[str | None], limits: object) -> None:
    assert limits_of(mps, uuids) == (limits, ())


def test_a_device_named_twice_and_one_that_is_not_there() -> None:
    mps = Mps(memory_mib_of={"0": 1, "GPU-a": 2, "GPU-c": 3})
    _, wrong = limits_of(mps, ["GPU-a"])
    assert [fault.message for fault in wrong] == [
        "device 0 has a limit already, by 0",
        "the configuration has no device GPU-c",
    ]
    assert wrong[1].hint == "its 1 device has the number 0, by UUID GPU-a"


DEMOS = Path(__file__).parents[4] / "shared/cases/nvidia-demos/demo/specs/quickstart/v1"


@pytest.mark.skipif(not DEMOS.is_dir(), reason="NVIDIA's demos lie beside this checkout in ../shared")
def test_the_demos_of_nvidias_driver_are_read() -> None:
    read: list[ClaimConfig] = []
    for path in sorted(DEMOS.glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            spec = (document or {}).get("spec") or {}
            devices = (spec.get("spec") or spec).get("devices") or {}
            written = [each["opaque"]["parameters"] for each in devices.get("config") or ()]
            read.extend(read_config(each) for each in written if each["kind"] != "VfioDeviceConfig")
    assert {type(each.sharing) for each in read} >= {TimeSlicing, Mps}
