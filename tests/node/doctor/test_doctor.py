"""`aliquot node doctor` on folders like a node's root: a healthy one, and one thing at a time that is wrong with it."""

import json
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from aliquot.cli.entry import run
from tests.devices.hosts.fake import Fake
from tests.node.machine import CONTAINERD, DOMAIN, STATUS, Machine

Json = dict[str, Any]
Told = Callable[..., tuple[int, dict[str, Json]]]


@pytest.fixture
def told(machine: Machine, capfd: pytest.CaptureFixture[str]) -> Told:
    """The exit status, and each check by its name; where there are several of a name, the worst."""

    def tell(*options: str, host: str = "preset:hgx-h100") -> tuple[int, dict[str, Json]]:
        status = run(["node", "doctor", "--root", str(machine.root), "--host", host, "-o", "json", *options])
        out, err = capfd.readouterr()
        assert err == ""
        order = ("ok", "unknown", "warn", "fail")
        rows = sorted(json.loads(out)["checks"], key=lambda row: order.index(row["status"]))
        return status, {row["name"]: row for row in rows}

    return tell


def test_a_healthy_node(told: Told, machine: Machine) -> None:
    status, checks = told()
    bad = {name: row for name, row in checks.items() if row["status"] != "ok"}
    assert set(bad) == {"kubelet's release"}, "its program isn't below that root"
    assert bad["kubelet's release"]["status"] == "unknown"
    assert status == 0
    assert checks["operating system"]["found"] == "Linux 6.8.0-45-generic"
    assert checks["GPU driver"]["found"].startswith("580.")
    assert checks["GPUs"]["found"] == "8 GPUs"
    assert "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 needs 2.14" in checks["C library"]["found"]
    assert checks["CDI in the runtime"]["found"] == (
        "containerd 1.7.29 (its socket is /run/containerd/containerd.sock): its configuration switches CDI on "
        "(/etc/containerd/config.toml)"
    )
    assert checks[f"CDI folder {machine.root}/run/cdi"]["found"] == "it's there, and can be written"
    assert checks["kubelet's folder"]["found"] == f"{machine.kubelet}, where its socket is"
    assert "the cluster wasn't asked" in checks["others that serve GPUs"]["found"]


def system_unknown(machine: Machine) -> None:
    (machine.root / "proc/sys/kernel/ostype").unlink()


def wsl(machine: Machine) -> None:
    machine.file("dev/dxg", "")


def new_glibc(machine: Machine) -> None:
    machine.file("usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", "GLIBC_2.14\0GLIBC_9.1\0")


def no_nvml(machine: Machine) -> None:
    (machine.root / "usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1").unlink()


def cdi_off(machine: Machine) -> None:
    machine.file("etc/containerd/config.toml", CONTAINERD.replace("true", "false"))


def broken_runtime(machine: Machine) -> None:
    machine.file("etc/containerd/config.toml", "version = [")


def silent_runtime(machine: Machine) -> None:
    (machine.root / "run/containerd/containerd.sock").unlink()
    machine.file("etc/containerd/config.toml", "version = 2\n")


def newer_runtime(machine: Machine) -> None:
    cdi_off(machine)
    (machine.root / "run/containerd/containerd.sock").unlink()
    machine.runtime("containerd", "v2.4.0")


def no_runtime(machine: Machine) -> None:
    (machine.root / "etc/containerd/config.toml").unlink()
    (machine.root / "run/containerd/containerd.sock").unlink()


def crio(machine: Machine) -> None:
    machine.process(7, "kubelet", "--container-runtime-endpoint", "unix:///var/run/crio/crio.sock", "--v=2")


def crio_without_folders(machine: Machine) -> None:
    crio(machine)
    machine.file("etc/crio/crio.conf.d/10-dirs.conf", "[crio.runtime]\ncdi_spec_dirs = []\n")


def imported(machine: Machine) -> None:
    machine.file("etc/containerd/config.toml", 'version = 2\nimports = ["/etc/containerd/conf.d/*.toml"]\n')
    machine.file("etc/containerd/conf.d/gpu.toml", CONTAINERD)


def cri_dockerd(machine: Machine) -> None:
    machine.process(7, "kubelet", "--container-runtime-endpoint=unix:///run/cri-dockerd.sock")


def k3s(machine: Machine) -> None:
    no_runtime(machine)
    machine.runtime("containerd", "v1.7.22-k3s1", "run/k3s/containerd/containerd.sock")
    machine.file("var/lib/rancher/k3s/agent/etc/containerd/config.toml", CONTAINERD.replace("true", "false"))


def folder_is_file(machine: Machine) -> None:
    (machine.root / "run/cdi").rmdir()
    machine.file("run/cdi", "")


def bad_spec(machine: Machine) -> None:
    machine.file("etc/cdi/gpu.yaml", "cdiVersion: 0.3.0\nkind: nvidia\ndevices: []\n")


def plain_user(machine: Machine) -> None:
    machine.file("proc/self/status", STATUS.format(uid=1000, capabilities="0000000000000000"))


def no_proc(machine: Machine) -> None:
    (machine.root / "proc/self/status").unlink()
    (machine.root / "proc/self/mounts").unlink()


def read_only(machine: Machine) -> None:
    machine.file("proc/self/mounts", "overlay / overlay rw 0 0\noverlay / overlay ro,relatime 0 0\n")


def no_kubelet(machine: Machine) -> None:
    (machine.kubelet / "device-plugins/kubelet.sock").unlink()
    (machine.kubelet / "pod-resources/kubelet.sock").unlink()


def stopped_kubelet(machine: Machine) -> None:
    no_kubelet(machine)
    machine.listen("var/lib/kubelet/device-plugins/kubelet.sock", dead=True)


def gate_off(machine: Machine) -> None:
    machine.file("var/lib/kubelet/config.yaml", "featureGates: {DynamicResourceAllocation: false}\n")


def gate_off_by_flag(machine: Machine) -> None:
    machine.process(7, "kubelet", "--feature-gates=ResourceHealthStatus=false,DRADeviceTaints=true")


def gate_off_in_drop_in(machine: Machine) -> None:
    machine.process(7, "kubelet", "--config", "/etc/kubelet.yaml", "--config-dir", "/etc/kubelet.d")
    machine.file("etc/kubelet.yaml", "featureGates: {DynamicResourceAllocation: true}\n")
    machine.file("etc/kubelet.d/90.conf", "featureGates: {KubeletPodResourcesDynamicResources: false}\n")
    machine.file("etc/kubelet.d/95.conf", "featureGates: no\n")


def no_configuration(machine: Machine) -> None:
    (machine.kubelet / "config.yaml").unlink()


def device_plugin(machine: Machine) -> None:
    machine.listen("var/lib/kubelet/device-plugins/nvidia-gpu.sock")


def dead_device_plugin(machine: Machine) -> None:
    machine.listen("var/lib/kubelet/device-plugins/nvidia-gpu.sock", dead=True)


def dra_driver(machine: Machine) -> None:
    machine.nvidias_driver()


def both(machine: Machine) -> None:
    device_plugin(machine)
    dra_driver(machine)


def domains(machine: Machine) -> None:
    machine.nvidias_driver(DOMAIN)


def imex(machine: Machine) -> None:
    machine.file("proc/devices", "Character devices:\n195 nvidia\n503 nvidia-caps-imex-channels\n")
    machine.file("dev/nvidia-caps-imex-channels/channel0", "")


def mig_manager(machine: Machine) -> None:
    machine.process(9, "nvidia-mig-manager")


def dcgm(machine: Machine) -> None:
    machine.process(9, "dcgm-exporter")


def operator(machine: Machine) -> None:
    for part in ("driver", "toolkit"):
        machine.file(f"run/nvidia/validations/{part}-ready", "")
    machine.file("run/nvidia/driver/usr/bin/nvidia-smi", "")


def legacy(machine: Machine) -> None:
    machine.file("etc/nvidia-container-runtime/config.toml", '[nvidia-container-runtime]\nmode = "legacy"\n')


def by_cdi(machine: Machine) -> None:
    machine.file("etc/nvidia-container-runtime/config.toml", '[nvidia-container-runtime]\nmode = "cdi"\n')


def checkpoint_cut_off(machine: Machine) -> None:
    machine.nvidias_checkpoint('{"v2": {"preparedClaims": {"c-aa')


SPEC_FOLDER = "CDI folder {root}/run/cdi"
OTHERS, RUNTIME, GATES = "others that serve GPUs", "CDI in the runtime", "kubelet's feature gates"
CASES = [
    (system_unknown, "operating system", "unknown", "proc/sys/kernel/ostype"),
    (wsl, "operating system", "warn", "all GPUs of Windows are one device"),
    (new_glibc, "C library", "fail", "libnvidia-ml.so.1 needs glibc 9.1"),
    (no_nvml, "C library", "unknown", "NVML wasn't found"),
    (cdi_off, RUNTIME, "fail", "aliquot cdi runtime configure --runtime containerd"),
    (broken_runtime, RUNTIME, "fail", "/etc/containerd/config.toml"),
    (silent_runtime, RUNTIME, "unknown", "--version VERSION"),
    (newer_runtime, RUNTIME, "ok", "containerd 2.4.0 always has it on"),
    (no_runtime, RUNTIME, "unknown", "neither containerd nor CRI-O can be seen"),
    (crio, RUNTIME, "ok", "the kubelet calls it at unix:///var/run/crio/crio.sock"),
    (crio_without_folders, RUNTIME, "fail", "/etc/crio/crio.conf.d/10-dirs.conf"),
    (imported, RUNTIME, "ok", "its configuration switches CDI on (/etc/containerd/conf.d/gpu.toml)"),
    (cri_dockerd, RUNTIME, "fail", "cri-dockerd#558"),
    (k3s, RUNTIME, "fail", "/var/lib/rancher/k3s/agent/etc/containerd/config.toml"),
    (folder_is_file, SPEC_FOLDER, "fail", "{root}/run/cdi is no folder"),
    (bad_spec, "CDI files", "warn", "{root}/etc/cdi/gpu.yaml"),
    (plain_user, "user", "warn", "user 1000"),
    (plain_user, "CAP_SYS_ADMIN", "warn", "add: [SYS_ADMIN]"),
    (no_proc, "CAP_SYS_ADMIN", "unknown", "/proc doesn't tell"),
    (read_only, "root file system", "ok", "read-only"),
    (no_kubelet, "kubelet's device plugin socket", "fail", "it isn't there"),
    (no_kubelet, "kubelet's pod resources socket", "warn", "it isn't there"),
    (stopped_kubelet, "kubelet's device plugin socket", "fail", "the kubelet isn't running"),
    (gate_off, GATES, "fail", "DynamicResourceAllocation is off ({root}/var/lib/kubelet/config.yaml)"),
    (gate_off_by_flag, GATES, "warn", "ResourceHealthStatus is off"),
    (gate_off_in_drop_in, GATES, "warn", "KubeletPodResourcesDynamicResources is off"),
    (no_configuration, GATES, "unknown", "can be seen"),
    (
        device_plugin,
        OTHERS,
        "fail",
        "NVIDIA's device plugin: it listens at {root}/var/lib/kubelet/device-plugins/nvidia-",
    ),
    (device_plugin, OTHERS, "fail", "nvidia.com/gpu.deploy.device-plugin=false"),
    (dead_device_plugin, OTHERS, "ok", "nobody listens at {root}/var/lib/kubelet/device-plugins/nvidia-gpu.sock"),
    (dra_driver, OTHERS, "fail", "it serves the driver gpu.nvidia.com at {root}/var/lib/kubelet/plugins_registry/gpu."),
    (dra_driver, "GPUs offered twice", "ok", "no"),
    (both, "GPUs offered twice", "fail", "by NVIDIA's device plugin and NVIDIA's DRA driver for GPUs"),
    (domains, OTHERS, "ok", "none can be seen"),
    (domains, "IMEX", "ok", "left to NVIDIA's driver, which is here"),
    (imex, "IMEX", "ok", "1 channel"),
    (mig_manager, "NVIDIA's MIG manager", "warn", "nvidia.com/mig.config"),
    (dcgm, "dcgm-exporter", "ok", "leave DCGM's names to it"),
    (operator, "GPU Operator", "ok", "driver, toolkit"),
    (legacy, "NVIDIA_DRIVER_CAPABILITIES", "ok", "it narrows what containers get by the device plugin's envvar"),
    (by_cdi, "NVIDIA_DRIVER_CAPABILITIES", "ok", "mode is cdi"),
    (checkpoint_cut_off, "claims of NVIDIA's DRA driver", "warn", "can't be read"),
]


@pytest.mark.parametrize(
    ("change", "name", "status", "phrase"),
    [pytest.param(*case, id=f"{case[0].__name__}, {case[1]}: {case[3]}") for case in CASES],
)
def test_one_thing(
    told: Told, machine: Machine, change: Callable[[Machine], None], name: str, status: str, phrase: str
) -> None:
    change(machine)
    exited, checks = told()
    row = checks[name.format(root=machine.root)]
    assert (row["status"], exited) == (status, 1 if status in {"warn", "fail"} else exited)
    text = " ".join((row["found"], row["why"] or "", *row["fix"]))
    assert phrase.format(root=machine.root) in text
    if status in {"warn", "fail"}:
        assert row["why"], "whoever reads it wants to know why"
        assert row["fix"], "and what to do"


def test_ampere_instances_want_dcgm_exporter(told: Told, machine: Machine) -> None:
    name = "activity of MIG instances"
    host = machine.file("host.yaml", "gpus:\n- {model: A100-40GB, mig: true, instances: [3g.20gb@0]}\n")
    _, checks = told(host=f"sim:{host}")
    assert checks[name]["status"] == "warn"
    assert "gpu 0" in checks[name]["found"]
    assert checks[name]["fix"] == ["run dcgm-exporter on this node for it; aliquot's own names stay beside it"]
    dcgm(machine)
    _, checks = told(host=f"sim:{host}")
    assert checks[name]["status"] == "ok"
    _, checks = told(host="preset:hgx-h100")
    assert name not in checks, "Hopper tells by itself"


def test_a_sick_gpu(told: Told, machine: Machine) -> None:
    host = machine.file("host.yaml", "gpus:\n- {model: A100-40GB, mig: true}\n")
    status, checks = told(host=f"sim:{host}")
    assert status == 1
    assert checks["GPUs"]["found"].startswith("1 GPU: gpu 0 (")
    assert checks["GPUs"]["found"].endswith("MIG is on and there is no instance: nothing can run on it")


def test_no_gpus(told: Told, machine: Machine) -> None:
    (machine.root / "sys/bus/pci/devices/0000:00:01.0").mkdir(parents=True)
    _, checks = told(host=f"sysfs:{machine.root}")
    assert checks["GPUs"]["status"] == "warn"
    assert checks["GPUs"]["found"] == "none"


def test_this_machine_has_no_driver(told: Told) -> None:
    status, checks = told(host="nvml")
    assert status == 1
    assert checks["GPU driver"]["status"] == "fail"
    assert checks["GPU driver"]["fix"]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """A driver that the dynamic linker finds; two GPUs, /dev/nvidia0 and /dev/nvidia1."""
    made = Fake(tmp_path, "gpus:\n- {model: H100-SXM-80GB, minor: 0}\n- {model: H100-SXM-80GB, minor: 1}\n")
    monkeypatch.setenv("FAKE_NVML_STATE", str(made.state))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(made.library.parent))
    return made


def test_the_driver_of_this_machine(told: Told, machine: Machine, fake: Fake) -> None:
    for node in ("nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm"):
        machine.file(f"dev/{node}", "")
    assert fake.file.driver is not None
    version = fake.file.driver.version
    machine.file("proc/driver/nvidia/version", f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {version}  Tue\n")
    _, checks = told(host="nvml")
    assert checks["GPU driver"]["status"] == "ok"
    assert checks["GPU driver"]["found"].startswith(version)
    assert checks["device nodes"]["status"] == "ok"


def test_a_driver_that_was_updated_under_its_module(told: Told, machine: Machine, fake: Fake) -> None:
    machine.file("dev/nvidia0", "")
    machine.file("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.1.2  Tue\n")
    status, checks = told(host="nvml")
    assert status == 1
    assert fake.file.driver is not None
    assert checks["GPU driver"]["found"] == (f"the library is {fake.file.driver.version}, the kernel module 535.1.2")
    assert "driver/library mismatch" in checks["GPU driver"]["why"]
    assert checks["device nodes"]["found"] == "/dev/nvidia1, /dev/nvidiactl and /dev/nvidia-uvm not there"


def test_a_kubelet_elsewhere_is_found(told: Told, machine: Machine) -> None:
    elsewhere = machine.root / "var/lib/k0s/kubelet"
    elsewhere.parent.mkdir(parents=True)
    machine.kubelet.rename(elsewhere)
    _, checks = told()
    assert checks["kubelet's folder"]["found"] == f"{elsewhere}, where its socket is"
    _, checks = told("--kubelet-root", str(machine.root / "run"))
    assert checks["kubelet's folder"]["status"] == "fail"
    assert checks["kubelet's folder"]["fix"] == ["--kubelet-root /var/lib/k0s/kubelet"]


def test_a_kubelet_says_itself_where_it_is(told: Told, machine: Machine) -> None:
    elsewhere = machine.root / "data/kubelet"
    elsewhere.parent.mkdir(parents=True)
    machine.kubelet.rename(elsewhere)
    machine.process(7, "kubelet", "--root-dir", "/data/kubelet", "--v")
    _, checks = told()
    assert checks["kubelet's folder"]["found"] == f"{elsewhere}, as the kubelet's own --root-dir says"
    assert checks["kubelet's folder"]["status"] == "ok"


def test_a_folder_that_leaves_sockets_no_room(told: Told, machine: Machine) -> None:
    long = machine.root / ("long" * 20)
    long.mkdir()
    status, checks = told("--kubelet-root", str(long))
    assert status == 1
    assert checks["room for sockets' paths"]["status"] == "fail"
    assert "107" in checks["room for sockets' paths"]["found"]


def test_not_linux(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from aliquot.cdi.host.tree import Tree

    text = Tree.text
    monkeypatch.setattr(Tree, "text", lambda self, path: None if path.endswith("ostype") else text(self, path))
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    assert run(["node", "doctor", "--host", "preset:mixed", "-o", "yaml"]) == 1
    checks = {row["name"]: row for row in yaml.safe_load(capfd.readouterr().out)["checks"]}
    assert checks["operating system"]["status"] == "fail"
    assert checks["operating system"]["found"] == "Darwin"


@pytest.mark.parametrize(
    ("version", "status", "phrase"),
    [
        ("v1.36.2", "ok", "it has DRA"),
        ("v1.33.1", "warn", "a beta that is off unless"),
        ("v1.29.0", "warn", "only the device plugin works here"),
    ],
)
def test_a_kubelet_that_says_its_release(
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    version: str,
    status: str,
    phrase: str,
) -> None:
    program = tmp_path / "kubelet"
    program.write_text(f"#!/bin/sh\necho Kubernetes {version}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    run(["node", "doctor", "--host", "preset:mixed", "-o", "json"])
    rows = {row["name"]: row for row in json.loads(capfd.readouterr().out)["checks"]}
    row = rows["kubelet's release"]
    assert row["status"] == status
    assert phrase in f"{row['found']} {row['why']}"


def test_people_read_it_line_by_line(machine: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    cdi_off(machine)
    device_plugin(machine)
    assert run(["node", "doctor", "--root", str(machine.root), "--host", "preset:mixed"]) == 1
    lines = capfd.readouterr().out.splitlines()
    where = next(
        number for number, line in enumerate(lines) if line.startswith("fail     CDI in the runtime: containerd")
    )
    assert lines[where + 1].startswith("         why: the kubelet gives containers their GPUs by CDI names")
    assert lines[where + 2].startswith("         fix: aliquot cdi runtime configure --runtime containerd")
    assert "         fix 1: kubectl cordon NODE   # nothing new starts meanwhile" in lines
    assert lines[-1].startswith("2 fail, ")


def test_what_cant_be_used(machine: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["node", "doctor", "--root", str(machine.root / "gone")]) == 2
    assert f"--root: there is no folder {machine.root}/gone" in capfd.readouterr().err
    assert run(["node", "doctor", "--kubelet-root", "gone"]) == 2
    assert "--kubelet-root: there is no folder gone" in capfd.readouterr().err
    assert run(["node", "doctor", "--host", "other"]) == 2
    assert "--host: 'other' isn't known" in capfd.readouterr().err
