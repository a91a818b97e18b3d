"""Random small clusters that a real kube-scheduler 1.36.2 decided, replayed step by step: pods with claims.

Judged: verdict, message, feasible nodes, and on the chosen node the devices. Where a claim is in the cluster's final
state, all of its allocation: configuration and node selector too.
"""

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aliquot.allocation.answer import Allocation
from aliquot.allocation.claims.bound import bound_claims
from aliquot.allocation.claims.pod_check import PodCheck
from aliquot.allocation.engines import Engines
from aliquot.cluster.admission import admitted
from aliquot.cluster.envelope import Document
from aliquot.cluster.items import ItemReader, Noun
from aliquot.dra.claim import AllocatedDevice, Claim, ClaimAllocation
from aliquot.kube.meta import Owner
from aliquot.kube.pod import Pod
from aliquot.kube.reading.shape import Fault
from aliquot.kube.release import Kubernetes, kubernetes_of
from aliquot.kube.workload import PriorityClass
from aliquot.scheduling.outcome import Placement, Refusal, Verdict
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot

Json = dict[str, Any]

CASES = Path(__file__).parent.parent / "cases" / "random-clusters.jsonl.gz"


ENGINES = Engines(Kubernetes(36, gates=(("DRADeviceTaintRules", True),)))


def clusters() -> list[Json]:
    return [json.loads(line) for line in gzip.open(CASES, "rt")]


def nouns(given: Json, reader: ItemReader) -> list[Noun]:
    found = list(reader.read(Document(json.dumps(given).encode())))
    assert not any(isinstance(one, Fault) for one in found), found
    return [one for one in found if not isinstance(one, Fault)]


class Replay:
    """One cluster, step after step."""

    def __init__(self, given: Json) -> None:
        self.given = given
        self.reader = ItemReader()
        objects = [noun for one in given["objects"] for noun in nouns(one, self.reader)]
        self.classes = tuple(one for one in objects if isinstance(one, PriorityClass))
        self.snapshot = Snapshot.of(objects)
        self.final = {
            one.meta.key: one
            for one in nouns({"apiVersion": "v1", **given["final"]}, self.reader)
            if isinstance(one, Claim)
        }

    def pod(self, step: Json) -> Pod:
        manifest = {"apiVersion": "v1", "kind": "Pod", **step["pod"]}
        manifest["metadata"] = {"namespace": "default", **manifest["metadata"]}
        (noun,) = nouns(manifest, self.reader)
        pod = admitted((noun, *self.classes))[0]
        assert isinstance(pod, Pod)
        pod = pod if pod.meta.uid else replace(pod, meta=replace(pod.meta, uid=f"uid of {pod.key}"))
        shared = {one.name for one in pod.claims if one.claim_name is not None}
        names = dict(pod.claim_names)
        for one in step["claims"]:
            if one.get("podClaim") not in {None, *shared} and one["spec"] is not None:
                names[one["podClaim"]] = one["name"]
                self.snapshot = self.snapshot.with_object(self.claim(pod, one))
        return replace(pod, claim_names=names)

    def claim(self, pod: Pod, given: Json) -> Claim:
        meta = {"name": given["name"], "namespace": pod.namespace}
        claim = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": meta, "spec": given["spec"]}
        (noun,) = nouns(claim, self.reader)
        assert isinstance(noun, Claim)
        owner = Owner("Pod", pod.name, pod.meta.uid, controller=True, api_version="v1")
        return replace(noun, meta=replace(noun.meta, owners=(owner,)))

    def judge(self, pod: Pod) -> Verdict:
        assert kubernetes_of(self.given["kubernetes"]).minor == ENGINES.kubernetes.minor
        return Scheduler(ENGINES.kubernetes, ENGINES).judge(self.snapshot, pod)

    def place(self, pod: Pod, node: str, step: Json | None = None) -> list[AllocatedDevice]:
        """Bind a pod, its claims with it; return the devices that it's given."""
        extended = [self.claim(pod, one) for one in (step or {}).get("claims", ()) if "podClaim" not in one]
        check = ENGINES.prepare(self.snapshot, pod)
        given: list[AllocatedDevice] = []
        if isinstance(check, PodCheck):
            load = self.snapshot.load(node)
            assert check.check(load) == ""
            answer = check.answers.get(node)
            given = [
                one for result in (answer.claims if isinstance(answer, Allocation) else ()) for one in result.results
            ]
            bound = bound_claims(check, load)
            if step is not None:
                made = [claim.spec for claim in bound if claim.meta.name == f"{pod.name}-extended-resources"]
                assert made == [claim.spec for claim in extended]
            for claim in bound:
                self.compare_with_final(claim)
                self.snapshot = self.snapshot.with_object(claim)
        self.snapshot = self.snapshot.with_pod(replace(pod, node_name=node, phase="Running"))
        return given

    def compare_with_final(self, claim: Claim) -> None:
        known = self.final.get(claim.meta.key)
        if known is not None and known.allocation is not None and claim.allocation is not None:
            assert without_shares(claim.allocation) == without_shares(known.allocation)

    def evict(self, key: str) -> None:
        pod = self.snapshot.pods[key]
        for name in pod.claim_names.values():
            self.snapshot = self.snapshot.without_object(Claim, f"{pod.namespace}/{name}")
        self.snapshot = self.snapshot.without_pods([key])


def without_shares(allocation: ClaimAllocation) -> ClaimAllocation:
    return replace(allocation, results=tuple(replace(one, share_id=None) for one in allocation.results))


def possible_faults(verdict: Refusal, replay: Replay) -> set[str]:
    """The scheduler looks at nodes side by side: the error of any node that gets that far may be told."""
    reasons = [verdict.reasons(node) for node in replay.snapshot.nodes]
    return {found[0].text for found in reasons if found and found[0].filter == "DynamicResources"}


def check_verdict(step: Json, verdict: Verdict, replay: Replay) -> None:
    match step["verdict"]:
        case "scheduled" if step.get("victims"):
            assert isinstance(verdict, Placement)
            assert verdict.preemption is not None
            assert set(verdict.preemption.victims) == set(step["victims"])
            assert verdict.message == step["firstMessage"]
        case "scheduled":
            assert isinstance(verdict, Placement)
            assert verdict.preemption is None
            assert step["feasibleNodes"] is None or set(verdict.nodes) == set(step["feasibleNodes"])
        case "none":
            assert isinstance(verdict, Refusal)
            assert (verdict.reason, verdict.message) == ("", "")
        case "error":
            assert isinstance(verdict, Refusal)
            assert verdict.reason == step["reason"]
            assert step["message"] in possible_faults(verdict, replay)
        case _:
            assert isinstance(verdict, Refusal)
            assert (verdict.reason, verdict.message) == (step["reason"], step["message"])


@pytest.mark.parametrize("given", [pytest.param(one, id=one["name"]) for one in clusters()])
def test_every_step_is_decided_as_the_scheduler_did(given: Json) -> None:
    replay = Replay(given)
    for step in given["steps"]:
        if step["verdict"] == "rejected":  # by the API server: there's no pod
            continue
        pod = replay.pod(step)
        check_verdict(step, replay.judge(pod), replay)
        replay.snapshot = replay.snapshot.with_pod(pod)
        for key in step.get("victims") or ():
            replay.evict(key)
        if step["verdict"] == "scheduled":
            devices = {(str(one.device), one.request) for one in replay.place(pod, step["node"], step)}
            assert devices <= {(one["device"], one["request"]) for one in step["devices"]}
        for late in step.get("lateScheduled") or ():
            replay.place(replay.snapshot.pods[late["pod"]], late["node"])
