"""The checkpoint as bytes: there and back, older and newer versions, and any damage."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.devices.gpu import ComputeMode, TimeSlice
from aliquot.devices.mig import Placement
from aliquot.dra.device import DeviceId
from aliquot.node.claims.checkpoint import TOMBSTONES, Checkpoint
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.entry import Entry, HeldDevice, State
from aliquot.node.claims.envelope import VERSION, Damaged, checksum, decode, encode
from aliquot.sharing.claim_configs.values import Mps, Sharing, TimeSlicing
from aliquot.sharing.setup.steps import (
    CreateInstance,
    Daemon,
    DestroyInstance,
    SetComputeMode,
    SetMigMode,
    SetTimeSlice,
    StartMps,
    Step,
    Target,
)

NAMES = st.text(min_size=1, max_size=8)
PLACES = st.builds(Placement, st.integers(0, 7), st.sampled_from(["1g.5gb", "1g.5gb+me", "7g.40gb"]))
TARGETS = st.builds(Target, NAMES, st.none() | PLACES)
MIB = st.integers(1, 1 << 20)
SHARINGS: st.SearchStrategy[Sharing] = st.builds(
    Mps,
    percent=st.none() | st.integers(0, 100),
    memory_mib=st.none() | MIB,
    memory_mib_of=st.dictionaries(st.integers(0, 9).map(str), MIB, max_size=2),
    multi_user=st.booleans(),
) | st.builds(TimeSlicing, st.sampled_from(TimeSlice))
DAEMONS = st.builds(
    Daemon,
    name=NAMES,
    targets=st.lists(TARGETS, max_size=2).map(tuple),
    pipe=NAMES,
    log=NAMES,
    percent=st.none() | st.integers(0, 100),
    memory=st.none() | st.lists(NAMES, max_size=2).map(tuple),
    multi_user=st.booleans(),
)
STEPS: st.SearchStrategy[Step] = st.one_of(
    st.builds(SetMigMode, NAMES, st.booleans()),
    st.builds(CreateInstance, NAMES, PLACES),
    st.builds(SetComputeMode, NAMES, st.sampled_from(ComputeMode), st.sampled_from(ComputeMode)),
    st.builds(SetTimeSlice, NAMES, st.sampled_from(TimeSlice), st.sampled_from(TimeSlice)),
    st.builds(StartMps, DAEMONS),
)


@st.composite
def devices(draw: st.DrawFn) -> HeldDevice:
    place = draw(st.none() | PLACES)
    sharing = draw(st.none() | SHARINGS)
    return HeldDevice(
        device=DeviceId(draw(NAMES), draw(NAMES), draw(NAMES)),
        requests=tuple(draw(st.lists(NAMES, max_size=2))),
        cdi_ids=tuple(draw(st.lists(NAMES, max_size=2))),
        share_id=draw(st.none() | NAMES),
        admin=draw(st.booleans()),
        gpu=draw(st.none() | NAMES),
        place=place,
        instance=draw(st.none() | NAMES),
        address=draw(st.none() | NAMES),
        sharing=TimeSlicing() if place is not None and isinstance(sharing, TimeSlicing) else sharing,
        consumed=draw(st.dictionaries(NAMES, NAMES, max_size=2)),
    )


@st.composite
def checkpoints(draw: st.DrawFn) -> Checkpoint:
    now = Checkpoint()
    for ref in draw(st.lists(st.builds(ClaimRef, NAMES, NAMES, NAMES), max_size=3)):
        now = now.put(
            Entry(
                claim=ref,
                boot=draw(NAMES),
                state=draw(st.sampled_from(State)),
                devices=tuple(draw(st.lists(devices(), max_size=2))),
                steps=tuple(draw(st.lists(STEPS, max_size=3))),
            )
        )
    for ref in draw(st.lists(st.builds(ClaimRef, NAMES, NAMES, NAMES), max_size=2)):
        now = now.buried(ref)
    return now


def entry(uid: str) -> Entry:
    daemon = Daemon(name=uid, targets=(Target("GPU-1"),), pipe="/p", log="/l")
    return Entry(
        claim=ClaimRef("ml", "train", uid),
        boot="b",
        state=State.COMPLETED,
        devices=(HeldDevice(device=DeviceId("d", "p", "gpu-0"), requests=("r",), cdi_ids=(), sharing=Mps(percent=5)),),
        steps=(StartMps(daemon),),
    )


@pytest.mark.law
@given(checkpoints())
def test_there_and_back(checkpoint: Checkpoint) -> None:
    data = encode(checkpoint)
    assert decode(data) == checkpoint
    assert encode(checkpoint) == data


@pytest.mark.law
@given(st.data())
def test_one_changed_byte_is_damage_or_changes_nothing(data: st.DataObject) -> None:
    good = encode(Checkpoint().put(entry("c-aaaa")))
    at = data.draw(st.integers(0, len(good) - 1))
    byte = data.draw(st.integers(0, 255))
    found = decode(good[:at] + bytes([byte]) + good[at + 1 :])
    assert isinstance(found, Damaged) or found == Checkpoint().put(entry("c-aaaa"))


@pytest.mark.law
@given(st.integers(0, 400), st.binary(max_size=40))
def test_a_cut_file_is_damaged(length: int, behind: bytes) -> None:
    good = encode(Checkpoint().put(entry("c-aaaa")))
    cut = good[: min(length, len(good) - 2)]
    assert isinstance(decode(cut + behind), Damaged)


def test_an_older_version_reads_what_this_one_wrote() -> None:
    """Downgraded by one: what the older doesn't know, it passes over."""
    newest = Checkpoint().put(entry("c-aaaa")).buried(ClaimRef("ml", "gone", "c-gone"))
    assert decode(encode(newest), known=VERSION - 1) == newest
    envelope = json.loads(encode(newest))
    payload = envelope["payload"] | {"invented": [1]}
    payload["claims"]["c-aaaa"] |= {"invented": {"a": 1}}
    raw = json.dumps(payload)
    head = f'{{"version":{VERSION + 1},"readableFrom":{VERSION},"checksum":"{checksum(raw.encode())}","payload":'
    assert decode(f"{head}{raw}}}".encode()) == newest


def test_a_version_that_may_not_be_read() -> None:
    data = encode(Checkpoint()).replace(b'"version":2,"readableFrom":1', b'"version":9,"readableFrom":8')
    assert decode(data) == Damaged("version 9 wrote it, and this one reads up to version 2")


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        ('{"claims":{"c":{"namespace":"n","name":"m","boot":"b"}}}', "missing required field `state`"),
        ('{"claims":{"c":{"namespace":"n","name":"m","boot":"b","state":"odd"}}}', "Invalid enum value 'odd'"),
        ('{"claims":[]}', "Expected `object`, got `array`"),
        (
            (
                '{"claims":{"c":{"namespace":"n","name":"m","boot":"b","state":"started",'
                '"devices":[{"driver":"d","pool":"p","device":"x","sharing":{"strategy":"Luck"}}]}}}'
            ),
            "sharing.strategy",
        ),
        (
            '{"claims":{"c":{"namespace":"n","name":"m","boot":"b","state":"started","steps":[{"do":"dance"}]}}}',
            "Invalid value 'dance'",
        ),
    ],
)
def test_a_payload_of_another_shape(payload: str, why: str) -> None:
    data = f'{{"version":2,"readableFrom":1,"checksum":"{checksum(payload.encode())}","payload":{payload}}}'
    found = decode(data.encode())
    assert isinstance(found, Damaged)
    assert why in found.why


def test_only_steps_that_are_to_be_undone_are_kept() -> None:
    undo = DestroyInstance("GPU-1", Placement(0, "1g.5gb"))
    with pytest.raises(ValueError, match="it undoes a step"):
        encode(
            Checkpoint().put(
                Entry(claim=ClaimRef("a", "b", "c"), boot="b", state=State.STARTED, devices=(), steps=(undo,))
            )
        )


def test_tombstones_are_few() -> None:
    now = Checkpoint()
    for number in range(TOMBSTONES + 5):
        now = now.buried(ClaimRef("ml", "x", f"c-{number}"))
    assert len(now.tombstones) == TOMBSTONES
    assert not now.is_buried("c-4")
    assert now.is_buried("c-5")
