"""GPU models are found by every name they go by."""

import pytest

from aliquot.devices.catalogue import GpuModel, all_models, as_of, by_pci_id, by_product, find, parse_label
from aliquot.devices.mig import geometry_of


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("A100-40GB", "A100-40GB"),
        ("a100-40gb", "A100-40GB"),
        ("NVIDIA A100-SXM4-40GB", "A100-40GB"),
        ("NVIDIA-A100-SXM4-40GB", "A100-40GB"),
        ("A100-SXM4-40GB", "A100-40GB"),
        ("NVIDIA-A100-SXM4-40GB-SHARED", "A100-40GB"),
        ("NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "A100-40GB"),
        ("NVIDIA-A100-SXM4-40GB-MIG-1g.5gb-SHARED", "A100-40GB"),
        ("NVIDIA-A100-80GB-PCIe", "A100-80GB"),
        ("NVIDIA-H100-80GB-HBM3", "H100-SXM-80GB"),
        ("NVIDIA-H100-NVL", "H100-NVL-94GB"),
        ("NVIDIA-H200", "H200-SXM-141GB"),
        ("Tesla-T4", "T4"),
        ("NVIDIA-L4", "L4"),
        ("NVIDIA-RTX-PRO-6000-Blackwell-Max-Q-Workstation-Edition", "RTX-PRO-6000-WS"),
        ("10de:20b0", "A100-40GB"),
        ("0x2330", "H100-SXM-80GB"),
        ("1002:74a1", "MI300X"),
    ],
)
def test_find(name: str, key: str) -> None:
    model = find(name)
    assert model is not None
    assert model.key == key


@pytest.mark.parametrize("name", ["NVIDIA-A100-SMX4-80GB", "", "GPU", "10de:ffff"])
def test_unknown_names_find_nothing(name: str) -> None:
    assert find(name) is None


@pytest.mark.parametrize("model", all_models(), ids=lambda model: model.key)
def test_every_model_is_found_by_all_its_names(model: GpuModel) -> None:
    assert find(model.key) is model
    assert by_product(model.label) is model
    assert all(by_product(product) is model for product in model.products)
    assert all(by_pci_id(pci_id) is model for pci_id in model.pci_ids)
    assert model.mig_capable == (geometry_of(model) is not None)


def test_what_the_tables_know_of_an_a100() -> None:
    model = find("A100-40GB")
    assert model is not None
    assert (model.memory_mib, model.architecture, model.compute_capability) == (40960, "Ampere", "8.0")
    assert (model.mig, model.mps, model.label) == ("A100-40GB", True, "NVIDIA-A100-SXM4-40GB")


@pytest.mark.parametrize(
    ("key", "mib"),
    [("T4", 15360), ("A10", 23028), ("L4", 23034), ("H100-SXM-80GB", 81559), ("H200-SXM-141GB", 143771)],
)
def test_memory_is_what_the_driver_reports(key: str, mib: int) -> None:
    model = find(key)
    assert model is not None
    assert (model.memory_mib, model.memory_certainty) == (mib, "measured")


def test_labels_come_apart() -> None:
    label = parse_label("NVIDIA-A100-SXM4-40GB-MIG-1g.5gb-SHARED")
    assert (label.product, label.mig_profile, label.shared) == ("NVIDIA-A100-SXM4-40GB", "1g.5gb", True)
    assert label.model is find("A100-40GB")
    plain = parse_label("NVIDIA-L4")
    assert (plain.product, plain.mig_profile, plain.shared) == ("NVIDIA-L4", None, False)


def test_the_table_is_dated() -> None:
    assert as_of() == "2026-11-30"
