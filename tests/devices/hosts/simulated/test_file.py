"""A host file with faults gives all of them at once, each with its path; presets have none."""

import pytest
import yaml

from aliquot.devices.hosts.simulated.file import HostFileError, read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.hosts.simulated.presets import preset_names, preset_summary, preset_text


def faults(text: str) -> dict[str, str]:
    with pytest.raises(HostFileError) as caught:
        read_host(text, "host.yaml")
    for each in caught.value.faults:
        assert f"host.yaml: {each.path}" in str(caught.value)
    return {fault.path: f"{fault.message} | {fault.hint}" for fault in caught.value.faults}


BROKEN = """
gpus:
  - {model: A100-40, minor: x, instanses: []}
  - {model: T4, mig: true, uuid: GPU-1}
  - model: A100-40GB
    mig: true
    minor: -1
    pci: "1"
    instances: [3g.20gb@2, 1g.5gb, 9g.1gb@1]
    processes: [{pid: 1}, {pid: 2, start: 6, kind: blender}]
    computeMode: shared
  - {model: MI300X, pci: "0000:01:00.0"}
  - {model: L4, instances: [1g.5gb@0], pci: "0000:01:00.0"}
  - {model: RTX-PRO-5000, mig: true, instances: [1g.24gb@0]}
  - {model: A30, instances: [1g.6gb@0]}
  - 7
nics: [{kind: ethernet}, {pci: q, kind: token-ring}]
migUuids: sometimes
driver: {version: 580}
faults: [{call: zap}, {gpu: 99, lost: true}, {xid: 79}, {slowMs: 5}, {call: reset, nth: 0, refused: tired}, {}]
colour: red
"""


def test_every_fault_at_once() -> None:
    found = faults(BROKEN)
    expected = {
        "gpus[0].instanses": "did you mean instances?",
        "gpus[0].minor": "expected an integer",
        "gpus[0].model": "did you mean A100-40GB?",
        "gpus[1].mig": "T4 has no MIG",
        "gpus[1].uuid": "no GPU's UUID",
        "gpus[2].minor": "below 0",
        "gpus[2].pci": "no PCI address",
        "gpus[2].instances": "3g.20gb may start at 0, 4 only",
        "gpus[2].instances[1]": "PROFILE@START",
        "gpus[2].instances[2]": "no MIG profile 9g.1gb",
        "gpus[2].processes[0].start": "missing",
        "gpus[2].processes[1].start": "no instance starts at 6",
        "gpus[2].processes[1].kind": "compute, graphics or mps",
        "gpus[2].computeMode": "exclusive-process",
        "gpus[3].model": "isn't NVIDIA's",
        "gpus[4].pci": "is gpus[3]'s too",
        "gpus[4].mig": "L4 has no MIG",
        "gpus[5].instances": "isn't published",
        "gpus[6].instances": "mig: true",
        "gpus[7]": "expected an object, found 7",
        "nics[0].pci": "missing",
        "nics[1].pci": "no PCI address",
        "nics[1].kind": "ethernet or infiniband",
        "migUuids": "stable or fresh",
        "driver.version": "put it in quotes",
        "faults[0].call": "no call 'zap'",
        "faults[1].gpu": "no GPU 99",
        "faults[2].gpu": "which GPU?",
        "faults[3].call": "which call",
        "faults[4].nth": "below 1",
        "faults[4].refused": "in use",
        "faults[5]": "nothing goes wrong",
        "colour": "no such field",
    }
    for path, part in expected.items():
        assert part in found.get(path, "(not told)"), path


@pytest.mark.parametrize(
    ("text", "path", "part"),
    [
        ("gpus: [", "line 2", "no YAML"),
        ("a: b: c", "line 1", "no YAML"),
        ("", "", "expected an object, found null"),
        ("[]", "", "expected an object, found a list"),
        ("{}", "gpus", "missing"),
        ("gpus: []", "gpus", "aliquot node presets"),
        ("gpus: {}", "gpus", "expected a list"),
        ("gpus: ['\x01']", "", "no YAML"),
        ("gpus: [{model: GB300, memoryMiB: -4}]", "gpus[0].memoryMiB", "below 1"),
    ],
)
def test_files_of_the_wrong_kind(text: str, path: str, part: str) -> None:
    assert part in faults(text)[path]


@pytest.mark.parametrize("name", preset_names())
def test_presets_are_hosts(name: str) -> None:
    text = preset_text(name)
    assert text is not None
    host = read_host(text, name)
    assert host.name == name
    survey = SimulatedHost(host).survey()
    assert len(survey.gpus) == len(yaml.safe_load(text)["gpus"])
    assert len({gpu.uuid for gpu in survey.gpus}) == len({gpu.pci for gpu in survey.gpus}) == len(survey.gpus)
    assert all(gpu.memory is not None and gpu.memory.total > 0 for gpu in survey.gpus)
    assert preset_summary(name)


def test_the_presets_that_the_documents_name() -> None:
    assert {"dgx-a100", "hgx-h100", "hgx-h200", "aws-g5.xlarge", "l4-node", "mixed"} <= set(preset_names())
    assert preset_text("../secret") is None
    h200 = preset_text("hgx-h200")
    assert h200 is not None
    gpus = SimulatedHost(read_host(h200, "x")).survey().gpus
    assert [gpu.memory.total // 2**20 for gpu in gpus if gpu.memory] == [143771] * 8
