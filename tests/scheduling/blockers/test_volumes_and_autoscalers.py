"""Claims that nobody binds, and words of autoscalers."""

from aliquot.kube.meta import Meta
from aliquot.kube.pod import Pod
from aliquot.kube.workload import Event
from aliquot.scheduling.blockers.blocker import Blocker
from aliquot.scheduling.blockers.find import pod_blockers
from scenarios.nouns.clusters import cluster, node, pod
from tests.scheduling.volumes_world import claim, storage_class, using, volume


def found(asking: Pod, *things: object) -> list[Blocker]:
    return list(pod_blockers(cluster(node("n"), asking, *things), asking))


def test_a_class_that_does_not_exist() -> None:
    failed = Event(Meta("e"), "PersistentVolumeClaim", "default", "data", "", "ProvisioningFailed", "not found")
    (one,) = found(using("data"), claim("data", class_name="fats"), storage_class(), failed)
    assert (one.kind, one.subject, one.nearest, one.decisive) == ("claim-unbound", "fats", "fast", True)
    assert [str(other) for other in one.others] == ["StorageClass/fats"]
    assert [evidence.source for evidence in one.evidence] == ["status", "absence", "event"]


def test_an_unbound_claim_of_which_the_class_is_not_known() -> None:
    (one,) = found(using("data"), claim("data"))
    assert (one.kind, one.certain, one.decisive) == ("claim-unbound", False, False)


def test_a_claim_that_waits_for_its_pod_is_no_fault() -> None:
    assert found(using("data"), claim("data"), storage_class()) == []


def test_volumes_that_are_gone() -> None:
    (one,) = found(using("data"), claim("data", volume="v"), volume("w"))
    assert (one.kind, str(one.object)) == ("volume-missing", "PersistentVolume/v")
    assert found(using("data"), claim("data", volume="v")) == []
    (lost,) = found(using("data"), claim("data", volume="v", phase="Lost"))
    assert lost.kind == "claim-lost"


def test_claims_of_a_pod_that_has_its_node_are_not_judged() -> None:
    assert found(using("data", on="n"), claim("other")) == []


def said(reason: str, message: str, when: str, reporter: str = "cluster-autoscaler") -> Event:
    return Event(Meta("e"), "Pod", "default", "p", "", reason, message, last_seen=when, reporter=reporter)


def test_a_later_scale_up_settles_an_earlier_refusal() -> None:
    refused = said("NotTriggerScaleUp", "pod didn't trigger scale-up: 2 max node group size reached", "2026-01-01")
    assert [one.reasons for one in found(pod("p"), refused)] == [((2, "max node group size reached"),)]
    assert found(pod("p"), refused, said("TriggeredScaleUp", "ok", "2026-01-02")) == []


def test_karpenter() -> None:
    (one,) = found(pod("p"), said("FailedScheduling", "no instance type has enough resources", "", "karpenter"))
    assert (one.kind, str(one.object)) == ("autoscaler", "Autoscaler/karpenter")
    assert one.evidence[0].message == "no instance type has enough resources"
