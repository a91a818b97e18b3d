"""Which GPUs the device plugin offers and which DRA does: every GPU once."""

import pytest
import yaml

from aliquot.devices.hosts.simulated.shape import Fault
from aliquot.devices.survey import Survey
from aliquot.kube.reading.shape import FaultsError
from aliquot.node.device_plugin.offering.division import By, Decided, Offering, Rule, Undecided, decide
from aliquot.node.device_plugin.offering.read_rules import read_offering
from tests.node.device_plugin.conftest import Begin
from tests.node.device_plugin.node import host_of, settings
from tests.node.device_plugin.presets import preset

MIXED = preset("mixed")
"""Two A100, an H100, an L4."""
DRA, PLUGIN = By.DRA, By.DEVICE_PLUGIN


def indexes(survey: Survey) -> list[int]:
    return [gpu.index for gpu in survey.gpus]


@pytest.mark.parametrize(
    ("offering", "plugins"),
    [
        (Offering(), []),
        (Offering(others=PLUGIN), [0, 1, 2, 3]),
        (Offering((Rule(by=PLUGIN, index=0), Rule(by=PLUGIN, product="L4"))), [0, 3]),
        (Offering((Rule(by=DRA, product="A100-40GB"),), PLUGIN), [2, 3]),
        (Offering((Rule(by=DRA, product="NVIDIA H100 80GB HBM3"), Rule(by=DRA, product="H100")), PLUGIN), [0, 1, 3]),
        (Offering((Rule(by=PLUGIN, index=1), Rule(by=PLUGIN, product="A100-40GB"))), [0, 1]),
    ],
)
def test_each_gpu_is_in_one_set(offering: Offering, plugins: list[int]) -> None:
    survey = host_of(MIXED).survey()
    decided = decide(offering, survey)
    assert isinstance(decided, Decided)
    assert indexes(decided.device_plugins(survey)) == plugins
    assert indexes(decided.dras(survey)) == [index for index in range(4) if index not in plugins]
    assert decided.notes == ()


def test_by_uuid() -> None:
    survey = host_of(MIXED).survey()
    decided = decide(Offering((Rule(by=PLUGIN, uuid=survey.gpus[2].uuid),)), survey)
    assert isinstance(decided, Decided)
    assert decided.device_plugin == {survey.gpus[2].uuid}
    assert decided.dra == {gpu.uuid for gpu in survey.gpus} - decided.device_plugin


def test_rules_that_contradict_each_other_are_all_told() -> None:
    survey = host_of(MIXED).survey()
    offering = Offering((Rule(by=DRA, index=0), Rule(by=PLUGIN, product="A100-40GB"), Rule(by=DRA, index=1)))
    assert decide(offering, survey) == Undecided(
        (
            "gpu 0 (0000:07:00.0) is offered twice: `index 0: dra`, and `product A100-40GB: device-plugin`",
            "gpu 1 (0000:47:00.0) is offered twice: `product A100-40GB: device-plugin`, and `index 1: dra`",
        )
    )


def test_rules_that_name_nothing_or_too_much() -> None:
    survey = host_of(MIXED).survey()
    offering = Offering((Rule(by=DRA), Rule(by=DRA, index=0, uuid="GPU-1"), Rule(by=DRA, index=1)))
    assert decide(offering, survey) == Undecided(
        (
            "the rule `nothing: dra` names a GPU in no way, or in several",
            "the rule `index 0: dra` names a GPU in no way, or in several",
        )
    )


def test_a_rule_that_names_no_gpu_here_is_told() -> None:
    decided = decide(Offering((Rule(by=PLUGIN, index=7), Rule(by=DRA, product="B200"))), host_of(MIXED).survey())
    assert isinstance(decided, Decided)
    assert decided.notes == (
        "the rule `index 7: device-plugin` names no GPU of this node",
        "the rule `product B200: dra` names no GPU of this node",
    )


def test_of_a_lost_gpu_a_rule_by_product_is_not_judged() -> None:
    host = host_of(MIXED)
    host.inject(Fault(gpu=3, lost=True))
    survey = host.survey()
    (lost,) = survey.unreadable
    for offering, here in (
        (Offering((Rule(by=PLUGIN, product="L4"),)), None),
        (Offering((Rule(by=PLUGIN, product="L4"),), PLUGIN), PLUGIN),
        (Offering((Rule(by=PLUGIN, index=3),)), PLUGIN),
        (Offering(), DRA),
    ):
        decided = decide(offering, survey)
        assert isinstance(decided, Decided)
        assert (lost.uuid in decided.dra, lost.uuid in decided.device_plugin) == (here is DRA, here is PLUGIN)


def test_the_plugin_offers_its_own_only(begin: Begin) -> None:
    offering = Offering((Rule(by=PLUGIN, product="L4"), Rule(by=PLUGIN, index=2)))
    node = begin(settings(offering=offering), MIXED)
    node.until(gpu=2)
    uuids = [gpu.uuid for gpu in node.host.survey().gpus]
    assert list(node.kubelet.devices("nvidia.com/gpu")) == sorted(uuids[2:])
    node.plugins.configure(settings(offering=Offering((Rule(by=PLUGIN, product="L4"),))))
    node.until(gpu=1)


def test_single_is_judged_by_the_plugins_own_gpus(begin: Begin) -> None:
    """The other GPUs of the node have other instances, and none."""
    offering = Offering((Rule(by=PLUGIN, index=0),))
    host = 'gpus: [{model: A100-40GB, mig: true, instances: ["3g.20gb@0"]}, {model: A100-40GB}]'
    node = begin(settings("flags: {migStrategy: single}", offering=offering), host)
    node.until(gpu=1)


def test_a_conflict_offers_nothing_and_says_so(begin: Begin) -> None:
    node = begin(settings(), MIXED)
    offering = Offering((Rule(by=PLUGIN, index=3), Rule(by=DRA, product="L4")))
    node.plugins.configure(settings(offering=offering))
    words = "gpu 3 (0000:b7:00.0) is offered twice: `index 3: device-plugin`, and `product L4: dra`"
    assert node.plugins.status().problems == (words,)
    assert words in node.told
    assert node.kubelet.wait(lambda: not (node.folder / "aliquot-gpu.sock").exists())
    node.plugins.configure(settings())
    node.until(gpu=2)


# --- as it's written ------------------------------------------------------------------------------------------------
def test_rules_are_read() -> None:
    text = (
        "{others: device-plugin, gpus: [{index: 0, by: dra}, {product: L4, by: dra}, {uuid: GPU-1, by: device-plugin}]}"
    )
    assert read_offering(yaml.safe_load(text)) == Offering(
        (Rule(by=DRA, index=0), Rule(by=DRA, product="L4"), Rule(by=PLUGIN, uuid="GPU-1")), PLUGIN
    )
    assert read_offering({}) == Offering((), DRA)
    assert read_offering({"gpus": None, "others": None}) == Offering((), DRA)


def test_everything_that_is_wrong_is_told_at_once() -> None:
    text = """
    other: dra
    others: kubelet
    gpus:
      - {by: dra}
      - {index: 0, uuid: GPU-1, by: both}
      - {index: -1, by: dra}
      - {product: "", by: dra}
      - {product: NVIDIA H200 X, by: dra}
      - {index: zero, by: dra}
      - dra
    """
    with pytest.raises(FaultsError) as refused:
        read_offering(yaml.safe_load(text))
    assert [(fault.path, fault.message, fault.hint) for fault in refused.value.faults] == [
        ("other", "no such field", "did you mean others?"),
        ("gpus[5].index", 'expected an integer, found "zero"', ""),
        ("gpus[6]", 'expected an object, found "dra"', ""),
        ("others", '"kubelet" isn\'t known', "dra, device-plugin"),
        ("gpus[0]", "no GPU is named", "one of index, uuid, product"),
        ("gpus[1].by", '"both" isn\'t known', "dra, device-plugin"),
        ("gpus[1]", "index and uuid are given", "one of index, uuid, product"),
        ("gpus[2].index", "-1 isn't possible", "the driver's number of the GPU, from 0"),
        ("gpus[3].product", "empty: which GPU is meant?", ""),
    ]


@pytest.mark.parametrize("value", [None, [], "dra"])
def test_no_object(value: object) -> None:
    with pytest.raises(FaultsError, match="expected an object"):
        read_offering(value)
