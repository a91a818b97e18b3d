"""What sharing a GPU gives, isolates and forbids."""

import pytest

from aliquot.devices.catalogue import GpuModel, find
from aliquot.sharing.mps import MpsShare, device_plugin_mps_limit, mps_client_limit, mps_share
from aliquot.sharing.replicas import replica_problems
from aliquot.sharing.strategies import ISOLATION, Guarantee, Isolation, Strategy


def known(key: str) -> GpuModel:
    model = find(key)
    assert model is not None
    return model


# facts/planner.md, worked case 6
@pytest.mark.parametrize(
    ("gpu", "replicas", "share"),
    [("A10", 3, MpsShare(7676, 33)), ("T4", 4, MpsShare(3840, 25)), ("A100-40GB", 7, MpsShare(5851, 14))],
)
def test_mps_shares(gpu: str, replicas: int, share: MpsShare) -> None:
    memory = known(gpu).memory_mib
    assert memory is not None
    assert mps_share(memory, replicas) == share


def test_only_what_the_hardware_keeps_apart_is_called_isolated() -> None:
    assert {strategy for strategy in Strategy if ISOLATION[strategy].isolated} == {Strategy.WHOLE, Strategy.MIG}


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        (Strategy.WHOLE, ()),
        (Strategy.MIG, ()),
        (Strategy.MPS, ("memory: kept apart by a limit", "faults: a neighbour's fatal fault", "speed: ")),
        (Strategy.TIME_SLICING, ("memory: a neighbour can take all of it", "faults: ", "speed: ")),
        (Strategy.MIG_MPS, ("memory: kept apart by a limit", "faults: a neighbour's fatal fault", "speed: ")),
    ],
)
def test_what_is_shared_in_words(strategy: Strategy, words: tuple[str, ...]) -> None:
    shared = ISOLATION[strategy].shared
    assert len(shared) == len(words)
    assert all(said.startswith(begun) for said, begun in zip(shared, words, strict=True))


def test_one_wall_missing_is_not_isolated() -> None:
    assert not Isolation(Guarantee.HARDWARE, Guarantee.HARDWARE, Guarantee.NONE).isolated


@pytest.mark.parametrize(
    ("capability", "cuda", "limit"),
    [("6.1", (13, 1), 16), ("7.0", (12, 8), 48), ("8.0", (13, 0), 48), ("8.0", (13, 1), 60), ("10.0", (14, 0), 60)],
)
def test_mps_clients(capability: str, cuda: tuple[int, int], limit: int) -> None:
    assert mps_client_limit(capability, cuda) == limit


@pytest.mark.parametrize(("capability", "limit"), [("7.0", 16), ("7.5", 48), ("9.0", 48), ("8", 48)])
def test_the_device_plugin_misjudges_volta(capability: str, limit: int) -> None:
    assert device_plugin_mps_limit(capability) == limit


@pytest.mark.parametrize(
    ("strategy", "replicas", "gpu", "on_mig", "problems"),
    [
        (Strategy.MPS, 4, "T4", False, ()),
        (Strategy.TIME_SLICING, 100, "T4", False, ()),
        (Strategy.TIME_SLICING, 4, "A100-40GB", True, ()),
        (Strategy.TIME_SLICING, 1, "T4", False, ("replicas is 1, at least 2 make a shared GPU",)),
        (
            Strategy.MPS,
            49,
            "A100-40GB",
            True,
            (
                "the device plugin offers MPS on whole GPUs only, not on MIG instances",
                "replicas is 49, the device plugin allows at most 48 MPS clients on A100-40GB",
            ),
        ),
        (
            Strategy.MPS,
            17,
            "V100-16GB",
            False,
            ("replicas is 17, the device plugin allows at most 16 MPS clients on V100-16GB",),
        ),
        (Strategy.MPS, 2, "MI300X", False, ("MI300X has no MPS",)),
        (Strategy.WHOLE, 2, "T4", False, ("whole makes no replicas; use time-slicing or MPS",)),
    ],
)
def test_replica_problems(strategy: Strategy, replicas: int, gpu: str, on_mig: bool, problems: tuple[str, ...]) -> None:
    assert replica_problems(strategy, replicas, known(gpu), on_mig=on_mig) == problems
