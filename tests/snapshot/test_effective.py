"""What a pod asks for in total (the sidecar KEP's rule)."""

from dataclasses import replace

import pytest

from aliquot.kube.meta import Meta
from aliquot.kube.pod import Container, Pod
from aliquot.snapshot.effective import effective_request


def container(cpu: int, gpu: int = 0, *, sidecar: bool = False) -> Container:
    requests = {"cpu": cpu} | ({"nvidia.com/gpu": gpu} if gpu else {})
    return Container("c", requests=requests, sidecar=sidecar)


def pod(*containers: Container, init: tuple[Container, ...] = ()) -> Pod:
    return Pod(Meta("p", "ns"), containers, init)


@pytest.mark.parametrize(
    ("asking", "cpu"),
    [
        (pod(container(100)), 100),
        (pod(container(100), container(50)), 150),
        (pod(container(100), init=(container(300),)), 300),
        (pod(container(100), init=(container(50),)), 100),
        (pod(container(100), init=(container(300), container(200))), 300),
        # a sidecar runs on beside the containers, and beside the init containers after it
        (pod(container(100), init=(container(40, sidecar=True),)), 140),
        (pod(container(100), init=(container(40, sidecar=True), container(300))), 340),
        (pod(container(100), init=(container(300), container(40, sidecar=True))), 300),
        (pod(container(10), init=(container(40, sidecar=True), container(50, sidecar=True), container(5))), 100),
    ],
)
def test_containers_together_or_one_moment_of_starting(asking: Pod, cpu: int) -> None:
    assert effective_request(asking)["cpu"] == cpu


def test_gpus_of_init_containers_are_not_added() -> None:
    assert effective_request(pod(container(1, gpu=1), init=(container(1, gpu=2),)))["nvidia.com/gpu"] == 2


def test_pod_level_requests_replace_the_sum_where_they_may() -> None:
    asking = replace(
        pod(container(100, gpu=1)),
        pod_requests={"cpu": 700, "memory": 5, "hugepages-2Mi": 2, "nvidia.com/gpu": 4},
    )
    assert effective_request(asking) == {"cpu": 700, "memory": 5, "hugepages-2Mi": 2, "nvidia.com/gpu": 1}


def test_overhead_comes_on_top() -> None:
    asking = replace(pod(container(100)), overhead={"cpu": 20, "memory": 7}, pod_requests={"cpu": 50})
    assert effective_request(asking) == {"cpu": 70, "memory": 7}
