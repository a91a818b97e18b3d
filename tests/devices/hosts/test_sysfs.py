"""What /sys tells without a driver's library: network cards, and other vendors' GPUs."""

from pathlib import Path

import pytest

from aliquot.devices.hosts.protocol import GpuLost
from aliquot.devices.hosts.sysfs import SysfsHost
from aliquot.devices.links import Accelerator, Nic
from aliquot.devices.mig import Placement
from tests.devices.hosts.machine_root import class_device, file, pci_device


def test_network_cards(tmp_path: Path) -> None:
    first = pci_device(tmp_path, "0000:8a:00.0", "15b3:1021", "0x020700", bridge="pci0000:80", numa=1)
    class_device(tmp_path, "net", "ib0", first, operstate="down", speed="-1")
    port = {
        "ports__1__link_layer": "InfiniBand",
        "ports__1__state": "4: ACTIVE",
        "ports__1__rate": "400 Gb/sec (4X NDR)",
    }
    class_device(tmp_path, "infiniband", "mlx5_0", first, **port)
    roce = pci_device(tmp_path, "0000:9a:00.0", "15b3:101d", "0x020000", bridge="pci0000:97")
    class_device(tmp_path, "net", "eth0", roce, operstate="up", speed="100000")
    class_device(tmp_path, "infiniband", "mlx5_1", roce, ports__1__link_layer="Ethernet", ports__1__state="4: ACTIVE")
    plain = pci_device(tmp_path, "0000:05:00.0", "8086:1572", "0x020000", numa=0)
    class_device(tmp_path, "net", "eno1", plain, operstate="down", type="1")
    (plain / "physfn").symlink_to(first)
    bridge = tmp_path / "sys/class/net"
    (bridge / "docker0").mkdir()  # of no PCI device
    (bridge / "bonding_masters").write_text("", encoding="ascii")
    assert SysfsHost(tmp_path).survey().nics == (
        Nic(pci="0000:05:00.0", pci_id="8086:1572", kind="ethernet", interfaces=("eno1",), up=False, numa_node=0,
            pcie_root="pci0000:00", virtual_function=True),
        Nic(pci="0000:8a:00.0", pci_id="15b3:1021", kind="infiniband", interfaces=("ib0",), rdma=("mlx5_0",), up=True,
            speed_mbps=400_000, numa_node=1, pcie_root="pci0000:80"),
        Nic(pci="0000:9a:00.0", pci_id="15b3:101d", kind="ethernet", interfaces=("eth0",), rdma=("mlx5_1",), up=True,
            speed_mbps=100_000, pcie_root="pci0000:97"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("pci_class", "files", "kind"),
    [
        # a ConnectX that was InfiniBand and speaks Ethernet now, and the other way about
        ("0x020700", {"infiniband": {"ports__1__link_layer": "Ethernet"}}, "ethernet"),
        ("0x020000", {"infiniband": {"ports__1__link_layer": "InfiniBand"}}, "infiniband"),
        # without its RDMA driver, only the interface tells
        ("0x020700", {"net": {"type": "1"}}, "ethernet"),
        ("0x020000", {"net": {"type": "32"}}, "infiniband"),
        # a port that is down has its link layer all the same, and it counts more than the interface
        ("0x020000", {"infiniband": {"ports__1__link_layer": "InfiniBand"}, "net": {"type": "1"}}, "infiniband"),
        ("0x020700", {"infiniband": {"ports__1__link_layer": "Unspecified"}}, "unknown"),
        ("0x020700", {"net": {"type": "512"}}, "unknown"),
    ],
)
def test_what_a_card_speaks(tmp_path: Path, pci_class: str, files: dict[str, dict[str, str]], kind: str) -> None:
    card = pci_device(tmp_path, "0000:9a:00.0", "15b3:1021", pci_class)
    for group, told in files.items():
        class_device(tmp_path, group, f"{group}0", card, **told)
    (nic,) = SysfsHost(tmp_path).survey().nics
    assert nic.kind == kind


def test_gpus_of_other_vendors(tmp_path: Path) -> None:
    amd = pci_device(tmp_path, "0000:c1:00.0", "1002:74a1", "0x120000", driver="amdgpu")
    (amd / "class").write_text("0x038000\n", encoding="ascii")
    file(amd, "mem_info_vram_total", "206141652992\n")
    file(amd, "product_name", "AMD Instinct MI300X OAM\n")
    for name in ("card1", "renderD129"):
        (amd / "drm" / name).mkdir(parents=True)
    pci_device(tmp_path, "0000:03:00.0", "8086:56c0", "0x038000", driver="xe", numa=0)
    pci_device(tmp_path, "0000:04:00.0", "1002:1234", "0x040300")  # its sound device
    assert SysfsHost(tmp_path).survey().accelerators == (
        Accelerator(
            pci="0000:c1:00.0",
            pci_id="1002:74a1",
            vendor="amd",
            driver="amdgpu",
            name="AMD Instinct MI300X OAM",
            pcie_root="pci0000:00",
            memory=206141652992,
            card=1,
            render=129,
        ),
        Accelerator(
            pci="0000:03:00.0",
            pci_id="8086:56c0",
            vendor="intel",
            driver="xe",
            numa_node=0,
            pcie_root="pci0000:00",
        ),
    )


def test_nvidias_gpus_are_seen_and_not_known(tmp_path: Path) -> None:
    pci_device(tmp_path, "0000:07:00.0", "10de:20b0")
    host = SysfsHost(tmp_path)
    survey = host.survey()
    assert [each.pci for each in survey.unreadable] == ["0000:07:00.0"]
    assert survey.gpus == ()
    for change in (
        lambda: host.create_instance("GPU-1", Placement(0, "1g.5gb")),
        lambda: host.destroy_instance("GPU-1", 1),
        lambda: host.set_mig_mode("GPU-1", enabled=True),
        lambda: host.geometry("GPU-1"),
        lambda: host.reset("GPU-1"),
    ):
        with pytest.raises(GpuLost, match="no GPU with a driver"):
            change()
    assert host.events(9) == ()
    host.release()


def test_a_folder_without_sys(tmp_path: Path) -> None:
    survey = SysfsHost(tmp_path / "nothing").survey()
    assert "there is no" in survey.troubles[0].message
    assert survey.nics == ()
