"""`aliquot cdi generate` on a host: by NVML over the fake library, by files alone, and where both can see the same.

And T10: a spec that a driver's update left behind.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from aliquot.cdi.generate.inventory import Inventory
from aliquot.cdi.host import discover as files
from aliquot.cli.cdi import host_inventory
from aliquot.cli.entry import run
from aliquot.devices.hosts.nvml import host as nvml
from tests.cdi.host.driver_root import VERSION, build_driver_root
from tests.devices.hosts.fake import Fake
from tests.devices.hosts.machine_root import class_device, file, link, pci_device

MACHINE = f"""
name: cdi
driver: {{version: {VERSION}, cuda: "12.4"}}
gpus:
  - {{model: A100-40GB, mig: true, minor: 3, pci: "0000:07:00.0", instances: ["3g.20gb@0", "1g.5gb@5"]}}
  - {{model: H100-SXM-80GB, minor: 0, pci: "0000:0f:00.0"}}
  - {{model: A100-40GB, mig: true, minor: 1, pci: "0000:47:00.0"}}
"""
INFORMATION = "Model: x\nGPU UUID: \t {uuid}\nDevice Minor: \t {minor}\nGPU Excluded:\t No\n"


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = run(["cdi", "generate", *map(str, arguments)])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return status, out, err


def shown(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    status, out, err = call(capsys, "--show-inventory", *arguments)
    assert status == 0, err
    answer: dict[str, Any] = json.loads(out)
    return answer


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    """A machine with the driver's files below its root, and the fake library for the loader."""
    made = Fake(tmp_path, MACHINE)
    build_driver_root(made.root, nodes=False)
    state = made.read()
    for number in range(3):
        pci = state[f"g{number}.pci"][4:].lower()
        text = INFORMATION.format(uuid=state[f"g{number}.uuid"], minor=state[f"g{number}.minor"])
        file(made.root, f"proc/driver/nvidia/gpus/{pci}/information", text)
        card = made.root / f"sys/bus/pci/devices/{pci}/drm"
        for name in (f"card{number}", f"renderD{128 + number}"):
            (card / name).mkdir(parents=True)
    table = [f"gpu{gpu}/gi{gi}/access {3 + 135 * gpu + 9 * gi}" for gpu in range(4) for gi in range(15)]
    table += [f"gpu{gpu}/gi{gi}/ci0/access {4 + 135 * gpu + 9 * gi}" for gpu in range(4) for gi in range(15)]
    file(made.root, "proc/driver/nvidia-caps/mig-minors", "\n".join(["config 1", "monitor 2", *table, ""]))
    for instance in (1, 12):  # by NVML's ids: half of the memory, and an eighth
        folder = f"proc/driver/nvidia/capabilities/gpu3/mig/gi{instance}"
        number = 3 + 135 * 3 + 9 * instance
        text = "DeviceFileMinor: {}\nDeviceFileMode: 292\nDeviceFileModify: 1\n"
        file(made.root, f"{folder}/access", text.format(number))
        file(made.root, f"{folder}/ci0/access", text.format(number + 1))
    monkeypatch.setenv("FAKE_NVML_STATE", str(made.state))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(made.library.parent))
    original = nvml.NvmlHost.__init__

    def below(self: nvml.NvmlHost, **options: object) -> None:
        original(self, **{**options, "root": made.root, "limit_s": 10.0, "library": made.library})  # type: ignore[arg-type]

    monkeypatch.setattr(nvml.NvmlHost, "__init__", below)

    def discover(driver_root: str, dev_root: str, system_root: str = str(made.root)) -> Inventory:
        return files.discover(driver_root, dev_root, system_root)

    monkeypatch.setattr(host_inventory, "discover", discover)
    yield made
    made.close()


def devices(gpu: Any) -> set[tuple[int, int]] | None:
    return None if "mig" not in gpu else {(one["gpuInstance"], one["computeInstance"]) for one in gpu["mig"]}


def test_driver_and_files_agree_where_both_can_see(capsys: pytest.CaptureFixture[str], machine: Fake) -> None:
    told = shown(capsys, "--driver-root", machine.root)
    alone = shown(capsys, "--driver-root", machine.root, "--host", f"sysfs:{machine.root}")
    for one in ("driver", "capabilities", "driverRoot"):
        assert told[one] == alone[one]
    for by_driver, by_files in zip(told["gpus"], alone["gpus"], strict=True):
        for part in ("index", "minor", "uuid", "address", "drmNodes"):
            assert by_driver[part] == by_files[part]
    assert [devices(gpu) for gpu in told["gpus"]] == [{(1, 0), (12, 0)}, None, set()]
    assert [devices(gpu) for gpu in alone["gpus"]] == [
        {(1, 0), (12, 0)},
        None,
        None,
    ]  # files can't tell MIG without one
    uuids = {one["uuid"] for one in told["gpus"][0]["mig"]}
    assert uuids == {machine.read()[f"g0.ciuuid.{gi}.0"] for gi in (1, 12)}
    assert not any("uuid" in one for one in alone["gpus"][0]["mig"])


def test_a_mig_device_is_called_by_the_drivers_number(capsys: pytest.CaptureFixture[str], machine: Fake) -> None:
    """Instances aren't numbered by their ids, and numbers may have holes."""
    machine.put({"mig_index_step": 2})
    told = shown(capsys, "--host", "nvml", "--driver-root", machine.root)
    assert {one["gpuInstance"]: one["index"] for one in told["gpus"][0]["mig"]} == {12: 0, 1: 2}


def spec_of(capsys: pytest.CaptureFixture[str], inventory: dict[str, Any], folder: Path) -> tuple[dict[str, Any], str]:
    """The spec of an inventory on a machine that has all the nodes."""
    numbers = [8 + 135 * 3 + 0, *inventory["capabilities"].values()]
    nodes = [{"path": f"/dev/nvidia{n}", "major": 195, "minor": n} for n in range(4)]
    nodes += [{"path": f"/dev/nvidia-caps/nvidia-cap{n}", "major": 508, "minor": n} for n in sorted(set(numbers))]
    nodes += [{"path": f"/dev/{name}", "major": 195, "minor": 255} for name in ("nvidiactl", "nvidia-uvm")]
    (folder / "inventory.json").write_text(json.dumps({**inventory, "nodes": nodes}))
    status, out, err = call(capsys, "--inventory", folder / "inventory.json", "--hook-path", "/usr/bin/nvidia-ctk")
    assert status == 0, err
    found: dict[str, Any] = yaml.safe_load(out)
    return found, err


def test_the_spec_names_mig_devices_by_uuid_and_gives_their_nodes(
    capsys: pytest.CaptureFixture[str], machine: Fake, tmp_path: Path
) -> None:
    spec, err = spec_of(capsys, shown(capsys, "--driver-root", machine.root), tmp_path)
    assert err == ""
    state = machine.read()
    names = [device["name"] for device in spec["devices"]]
    assert set(names) == {
        *("0:0", "0:1", "1", "all", state["g1.uuid"]),
        *(state[f"g0.ciuuid.{gi}.0"] for gi in (1, 12)),
    }
    half = next(device for device in spec["devices"] if device["name"] == state["g0.ciuuid.1.0"])
    paths = [node["path"] for node in half["containerEdits"]["deviceNodes"]]
    assert paths == ["/dev/nvidia3", "/dev/nvidia-caps/nvidia-cap417", "/dev/nvidia-caps/nvidia-cap418"]


def test_an_instance_that_only_the_static_table_knows_does_not_exist(
    capsys: pytest.CaptureFixture[str], machine: Fake
) -> None:
    machine.drop("g0.gi.12")
    machine.drop("g0.ci.12")
    told = shown(capsys, "--driver-root", machine.root)
    assert [devices(gpu) for gpu in told["gpus"]] == [{(1, 0)}, None, set()]
    assert "gpu0/gi9/access" in told["capabilities"]


def test_leftovers_lost_gpus_and_two_drivers_are_told(
    capsys: pytest.CaptureFixture[str], machine: Fake, tmp_path: Path
) -> None:
    machine.drop("g0.ci.12")
    machine.put({"g1.lost": 1, "driver": "580.65.06"})
    told = shown(capsys, "--driver-root", machine.root)
    assert [gpu["index"] for gpu in told["gpus"]] == [0, 2]
    _, err = spec_of(capsys, told, tmp_path)
    assert "gpu 0, instance 12 (1g.5gb) is left out: it has no compute instance" in err
    assert "(left out)" in err
    assert f"the driver's files are {VERSION}, the driver that answers is 580.65.06" in err


def test_without_an_answer_files_stand_in_and_say_so(
    capsys: pytest.CaptureFixture[str], machine: Fake, tmp_path: Path
) -> None:
    machine.library = tmp_path / "no.so"
    told = shown(capsys, "--driver-root", machine.root)
    assert [devices(gpu) for gpu in told["gpus"]] == [{(1, 0), (12, 0)}, None, None]
    assert "GPUs are as files tell, since the driver can't be asked: there is no NVIDIA driver" in told["notes"][0]
    status, out, err = call(capsys, "--host", "nvml", "--driver-root", machine.root)
    assert (status, out) == (1, "")
    assert "there is no NVIDIA driver" in err


def test_cards_and_gpus_of_others_by_files_alone(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What `node inspect --host sysfs:` sees and what is generated are the same devices."""
    root = tmp_path / "root"
    amd = pci_device(root, "0000:c3:00.0", "1002:74a1", "0x038000", driver="amdgpu")
    (amd / "drm/renderD130").mkdir(parents=True)
    (root / "sys/class/drm/renderD130").mkdir(parents=True)
    link(root / "sys/class/drm/renderD130/device", amd)
    card = pci_device(root, "0000:9a:00.0", "15b3:101b", "0x020700")
    class_device(root, "infiniband", "mlx5_0", card)
    found = shown(capsys, "--driver-root", root, "--host", f"sysfs:{root}")
    run(["node", "inspect", "--host", f"sysfs:{root}", "-o", "json"])
    seen = json.loads(capsys.readouterr().out)
    assert [gpu["address"] for gpu in found["drmGpus"]] == [gpu["pci"] for gpu in seen["accelerators"]]
    assert [nic["address"] for nic in found["nics"]] == [nic["pci"] for nic in seen["nics"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--host", "preset:none"), "there is no preset 'none'"),
        (("--host", "gpu"), "--host: 'gpu' isn't known"),
        (("--host", "sysfs:none/such"), "--host: there is no folder none/such\nhint: sysfs:DIR, where DIR holds sys/"),
        (("--host", "sysfs:tests"), "--host: there is no tests/sys/bus/pci/devices: what tests has can't be found out"),
        (("--host", "nvml", "--inventory", "x.json"), "--host and --inventory exclude each other"),
    ],
)
def test_what_cannot_be_used(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str) -> None:
    status, out, err = call(capsys, *words)
    assert (status, out) == (2, "")
    assert said in err
    if "--inventory" not in words:  # the same words as where it's looked at
        assert run(["node", "inspect", *words]) == 2
        assert capsys.readouterr().err == err


def test_a_simulated_host_has_no_driver_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, out, err = call(capsys, "--driver-root", tmp_path, "--host", "preset:l4-node")
    assert (status, out) == (1, "")
    first, hint, *_ = err.splitlines()
    assert (
        first == "error: --host: preset:l4-node is simulated: it has GPUs, but no driver files, which a spec is made of"
    )
    assert "--inventory" in hint
    status, out, _ = call(
        capsys, "--inventory", Path(__file__).parents[2] / "examples/node/inventory.json"
    )  # what the hint says works
    assert status == 0
    assert "nvidia.com/gpu" in out


# --- T10: a spec that was left behind ---------------------------------------------------------------------------------
def stale(folder: Path, libraries: Path) -> Path:
    """As a driver of 580 left it: versioned libraries, and a device whose name begins with a digit."""
    folder.mkdir()
    path = folder / "gpu.yaml"
    mount = {"hostPath": f"{libraries}/libcuda.so.580.65.06", "containerPath": "/usr/lib/libcuda.so.580.65.06"}
    spec = {
        "cdiVersion": "0.5.0",
        "kind": "example.com/gpu",
        "containerEdits": {"mounts": [{**mount, "options": ["ro", "bind"]}]},
        "devices": [{"name": "0", "containerEdits": {"deviceNodes": [{"path": "/dev/nvidia0"}]}}],
    }
    path.write_text(yaml.safe_dump(spec))
    return path


def test_t10_a_stale_spec_is_found_replaced_and_gone(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    root = build_driver_root(tmp_path / "root", version="595.10.01", nodes=False)
    old = stale(tmp_path / "etc", root / "usr/lib/x86_64-linux-gnu")
    assert run(["cdi", "check", str(old)]) == 1
    found = capsys.readouterr().out
    assert f"{root}/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06 isn't there" in found
    assert "the driver changed from 580.65.06 to 595.10.01" in found
    assert "the device node /dev/nvidia0 isn't there" in found

    inventory = shown(capsys, "--driver-root", root, "--host", f"sysfs:{root}")
    nodes = [{"path": f"/dev/{name}", "major": 195, "minor": n} for n, name in enumerate(("nvidia0", "nvidiactl"))]
    (tmp_path / "i.json").write_text(json.dumps({**inventory, "gpus": [{"index": 0, "minor": 0}], "nodes": nodes}))
    run_folder = tmp_path / "run"
    words = ["--inventory", tmp_path / "i.json", "--vendor", "example.com", "--dir", old.parent, "--dir", run_folder]
    status, _, err = call(capsys, *words, "--output", run_folder / "gpu.yaml")
    assert status == 0
    # a fresh boot, whose nodes come late, is told
    assert "the spec is incomplete, since /dev/nvidia-uvm isn't there yet" in err
    assert f"{old} defines 1 device of {run_folder / 'gpu.yaml'} too, and these hide its definitions" in err
    assert [path.name for path in run_folder.iterdir()] == ["gpu.yaml"]  # written in one step, nothing beside it
    status, _, err = call(capsys, *words, "--output", run_folder / "gpu.yaml", "--remove-stale")
    assert status == 0
    assert f"{old} is removed" in err
    assert not old.exists()
    assert run(["cdi", "list", "--dir", str(old.parent), "--dir", str(run_folder)]) == 0
    assert "580" not in (run_folder / "gpu.yaml").read_text()


def test_t10_the_version_is_checked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    old = stale(tmp_path / "etc", tmp_path)
    assert run(["cdi", "validate", str(old)]) == 0
    old.write_text(old.read_text().replace("0.5.0", "0.3.0"))
    capsys.readouterr()
    assert run(["cdi", "validate", str(old)]) == 1
    assert "0.5.0" in capsys.readouterr().err


def test_a_file_with_other_devices_too_is_left(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    inventory = {
        "driver": {"version": "595.10"},
        "gpus": [{"index": 0, "minor": 0}],
        "nodes": [
            {"path": f"/dev/{name}", "major": 195, "minor": 0} for name in ("nvidia0", "nvidiactl", "nvidia-uvm")
        ],
    }
    (tmp_path / "i.json").write_text(json.dumps(inventory))
    low, high = tmp_path / "low", tmp_path / "high"
    for folder, names in ((low, ["0", "9"]), (high, ["0"])):
        folder.mkdir()
        edits = {"env": ["A=B"]}
        spec = {
            "cdiVersion": "0.5.0",
            "kind": "nvidia.com/gpu",
            "devices": [{"name": name, "containerEdits": edits} for name in names],
        }
        (folder / "other.yaml").write_text(yaml.safe_dump(spec))
    dirs = ["--dir", low, "--dir", high]
    words = ["--inventory", tmp_path / "i.json", *dirs, "--hook-path", "/usr/bin/nvidia-ctk", "--output"]
    _, _, err = call(capsys, *words, low / "nvidia.yaml")
    assert f"{low}/other.yaml defines 1 device of {low}/nvidia.yaml too, and neither can be resolved (remove it)" in err
    assert f"{high}/other.yaml defines 1 device of {low}/nvidia.yaml too, and its definitions win" in err
    _, _, err = call(capsys, *words, low / "nvidia.yaml", "--remove-stale")
    assert (low / "other.yaml").exists()
    assert not (high / "other.yaml").exists()
    _, _, err = call(capsys, *words, tmp_path / "elsewhere.yaml")
    assert err == ""
