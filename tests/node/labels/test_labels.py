"""The labels of simulated nodes, beside what GPU feature discovery gives them."""

from dataclasses import replace
from typing import Any

import pytest

from aliquot.devices.hosts.protocol import Refused
from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.hosts.simulated.presets import preset_text
from aliquot.devices.survey import Survey
from aliquot.node.labels.labels import Facts, Labels, labels_of
from aliquot.node.labels.words import family_of
from aliquot.sharing.plugin_config.values import MigStrategy, PluginConfig, Replicas, Replicated
from aliquot.sharing.strategies import Strategy

DRIVER = """
cuda.driver-version.full 580.65.06 · cuda.driver-version.major 580 · cuda.driver-version.minor 65
cuda.driver-version.revision 06 · cuda.driver.major 580 · cuda.driver.minor 65 · cuda.driver.rev 06
cuda.runtime-version.full 13.0 · cuda.runtime-version.major 13 · cuda.runtime-version.minor 0
cuda.runtime.major 13 · cuda.runtime.minor 0"""
OLDER = """
cuda.driver-version.full 570.172.08 · cuda.driver-version.major 570 · cuda.driver-version.minor 172
cuda.driver-version.revision 08 · cuda.driver.major 570 · cuda.driver.minor 172 · cuda.driver.rev 08
cuda.runtime-version.full 12.8 · cuda.runtime-version.major 12 · cuda.runtime-version.minor 8
cuda.runtime.major 12 · cuda.runtime.minor 8"""
H100 = """
gpu.product NVIDIA-H100-80GB-HBM3 · gpu.count 8 · gpu.replicas 1 · gpu.sharing-strategy none · gpu.memory 81559
gpu.compute.major 9 · gpu.compute.minor 0 · gpu.family hopper · mig.capable true · mps.capable false"""
ALL_1G = "name: cut\ngpus: [{model: A100-40GB, mig: true, instances: [1g.5gb@0, 1g.5gb@1]}, %s]\n"
SECOND = "{model: A100-40GB, mig: true, instances: [1g.5gb@3]}"
MIG_1G = """
engines.copy 1 · engines.decoder 0 · engines.encoder 0 · engines.jpeg 0 · engines.ofa 0
memory 4864 · multiprocessors 14 · slices.gi 1 · slices.ci 1"""
A100 = "gpu.compute.major 8 · gpu.compute.minor 0 · gpu.family ampere · mig.capable true · mps.capable false"


def table(*texts: str, own: str = "") -> dict[str, str]:
    """By name, from `name value · name value`."""
    pairs = [pair.split() for text in texts for line in text.splitlines() for pair in line.split(" · ") if pair]
    mine = [pair.split() for pair in own.split(" · ") if pair]
    return {f"nvidia.com/{name}": value for name, value in pairs} | {
        f"aliquot.dev/{name}": value for name, value in mine
    }


def under(resource: str, text: str) -> str:
    return "\n".join(
        " · ".join(f"{resource}.{pair}" for pair in line.split(" · ")) for line in text.splitlines() if line
    )


def seen(text: str, **facts: Any) -> Labels:
    host = SimulatedHost(read_host(text, "host.yaml"))
    survey = host.survey()
    found = {gpu.uuid: host.geometry(gpu.uuid) for gpu in survey.gpus}
    geometries = {uuid: each for uuid, each in found.items() if not isinstance(each, Refused)}
    return labels_of(survey, replace(Facts(geometries=geometries), **facts))


def preset(name: str, **facts: Any) -> Labels:
    return seen(preset_text(name) or "", **facts)


def sharing(
    strategy: Strategy, replicas: int = 4, rename: str | None = None, name: str = "nvidia.com/gpu"
) -> PluginConfig:
    resources = (Replicated(name, replicas, rename),)
    return PluginConfig(sharing=Replicas(strategy, resources, fail_requests_greater_than_one=False))


OWN_H100 = "gpu.NVIDIA-H100-80GB-HBM3.count 8"


@pytest.mark.parametrize(
    ("name", "facts", "expected"),
    [
        ("hgx-h100", {}, table(DRIVER, H100, own=OWN_H100)),
        (
            "hgx-h100",
            {"machine": "HGX Board (rev. 2)", "unhealthy": 1, "version": "0.1.0"},
            table(
                DRIVER, H100, "gpu.machine HGX-Board-rev.-2", own=f"{OWN_H100} · gpu.unhealthy 1 · agent.version 0.1.0"
            ),
        ),
        (
            "hgx-h100",
            {"config": sharing(Strategy.TIME_SLICING)},
            table(DRIVER, H100, own=OWN_H100)
            | table("gpu.product NVIDIA-H100-80GB-HBM3-SHARED · gpu.replicas 4 · gpu.sharing-strategy time-slicing"),
        ),
        (
            "hgx-h100",
            {"config": sharing(Strategy.MPS, 10, rename="nvidia.com/gpu.shared")},
            table(DRIVER, H100, own=OWN_H100)
            | table("gpu.replicas 10 · gpu.sharing-strategy mps · mps.capable true"),
        ),
        (
            "t4-node",
            {},
            table(
                OLDER,
                "gpu.product Tesla-T4 · gpu.count 1 · gpu.replicas 1 · gpu.sharing-strategy none · gpu.memory 15360",
                "gpu.compute.major 7 · gpu.compute.minor 5 · gpu.family turing",
                "mig.capable false · mps.capable false",
                own="gpu.Tesla-T4.count 1",
            ),
        ),
        (
            "l4-node",
            {"config": PluginConfig(mig_strategy=MigStrategy.SINGLE)},
            table(
                OLDER,
                "gpu.product NVIDIA-L4 · gpu.count 4 · gpu.replicas 1 · gpu.sharing-strategy none · gpu.memory 23034",
                "gpu.compute.major 8 · gpu.compute.minor 9 · gpu.family ada-lovelace",
                "mig.capable false · mig.strategy single · mps.capable false",
                own="gpu.NVIDIA-L4.count 4",
            ),
        ),
    ],
)  # fmt: skip
def test_whole_gpus(name: str, facts: dict[str, Any], expected: dict[str, str]) -> None:
    assert preset(name, **facts) == Labels(dict(sorted(expected.items())))


def test_several_models() -> None:
    """The labels have room for one: that of most GPUs that aren't cut by MIG; ours count each."""
    found = preset("mixed").labels
    assert {
        name: value for name, value in found.items() if name in table("gpu.product x · gpu.count x · gpu.memory x")
    } == table("gpu.product NVIDIA-H100-80GB-HBM3 · gpu.count 1 · gpu.memory 81559")
    assert {name: value for name, value in found.items() if name.startswith("aliquot.dev")} == {
        "aliquot.dev/gpu.NVIDIA-A100-SXM4-40GB.count": "2",
        "aliquot.dev/gpu.NVIDIA-H100-80GB-HBM3.count": "1",
        "aliquot.dev/gpu.NVIDIA-L4.count": "1",
    }
    assert not [name for name in found if "mig-" in name or "mig.strategy" in name]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (
            PluginConfig(),
            table(A100, "gpu.product NVIDIA-A100-SXM4-40GB · gpu.count 2 · gpu.replicas 0 · gpu.memory 40960",
                  "gpu.sharing-strategy none"),
        ),
        (
            PluginConfig(mig_strategy=MigStrategy.SINGLE),
            table(A100, "gpu.product NVIDIA-A100-SXM4-40GB-MIG-1g.5gb · gpu.count 3 · gpu.replicas 1",
                  "gpu.sharing-strategy none · mig.strategy single", under("gpu", MIG_1G)),
        ),
        (
            replace(sharing(Strategy.TIME_SLICING, 2), mig_strategy=MigStrategy.SINGLE),
            table(A100, "gpu.product NVIDIA-A100-SXM4-40GB-MIG-1g.5gb-SHARED · gpu.count 3 · gpu.replicas 2",
                  "gpu.sharing-strategy time-slicing · mig.strategy single", under("gpu", MIG_1G)),
        ),
        (
            PluginConfig(mig_strategy=MigStrategy.MIXED),
            table(A100, "gpu.product NVIDIA-A100-SXM4-40GB · gpu.count 2 · gpu.replicas 0 · gpu.memory 40960",
                  "gpu.sharing-strategy none · mig.strategy mixed", under("mig-1g.5gb", MIG_1G),
                  "mig-1g.5gb.product NVIDIA-A100-SXM4-40GB-MIG-1g.5gb · mig-1g.5gb.count 3",
                  "mig-1g.5gb.replicas 1 · mig-1g.5gb.sharing-strategy none"),
        ),
    ],
)  # fmt: skip
def test_mig(config: PluginConfig, expected: dict[str, str]) -> None:
    found = seen(ALL_1G % SECOND, config=config)
    assert found.left_out == ()
    assert found.labels == dict(sorted((expected | table(DRIVER, own="gpu.NVIDIA-A100-SXM4-40GB.count 2")).items()))


@pytest.mark.parametrize(
    "second",
    [
        "{model: A100-40GB}",
        "{model: A100-40GB, mig: true}",
        "{model: A100-40GB, mig: true, instances: [2g.10gb@0]}",
    ],
    ids=["a GPU without MIG", "no instance", "two profiles"],
)
def test_what_single_cannot_say(second: str) -> None:
    found = seen(ALL_1G % second, config=PluginConfig(mig_strategy=MigStrategy.SINGLE)).labels
    expected = table("gpu.product NVIDIA-A100-SXM4-40GB-MIG-INVALID · gpu.count 0 · gpu.replicas 0 · gpu.memory 0")
    assert {name: found[name] for name in expected} == expected
    assert "nvidia.com/gpu.slices.gi" not in found


def test_a_plus_is_no_part_of_a_name() -> None:
    found = seen(
        "gpus: [{model: A100-40GB, mig: true, instances: [1g.5gb+me@0]}]",
        config=PluginConfig(mig_strategy=MigStrategy.MIXED),
    ).labels
    assert found["nvidia.com/mig-1g.5gb.me.product"] == "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb.me"


def test_what_is_no_label_is_told() -> None:
    found = preset("t4-node", machine="x" * 64)
    assert found.left_out == (f"nvidia.com/gpu.machine={'x' * 64}",)
    assert "nvidia.com/gpu.machine" not in found.labels


def test_what_is_not_known_is_no_label() -> None:
    assert labels_of(Survey(host="nvml"), Facts()) == Labels({})
    gpu = SimulatedHost(read_host(preset_text("t4-node") or "", "x")).survey().gpus[0]
    bare = replace(gpu, memory=None, compute_capability=None, mig=None, mig_unknown=True, virtual=False)
    assert labels_of(Survey(host="nvml", gpus=(bare,)), Facts()).labels == table(
        "gpu.product Tesla-T4 · gpu.count 1 · gpu.replicas 1 · gpu.sharing-strategy none",
        "mps.capable false · vgpu.present false",
        own="gpu.Tesla-T4.count 1",
    )


@pytest.mark.parametrize(
    ("capability", "family"),
    [
        ("6.0", "pascal"), ("7.0", "volta"), ("7.5", "turing"), ("8.0", "ampere"), ("8.6", "ampere"),
        ("8.9", "ada-lovelace"), ("9.0", "hopper"), ("10.0", "blackwell"), ("12.0", "blackwell"), ("13.0", "rubin"),
        ("14.0", None), ("gfx90a", None),
    ],
)  # fmt: skip
def test_families(capability: str, family: str | None) -> None:
    assert family_of(capability) == family
