"""What Prometheus gets over HTTP, with the pods that hold the devices."""

import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from aliquot.devices.activity import Activity
from aliquot.devices.hosts.protocol import GpuLost
from aliquot.devices.hosts.simulated.shape import Fault
from aliquot.dra.device import DeviceId
from aliquot.node.metrics.app import pages
from aliquot.node.metrics.collector import DeviceCollector, Options, PodResources
from aliquot.node.metrics.own import Own
from aliquot.node.metrics.server import PagesServer
from tests.node.metrics.conftest import AMPERE, IDLE, MIG_GPU, SHARED_GPU, Node

pytestmark = pytest.mark.enable_socket
Scrape = Callable[..., list[str]]

SHARED = (
    f'DCGM_FI_DRIVER_VERSION="580.65.06",Hostname="n1",UUID="{SHARED_GPU}",container="main",device="nvidia3",gpu="0"'
)
MADE = (
    'DCGM_FI_DRIVER_VERSION="580.65.06",GPU_I_ID="4",GPU_I_PROFILE="2g.20gb",Hostname="n1",'
    f'UUID="{MIG_GPU}",'
    'container="main",device="nvidia1",dra_claim_name="train",dra_claim_namespace="ml",dra_device_name="gpu-0",'
    'dra_driver_name="gpu.example.com",dra_mig_device_uuid="%s",dra_mig_profile="2g.20gb",dra_pool_name="n1",gpu="1",'
    'modelName="NVIDIA H100 80GB HBM3",namespace="ml",pci_bus_id="00000000:87:00.0",pod="pod-p-1"'
)


def held(uuid: str) -> Mapping[DeviceId, str]:
    """What the agent has prepared: the device that the tests' driver answers is the instance."""
    return {DeviceId("gpu.example.com", "n1", "gpu-0"): uuid}


@pytest.fixture
def scrape(node: Node) -> Iterator[Scrape]:
    with ExitStack() as stack:

        def lines(begin: str = "", accept: str = "text/plain", **options: Any) -> list[str]:
            given = {"uuids": lambda: held(node.made.uuid or ""), **options}
            told = Options(**{"node": "n1", **given.pop("options", {})})
            survey = given.pop("survey", node.host.survey)
            activity = given.pop("activity", node.host.activity)
            pods = given.pop("pods", PodResources(node.socket, limit_s=5))
            registry = CollectorRegistry()
            registry.register(DeviceCollector(told, survey, activity, pods, **given))
            server = stack.enter_context(PagesServer(pages(registry, list, list), "127.0.0.1", 0))
            asked = urllib.request.Request(f"http://127.0.0.1:{server.address[1]}/metrics", headers={"Accept": accept})
            with urllib.request.urlopen(asked, timeout=30) as answer:
                text = answer.read().decode()
            return [line for line in text.splitlines() if line.startswith(begin)]

        yield lines


def test_shared_by_replicas(scrape: Scrape) -> None:
    """Each pod has a row of the GPU that both hold."""
    model = 'modelName="NVIDIA L4",namespace="ml",pci_bus_id="00000000:10:00.0"'
    rows = [f'{SHARED},{model},pod="pod-p-{number + 2}",vgpu="{number}"' for number in range(2)]
    found = [line for line in scrape("DCGM") if SHARED_GPU in line]
    values = {
        "DCGM_FI_DEV_GPU_TEMP": "61.0",
        "DCGM_FI_DEV_POWER_USAGE": "72.0",
        "DCGM_FI_DEV_GPU_UTIL": "70.0",
        "DCGM_FI_DEV_FB_TOTAL": "23034.0",
        "DCGM_FI_DEV_FB_FREE": "18034.0",
        "DCGM_FI_DEV_FB_USED": "5000.0",
        "DCGM_FI_DEV_XID_ERRORS": "0.0",
    }
    assert sorted(found) == sorted(f"{name}{{{row}}} {value}" for name, value in values.items() for row in rows)


def test_a_mig_device_that_was_made_for_a_claim(node: Node, scrape: Scrape) -> None:
    row = MADE % node.made.uuid
    busy = f"DCGM_FI_PROF_GR_ENGINE_ACTIVE{{{row}}} 0.5"
    active = (Activity(gi=node.made.id, busy=0.5, sm=0.25, occupancy=0.125, tensor=0.0, dram=0.75),)
    found = scrape("DCGM_FI_PROF", activity=lambda gpu: active if gpu == MIG_GPU else ())
    assert found == [
        busy,
        f"DCGM_FI_PROF_SM_ACTIVE{{{row}}} 0.25",
        f"DCGM_FI_PROF_SM_OCCUPANCY{{{row}}} 0.125",
        f"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{{{row}}} 0.0",
        f"DCGM_FI_PROF_DRAM_ACTIVE{{{row}}} 0.75",
    ]
    short = scrape("DCGM_FI_PROF_GR", options={"claims": False}, activity=lambda _: active)[:1]
    assert "dra_" not in short[0]
    assert 'pod="pod-p-1"' in short[0]


def test_a_standing_mig_device_of_ampere(node: Node, scrape: Scrape) -> None:
    """Its activity can't be measured there: absent, not 0. On another host it would have its pod."""
    found = scrape("DCGM")
    assert not [line for line in found if AMPERE in line and ("PROF" in line or "GPU_UTIL" in line)]
    assert [line for line in found if AMPERE in line and "FB_TOTAL" in line]
    gi = node.host.survey().gpus[2].instances[0].id
    measured = scrape("DCGM_FI_PROF_GR", activity=lambda gpu: (Activity(gi=gi, busy=1.0),) if gpu == AMPERE else ())
    assert len(measured) == 1
    assert f'GPU_I_ID="{gi}",GPU_I_PROFILE="3g.20gb"' in measured[0]
    assert 'pod="pod-p-4"' in measured[0]
    assert "vgpu" not in measured[0]


def test_a_gpu_that_nobody_holds(scrape: Scrape) -> None:
    idle = (
        f'{{DCGM_FI_DRIVER_VERSION="580.65.06",Hostname="n1",UUID="{IDLE}",device="nvidia2",gpu="3",'
        'modelName="NVIDIA H100 80GB HBM3",pci_bus_id="00000000:13:00.0"}'
    )
    found = [line for line in scrape("DCGM") if IDLE in line]
    assert f"DCGM_FI_DEV_GPU_UTIL{idle} 0.0" in found
    assert f"DCGM_FI_PROF_GR_ENGINE_ACTIVE{idle} 0.0" in found
    renamed = [line for line in scrape("DCGM_FI_DEV_GPU_UTIL", options={"hostname_label": "hostname"}) if IDLE in line]
    assert renamed == [
        "DCGM_FI_DEV_GPU_UTIL"
        + idle.replace('Hostname="n1",', "").replace('gpu="3",', 'gpu="3",hostname="n1",')
        + " 0.0"
    ]


def test_the_last_xid(node: Node, scrape: Scrape) -> None:
    for number in (13, 79):
        node.host.inject(Fault(gpu=3, xid=number))
    node.host.events(0)
    (found,) = [line for line in scrape("DCGM_FI_DEV_XID_ERRORS") if IDLE in line]
    words = "the GPU fell off the bus: reboot the machine, a reset doesn't help"
    assert f'UUID="{IDLE}",device="nvidia2",err_code="79",err_msg="{words}",gpu="3"' in found
    assert found.endswith(" 79.0")
    unread = replace(node.host.survey(), xids_known=False)
    assert len(scrape("DCGM_FI_DEV_XID_ERRORS", survey=lambda: unread)) == 1  # of the others nothing is known


def test_under_published_names_without_the_agents_word(node: Node, scrape: Scrape) -> None:
    """NVIDIA's driver prepared it: the name says where the instance lies."""
    name = "gpu-1-mig-2g20gb-14-2"
    pods = PodResources(node.socket)()
    for one in pods.pod_resources[0].containers[0].dynamic_resources[0].claim_resources:
        one.driver_name, one.device_name = "gpu.nvidia.com", name
    (found,) = scrape(
        'DCGM_FI_PROF_GR_ENGINE_ACTIVE{DCGM_FI_DRIVER_VERSION="580.65.06",GPU_I_ID', uuids=dict, pods=lambda: pods
    )
    assert f'dra_device_name="{name}"' in found
    assert 'pod="pod-p-1"' in found


@pytest.mark.parametrize(("asked", "told"), [("auto", 0.0), ("on", 1.0), ("off", 0.0)])
def test_beside_dcgm_exporter(node: Node, scrape: Scrape, asked: str, told: float) -> None:
    pods = PodResources(node.socket)()
    pods.pod_resources.add(name="nvidia-dcgm-exporter-x7k2p", namespace="gpu-operator")
    found = scrape("DCGM", options={"dcgm": asked}, pods=lambda: pods)
    assert bool(found) is bool(told)
    assert scrape("aliquot_node_dcgm", options={"dcgm": asked}, pods=lambda: pods) == [
        f"aliquot_node_dcgm_series {told}"
    ]
    assert scrape("DCGM", options={"dcgm": "off"}) == []


def test_what_fails_is_absent_and_told(node: Node, scrape: Scrape) -> None:
    def gone(gpu: str) -> tuple[Activity, ...]:
        raise GpuLost("the GPU is lost", gpu=gpu)

    found = scrape(pods=PodResources(node.root / "nobody.sock", limit_s=0.2), activity=gone)
    assert 'aliquot_node_metrics_failed{part="pod-resources"} 1.0' in found
    assert 'aliquot_node_metrics_failed{part="activity"} 1.0' in found
    assert not [line for line in found if "pod=" in line or line.startswith("DCGM_FI_PROF")]
    assert len([line for line in found if line.startswith("DCGM_FI_DEV_GPU_TEMP")]) == 4
    assert scrape("aliquot_node_metrics_failed") == [
        'aliquot_node_metrics_failed{part="pod-resources"} 0.0',
        'aliquot_node_metrics_failed{part="activity"} 0.0',
    ]


def test_a_lost_gpu(node: Node, scrape: Scrape) -> None:
    node.host.inject(Fault(gpu=3, lost=True))
    found = scrape(healthy=lambda: {IDLE: False, MIG_GPU: True})
    assert not [line for line in found if line.startswith("DCGM") and IDLE in line]
    assert "aliquot_node_unreadable_gpus 1.0" in found
    assert [line for line in found if line.startswith("aliquot_node_gpu_healthy")] == [
        f'aliquot_node_gpu_healthy{{UUID="{IDLE}"}} 0.0',
        f'aliquot_node_gpu_healthy{{UUID="{MIG_GPU}"}} 1.0',
    ]


def test_types_and_help(scrape: Scrape) -> None:
    found = scrape("# ")
    assert "# TYPE DCGM_FI_DEV_GPU_UTIL gauge" in found
    assert "# HELP DCGM_FI_DEV_FB_USED Memory in use, in MiB." in found
    assert len([line for line in found if line.startswith("# TYPE DCGM_FI_DEV_GPU_UTIL")]) == 1
    assert scrape("# EOF", accept="application/openmetrics-text; version=1.0.0") == ["# EOF"]


def test_two_scrapes_of_one_moment_ask_once(node: Node) -> None:
    asked, now = list[int](), [0.0]

    def survey() -> Any:
        asked.append(1)
        return node.host.survey()

    collector = DeviceCollector(
        Options(node="n1"), survey, node.host.activity, PodResources(node.socket), clock=lambda: now[0]
    )
    CollectorRegistry().register(collector)
    assert asked == []
    first = [one.name for one in collector.collect()]
    assert ([one.name for one in collector.collect()], len(asked)) == (first, 1)
    now[0] = 1.0
    list(collector.collect())
    assert len(asked) == 2


def test_the_agents_own_work() -> None:
    registry = CollectorRegistry()
    own = Own(registry, "0.1.0")
    own.prepare_seconds.labels("prepared").observe(0.02)
    own.errors.labels("publish").inc()
    own.leaks.labels("instance").inc(2)
    own.prepared.labels("gpu.nvidia.com").set(3)
    with PagesServer(pages(registry, list, list), "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.address[1]}/metrics"
        with urllib.request.urlopen(url, timeout=10) as answer:
            found = answer.read().decode().splitlines()
    assert 'aliquot_node_info{version="0.1.0"} 1.0' in found
    assert [line for line in found if line.startswith("aliquot_node_prepare_seconds")][:4] == [
        'aliquot_node_prepare_seconds_bucket{le="0.005",outcome="prepared"} 0.0',
        'aliquot_node_prepare_seconds_bucket{le="0.01",outcome="prepared"} 0.0',
        'aliquot_node_prepare_seconds_bucket{le="0.025",outcome="prepared"} 1.0',
        'aliquot_node_prepare_seconds_bucket{le="0.05",outcome="prepared"} 1.0',
    ]
    assert 'aliquot_node_prepare_seconds_count{outcome="prepared"} 1.0' in found
    assert 'aliquot_node_errors_total{operation="publish"} 1.0' in found
    assert 'aliquot_node_leaks_found_total{kind="instance"} 2.0' in found
    assert 'aliquot_node_prepared_devices{driver="gpu.nvidia.com"} 3.0' in found
    assert [line for line in found if line.startswith("process_resident_memory_bytes ")]
    assert not [line for line in found if "_created" in line]
