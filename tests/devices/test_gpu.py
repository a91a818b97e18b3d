"""Which row of the catalogue a reported GPU has."""

import pytest

from aliquot.devices.gpu import Gpu


@pytest.mark.parametrize(
    ("name", "pci_id", "architecture", "key"),
    [
        ("NVIDIA A100-SXM4-40GB", "10de:20b0", "Ampere", "A100-40GB"),
        ("Graphics Device", "10de:20b0", "Ampere", "A100-40GB"),  # names drift, ids don't
        ("NVIDIA A100-SXM4-40GB", None, None, "A100-40GB"),
        ("NVIDIA A16", "10de:25b6", "Ampere", "A16"),
        ("NVIDIA B300 SXM6 AC", "10de:3182", "Blackwell", "B300"),  # Blackwell Ultra is Blackwell to the driver
        ("NVIDIA GB200", "10de:2330", "Blackwell", "GB200"),  # an H100's id
        ("NVIDIA RTX 9999", "10de:2330", "Blackwell", None),
        ("NVIDIA RTX 9999", "10de:ffff", "Blackwell", None),
    ],
)
def test_its_model(name: str, pci_id: str | None, architecture: str | None, key: str | None) -> None:
    gpu = Gpu(index=0, uuid="GPU-1", name=name, pci="0000:01:00.0", pci_id=pci_id, architecture=architecture)
    assert (gpu.model.key if gpu.model is not None else None) == key
