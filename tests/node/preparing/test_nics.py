"""Network cards beside GPUs: two drivers of one agent, one claim."""

from dataclasses import replace

import pytest

from aliquot.cdi.generate.inventory import FoundNode, Inventory, Nic
from aliquot.cdi.machine.files import load_file
from aliquot.devices.links import Nic as Card
from aliquot.devices.survey import Survey
from aliquot.dra.device import DeviceId
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.entry import Entry, HeldDevice, State
from aliquot.node.claims.refusal import Refusal
from aliquot.node.claims.spec import ClaimSpec, SpecOptions, spec_of
from aliquot.node.preparing.answers import Prepared
from scenarios.deaths.machine import NIC, Machine

CARD = "nic-0000-9a-00-0"


def test_one_claim_of_both_drivers(node: Machine) -> None:
    gpus, nics = node.agent(), node.agent(driver=NIC)
    gpus.start()
    nics.start()
    ref = node.api.allocate("c-aaaa", "gpu-1", {"device": CARD, "driver": NIC})
    answer = nics.prepare(ref)
    assert isinstance(answer, Prepared)
    assert [(each.device, each.cdi_ids) for each in answer.devices] == [
        (CARD, (f"k8s.nic.aliquot.dev/claim=c-aaaa-{CARD}",))
    ]
    assert isinstance(gpus.prepare(ref), Prepared)
    assert node.specs() == ["k8s.gpu.nvidia.com-claim_c-aaaa.json", "k8s.nic.aliquot.dev-claim_c-aaaa.json"]
    spec = load_file(node.cdi / "k8s.nic.aliquot.dev-claim_c-aaaa.json")
    paths = {each.path for each in (*spec.devices[0].edits.device_nodes, *spec.edits.device_nodes)}
    assert paths == {"/dev/infiniband/uverbs0", "/dev/infiniband/rdma_cm"}
    assert nics.unprepare(ref) is None
    assert node.specs() == ["k8s.gpu.nvidia.com-claim_c-aaaa.json"]
    assert (len(gpus.entries()), nics.entries()) == (1, ())


def test_a_card_that_can_t_be_given_away(node: Machine) -> None:
    nics = node.agent(driver=NIC)
    nics.start()
    answer = nics.prepare(node.api.allocate("c-aaaa", {"device": "nic-0000-9b-00-0", "driver": NIC}))
    assert answer == Refusal("nic-0000-9b-00-0: this node has no such network card")


def test_a_held_card(node: Machine) -> None:
    nics = node.agent(driver=NIC)
    nics.start()
    first = node.api.allocate("c-aaaa", {"device": CARD, "driver": NIC})
    second = node.api.allocate("c-bbbb", {"device": CARD, "driver": NIC})
    assert isinstance(nics.prepare(first), Prepared)
    answer = nics.prepare(second)
    assert isinstance(answer, Refusal)
    assert answer.message == f"{CARD} is held by claim ml/c-aaaa (c-aaaa)"
    node.reboot()
    nics = node.agent(driver=NIC)
    assert [found.what for found in nics.start()] == ["reboot"]
    assert isinstance(nics.prepare(first), Prepared)


FUNCTION = Card(pci="0000:9a:00.1", interfaces=("eth1",), virtual_function=True)
ENTRY = Entry(
    claim=ClaimRef("ml", "c", "c-aaaa"),
    boot="b",
    state=State.STARTED,
    devices=(
        HeldDevice(device=DeviceId(NIC, "n1", "nic-0000-9a-00-1"), requests=("r",), cdi_ids=(), address=FUNCTION.pci),
    ),
)
RDMA = Inventory(
    nics=(Nic(name="mlx5_1", nodes=("uverbs1",), address=FUNCTION.pci),),
    nodes=(FoundNode(path="/dev/infiniband/uverbs1", major=231, minor=193),),
)


@pytest.mark.parametrize(
    ("rdma", "moves", "version", "notes"),
    [
        (True, True, "1.1.0", ()),
        (
            True,
            False,
            "0.3.0",
            ("eth1: the runtime reads no CDI 1.1 (netDevices), so its interface stays on the node",),
        ),
        (False, True, "1.1.0", ()),
    ],
)
def test_the_interface_of_a_virtual_function(rdma: bool, moves: bool, version: str, notes: tuple[str, ...]) -> None:
    card = replace(FUNCTION, rdma=("mlx5_1",) if rdma else ())
    options = SpecOptions(net_devices=moves)
    found = spec_of(ENTRY, RDMA if rdma else Inventory(), Survey(host="x", nics=(card,)), options)
    assert isinstance(found, ClaimSpec)
    assert (found.spec.version, found.notes) == (version, notes)
    edits = found.spec.devices[0].edits
    assert [each.name for each in edits.net_devices] == (["eth1"] if moves else [])
    assert len(edits.device_nodes) == rdma


def test_a_virtual_function_of_which_nothing_can_be_given() -> None:
    said = spec_of(ENTRY, Inventory(), Survey(host="x", nics=(FUNCTION,)))
    assert said == Refusal(
        "nic-0000-9a-00-1: it has no RDMA device, and the runtime reads no CDI 1.1 (netDevices), "
        "so its interface stays on the node"
    )
    gone = spec_of(ENTRY, Inventory(), Survey(host="x"))
    assert isinstance(gone, Refusal)
    assert gone.retry
    early = spec_of(ENTRY, Inventory(), Survey(host="x", nics=(replace(FUNCTION, rdma=("mlx5_1",)),)))
    assert isinstance(early, Refusal)
    assert early.message == "nic-0000-9a-00-1: its RDMA device has no nodes in /dev/infiniband yet"
