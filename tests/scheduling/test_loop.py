"""The loop decides as a judgement from scratch does, at every step."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.allocation.commit import bound_claims
from aliquot.allocation.engines import ExactEngines, ReferenceEngines
from aliquot.allocation.pod_check import Gates, PodCheck, prepare
from aliquot.allocation.pod_claims import NotReady, generate
from aliquot.dra.claim import Claim
from aliquot.kube.pod import Pod, PodClaim
from aliquot.scheduling.devices import Devices
from aliquot.scheduling.judge import judge
from aliquot.scheduling.loop import Loop, first
from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.scheduling.versions import Release
from aliquot.snapshot.snapshot import Snapshot
from tests.scheduling.loop_worlds import EXTENDED, claimants, clusters
from tests.scheduling.strategies import RELEASES, pods, worlds
from tests.scheduling.world import GPU, NOW, cluster, node, pod

PODS = st.integers(0, 5).map(lambda n: f"p{n}")


class Chooser:
    """Takes the first node and remembers which there were."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, nodes: Iterator[str]) -> str | None:
        self.seen = list(nodes)
        return next(iter(self.seen), None)


def afresh(snapshot: Snapshot) -> Snapshot:
    """The same cluster without a past."""
    tables = (
        snapshot.nodes, snapshot.pods, snapshot.namespaces, snapshot.priority_classes, snapshot.workloads,
        snapshot.classes, snapshot.claims, snapshot.templates, snapshot.slices, snapshot.taint_rules,
    )  # fmt: skip
    return Snapshot.of(thing for table in tables for thing in table.values())


def with_claims(there: Snapshot, asking: Pod) -> tuple[Snapshot, Pod]:
    """What the controller does for a new pod, if it can."""
    missing = [one for one in asking.claims if one.template_name is not None and one.name not in asking.claim_names]
    made = generate(asking, there.templates, there.namespaces, there.claims)
    if isinstance(made, NotReady):
        return there, asking
    names = {one.name: claim.meta.name for one, claim in zip(missing, made, strict=True)}
    for claim in made:
        there = there.with_object(claim)
    return there, replace(asking, claim_names={**asking.claim_names, **names})


def devices_on(there: Snapshot, asking: Pod, name: str) -> Mapping[str, Claim]:
    """The claims as a fresh allocator gives them."""
    check = prepare(there, asking, Gates(str(NOW)), lambda supply: ExactEngines()(supply, str(NOW)))
    if not isinstance(check, PodCheck):
        return {}
    assert check.check(there.load(name)) == ""
    return {claim.meta.key: claim for claim in bound_claims(check, there.load(name))}


def step(loop: Loop, asking: Pod, dynamic: Devices | None, release: Release = NOW) -> None:
    """Place a pod, and compare with a judgement from scratch."""
    before = loop.snapshot
    there, named = with_claims(afresh(before), asking)
    expected = judge(there, named, release, dynamic)
    chooser = Chooser()
    loop.choose = chooser
    found = loop.place(asking)
    if isinstance(expected, Refusal):
        assert isinstance(found, Refusal)
        assert loop.snapshot is before
        if expected.reason == "SchedulerError":
            assert (found.reason, found.total) == (expected.reason, expected.total)
        else:
            assert found == expected
        return
    assert isinstance(found, Placement)
    assert (found.verdict, found.message, found.not_checked) == ("running", expected.message, expected.not_checked)
    if expected.verdict == "running":
        assert loop.snapshot is before
        return
    (name,) = found.nodes
    if expected.preemption is None:
        assert found.preemption is None
        assert name == expected.nodes[0]
        assert asking.nominated_node == name or tuple(chooser.seen) == expected.nodes
        for key, claim in devices_on(there, named, name).items() if dynamic else ():
            assert loop.snapshot.claims[key] == claim
    else:
        assert found.preemption is not None
        assert name in (expected.preemption.node, *expected.preemption.alternatives)
        assert not any(key in loop.snapshot.pods for key in found.preemption.victims)
    assert loop.snapshot.pods[asking.key].node_name == name


@pytest.mark.law
@given(worlds(), RELEASES, st.data())
def test_it_decides_as_from_scratch(there: Snapshot, release: Release, data: st.DataObject) -> None:
    loop = Loop(there, release)
    for _ in range(data.draw(st.integers(1, 8))):
        if data.draw(st.integers(0, 3)):
            asking = data.draw(PODS.flatmap(pods))
            loop.remove(asking.key)
            step(loop, asking, None, release)
        else:
            loop.remove(data.draw(st.sampled_from((*loop.snapshot.pods, "default/nobody"))))


@pytest.mark.law
@given(clusters(), st.data())
def test_it_decides_as_from_scratch_with_claims(there: Snapshot, data: st.DataObject) -> None:
    loop = Loop(there, NOW, Devices(ExactEngines()))
    dynamic = Devices(ExactEngines())
    for number in range(data.draw(st.integers(1, 8))):
        if data.draw(st.integers(0, 4)) or not loop.snapshot.pods:
            step(loop, data.draw(claimants(f"p{number}")), dynamic)
        else:
            loop.remove(data.draw(st.sampled_from(tuple(loop.snapshot.pods))))
