"""Random small clusters and pods, in which every filter has something to say."""

from dataclasses import replace

from hypothesis import strategies as st

from aliquot.kube.pod import HostPort, Pod
from aliquot.kube.release import Kubernetes
from aliquot.kube.selectors import Affinity, LabelSelector, NodeSelector, NodeSelectorTerm, Requirement, TopologySpread
from aliquot.kube.taints import Taint, Toleration
from aliquot.snapshot.snapshot import Snapshot
from scenarios.nouns.clusters import apart, beside, node, pod

NAMES = ("a", "b", "c", "d")
VALUES = st.sampled_from(("x", "y"))
TAINTS = st.sampled_from((Taint("t", "NoSchedule", "1"), Taint("u", "NoExecute"), Taint("t", "PreferNoSchedule", "2")))
RELEASES = st.sampled_from((Kubernetes(31), Kubernetes(34), Kubernetes(36), Kubernetes(37)))
APPS = st.sampled_from(("web", "db"))


@st.composite
def nodes(draw: st.DrawFn, name: str | None = None) -> object:
    """Of a zone or none, perhaps cordoned or tainted, with up to three GPUs."""
    zone = draw(st.none() | VALUES)
    return node(
        name or draw(st.sampled_from(NAMES)),
        labels={"zone": zone} if zone else {},
        taints=tuple(draw(st.lists(TAINTS, max_size=1))),
        cordoned=draw(st.integers(0, 5)) == 0,
        gpu=draw(st.integers(0, 3)),
        cpu=draw(st.sampled_from((500, 1000))),
        pods=draw(st.integers(1, 4)),
    )


@st.composite
def pods(draw: st.DrawFn, name: str, on: str = "") -> Pod:
    """With rules of every filter, now and then."""
    rules = (
        None,
        apart("web", "zone"),
        apart("db"),
        beside("db", "zone"),
        Affinity(NodeSelector((NodeSelectorTerm((Requirement("zone", "In", ("x",)),)),))),
        Affinity(NodeSelector((NodeSelectorTerm(fields=(Requirement("metadata.name", "In", ("a",)),)),))),
    )
    constraint = TopologySpread(1, "zone", selector=LabelSelector({"app": "web"}), node_taints_policy="Honor")
    made = pod(
        name,
        on,
        app=draw(APPS),
        priority=draw(st.integers(0, 2)),
        gpu=draw(st.integers(0, 2)),
        cpu=draw(st.sampled_from((0, 100, 600))),
        tolerations=tuple(
            draw(st.lists(st.sampled_from((Toleration("t", "Exists"), Toleration("", "Exists"))), max_size=1))
        ),
        selector=draw(st.sampled_from(({}, {}, {"zone": "y"}))),
        affinity=draw(st.sampled_from(rules)),
        spread=(constraint,) if draw(st.integers(0, 3)) == 0 else (),
        nominated="" if on else draw(st.sampled_from(("", "", "a"))),
        started=draw(st.sampled_from(("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"))),
    )
    if draw(st.integers(0, 4)) == 0:
        made = replace(made, containers=(replace(made.containers[0], ports=(HostPort(80),)),))
    return made


@st.composite
def worlds(draw: st.DrawFn) -> Snapshot:
    """Up to four nodes, pods on them (also on nodes that are gone), up to two that wait."""
    there = [draw(nodes(name)) for name in NAMES[: draw(st.integers(1, 4))]]
    running = [draw(pods(f"r{n}", draw(st.sampled_from(NAMES)))) for n in range(draw(st.integers(0, 5)))]
    waiting = [draw(pods(f"w{n}")) for n in range(draw(st.integers(0, 2)))]
    return Snapshot.of([*there, *running, *waiting])
