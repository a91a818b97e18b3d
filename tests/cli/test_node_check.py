"""`aliquot node check`: configurations of sharing, with every fault at once, and what they'd do on a host."""

import io
import json
import sys
from pathlib import Path

import pytest
import yaml

from aliquot.cli.entry import run

T8 = """version: v1
sharing: {timeSlicing: {failRequestsGreaterThanOne: false, resources: [{name: nvidia.com/gpu, replicas: 4}]}}
"""


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = run(["node", "check", *words])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return status, out, err


def file(folder: Path, text: str, name: str = "config.yaml") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def problems(capsys: pytest.CaptureFixture[str], path: str) -> dict[str, str]:
    status, out, _ = call(capsys, path, "-o", "json")
    assert status == 1
    found = json.loads(out)["problems"]
    assert all(each["file"] == path for each in found)
    return {each["path"]: f"{each['message']} | {each.get('hint', '')}" for each in found}


# --- the device plugin's file ----------------------------------------------------------------------------------------
def test_replicas_by_time_slicing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = file(tmp_path, T8)
    status, out, err = call(capsys, path)
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == f"{path}: device plugin: time-slicing, nvidia.com/gpu 4 times each"
    assert "  shares memory: a neighbour can take all of it" in out
    answer = yaml.safe_load(call(capsys, path, "-o", "yaml")[1])
    assert answer == {
        "configs": [
            {
                "file": path, "path": "", "kind": "DevicePluginConfig", "strategy": "time-slicing",
                "isolation": {"memory": "none", "fault": "none", "bandwidth": "none"}, "flags": {},
                "failRequestsGreaterThanOne": False,
                "notes": [
                    ("a request for several replicas is granted: they may all be of one GPU, and then give a program "
                     "no more compute or memory than one does (failRequestsGreaterThanOne: true refuses such a "
                     "request)")
                ],
                "resources": [{"name": "nvidia.com/gpu", "replicas": 4, "offeredAs": "nvidia.com/gpu"}],
            }
        ],
        "problems": [],
    }  # fmt: skip


# facts of DRA, T8: one replica, and two strategies
def test_one_replica_and_two_strategies_are_faults(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = problems(capsys, file(tmp_path, T8.replace("replicas: 4", "replicas: 1")))
    assert found == {"sharing.timeSlicing.resources[0].replicas": "1 isn't possible | at least 2 make a shared device"}
    both = (
        "sharing: {mps: {resources: [{name: gpu, replicas: 2}]}, timeSlicing: {resources: [{name: gpu, replicas: 2}]}}"
    )
    found = problems(capsys, file(tmp_path, both))
    assert found == {"sharing": "timeSlicing and mps are both given: a node shares by one of them | keep one"}


BROKEN = """
version: v2
flags:
  migStrategy: mixed
  failOnInitError: "true"
  deviceDiscoveryStrategy: guess
  typo: 1
  plugin: {deviceListStrategy: [envar, cdi-cri], deviceIDStrategy: name, sharedDevicesAllocationPolicy: any}
  gfd: {sleepInterval: 1 minute, oneshot: 1}
resources: {gpus: [{pattern: "*"}]}
sharing:
  mps:
    resources:
    - {name: gpu, replicas: 1}
    - {name: nvidia.com/gpu, replicas: x, rename: fast, devices: []}
    - {replicas: 3, devices: ["GPU-1", 7]}
    - {name: Mig_1g, replicas: 2, devices: few}
    - {name: nvidia.com/mig-1g.5gb, replicas: 2}
    - 7
imex: {channelIDs: [3]}
"""


def test_every_fault_of_a_file_at_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    expected = {
        "version": '"v2" isn\'t known | v1',
        "flags.failOnInitError": "take the quotes away",
        "flags.deviceDiscoveryStrategy": "auto, nvml, tegra",
        "flags.typo": "no such field: the plugin passes over it",
        "flags.plugin.deviceListStrategy[0]": "envvar, volume-mounts",
        "flags.plugin.deviceIDStrategy": "uuid, index",
        "flags.plugin.sharedDevicesAllocationPolicy": "distributed, packed",
        "flags.gfd.sleepInterval": "60s, or infinite",
        "flags.gfd.oneshot": "expected true or false",
        "resources.gpus": "can't rename devices",
        "resources.gpus[0].name": "missing",
        "sharing.mps": "doesn't start with MPS and migStrategy mixed",
        "sharing.mps.resources[0].replicas": "at least 2",
        "sharing.mps.resources[1].name": "resources[0] names it too",
        "sharing.mps.resources[1].replicas": "expected an integer",
        "sharing.mps.resources[1].rename": "passes over it | renameByDefault",
        "sharing.mps.resources[1].devices": "shares all devices | all",
        "sharing.mps.resources[2].name": "missing",
        "sharing.mps.resources[2].devices[0]": "names no device",
        "sharing.mps.resources[3].name": "is no resource's name",
        "sharing.mps.resources[3].devices": "all, a count, or a list",
        "sharing.mps.resources[4].name": "MPS on whole GPUs only",
        "sharing.mps.resources[5]": "expected an object",
        "imex.channelIDs": "[] or [0]",
    }
    found = problems(capsys, file(tmp_path, BROKEN))
    for path, part in expected.items():
        assert part in found.get(path, "(not told)"), path
    assert set(found) == set(expected)
    _, _, err = call(capsys, file(tmp_path, BROKEN))
    assert "config.yaml, line 8: flags.plugin.deviceListStrategy[0]: " in err


@pytest.mark.parametrize(
    ("text", "path", "part"),
    [
        ("flags: {plugin: {deviceListStrategy: []}}", "flags.plugin.deviceListStrategy", "empty"),
        ("flags: {plugin: {deviceListStrategy: cdi}}", "flags.plugin.deviceListStrategy", "isn't known"),
        ("flags: {gfd: {sleepInterval: true}}", "flags.gfd.sleepInterval", "expected a duration"),
        ("sharing: {timeSlicing: {resources: []}}", "sharing.timeSlicing.resources", "which resources"),
        ("sharing: {mps: {resources: [{name: gpu, replicas: 49}]}}", "sharing.mps.resources[0].replicas",
         "49 isn't possible: the plugin allows 48 MPS clients of a GPU at most"),
        ("sharing: {timeSlicing: {}}", "sharing.timeSlicing.resources", "missing"),
        (f"sharing: {{timeSlicing: {{resources: [{{name: {'a' * 60}, replicas: 2}}]}}}}",
         "sharing.timeSlicing.resources[0].name", "longer than 63"),
        ("sharing: {timeSlicing: {resources: [{name: gpu, replicas: 2, devices: 0}]}}",
         "sharing.timeSlicing.resources[0].devices", "isn't possible"),
    ],
)  # fmt: skip
def test_single_faults(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, path: str, part: str) -> None:
    found = problems(capsys, file(tmp_path, text))
    assert list(found) == [path]
    assert part in found[path]


def test_what_the_plugin_passes_over_is_told_beside_the_configuration(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = """
version: v1
flags: {migStrategy: single, gfd: {sleepInterval: infinite}, plugin: {deviceListStrategy: envvar}}
sharing:
  timeSlicing:
    renameByDefault: true
    resources:
    - {name: gpu, replicas: 3, rename: gpu.shared, devices: [1, "1:0",MIG-GPU-b1028956-cfa2-0990-bf4a-5da9abb51763/3/0]}
"""
    status, out, err = call(capsys, file(tmp_path, text))
    assert status == 1
    assert "time-slicing, nvidia.com/gpu 3 times each as nvidia.com/gpu.shared, migStrategy single" in out
    assert "resources[0].devices: the plugin passes over it and shares all devices" in err
    assert err.count("error:") == 1


def test_a_config_map_of_several(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    data = {"shared": T8, "broken": "version: v1\nsharing: {mps: {}}", "none": "version: v1", "odd": ":\n- [", "x": 7}
    text = yaml.safe_dump({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "plugin"}, "data": data})
    status, out, err = call(capsys, file(tmp_path, text))
    assert status == 1
    assert "data.shared: device plugin: time-slicing" in out
    assert "data.none: device plugin: nothing is shared" in out
    assert "data.broken.sharing.mps.resources: missing" in err
    assert "data.odd: " in err


# --- on a host -------------------------------------------------------------------------------------------------------
HOST = """
name: shop
gpus:
  - {model: A100-40GB, mig: true, instances: [3g.20gb@0, 1g.5gb@4, 1g.5gb@5]}
  - {model: A10}
  - {model: A10}
"""


def offers(
    capsys: pytest.CaptureFixture[str], folder: Path, config: str, host: str = HOST
) -> tuple[int, object, object]:
    path, there = file(folder, config), file(folder, host, "host.yaml")
    status, out, _ = call(capsys, path, "--host", f"sim:{there}", "-o", "json")
    says = json.loads(out)["configs"][0]["host"]
    rows = [
        (each["resource"], each["units"], each["memoryMiB"], each["memoryShared"], each.get("threadPercent"))
        for each in says["offers"]
    ]
    return status, rows, says["problems"]


def test_mixed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    renamed = "{renameByDefault: true, resources: [{name: gpu, replicas: 4}]}"
    text = f"flags: {{migStrategy: mixed}}\nsharing: {{timeSlicing: {renamed}}}"
    assert offers(capsys, tmp_path, text) == (
        0,
        [
            ("nvidia.com/gpu.shared", 8, 23028, True, None),  # memory is shared, never divided
            ("nvidia.com/mig-1g.5gb", 2, 4864, False, None),
            ("nvidia.com/mig-3g.20gb", 1, 19968, False, None),
        ],
        [],
    )
    instances = "flags: {migStrategy: mixed}\nsharing: {timeSlicing: {resources: [{name: mig-1g.5gb, replicas: 2}]}}"
    status, rows, wrong = offers(capsys, tmp_path, instances)
    assert (status, wrong) == (0, [])
    assert isinstance(rows, list)
    assert ("nvidia.com/mig-1g.5gb", 4, 4864, True, None) in rows


# facts of the planner, worked case 6
@pytest.mark.parametrize(
    ("model", "replicas", "mib", "percent"), [("A10", 3, 7676, 33), ("T4", 4, 3840, 25), ("A100-40GB", 7, 5851, 14)]
)
def test_shares_by_mps(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, model: str, replicas: int, mib: int, percent: int
) -> None:
    config = f"sharing: {{mps: {{resources: [{{name: nvidia.com/gpu, replicas: {replicas}}}]}}}}"
    row = ("nvidia.com/gpu", replicas, mib, False, percent)
    assert offers(capsys, tmp_path, config, f"gpus: [{{model: {model}}}]") == (0, [row], [])
    out = call(capsys, file(tmp_path, config), "--host", f"sim:{file(tmp_path, HOST, 'host.yaml')}")[1]
    assert "a request for more than one replica is refused" in out


@pytest.mark.parametrize(
    ("config", "host", "wrong"),
    [
        ("flags: {migStrategy: single}", HOST, "wants MIG on all GPUs or on none: it's off on gpu 1 (0000:11:00.0)"),
        ("flags: {migStrategy: single}", "gpus: [{model: A100-40GB, mig: true, instances: [3g.20gb@0, 1g.5gb@4]}]",
         "wants all instances alike: there are 1g.5gb, 3g.20gb"),
        ("flags: {migStrategy: single}", "gpus: [{model: A100-40GB, mig: true}]", "MIG is on and there's no instance"),
        ("flags: {migStrategy: single}\nsharing: {mps: {resources: [{name: gpu, replicas: 2}]}}",
         "gpus: [{model: A100-40GB, mig: true, instances: [3g.20gb@0, 3g.20gb@4]}]", "the plugin has it on whole GPUs"),
        ("sharing: {mps: {resources: [{name: gpu, replicas: 17}]}}", "gpus: [{model: V100-16GB}]",
         "17 replicas by MPS, the plugin allows 16 at most"),
        ("version: v1\nsharing: {timeSlicing: {resources: [{name: gpus, replicas: 2}]}}", "gpus: [{model: T4}]",
         "nvidia.com/gpus isn't offered here"),
        ("version: v1", HOST, "gpu 0 (0000:10:00.0): MIG is on, and it's counted whole"),
    ],
)  # fmt: skip
def test_where_the_plugin_would_not_do_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, config: str, host: str, wrong: str
) -> None:
    status, _, said = offers(capsys, tmp_path, config, host)
    assert status == 1
    assert isinstance(said, list)
    assert any(wrong in each for each in said), said


def test_single_on_a_node_of_like_instances(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    host = "gpus: [{model: A100-40GB, mig: true, instances: [3g.20gb@0, 3g.20gb@4]}]"
    single = offers(capsys, tmp_path, "flags: {migStrategy: single}", host)
    assert single == (0, [("nvidia.com/gpu", 2, 19968, False, None)], [])


# --- opaque configurations -------------------------------------------------------------------------------------------
CLAIM = """
apiVersion: resource.k8s.io/v1
kind: {kind}
metadata: {{name: shared}}
spec: {spec}
"""
PARAMETERS = {
    "apiVersion": "resource.nvidia.com/v1beta1",
    "kind": "GpuConfig",
    "sharing": {
        "strategy": "MPS",
        "timeSlicingConfig": {"interval": "Long"},
        "mpsConfig": {
            "defaultActiveThreadPercentage": 150,
            "defaultPinnedDeviceMemoryLimit": "512Ki",
            "unknownField": 1,
        },
    },
}
OPAQUE = {"config": [{"opaque": {"driver": "gpu.nvidia.com", "parameters": PARAMETERS}}, {"opaque": {"driver": "x"}}]}


@pytest.mark.parametrize(
    ("kind", "spec", "path"),
    [
        ("ResourceClaim", {"devices": OPAQUE}, "spec.devices.config[0].opaque.parameters"),
        ("ResourceClaimTemplate", {"spec": {"devices": OPAQUE}}, "spec.spec.devices.config[0].opaque.parameters"),
        ("DeviceClass", OPAQUE, "spec.config[0].opaque.parameters"),
    ],
)
def test_t9_wherever_it_stands(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, kind: str, spec: object, path: str
) -> None:
    found = problems(capsys, file(tmp_path, CLAIM.format(kind=kind, spec=json.dumps(spec))))
    assert set(found) == {
        f"{path}.sharing.{name}"
        for name in (
            "timeSlicingConfig", "mpsConfig.defaultActiveThreadPercentage",
            "mpsConfig.defaultPinnedDeviceMemoryLimit", "mpsConfig.unknownField",
        )
    }  # fmt: skip


def test_by_itself_in_a_list_and_among_others(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [
        {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "MigDeviceConfig", "sharing": {"strategy": "MPS"}},
        {"apiVersion": "v1", "kind": "Pod", "spec": {}},
        {"kind": "GpuConfig"},
        "x",
    ]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    status, out, err = call(capsys, "-")
    assert status == 1
    assert out.startswith("-: items[0]: MigDeviceConfig: MPS\n  shares memory: kept apart by a limit")
    assert "items[2].apiVersion: missing" in err


LIMITS = (
    "{strategy: MPS, mpsConfig: {defaultActiveThreadPercentage: 50, multiUser: true,"
    " defaultPinnedDeviceMemoryLimit: 10Gi, defaultPerDevicePinnedMemoryLimit: {'1': 1Gi}}}"
)


@pytest.mark.parametrize(
    ("kind", "sharing", "words"),
    [
        ("GpuConfig", "null", "GpuConfig: nothing is set up"),
        ("GpuConfig", "{strategy: TimeSlicing}", "GpuConfig: time-slicing, interval default\n  shares memory"),
        ("MigDeviceConfig", "{strategy: TimeSlicing}", "MigDeviceConfig: time-slicing\n  shares memory"),
        ("GpuConfig", LIMITS,
         "MPS, 50 % of the multiprocessors, 10240 MiB, 1024 MiB on device 1 at most for each client, several users"),
    ],
)  # fmt: skip
def test_in_words(capsys: pytest.CaptureFixture[str], tmp_path: Path, kind: str, sharing: str, words: str) -> None:
    text = f"apiVersion: resource.nvidia.com/v1beta1\nkind: {kind}\nsharing: {sharing}"
    status, out, _ = call(capsys, file(tmp_path, text))
    assert status == 0
    assert words in out
    answer = json.loads(call(capsys, file(tmp_path, text), "-o", "json")[1])["configs"][0]
    assert answer["kind"] == kind
    if sharing == LIMITS:
        assert (answer["memoryMiB"], answer["memoryMiBOf"], answer["multiUser"]) == (10240, {"1": 1024}, True)


def test_on_the_gpus_of_a_host(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = "apiVersion: resource.nvidia.com/v1beta1\nkind: {}\nsharing: {{strategy: MPS}}"
    there = f"sim:{file(tmp_path, HOST, 'host.yaml')}"
    status, out, _ = call(capsys, file(tmp_path, text.format("GpuConfig")), "--host", there)
    assert status == 0
    assert "gpu 0 (0000:10:00.0): MIG is on: only its instances can be used" in out
    assert "gpu 1 (0000:11:00.0): can be shared so" in out
    status, out, _ = call(capsys, file(tmp_path, text.format("MigDeviceConfig")), "--host", "preset:t4-node")
    assert status == 1
    assert "Tesla T4 has no MIG" in out
    assert "wrong on preset:t4-node: no GPU here can be shared so" in out
    old = f"sim:{file(tmp_path, 'driver: {version: 450.80.02}' + chr(10) + 'gpus: [{model: T4}]', 'old.yaml')}"
    turns = text.format("GpuConfig").replace("MPS", "TimeSlicing, timeSlicingConfig: {interval: Long}")
    assert "driver 450.80.02 can't set the time-slice" in call(capsys, file(tmp_path, turns), "--host", old)[1]


# --- what can't be used ----------------------------------------------------------------------------------------------
def test_nothing_to_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert call(capsys)[0] == 2
    status, _, err = call(capsys, str(tmp_path / "nowhere.yaml"))
    assert status == 2
    assert "nowhere.yaml: can't be opened" in err
    status, _, err = call(capsys, file(tmp_path, "apiVersion: v1\nkind: Pod"))
    assert status == 2
    assert "there is no configuration of GPU sharing in it" in err
    assert "GpuConfig or MigDeviceConfig" in err
    status, _, err = call(capsys, file(tmp_path, "a: [b"))
    assert status == 2
    assert "config.yaml, line 2: not YAML" in err
    assert call(capsys, file(tmp_path, T8), "--host", "preset:none")[0] == 2
