"""Random clusters with devices, and pods with claims, for the loop: few devices, so that they run out."""

from dataclasses import replace

from hypothesis import strategies as st

from aliquot.dra.claim import Claim, ClaimSpec, ClaimTemplate, Constraint, DeviceClass, Request, SubRequest
from aliquot.dra.device import Attribute, Capacity, CounterSet, CounterUse, Device, Slice
from aliquot.kube.meta import Meta
from aliquot.kube.node import Node
from aliquot.kube.pod import Container, ContainerClaim, Pod, PodClaim
from aliquot.kube.taints import Taint
from aliquot.snapshot.snapshot import Snapshot
from aliquot.units.quantity import Quantity
from scenarios.nouns.clusters import TOLERATES_GPU, apart, node

DRIVER = "drv.example.com"
EXTENDED = "example.com/gpu"
CLASSES = (
    DeviceClass(Meta("any"), (f"device.driver == '{DRIVER}'",), extended_resource=EXTENDED),
    DeviceClass(Meta("big"), (f"device.attributes['{DRIVER}'].size == 2",)),
)


def spec(*requests: SubRequest, match: str = "", first: tuple[SubRequest, ...] = ()) -> ClaimSpec:
    """A claim's requests, each named like its recipe; with alternatives as one more request."""
    listed = (Request("one-of", first_available=first),) if first else ()
    constraints = (Constraint(match_attribute=f"{DRIVER}/{match}"),) if match else ()
    return ClaimSpec((*(Request(one.name, one) for one in requests), *listed), constraints)


SPECS = {
    "one": spec(SubRequest("r", "any")),
    "two": spec(SubRequest("r", "any", count=2)),
    "sized": spec(SubRequest("r", "any", (f"device.attributes['{DRIVER}'].size == 1",))),
    "big": spec(SubRequest("r", "big")),
    "alike": spec(SubRequest("r", "any"), SubRequest("s", "any"), match="size"),
    "all": spec(SubRequest("r", "any", mode="All")),
    "either": spec(first=(SubRequest("x", "big"), SubRequest("y", "any", count=2))),
    "admin": spec(SubRequest("r", "any", admin_access=True)),
    "share": spec(SubRequest("r", "any", capacity={"memory": Quantity.parse("1Gi")})),
    "none": spec(SubRequest("r", "missing")),
}


@st.composite
def slices(draw: st.DrawFn, name: str, on: str | None) -> Slice:
    """A pool: plain devices, devices that share counters, or devices that may be shared; some lack an attribute."""
    kind = draw(st.sampled_from(("plain", "plain", "counters", "shared")))
    sets = (CounterSet("set", {"units": Quantity.parse("2")}),) if kind == "counters" else ()
    lacking = draw(st.integers(0, 5)) == 0
    devices = tuple(
        Device(
            f"d{n}",
            {} if lacking and n == 1 else {"size": Attribute("int", draw(st.integers(1, 2)))},
            {"memory": Capacity(Quantity.parse("2Gi"))},
            (CounterUse("set", {"units": Quantity.parse(str(draw(st.integers(1, 2))))}),) if sets else (),
            allow_multiple=kind == "shared",
        )
        for n in range(draw(st.integers(1, 3)))
    )
    return Slice(
        Meta(f"slice-{name}"), DRIVER, name, node_name=on, all_nodes=None if on else True, devices=devices,
        shared_counters=sets,
    )  # fmt: skip


@st.composite
def clusters(draw: st.DrawFn) -> Snapshot:
    """Up to four nodes, most with devices of their own; perhaps devices for all; claims to share; templates."""
    things: list[object] = [*CLASSES]
    things += [ClaimTemplate(Meta(name, "default"), one) for name, one in SPECS.items()]
    things += [Claim(Meta(f"common-{name}", "default"), SPECS[name]) for name in ("one", "two")]
    for name in "abcd"[: draw(st.integers(1, 4))]:
        things.append(draw(gpu_nodes(name)))
        if draw(st.integers(0, 4)):
            things.append(draw(slices(name, name)))
    if draw(st.integers(0, 3)) == 0:
        things.append(draw(slices("net", None)))
    return Snapshot.of(things)


@st.composite
def gpu_nodes(draw: st.DrawFn, name: str) -> Node:
    """Some with a taint; some offer the extended resource themselves."""
    taints = (Taint("nvidia.com/gpu", "NoSchedule"),) if draw(st.booleans()) else ()
    made = node(name, taints=taints, cpu=draw(st.sampled_from((300, 1000))), pods=draw(st.integers(1, 5)))
    offers = {**made.allocatable, EXTENDED: 1} if draw(st.integers(0, 3)) == 0 else made.allocatable
    return replace(made, allocatable=offers)


@st.composite
def claimants(draw: st.DrawFn, name: str) -> Pod:
    """A pod with a claim from a template, a common one, both, or none; or that asks for the extended resource."""
    claims: list[PodClaim] = []
    if draw(st.integers(0, 4)):
        claims.append(PodClaim("own", template_name=draw(st.sampled_from((*SPECS, "one", "one", "two", "absent")))))
    if draw(st.integers(0, 4)) == 0:
        claims.append(PodClaim("common", claim_name=draw(st.sampled_from(("common-one", "common-two")))))
    requests = {"cpu": draw(st.sampled_from((0, 100)))}
    if draw(st.integers(0, 4)) == 0:
        requests[EXTENDED] = 1
    return Pod(
        Meta(name, "default", uid=f"uid-{name}", labels={"app": "web"}),
        (Container("main", requests, claims=tuple(ContainerClaim(one.name) for one in claims)),),
        priority=draw(st.integers(0, 1)),
        tolerations=TOLERATES_GPU if draw(st.booleans()) else (),
        affinity=apart("web") if draw(st.integers(0, 7)) == 0 else None,
        claims=tuple(claims),
    )
