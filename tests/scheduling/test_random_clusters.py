"""Eighty random clusters decided by a real kube-scheduler 1.36.2, replayed step by step."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from aliquot.cluster.admission import admitted
from aliquot.cluster.documents import read_text
from aliquot.cluster.items import ItemReader, Noun
from aliquot.cluster.problem import Problem
from aliquot.kube.pod import Pod
from aliquot.kube.release import kubernetes_of
from aliquot.kube.workload import PriorityClass
from aliquot.scheduling.outcome import Placement, Refusal, Verdict
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot
from tests.conftest import ROOT

FILE = ROOT / "tests" / "cases" / "random-clusters.jsonl.gz"
Json = dict[str, Any]


@cache
def clusters() -> dict[str, Json]:
    """By name."""
    with gzip.open(FILE, "rt", encoding="utf-8") as lines:
        return {found["name"]: found for found in map(json.loads, lines)}


def read(objects: list[Json], beside: tuple[PriorityClass, ...] = ()) -> tuple[Noun, ...]:
    """Manifests as the API server would have kept them: with the priority of their class."""
    listed = json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}).encode()
    found: list[Noun] = list(beside)
    for thing in read_text("random-clusters", listed, ItemReader()):
        assert not isinstance(thing, Problem)
        found.append(thing)
    return admitted(tuple(found))[len(beside) :]


def steps(name: str) -> Iterator[tuple[int, Json, Snapshot, Pod]]:
    """Each step with the state that its pod met."""
    found = clusters()[name]
    objects = read(found["objects"])
    classes = tuple(thing for thing in objects if isinstance(thing, PriorityClass))
    snapshot = Snapshot.of(objects)
    for nth, step in enumerate(found["steps"]):
        if step["verdict"] == "rejected":  # the API server never took it
            continue
        (pod,) = read([step["pod"]], classes)
        assert isinstance(pod, Pod)
        yield nth, step, snapshot, pod
        snapshot = snapshot.with_pod(pod)
        if step["verdict"] == "scheduled":
            snapshot = snapshot.without_pods(step.get("victims", ()))
            snapshot = snapshot.with_pod(replace(pod, node_name=step["node"], phase="Running"))
        for late in step.get("lateScheduled", ()):
            snapshot = snapshot.bind(late["pod"], late["node"])


def differs(step: Json, verdict: Verdict) -> str:
    """In what a verdict isn't the scheduler's; empty: it is."""
    if step["verdict"] in ("unschedulable", "gated"):
        if not isinstance(verdict, Refusal):
            return "placed"
        if (verdict.message, verdict.reason) != (step["message"], step["reason"]):
            return f"{verdict.reason}: {verdict.message}"
        return ""
    assert step["verdict"] == "scheduled"
    if not isinstance(verdict, Placement):
        return f"refused: {verdict.message}"
    if step.get("victims"):
        if verdict.preemption is None:
            return "no preemption"
        if set(verdict.preemption.victims) != set(step["victims"]):
            return f"victims {verdict.preemption.victims}"
        if step["nominatedNode"] not in (verdict.preemption.node, *verdict.preemption.alternatives):
            return f"nominated {verdict.preemption.node}"
        return "" if verdict.message == step["firstMessage"] else verdict.message
    if step["feasibleNodes"] is not None and set(verdict.nodes) != set(step["feasibleNodes"]):
        return f"feasible: {verdict.nodes}"
    return "" if verdict.preemption is None else f"preempts on {verdict.preemption.node}"


@pytest.mark.parametrize("name", sorted(clusters()))
def test_pods_without_claims_are_judged_as_the_scheduler_did(name: str) -> None:
    """Verdict, message to the letter, feasible nodes, victims; of every theme, no step excused."""
    wrong: list[str] = []
    for nth, step, snapshot, pod in steps(name):
        verdict = Scheduler(kubernetes_of(clusters()[name]["kubernetes"])).judge(snapshot, pod)
        if step["claims"] or any("dynamic resources" in what for what in verdict.not_checked):
            continue  # judged with an allocator
        difference = differs(step, verdict)
        if difference:
            wrong.append(f"step {nth} {pod.key}: {difference}; the scheduler: {step}")
    assert not wrong, "\n".join(wrong)


def test_enough_of_them_are_judged_here() -> None:
    judged = {"scheduled": 0, "unschedulable": 0, "gated": 0, "preempting": 0}
    for found in clusters().values():
        for step in found["steps"]:
            if not step["claims"] and step["verdict"] in judged:
                judged["preempting" if step.get("victims") else step["verdict"]] += 1
    assert judged["scheduled"] > 200
    assert judged["unschedulable"] > 50
    assert judged["gated"] > 2
    assert judged["preempting"] > 4


def test_claims_are_named_as_not_checked() -> None:
    asking = [found for found in steps(min(clusters())) if found[1]["claims"]]
    assert asking
    for _, _, snapshot, pod in asking:
        not_checked = Scheduler(kubernetes_of("1.36")).judge(snapshot, pod).not_checked
        assert any("dynamic resources" in what for what in not_checked) or pod.scheduling_gates
