"""What a GPU, its driver and its MIG mode allow, and what may be on one GPU at the same time."""

from dataclasses import replace

import pytest

from aliquot.devices.gpu import ComputeMode, Gpu, TimeSlice
from aliquot.devices.instances import Instance, MigMode
from aliquot.devices.mig import Placement
from aliquot.devices.survey import Driver
from aliquot.sharing.claim_configs.values import Mps, Sharing, TimeSlicing
from aliquot.sharing.legal import Use, conflict, problems, strategy_of
from aliquot.sharing.strategies import Strategy

T4 = Gpu(index=0, uuid="GPU-t4", name="Tesla T4", pci="0000:01:00.0", pci_id="10de:1eb8", compute_capability="7.5")
P100 = Gpu(index=0, uuid="GPU-p", name="Tesla P100", pci="0000:02:00.0", compute_capability="6.0")
OFF = Gpu(
    index=1, uuid="GPU-a", name="NVIDIA A100-SXM4-40GB", pci="0000:03:00.0", compute_capability="8.0",
    mig=MigMode(current=False, pending=False),
)  # fmt: skip
ON = replace(OFF, mig=MigMode(current=True, pending=True))
PENDING = replace(OFF, mig=MigMode(current=False, pending=True))
HOPPER = replace(ON, name="NVIDIA H100 80GB HBM3", compute_capability="9.0")
NEW, OLD, MIDDLE = (
    Driver(version="590.44", cuda="13.1"),
    Driver(version="450.80", cuda="11.0"),
    Driver(version="580.65"),
)


@pytest.mark.parametrize(
    ("gpu", "driver", "strategy", "options", "found"),
    [
        (T4, NEW, Strategy.WHOLE, {}, ()),
        (replace(T4, compute_mode=ComputeMode.PROHIBITED), NEW, Strategy.WHOLE, {},
         ("compute mode prohibited: no program may use it",)),
        (replace(T4, compute_mode=ComputeMode.PROHIBITED), NEW, Strategy.MPS, {}, ()),  # it sets its own
        (T4, NEW, Strategy.TIME_SLICING, {"interval": TimeSlice.LONG}, ()),
        (T4, OLD, Strategy.TIME_SLICING, {}, ()),
        (T4, OLD, Strategy.TIME_SLICING, {"interval": TimeSlice.LONG},
         ("driver 450.80 can't set the time-slice, 455 and newer can",)),
        (T4, None, Strategy.TIME_SLICING, {"interval": TimeSlice.LONG}, ()),
        (T4, NEW, Strategy.MPS, {"clients": 60}, ()),
        (T4, NEW, Strategy.MPS, {"clients": 61}, ("61 MPS clients are too many: 60 at most",)),
        (T4, MIDDLE, Strategy.MPS, {"clients": 49}, ("49 MPS clients are too many: 48 at most",)),
        (P100, NEW, Strategy.MPS, {"clients": 17}, ("17 MPS clients are too many: 16 at most",)),
        (P100, NEW, Strategy.MPS, {"multi_user": True},
         ("MPS for several users at a time needs compute capability 7.0 (Volta) or newer",)),
        (replace(P100, compute_capability=None), NEW, Strategy.MPS, {"clients": 17, "multi_user": True}, ()),
        (replace(T4, name="AMD Instinct MI300X", pci_id="1002:74a1"), NEW, Strategy.MPS, {},
         ("AMD Instinct MI300X has no MPS",)),
        (T4, NEW, Strategy.MIG, {}, ("Tesla T4 has no MIG",)),
        (OFF, NEW, Strategy.MIG, {}, ()),  # it can be switched on
        (ON, NEW, Strategy.MIG, {}, ()),
        (ON, NEW, Strategy.MIG_MPS, {"clients": 48}, ()),
        (ON, NEW, Strategy.MIG_MPS, {"clients": 99},
         ("99 MPS clients are too many: 60 at most, and fewer on a MIG instance",)),
        (ON, NEW, Strategy.WHOLE, {}, ("MIG is on: only its instances can be used",)),
        (ON, NEW, Strategy.TIME_SLICING, {}, ("MIG is on: only its instances can be used",)),
        (ON, NEW, Strategy.MPS, {}, ("MIG is on: only its instances can be used",)),
        (HOPPER, NEW, Strategy.WHOLE, {}, ()),  # MIG is on, and is switched off without a reset
        (replace(HOPPER, instances=(Instance(id=1, profile="3g.40gb", profile_id=9, start=0, size=4),)), NEW,
         Strategy.WHOLE, {}, ("MIG is on: only its instances can be used",)),
        (PENDING, NEW, Strategy.WHOLE, {}, ("MIG will be on after the next reset: the GPU can't be kept whole",)),
    ],
)  # fmt: skip
def test_problems(gpu: Gpu, driver: Driver, strategy: Strategy, options: dict[str, object], found: object) -> None:
    assert problems(gpu, driver, strategy, **options) == found  # type: ignore[arg-type]


A, B = Placement(0, "3g.20gb"), Placement(4, "3g.20gb")
LONG, SHORT = TimeSlicing(TimeSlice.LONG), TimeSlicing(TimeSlice.SHORT)


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ((None, None), (None, None), None),
        ((None, LONG), (None, LONG), None),
        ((None, LONG), (None, None), None),
        ((None, LONG), (None, SHORT), "has one time-slice: long or short"),
        ((None, Mps()), (None, None), "MPS takes the GPU"),
        ((None, LONG), (None, Mps()), "MPS takes the GPU"),
        ((None, Mps()), (None, Mps()), "MPS takes the GPU"),
        ((A, None), (None, None), "MIG must be on for 3g.20gb at 0, and off for the whole GPU"),
        ((A, None), (B, Mps()), None),
        ((A, LONG), (A, None), None),
        ((A, Mps()), (A, None), "the instance 3g.20gb at 0 has one MPS daemon"),
    ],
)
def test_together(
    one: tuple[Placement | None, Sharing | None], other: tuple[Placement | None, Sharing | None], words: str | None
) -> None:
    for first, second in ((one, other), (other, one)):
        said = conflict(Use("GPU-a", *first), Use("GPU-a", *second))
        assert (said is None) == (words is None), said
        if words is not None and said is not None and "time-slice" not in words:
            assert words in said
    assert conflict(Use("GPU-a", *one), Use("GPU-b", *other)) is None


def test_the_way_of_a_configuration() -> None:
    assert [strategy_of(sharing, on_mig=on_mig) for on_mig in (False, True) for sharing in (None, LONG, Mps())] == [
        Strategy.WHOLE, Strategy.TIME_SLICING, Strategy.MPS, Strategy.MIG, Strategy.MIG, Strategy.MIG_MPS,
    ]  # fmt: skip
