"""What goes wrong on a simulated host is told by `node inspect`, `node slices` and `mig list`, each GPU by name."""

import json
from pathlib import Path

import pytest

from aliquot.cli.entry import run
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.xids import ACTIONS
from tests.devices.hosts.machine_root import pci_device

MACHINE = """
name: faulty
gpus:
  - {model: A100-40GB, mig: true, pci: "0000:07:00.0", instances: [3g.20gb@0]}
  - {model: H100-SXM-80GB, mig: true, pci: "0000:87:00.0"}
  - {model: T4, pci: "0000:b7:00.0"}
faults: [FAULTS]
"""


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = run(list(words))
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return status, out, err


def host(tmp_path: Path, faults: str) -> str:
    path = tmp_path / "host.yaml"
    path.write_text(MACHINE.replace("FAULTS", faults), encoding="ascii")
    return f"sim:{path}"


def wrong(out: str) -> list[str]:
    return [line.strip() for line in out.partition("wrong:\n")[2].splitlines()]


def test_xids_are_listed_and_judged(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    name = host(
        tmp_path, "{gpu: 1, xid: 48}, {gpu: 2, xid: 43}, {gpu: 2, xid: 13}, {gpu: 1, xid: 48}, {gpu: 0, xid: 999}"
    )
    status, out, _ = call(capsys, "node", "inspect", "--host", name)
    assert status == 1
    listed = out.partition("XIDs, by when each came last:\n")[2].partition("\n\n")[0].splitlines()
    assert [(line.split()[0], line.split("(")[1][:12]) for line in listed[1:]] == [
        ("43", "0000:b7:00.0"),
        ("13", "0000:b7:00.0"),
        ("48", "0000:87:00.0"),
        ("999", "0000:07:00.0"),
    ]
    assert [line.rpartition("  ")[2] for line in listed[1:]] == [
        "nothing to do",
        "only the program is hit: start it anew",
        "drain it first: until then nothing new may run on it",
        "look it up in NVIDIA's Xid catalogue",
    ]
    assert [line.partition("): ")[2] for line in wrong(out)] == [
        "XID 999: not in this program's table (look it up in NVIDIA's Xid catalogue)",
        "MIG is on and there is no instance: nothing can run on it (create some, or switch MIG off)",
        "the driver wants: reset the GPU",
        "XID 48, 2 times: double-bit memory error: reset it (drain it first: until then nothing new may run on it)",
        (
            "XID 13: graphics engine exception: the program's fault, unless many programs meet it"
            " (only the program is hit: start it anew)"
        ),
    ]
    answer = json.loads(call(capsys, "node", "inspect", "--host", name, "-o", "json")[1])
    assert [(each["number"], each["count"]) for each in answer["xids"]] == [(43, 1), (13, 1), (48, 2), (999, 1)]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["host.yaml"]  # looking tells nobody's events
    status, _, err = call(capsys, "mig", "list", "--host", name)
    assert status == 1
    assert "gpu 1 (0000:87:00.0): XID 48, 2 times" in err


def test_an_xid_that_came_once_is_not_lost_among_many(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    noisy = ", ".join(("{gpu: 1, xid: 31}, {gpu: 1, xid: 13}",) * 30)
    name = host(tmp_path, f"{{gpu: 2, xid: 79}}, {noisy}")
    out = call(capsys, "node", "inspect", "--host", name)[1]
    listed = out.partition("XIDs, by when each came last:\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in listed[1:]] == ["79", "31", "13"]
    assert "gpu 2 (0000:b7:00.0): XID 79: the GPU fell off the bus" in out
    assert "gpu 1 (0000:87:00.0): XID 31, 30 times: " in out
    shown = json.loads(call(capsys, "node", "slices", "--host", name, "-o", "json")[1])["items"]
    tainted = [device for one in shown for device in one["spec"].get("devices", ()) if device["name"] == "gpu-2"]
    assert [taint["value"] for taint in tainted[0]["taints"] if taint["key"] == "gpu.nvidia.com/xid"] == ["79"]


def test_every_xid_that_asks_for_something_known_has_words(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    name = host(tmp_path, ", ".join(f"{{gpu: 2, xid: {number}}}" for number in (*sorted(ACTIONS), 38, 999)))
    out = call(capsys, "node", "inspect", "--host", name)[1]
    listed = out.partition("XIDs, by when each came last:\n")[2].partition("\n\n")[0].splitlines()[1:]
    assert len(listed) == len(ACTIONS) + 2
    assert [line.split()[0] for line in listed if "not in this program's table" in line or "  -  " in line[30:]] == [
        "999"
    ]


@pytest.mark.parametrize(
    ("wanted", "to_do"),
    [("system-reboot", "the driver wants: reboot the whole system"), ("none", "the driver wants nothing now")],
)
def test_a_changed_recovery_is_what_the_driver_wants(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, wanted: str, to_do: str
) -> None:
    path = tmp_path / "host.yaml"
    text = f"gpus: [{{model: L4, recovery: {wanted}}}]\nfaults: [{{gpu: 0, xid: 154}}, {{gpu: 0, xid: 145}}]"
    path.write_text(text, encoding="ascii")
    out = call(capsys, "node", "inspect", "--host", f"sim:{path}")[1]
    listed = out.partition("XIDs, by when each came last:\n")[2].partition("\n\n")[0].splitlines()[1:]
    assert [line.rpartition("  ")[2] for line in listed] == [to_do, to_do]
    assert "when convenient" not in out


def test_an_xid_that_asks_for_nothing_is_no_finding(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "host.yaml"
    path.write_text("gpus: [{model: T4}]\nfaults: [{gpu: 0, xid: 43}]", encoding="ascii")
    status, out, _ = call(capsys, "node", "inspect", "--host", f"sim:{path}")
    assert status == 0
    assert "43   gpu 0 (0000:10:00.0)" in out
    assert "nothing is wrong" in out


@pytest.mark.parametrize("reason", ["no permission", "in use", "not supported"])
def test_a_refused_geometry_names_its_gpu(capsys: pytest.CaptureFixture[str], tmp_path: Path, reason: str) -> None:
    name = host(tmp_path, f"{{gpu: 0, call: geometry, refused: {reason}}}")
    part = f"gpu 0 (0000:07:00.0): its MIG profiles couldn't be asked for: {reason}, as the host's file says; "
    part += "this program's table of A100-40GB stands in"
    status, out, _ = call(capsys, "node", "inspect", "--host", name)
    assert status == 1
    assert part in out
    assert "(by this program's table: the node didn't tell)" in out
    status, out, err = call(capsys, "mig", "list", "--host", name)
    assert status == 1
    assert part in err
    assert part in call(capsys, "node", "slices", "--host", name)[2]


def test_a_refused_survey_names_its_gpu(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    name = host(tmp_path, "{gpu: 0, call: survey, refused: no permission}")
    part = "gpu 0 (0000:07:00.0): it can't be asked, as the host's file says: no permission"
    status, out, _ = call(capsys, "node", "inspect", "--host", name)
    assert (status, wrong(out)[0]) == (1, part)
    assert "\n0    doesn't answer" in out
    status, out, err = call(capsys, "mig", "list", "--host", name)
    assert status == 1
    assert "gpu 0 (0000:07:00.0)  doesn't answer: whether it has MIG is unknown" in out
    assert part in err
    assert "it can't be asked" in call(capsys, "node", "slices", "--host", name)[2]


def test_the_first_call_is_the_one_that_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    name = host(tmp_path, "{gpu: 0, call: survey, nth: 1, refused: in use}")
    assert "it can't be asked" in call(capsys, "mig", "list", "--host", name)[2]
    assert "it can't be asked" not in call(capsys, "mig", "list", "--host", name)[2]


@pytest.mark.parametrize("slow", ["survey", "geometry"])
def test_slow_and_stuck_calls_are_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slow: str
) -> None:
    monkeypatch.setattr("aliquot.devices.hosts.protocol.SLOW_S", 0.1)
    name = host(tmp_path, f"{{gpu: 0, call: {slow}, slowMs: 150}}")
    status, out, _ = call(capsys, "node", "inspect", "--host", name)
    assert status == 1
    assert wrong(out)[0].startswith("gpu 0 (0000:07:00.0): ")
    assert "its driver took 0." in wrong(out)[0]
    original = SimulatedHost.__init__
    monkeypatch.setattr(
        SimulatedHost, "__init__", lambda self, *words, **more: original(self, *words, limit_s=0.05, **more)
    )
    status, out, _ = call(
        capsys, "node", "inspect", "--host", host(tmp_path, f"{{gpu: 0, call: {slow}, slowMs: 60000}}")
    )
    assert status == 1
    assert f"{slow} didn't return within 0.05 s" in wrong(out)[0]


def test_a_host_that_has_no_mig_is_told_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert call(capsys, "mig", "list", "--host", "preset:t4-node") == (0, "no GPU here has MIG\n", "")
    amd = tmp_path / "amd"
    pci_device(amd, "0000:c1:00.0", "1002:74a1", "0x038000", driver="amdgpu")
    assert call(capsys, "mig", "list", "--host", f"sysfs:{amd}") == (0, "no GPU here has MIG\n", "")
    pci_device(amd, "0000:c2:00.0", "10de:20b0")
    status, out, _ = call(capsys, "mig", "list", "--host", f"sysfs:{amd}")
    assert (status, out) == (1, "gpu at 0000:c2:00.0  whether it has MIG is unknown\n")


@pytest.mark.parametrize("command", [("node", "inspect"), ("mig", "list"), ("node", "slices")], ids=" ".join)
@pytest.mark.parametrize(
    ("made", "part"),
    [("", "there is no folder "), ("sys", "there is no "), ("sys/bus/pci/devices", "no PCI device can be seen there")],
)
def test_a_folder_that_shows_no_bus_is_unusable(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: tuple[str, str], made: str, part: str
) -> None:
    if made:
        (tmp_path / "root" / made).mkdir(parents=True)
    status, out, err = call(capsys, *command, "--host", f"sysfs:{tmp_path}/root")
    assert (status, out) == (2, "")
    assert part in err
    assert "sysfs:DIR, where DIR holds sys/" in err


IMPOSSIBLE = """
gpus:
  - {model: A100-40GB, temperatureC: -300, powerW: 4000, usedMiB: 50000, busyPercent: 140, minor: 1, uuid: &id
     GPU-00000000-0000-0000-0000-000000000001, name: " ", links: 99}
  - {model: H100 80GB, mig: true, instances: ["3g.40gb@0", "4g.40gb@0"], computeMode: exclusive-process, uuid: *id,
     pci: "0000:10:00.0", processes: [{pid: 5, start: 0, memoryMiB: 50000}]}
  - {model: L4, computeMode: turbo, recovery: heal, processes: [{pid: -4, memoryMiB: -1}], numa: -1, pcieRoot: x,
     temperatureC: 500}
  - {model: H100}
  - {model: A100-80GB, mig: true, memoryMiB: 1000, instances: ["7g.80gb@0"]}
  - {model: H100-64GB}
driver: {version: banana, cuda: newest}
faults: [{gpu: 2, lost: true}, {gpu: 0, xid: -3}, {gpu: 0, call: survey, slowMs: -1}]
nics: [{pci: "0000:10:00.0", speedMbps: -1, numa: -2, pcieRoot: y}, {pci: "0000:9a:00.0"}, {pci: "0000:9a:00.0"}]
"""


def test_values_that_no_machine_has(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "host.yaml"
    path.write_text(IMPOSSIBLE, encoding="ascii")
    status, out, err = call(capsys, "node", "inspect", "--host", f"sim:{path}")
    assert (status, out) == (2, "")
    for part in (
        "gpus[0].temperatureC: -300 is below -40",
        "gpus[0].powerW: 4000 W is more than 2 times the limit, 400 W",
        "gpus[0].usedMiB: 50000 MiB are used of 40960",
        "gpus[0].busyPercent: 140 is above 100",
        "gpus[0].name: ",
        "gpus[0].links: 99 is above 36",
        "gpus[1].instances: 4g.40gb at 0 and 3g.40gb at 0 overlap",
        "gpus[1].computeMode: there's no exclusive-process with MIG on",
        "gpus[1].uuid: GPU-00000000-0000-0000-0000-000000000001 is gpus[0]'s too",
        "gpus[1].minor: 1 is gpus[0]'s too",
        "gpus[1].pci: 0000:10:00.0 is gpus[0]'s too",
        "gpus[1].processes: on the instance at 0 they hold 50000 MiB of 40448",
        "gpus[2].computeMode: 'turbo' isn't known",
        "gpus[2].recovery: 'heal' isn't known",
        "gpus[2].processes[0].pid: -4 is below 1",
        "gpus[2].processes[0].memoryMiB: -1 is below 0",
        "gpus[2].numa: -1 is below 0",
        "gpus[2].pcieRoot: 'x' is no PCIe root",
        "gpus[2].temperatureC: 500 is above 150",
        "gpus[2].processes: nothing runs on a lost GPU, which faults[0] makes it",
        "gpus[3].model: 'H100' is more than one GPU",
        "gpus[4].memoryMiB: the instances hold 80384 MiB, the GPU 1000",
        "gpus[5].model: of H100-64GB only the MIG layouts are known",
        "driver.version: 'banana' is no version of a driver",
        "driver.cuda: 'newest' is no version of CUDA",
        "faults[1].xid: -3 is below 1",
        "faults[2].slowMs: -1 is below 1",
        "nics[0].pci: 0000:10:00.0 is gpus[0]'s too",
        "nics[0].speedMbps: -1 is below 1",
        "nics[0].numa: -2 is below 0",
        "nics[0].pcieRoot: 'y' is no PCIe root",
        "nics[2].pci: 0000:9a:00.0 is nics[1]'s too",
    ):
        assert f"{path}: {part}" in err, part
