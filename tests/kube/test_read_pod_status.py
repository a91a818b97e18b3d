"""What containers say, and what a pod names, from JSON."""

from typing import Any

from aliquot.kube.pod import Pod, Scheduled
from aliquot.kube.pod_status import ContainerStatus
from aliquot.kube.references import Disk, Reference
from tests.kube.objects import read

T1 = "2026-01-01T00:00:00Z"
Json = dict[str, Any]


def pod(spec: Json | None = None, status: Json | None = None) -> Pod:
    return read(Pod, "", "Pod", {"spec": spec, "status": status})


def test_a_container_that_waits() -> None:
    waiting = {"reason": "CrashLoopBackOff", "message": "back-off"}
    last = {"reason": "Error", "exitCode": 2, "message": "panic"}
    told = [
        {
            "name": "main",
            "ready": False,
            "restartCount": 17,
            "image": "i",
            "state": {"waiting": waiting},
            "lastState": {"terminated": last},
        }
    ]
    init = [{"name": "init", "ready": True, "state": {"terminated": {"reason": "Completed"}}}]
    found = pod(status={"containerStatuses": told, "initContainerStatuses": init}).statuses
    assert found == (
        ContainerStatus(name="init", ready=True, terminated="Completed", init=True),
        ContainerStatus(
            name="main",
            restarts=17,
            waiting="CrashLoopBackOff",
            message="back-off",
            last_terminated="Error",
            last_message="panic",
            last_exit_code=2,
            image="i",
        ),
    )


def test_containers_that_run_well_say_nothing() -> None:
    running = [{"name": "main", "ready": True, "restartCount": 0, "state": {"running": {}}}]
    assert pod(status={"containerStatuses": running}).statuses == ()


def test_statuses_that_no_one_can_read_cost_nothing() -> None:
    assert pod(status={"containerStatuses": [{"ready": False, "name": "a"}]}).statuses[0].name == "a"


def test_conditions_of_a_pod_that_runs_well_are_passed_over() -> None:
    kinds = ("PodScheduled", "Initialized", "Ready", "ContainersReady")
    well = [{"type": kind, "status": "True", "lastTransitionTime": T1} for kind in kinds]
    assert (pod(status={"conditions": well}).scheduled, pod(status={"conditions": well}).conditions) == (
        Scheduled("True"),
        (),
    )
    ill = [*well[:2], {"type": "Ready", "status": "False", "reason": "ContainersNotReady"}, well[3]]
    found = pod(status={"conditions": ill})
    assert found.scheduled == Scheduled("True", changed=T1)
    assert [(one.type, one.reason) for one in found.conditions] == [("Ready", "ContainersNotReady")]


def test_disruption_is_kept() -> None:
    kinds = ("PodScheduled", "Ready", "ContainersReady", "DisruptionTarget")
    told = [{"type": kind, "status": "True", "reason": kind} for kind in kinds]
    assert [one.type for one in pod(status={"conditions": told}).conditions] == ["DisruptionTarget"]


def test_times_of_the_schedulers_word() -> None:
    told = [{"type": "PodScheduled", "status": "False", "lastTransitionTime": T1, "lastProbeTime": None}]
    assert pod(status={"conditions": told}).scheduled == Scheduled("False", changed=T1)


def test_what_a_pod_names() -> None:
    found = pod(
        {
            "serviceAccountName": "robot",
            "runtimeClassName": "nvidia",
            "imagePullSecrets": [{"name": "registry"}],
            "workloadRef": {"name": "w", "podGroup": "g"},
        }
    )
    assert (found.service_account, found.runtime_class, found.image_pull_secrets) == ("robot", "nvidia", ("registry",))
    assert (found.group_workload, found.scheduling_group) == ("w", "g")
    assert pod().service_account == "default"


def test_references_of_volumes() -> None:
    projected = {"sources": [{"configMap": {"name": "c", "optional": True}}, {"secret": {"name": "s"}}, {}]}
    volumes = [
        {"name": "a", "configMap": {"name": "c"}},
        {"name": "b", "secret": {"secretName": "s", "optional": True}},
        {"name": "p", "projected": projected},
        {"name": "e", "emptyDir": {}},
    ]
    assert [volume.references for volume in pod({"volumes": volumes}).volumes] == [
        (Reference("ConfigMap", "c"),),
        (Reference("Secret", "s", optional=True),),
        (Reference("ConfigMap", "c", optional=True), Reference("Secret", "s")),
        (),
    ]


def test_references_of_the_environment() -> None:
    env = [
        {"name": "A", "value": "1"},
        {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}},
        {"name": "C", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": True}}},
        {"name": "D", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
    ]
    env_from = [{"configMapRef": {"name": "all"}}, {"secretRef": {"name": "t"}}]
    containers = [{"name": "x", "env": env, "envFrom": env_from}, {"name": "y", "env": [env[0], env[3]]}]
    found = pod({"containers": containers}).containers
    assert found[0].references == (
        Reference("ConfigMap", "c"),
        Reference("Secret", "s", optional=True),
        Reference("ConfigMap", "all"),
        Reference("Secret", "t"),
    )
    assert found[1].references == ()


def test_disks() -> None:
    volumes = [
        {"name": "a", "gcePersistentDisk": {"pdName": "d", "readOnly": True}},
        {"name": "b", "awsElasticBlockStore": {"volumeID": "v"}},
        {"name": "c", "iscsi": {"iqn": "q"}},
        {"name": "d", "rbd": {"monitors": ["m"], "image": "i"}},
    ]
    assert [volume.disk for volume in pod({"volumes": volumes}).volumes] == [
        Disk("gcePersistentDisk", ("d",), read_only=True),
        Disk("awsElasticBlockStore", ("v",)),
        Disk("iscsi", ("q",)),
        Disk("rbd", ("rbd", "i"), frozenset({"m"})),
    ]
