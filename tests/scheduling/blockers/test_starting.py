"""Pods that have their node and don't run, and objects that they name."""

from dataclasses import replace

import pytest

from aliquot.kube.meta import Meta
from aliquot.kube.named import ConfigMap, RuntimeClass, Secret, ServiceAccount
from aliquot.kube.pod import Container, Pod, Volume
from aliquot.kube.pod_status import ContainerStatus
from aliquot.kube.references import Reference
from aliquot.kube.workload import Event, PriorityClass
from aliquot.scheduling.blockers.find import pod_blockers
from scenarios.nouns.clusters import cluster, node, pod

CA = ConfigMap(Meta("kube-root-ca.crt", "default"))
DEFAULT = ServiceAccount(Meta("default", "default"))


def ill(reason: str) -> Pod:
    status = ContainerStatus(name="main", waiting=reason, message="why", restarts=3)
    return replace(pod("p", "n", phase="Pending"), containers=(Container("main", image="i:1"),), statuses=(status,))


@pytest.mark.parametrize(
    ("reason", "kind", "subject"),
    [
        ("ImagePullBackOff", "image-pull", "i:1"),
        ("ErrImagePull", "image-pull", "i:1"),
        ("InvalidImageName", "image-pull", "i:1"),
        ("CrashLoopBackOff", "container-crash", "main"),
        ("CreateContainerConfigError", "container-config", "main"),
    ],
)
def test_containers_that_wait(reason: str, kind: str, subject: str) -> None:
    asking = ill(reason)
    failed = Event(Meta("e"), "Pod", "default", "p", "", "Failed", "no such image", "Warning")
    (found,) = pod_blockers(cluster(node("n"), asking, failed), asking)
    assert (found.kind, found.stage, found.subject, found.used) == (kind, "starting", subject, 3)
    assert [(one.source, one.message) for one in found.evidence] == [("status", "why"), ("event", "no such image")]


def test_a_container_that_is_being_made_is_no_fault() -> None:
    asking = ill("ContainerCreating")
    assert pod_blockers(cluster(node("n"), asking), asking) == ()


@pytest.mark.parametrize(
    ("reason", "kind"), [("FailedMount", "mount-failed"), ("FailedCreatePodSandBox", "sandbox-failed")]
)
def test_what_the_kubelet_says(reason: str, kind: str) -> None:
    asking = pod("p", "n", phase="Pending")
    event = Event(Meta("e"), "Pod", "default", "p", "", reason, "no", "Warning", last_seen="2026-01-01")
    (found,) = pod_blockers(cluster(node("n"), asking, event), asking)
    assert (found.kind, found.evidence[0].when) == (kind, "2026-01-01")
    running = replace(asking, phase="Running")
    assert pod_blockers(cluster(node("n"), running, event), running) == ()


def naming(*references: Reference) -> Pod:
    return replace(pod("p"), volumes=(Volume("v", "projected", references=references),))


def missing(asking: Pod, *things: object) -> list[tuple[str, bool, str]]:
    found = pod_blockers(cluster(node("n"), *things), asking)
    assert {one.kind for one in found} <= {"missing-object"}
    return [(str(one.object), one.certain, one.nearest) for one in found]


def test_a_config_map_is_missing_where_all_of_the_namespace_are_there() -> None:
    asking = naming(Reference("ConfigMap", "settings"), Reference("ConfigMap", "kube-root-ca.crt"))
    assert missing(asking) == []
    elsewhere = ConfigMap(Meta("kube-root-ca.crt", "other"))
    assert missing(asking, elsewhere) == []
    assert missing(asking, CA) == [("ConfigMap/default/settings", True, "")]
    near = ConfigMap(Meta("setings", "default"))
    assert missing(asking, near) == [("ConfigMap/default/settings", False, "setings")]
    assert missing(asking, CA, ConfigMap(Meta("settings", "default"))) == []


def test_what_is_optional_may_be_missing() -> None:
    assert missing(naming(Reference("ConfigMap", "a", optional=True)), CA) == []


def test_of_secrets_nothing_shows_that_all_are_there() -> None:
    asking = naming(Reference("Secret", "token"))
    assert missing(asking, CA) == []
    assert missing(asking, Secret(Meta("other", "default"))) == [("Secret/default/token", False, "")]


def test_accounts_and_classes() -> None:
    asking = replace(pod("p"), service_account="robot", runtime_class="nvidia", priority_class="high")
    assert missing(asking) == []
    assert missing(asking, DEFAULT, RuntimeClass(Meta("nvidia2")), PriorityClass(Meta("other"), 1)) == [
        ("ServiceAccount/default/robot", True, ""),
        ("RuntimeClass/nvidia", True, "nvidia2"),
        ("PriorityClass/high", True, ""),
    ]
    there = (ServiceAccount(Meta("robot", "default")), RuntimeClass(Meta("nvidia")), PriorityClass(Meta("high"), 1))
    assert missing(asking, DEFAULT, *there) == []
    assert missing(replace(pod("p"), priority_class="system-node-critical"), PriorityClass(Meta("a"), 1)) == []


def test_of_a_pod_that_runs_nothing_is_said() -> None:
    running = replace(pod("p", "n"), service_account="robot")
    assert missing(running, DEFAULT) == []
