"""Public reports, rebuilt: what keeps their pods from running is found, and nothing is found where nothing is wrong."""

import pytest

from aliquot.cluster.files import FileCluster
from aliquot.scheduling.blockers.find import lacking, pod_blockers
from aliquot.snapshot.snapshot import Snapshot
from tests.conftest import ROOT

REPORTS = ROOT / "tests" / "cases" / "reports"
FOUND: dict[str, dict[str, tuple[str, str, str]]] = {
    "autoscaler-at-its-maximum": {
        "t/job-3": ("autoscaler", "Autoscaler/cluster-autoscaler", "max node group size reached")
    },
    "driver-crashes": {"gen/sd-0": ("driver-down", "DaemonSet/amd-dra/amd-dra-driver", "gpu.amd.com")},
    "driver-without-nodes": {"gen/sd-1": ("driver-down", "DaemonSet/nvd/nvidia-dra-plugin", "gpu.nvidia.com")},
    "missing-scheduler": {
        "ml/v-0": ("scheduler-absent", "Scheduler/volcano", "volcano"),
        "ml/v-1": ("scheduler-absent", "Scheduler/defualt-scheduler", "defualt-scheduler"),
    },
    "mixed-cluster-40": {
        "ml/cache-0": ("claim-unbound", "PersistentVolumeClaim/ml/models", "nope"),
        "train/gang-cc002b21-8g7vj": ("scheduler-absent", "Scheduler/volcano", "volcano"),
        "train/queued-tnrgp": ("queue-waiting", "Pod/train/queued-tnrgp", "kueue.x-k8s.io/admission"),
        "prod/broken-e06ac292-qq76l": ("image-pull", "Pod/prod/broken-e06ac292-qq76l", "x"),
    },
    "scheduler-crashes": {
        "default/dra-allocation-mode-all": (
            "scheduler-crashing",
            "Pod/kube-system/kube-scheduler-cp-1",
            "default-scheduler",
        ),
    },
    "waiting-volume": {"a/first": ("claim-unbound", "PersistentVolumeClaim/a/data-first", "fast-nvme")},
    "waiting-volume-missing": {"a/first": ("claim-missing", "PersistentVolumeClaim/a/data-first", "data")},
}
OF_ANOTHER_SCHEDULER = {"mig-mixed-wrong-resource", "waiting-pod-as-holder"}


def snapshot(report: str) -> Snapshot:
    return Snapshot.of(FileCluster([next((REPORTS / report).glob("dump*"))]).read().objects)


@pytest.mark.parametrize("report", sorted(FOUND))
def test_what_is_wrong_is_found_first(report: str) -> None:
    there = snapshot(report)
    for key, expected in FOUND[report].items():
        first = pod_blockers(there, there.pods[key])[0]
        assert (first.kind, str(first.object), first.subject) == expected
        assert first.evidence or not first.certain


@pytest.mark.parametrize(
    "report", sorted({path.name for path in REPORTS.iterdir() if path.is_dir()} - FOUND.keys() - OF_ANOTHER_SCHEDULER)
)
def test_where_nothing_of_this_is_wrong_nothing_is_found(report: str) -> None:
    there = snapshot(report)
    assert {key: pod_blockers(there, pod) for key, pod in there.pods.items() if pod_blockers(there, pod)} == {}
    assert lacking(there) == ()


def test_the_evidence_of_a_crashing_driver() -> None:
    there = snapshot("driver-crashes")
    (found,) = pod_blockers(there, there.pods["gen/sd-0"])
    assert (found.used, found.limit, found.decisive) == (0, 1, False)
    assert [str(one) for one in found.others] == ["Pod/amd-dra/amd-dra-driver-7kx2p"]
    told = [(one.reason, one.message) for one in found.evidence]
    assert ("CrashLoopBackOff", "back-off 5m0s restarting failed container=main") in told
    assert ("Error", "failed to create CDI dir: permission denied") in told


def test_the_evidence_of_a_driver_that_selects_no_node() -> None:
    there = snapshot("driver-without-nodes")
    (found,) = pod_blockers(there, there.pods["gen/sd-1"])
    assert (found.used, found.limit) == (0, 0)
    assert [(one.reason, one.message) for one in found.evidence] == [
        ("NumberReady", "0 of 0"),
        ("nodeSelector", "nvidia.com/gpu.present=true"),
    ]


def test_a_full_quota_is_told_of_the_deployment_that_lacks_pods() -> None:
    ((workload, (found,)),) = lacking(snapshot("mixed-cluster-40"))
    assert (workload.kind, workload.meta.key) == ("Deployment", "vision/tracker")
    assert (found.kind, found.stage, str(found.object)) == (
        "quota-exceeded",
        "creation",
        "ResourceQuota/vision/gpu-quota",
    )
    assert (found.subject, found.asked, found.used, found.limit) == ("requests.nvidia.com/gpu", 1, 26, 26)
    assert found.evidence[0].source == "event"


def test_a_slip_in_a_schedulers_name() -> None:
    there = snapshot("missing-scheduler")
    found = [pod_blockers(there, there.pods[key])[0] for key in ("ml/v-0", "ml/v-1")]
    assert [(one.nearest, one.certain) for one in found] == [("", True), ("default-scheduler", True)]


def test_the_reasons_of_an_autoscaler() -> None:
    there = snapshot("autoscaler-at-its-maximum")
    (found,) = pod_blockers(there, there.pods["t/job-3"])
    assert found.reasons == ((1, "max node group size reached"), (1, "Insufficient nvidia.com/gpu"))
    assert (found.stage, found.decisive, found.evidence[0].count) == ("capacity", False, 12)


def test_another_schedulers_reason_is_named() -> None:
    there = snapshot("waiting-pod-as-holder")
    (found,) = pod_blockers(there, there.pods["a/first"])
    assert (found.kind, found.decisive, found.evidence[0].message) == ("other-scheduler", False, "queue over quota")
