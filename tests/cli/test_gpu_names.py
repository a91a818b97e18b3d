"""A GPU goes by the same names in every command, however a person spells it."""

import json
from pathlib import Path

import pytest

from aliquot.cli.entry import run
from aliquot.cli.mig import GPUS
from aliquot.devices.catalogue import all_models
from aliquot.devices.mig import all_geometries


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = run(list(words))
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return status, out, err


def simulated(capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str) -> tuple[int, str, str]:
    """The status, the model that `node inspect` tells of a host file with that GPU, and the errors."""
    path = tmp_path / "host.yaml"
    path.write_text(json.dumps({"gpus": [{"model": name}]}), encoding="utf-8")
    status, out, err = call(capsys, "node", "inspect", "--host", f"sim:{path}", "-o", "json")
    return status, json.loads(out)["gpus"][0]["model"] if status == 0 else "", err


@pytest.mark.parametrize(
    "model",
    [each for each in all_models() if each.vendor == "nvidia" and each.memory_mib is not None],
    ids=lambda model: model.key,
)
def test_every_name_of_a_model_is_one_everywhere(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, model: object
) -> None:
    known = next(each for each in all_models() if each is model)
    names = [known.key, known.key.lower(), known.key.replace("-", " "), f"NVIDIA {known.key}", *known.products]
    names += [known.label, f"nvidia.com/gpu.product={known.label}", known.products[0].upper(), known.pci_ids[0]]
    for name in names:
        assert simulated(capsys, tmp_path, name)[:2] == (0, known.key), name
    if known.mig is None:
        return
    for name in names:
        status, out, err = call(capsys, "mig", "layouts", name, "-o", "json")
        assert (status == 0 and json.loads(out)["gpu"] == known.mig) or "isn't published" in err, (name, err)


def test_every_name_that_mig_prints_is_one_of_a_host_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    unknown = {"H100-64GB": "only the MIG layouts are known"}
    for geometry in all_geometries():
        status, model, err = simulated(capsys, tmp_path, geometry.key)
        missing = unknown.get(geometry.key, "how much memory")
        assert (status == 0 and any(each.mig == geometry.key for each in all_models() if each.key == model)) or (
            missing in err
        ), geometry.key


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("H100-80GB", "H100-SXM-80GB"),
        ("h100 80gb hbm3", "H100-SXM-80GB"),
        ("H100 PCIe", "H100-PCIe-80GB"),
        ("A100 80 GB", "A100-80GB"),
        ("a100_sxm4_80gb", "A100-80GB"),
        ("H100 SXM5 80G", "H100-SXM-80GB"),
        ("nvidia b300", "B300"),
        ("NVIDIA-A100-SXM4-40GB-SHARED", "A100-40GB"),
    ],
)
def test_reasonable_spellings(capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, key: str) -> None:
    assert simulated(capsys, tmp_path, name)[:2] == (0, key)
    assert call(capsys, "mig", "layouts", name)[0] == 0


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("A100-40", "did you mean A100-40GB?"),
        ("A100-50GB", "did you mean A100-40GB or A100-80GB?"),
        ("H100-SMX-80GB", "did you mean H100-SXM-80GB?"),
        ("B30", "did you mean B300?"),
        ("H10", "did you mean H100?"),
        ("L44", "did you mean L4 or L40?"),
        ("NVIDIA A100-SXM4-40GBB", "did you mean A100-40GB?"),
    ],
)
def test_near_misses_are_told_the_nearest(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, hint: str
) -> None:
    assert hint in simulated(capsys, tmp_path, name)[2]
    status, _, err = call(capsys, "mig", "layouts", name)
    assert status == 2
    assert hint in err
    assert "known with MIG: A100-40GB, " in err


@pytest.mark.parametrize("name", ["H100", "RTX 6000", "A100"])
def test_names_that_say_too_little(capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str) -> None:
    for status, err in ((2, simulated(capsys, tmp_path, name)[2]), call(capsys, "mig", "layouts", name)[::2]):
        assert status == 2
        assert "is more than one GPU" in err
        assert "say which: " in err


@pytest.mark.parametrize("name", ["tpu", "", "Server", "10de:ffff"])
def test_names_of_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str) -> None:
    err = simulated(capsys, tmp_path, name)[2]
    assert "one of T4, V100-16GB" in err
    assert "known with MIG: " in call(capsys, "mig", "layouts", name)[2]


def test_the_help_lists_every_gpu_with_mig() -> None:
    listed = GPUS.partition("PCI id:\n")[2].replace("\n", " ").split(", ")
    assert sorted(listed) == sorted(each.key for each in all_geometries())
