"""Laws on mixed clusters whose pods wait for a cause that the generator knows: `scenarios.mixed`."""

import contextlib
import io
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.wayout import Candidate, Trial, WayOut
from aliquot.cli.entry import run
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.outcome import Placement
from aliquot.scheduling.proven_gates import proven
from aliquot.scheduling.scheduler import Scheduler
from scenarios.commands import complaints
from scenarios.diagnosed import answer, told, verdicts
from scenarios.drivers import Json
from scenarios.mixed import cluster
from scenarios.mixed.site import Site

FEW = settings(
    max_examples=max(4, settings().max_examples // 15),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=(Phase.explicit, Phase.generate),
)
"""A cluster takes about a second, and a smaller seed is no smaller cluster: nothing is shrunk."""
SEEDS = st.integers(1, 1 << 32)
CLUSTERS = max(12, settings().max_examples // 10)
NEEDED = 0.95
LEVELS = ("low", "medium", "high")


def test_the_injected_cause_is_named_and_a_right_remedy_is_among_the_first_three() -> None:
    found = [one for seed in range(1, CLUSTERS + 1) for one in verdicts(cluster(seed))]
    assert len(found) > 3 * CLUSTERS
    assert sum(one.cause for one in found) >= NEEDED * len(found), [str(one) for one in found if not one.cause]
    assert sum(one.remedy for one in found) >= NEEDED * len(found), [str(one) for one in found if not one.remedy]


@pytest.mark.law
@FEW
@given(SEEDS)
def test_no_step_of_a_way_can_be_left_out(seed: int) -> None:
    found = answer(cluster(seed).objects)
    snapshot = found.reading.snapshot
    scheduler = Scheduler.of(proven(snapshot, Kubernetes(36)))

    def placed(story: Explanation, steps: list[Candidate]) -> bool:
        trial = Trial(snapshot, story.pod)
        for step in steps:
            trial = step.apply(trial)
        return isinstance(scheduler.judge(trial.snapshot, trial.pod), Placement)

    for story in found.stories:
        for way in story.ways_out:
            if story.verdict == "pending" and way.simulated and way.kind != "raise-priority":
                for step in way.steps:
                    assert not placed(story, [one for one in way.steps if one is not step]), (story.pod.key, way.title)


@pytest.mark.law
@FEW
@given(SEEDS)
def test_no_way_is_dominated_and_nobody_holds_who_waits(seed: int) -> None:
    found = answer(cluster(seed).objects)
    bound = {pod.key for pod in found.reading.snapshot.pods.values() if pod.node_name}
    for story in found.stories:
        assert {one.pod.key for one in story.holdings} <= bound
        for way in story.ways_out:
            for other in story.ways_out:
                assert other is way or not dominates(other, way), (story.pod.key, other.title, way.title)


def dominates(other: WayOut, way: WayOut) -> bool:
    """No riskier, dearer or larger, and the same changes or some of them."""
    mine, theirs = ({change.command for change in one.changes} for one in (way, other))
    costs = [one.cost.usd_per_hour if one.cost.usd_per_hour is not None else float("inf") for one in (other, way)]
    return (
        theirs <= mine
        and LEVELS.index(other.risk.level) <= LEVELS.index(way.risk.level)
        and costs[0] <= costs[1]
        and other.rank <= way.rank
        and not all(command.startswith("#") for command in theirs)
    )


@pytest.mark.law
@FEW
@given(SEEDS)
def test_irrelevant_nodes_change_no_way_out_but_adding_a_node(seed: int) -> None:
    made = cluster(seed)
    site = Site(seed + 1)
    for number in range(6):
        site.node(f"spare{number}", cpu=16, memory=64, zone=made_zone(made.objects))
    more = [one for one in site.objects if one["kind"] == "Node"]
    before, after = told(made.objects), told([*more, *made.objects])
    assert ways(before) == ways(after)


def made_zone(objects: tuple[Json, ...]) -> str:
    """A zone of the cluster."""
    zones = {one["metadata"]["labels"]["topology.kubernetes.io/zone"] for one in objects if one["kind"] == "Node"}
    return str(min(zones))


def ways(document: Json) -> dict[str, list[tuple[str, str, str]]]:
    """Pod -> its ways out but that of adding a node."""
    return {
        pod["pod"]: [
            (way["kind"], way["object"], way["title"])
            for way in pod["waysOut"]
            if way["kind"] != "add-node" and not (way["kind"] == "combined" and "node" in way["object"])
        ]
        for pod in document["pods"]
    }


@pytest.mark.law
@FEW
@given(SEEDS)
def test_a_pod_alone_is_told_as_among_all(seed: int) -> None:
    made = cluster(seed)
    every = {pod["pod"]: pod for pod in told(made.objects)["pods"]}
    for one in made.injected[:4]:
        namespace, _, name = one.pod.partition("/")
        if any(each["metadata"]["name"] == name and each["kind"] == "Pod" for each in made.objects):
            (alone,) = told(made.objects, f"pod/{name}", namespace)["pods"]
            assert alone == every[one.pod]


@pytest.mark.law
@FEW
@given(SEEDS)
def test_order_and_files_change_nothing(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    made = cluster(seed)
    dice = random.Random(seed)
    shuffled = list(made.objects)
    dice.shuffle(shuffled)
    folder = tmp_path_factory.mktemp("split")
    for number, part in enumerate((shuffled[::3], shuffled[1::3], shuffled[2::3])):
        if number == 1:
            (folder / "1.yaml").write_text(yaml.safe_dump_all(part))
        else:
            (folder / f"{number}.json").write_text(listed(part))
    whole = folder.parent / f"{folder.name}.json"
    whole.write_text(listed(list(made.objects)))
    first, second = (written(path, "json") for path in (whole, folder))
    assert {one["pod"]: one for one in json.loads(first)["pods"]} == {
        one["pod"]: one for one in json.loads(second)["pods"]
    }


def listed(objects: list[Json]) -> str:
    """As `kubectl get -o json` prints them."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})


def written(path: Path, output: str) -> str:
    """What `aliquot explain --all-pending` writes to its standard output."""
    kept = io.BytesIO()
    out = io.TextIOWrapper(kept, encoding="utf-8")
    with contextlib.redirect_stdout(out):
        run(["explain", "--all-pending", "-f", str(path), "-o", output])
        out.flush()
    return kept.getvalue().decode()


@pytest.mark.law
@FEW
@given(SEEDS)
def test_text_is_short(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    path = tmp_path_factory.mktemp("text") / "dump.json"
    path.write_text(listed(list(cluster(seed).objects)))
    summary, *blocks = written(path, "text").split("\n\n")
    assert len(summary.splitlines()) <= 40
    assert blocks
    assert max(len(block.splitlines()) for block in blocks) <= 25


@pytest.mark.law
@FEW
@given(SEEDS)
def test_every_command_is_what_it_claims_to_be(seed: int) -> None:
    found = list(commands(told(cluster(seed).objects)))
    assert found
    assert [complaint for command in found for complaint in complaints(command)] == []


def commands(document: Json) -> Iterator[str]:
    """All that a reader is told to type."""
    for pod in document["pods"]:
        yield from (change["command"] for way in pod["waysOut"] for change in way["changes"])
        yield from (each["command"] for each in pod["advice"] if each["command"])


def test_what_is_no_command_is_complained_about() -> None:
    wrong: dict[str, Any] = {
        "kubectl frobnicate pod x": "no verb",
        "kubectl patch pod x -p '{'": "isn't JSON",
        "kubectl patch pod x --type=json -p '{}'": "operations",
        "kubectl scale job x --replicas=1": "can't be scaled",
        "kubectl get pod 'x": "not a shell line",
        "printf %s '{\"kind\": 1}' | kubectl apply -f -": "no object",
        "kubectl delete pod x --gently": "is given",
        "rm -rf /": "no command",
    }
    for command, words in wrong.items():
        assert words in " ".join(complaints(command)), command
    assert complaints("kubectl patch pod x -n ml --dry-run=client -o yaml -p '{}' | kubectl replace --force -f -") == []
