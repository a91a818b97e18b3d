"""What lies beside the GPUs: volumes, quotas, schedulers."""

from typing import Any

from scenarios.drivers import Json
from scenarios.mixed.build import Build
from scenarios.mixed.site import COUNTED, ZONE
from scenarios.mixed.truth import Injected, right
from scenarios.mixed.workloads import of_model, pod_spec

PROVISIONER = "ebs.csi.aws.com"


def _with_volume(at: Build, claim: str, **more: Any) -> tuple[str, list[str], str]:
    """A pod of a fresh model that mounts a claim: (its key, the nodes, the namespace)."""
    model = at.site.any_model()
    nodes = at.pool(model, at.dice.randint(1, 2), 4, **more)
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]
    pod = at.flows.waiting({COUNTED: 1}, namespace="ml", volumes=volumes, **of_model(model.label))
    return pod, nodes, "ml"


def storage_class(at: Build, name: str = "standard") -> None:
    """A class that binds at once."""
    if not any((one["kind"], one["metadata"]["name"]) == ("StorageClass", name) for one in at.site.objects):
        at.site.add("storage.k8s.io/v1", "StorageClass", name, provisioner=PROVISIONER, volumeBindingMode="Immediate")


def claim(at: Build, name: str, **more: Any) -> Json:
    """A PersistentVolumeClaim."""
    status = more.pop("status", {"phase": "Pending"})
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "100Gi"}}, **more}
    return at.site.add("v1", "PersistentVolumeClaim", name, "ml", spec=spec, status=status)


def volume_missing(at: Build) -> list[Injected]:
    """Its PersistentVolumeClaim doesn't exist."""
    storage_class(at)
    claim(at, f"{at.site.name()}-data", storageClassName="standard", volumeName="", status={"phase": "Pending"})
    name = f"{at.site.name()}-models"
    pod, _, _ = _with_volume(at, name)
    return [Injected(pod, "volume-missing", ("volume",), ((name,),), right("fix-volume", about=name))]


def volume_elsewhere(at: Build) -> list[Injected]:
    """Its volume is in a zone without such GPUs."""
    storage_class(at)
    here, there, _ = at.dice.sample(at.site.zones, 3)
    name = f"{at.site.name()}-data"
    volume = f"pvc-{at.site.suffix(8)}"
    term = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": [there]}]}
    claim(at, name, storageClassName="standard", volumeName=volume, status={"phase": "Bound"})
    at.site.add(
        "v1",
        "PersistentVolume",
        volume,
        meta={"labels": {ZONE: there}},
        spec={
            "capacity": {"storage": "100Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "standard",
            "claimRef": {"kind": "PersistentVolumeClaim", "namespace": "ml", "name": name},
            "csi": {"driver": PROVISIONER, "volumeHandle": volume},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}},
        },
        status={"phase": "Bound"},
    )
    pod, _, _ = _with_volume(at, name, zone=here)
    remedies = right("fix-volume", "fix-selector", "drop-selector", "add-node")
    return [Injected(pod, "volume-elsewhere", ("volume",), ((name, volume), (there, "zone")), remedies)]


def class_missing(at: Build) -> list[Injected]:
    """The StorageClass that its claim names doesn't exist."""
    storage_class(at)
    name, slip = f"{at.site.name()}-data", at.dice.choice(("standrad", "fast-nvme", "gp3"))
    claim(at, name, storageClassName=slip)
    pod, _, _ = _with_volume(at, name)
    names = ((name,), (slip,), ("StorageClass",))
    return [Injected(pod, "storage-class-missing", ("volume",), names, right("fix-volume"))]


def scheduler_missing(at: Build) -> list[Injected]:
    """Nobody schedules it."""
    model = at.site.any_model()
    at.pool(model, 1, 4)
    slip = at.dice.choice(("gpu-scheduler", "defualt-scheduler", "volcano", "bin-packer"))
    pod = at.flows.waiting({COUNTED: 1}, schedulerName=slip, **of_model(model.label))
    return [Injected(pod, "scheduler-missing", ("scheduler",), ((slip,),), right("fix-scheduler"), "blocked")]


def quota_full(at: Build) -> list[Injected]:
    """The namespace's quota is used up: no pod is made."""
    model = at.site.any_model()
    at.pool(model, 1, 4)
    name, namespace, quota = at.site.name(), f"team-{at.site.suffix(3)}", f"{at.site.name()}-quota"
    limit = at.dice.choice((2, 4))
    at.site.add("v1", "Namespace", namespace)
    used = {f"requests.{COUNTED}": str(limit)}
    at.site.add("v1", "ResourceQuota", quota, namespace, spec={"hard": used}, status={"hard": used, "used": dict(used)})
    spec = pod_spec({COUNTED: 1}, **of_model(model.label))
    at.flows.owned("Deployment", name, namespace, spec, 1)
    made = at.site.objects[-1]
    at.site.add(
        "v1",
        "Event",
        f"{name}.{at.site.suffix()}",
        namespace,
        type="Warning",
        reason="FailedCreate",
        message=(
            f'Error creating: pods "{name}-x" is forbidden: exceeded quota: {quota}, requested: requests.{COUNTED}=1, '
            f"used: requests.{COUNTED}={limit}, limited: requests.{COUNTED}={limit}"
        ),
        involvedObject={"kind": "ReplicaSet", "namespace": namespace, "name": made["metadata"]["name"]},
        lastTimestamp="2026-11-30T09:00:00Z",
    )
    remedies = right("raise-quota", about=quota)
    return [Injected(f"{namespace}/{name}", "quota-full", ("quota",), ((quota,), (name,)), remedies, "blocked")]
