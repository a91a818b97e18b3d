"""Claims that rule out all nodes before any is looked at, and what the input must hold to say so."""

from dataclasses import replace

import pytest

from aliquot.kube.meta import Meta, Owner
from aliquot.kube.pod import Pod, Volume
from aliquot.kube.release import Kubernetes
from aliquot.kube.storage import PersistentVolumeClaim, StorageClass
from aliquot.kube.workload import Event
from aliquot.scheduling.outcome import Placement, Refusal, Verdict
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot
from scenarios.nouns.clusters import NOW, cluster, node
from tests.scheduling.volumes_world import SAYS, claim, storage_class, using, volume

UNBOUND = "pod has unbound immediate PersistentVolumeClaims"


def judge(asking: Pod, *things: object, kubernetes: Kubernetes = NOW) -> Verdict:
    return Scheduler(kubernetes).judge(cluster(node("n"), *things), asking)


def message(asking: Pod, *things: object) -> str:
    found = judge(asking, *things)
    assert isinstance(found, Refusal)
    assert found.rejection is not None
    assert found.message == f"{SAYS}{found.rejection.text}. not found"
    return found.rejection.text


def test_a_claim_that_does_not_exist() -> None:
    assert message(using("data"), claim("other")) == 'persistentvolumeclaim "data" not found'


def test_a_claim_of_which_the_input_tells_nothing() -> None:
    found = judge(using("data"))
    assert isinstance(found, Placement)
    assert found.not_checked == ("volumes: v-data (persistentVolumeClaim data)",)


def test_the_schedulers_own_word_is_evidence() -> None:
    told = f'{SAYS}persistentvolumeclaim "data" not found. not found'
    assert message(using("data", said=told)) == 'persistentvolumeclaim "data" not found'
    other = f'{SAYS}persistentvolumeclaim "other" not found. not found'
    assert isinstance(judge(using("data", said=other)), Placement)


def test_a_claim_that_should_be_bound_by_now() -> None:
    assert message(using("data"), claim("data"), storage_class(waits=False)) == UNBOUND
    assert message(using("data"), claim("data", class_name=None)) == UNBOUND
    assert message(using("data"), claim("data"), storage_class("other")) == UNBOUND


def test_a_class_that_is_not_in_the_input() -> None:
    there = claim("data")
    found = judge(using("data"), there)
    assert isinstance(found, Placement)
    assert found.not_checked == ("volumes: v-data (persistentVolumeClaim data)",)
    assert message(using("data", said=f"{SAYS}{UNBOUND}. not found"), there) == UNBOUND
    text = 'storageclass.storage.k8s.io "fast" not found'
    failed = Event(Meta("e"), "PersistentVolumeClaim", "default", "data", "", "ProvisioningFailed", text)
    assert message(using("data"), there, failed) == UNBOUND


def test_a_claim_that_waits_for_its_first_pod_is_no_fault() -> None:
    assert judge(using("data"), claim("data"), storage_class()).pending is False
    waits = Event(Meta("e"), "PersistentVolumeClaim", "default", "data", "", "WaitForFirstConsumer", "waiting")
    found = judge(using("data"), claim("data"), waits)
    assert isinstance(found, Placement)


def test_a_claim_that_names_its_volume_must_be_bound_first() -> None:
    named = replace(claim("data"), volume_name="v")
    assert message(using("data"), named, storage_class()) == UNBOUND


def test_a_bound_claim_whose_volume_is_gone() -> None:
    assert message(using("data"), claim("data", volume="v"), volume("w")) == 'persistentvolume "v" not found'
    unknown = judge(using("data"), claim("data", volume="v"))
    assert isinstance(unknown, Placement)
    assert unknown.not_checked == ("volumes: v-data (persistentVolumeClaim data)",)


@pytest.mark.parametrize(
    ("there", "text"),
    [
        (
            claim("data", volume="v", phase="Lost"),
            'persistentvolumeclaim "data" bound to non-existent persistentvolume "v"',
        ),
        (
            claim("data", volume="v", deleted="2026-01-01T00:00:00Z"),
            'persistentvolumeclaim "data" is being deleted',
        ),
    ],
)
def test_claims_that_are_no_use(there: PersistentVolumeClaim, text: str) -> None:
    assert message(using("data"), there, volume("v", claimed_by="data")) == text


def test_ephemeral_volumes_wait_for_their_claim_and_own_it() -> None:
    asking = replace(using(), volumes=(Volume("scratch", "ephemeral"),))
    text = 'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-scratch"'
    assert message(asking, claim("other")) == text
    foreign = claim("p-scratch")
    assert message(asking, foreign, storage_class()) == (
        "PVC default/p-scratch was not created for pod default/p (pod is not owner)"
    )
    owned = replace(foreign, meta=replace(foreign.meta, owners=(Owner("Pod", "p", controller=True),)))
    assert isinstance(judge(asking, owned, storage_class()), Placement)


def test_before_dynamic_resources_preemption_has_its_say() -> None:
    found = judge(using("data"), claim("other"), kubernetes=Kubernetes(33))
    assert isinstance(found, Refusal)
    assert found.message == (
        f'{SAYS}persistentvolumeclaim "data" not found. preemption: '
        "0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    )


def test_the_reason_of_one_node_is_that_of_all() -> None:
    there = cluster(node("n"), claim("other"))
    (reason,) = Scheduler(NOW).reasons(there, using("data"), "n")
    assert (reason.filter, reason.subject) == ("VolumeRestrictions", "data")


def test_a_bound_claim_in_a_what_if_places_the_pod() -> None:
    told = f'{SAYS}persistentvolumeclaim "data" not found. not found'
    there = Snapshot.of([node("n"), using("data", said=told)])
    scheduler = Scheduler(NOW)
    assert scheduler.judge(there, there.pods["default/p"]).pending
    mended = there.with_object(claim("data", volume="v"))
    assert not scheduler.judge(mended, mended.pods["default/p"]).pending
    classes = there.with_object(claim("data")).with_object(storage_class())
    assert not scheduler.judge(classes, classes.pods["default/p"]).pending
    assert "StorageClass" not in classes.kinds
    assert classes.objects(StorageClass)
