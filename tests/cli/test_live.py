"""`aliquot explain` on a live cluster: the same answers as from a file, whatever the API server does on the way."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from tests.cluster import kubeconfigs
from tests.cluster.api_server import ApiServer, Asked, Fault

pytestmark = pytest.mark.enable_socket

CASES = Path(__file__).parent.parent / "cases"
DUMPS = sorted([*CASES.glob("dumps/*/dump.yaml"), *CASES.glob("reports/*/dump.*")])
CLAIMS = CASES / "dumps" / "dra-mig-partitions" / "dump.yaml"
SLICES = "/apis/resource.k8s.io/v1/resourceslices"
PODS = "/api/v1/pods"


@pytest.fixture(name="server")
def server_() -> Iterator[ApiServer]:
    with ApiServer(kubeconfigs.objects_of(CLAIMS)) as server:
        yield server


@pytest.fixture
def config(server: ApiServer, tmp_path: Path) -> list[str]:
    return ["--kubeconfig", str(kubeconfigs.write(tmp_path / "kubeconfig", server.url))]


def pods(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)["pods"]


@pytest.fixture
def right(capsys: pytest.CaptureFixture[str]) -> Any:
    """The answer from the same objects in a file."""
    run(["explain", "--all-pending", "-o", "json", "-f", str(CLAIMS)])
    return pods(capsys)


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.parent.name)
def test_the_cluster_and_its_dump_give_the_same_answer(
    dump: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = ["--kubernetes", "1.36"]
    from_file = run(["explain", "--all-pending", "-o", "json", "-f", str(dump), *release])
    expected = pods(capsys)
    with ApiServer(kubeconfigs.objects_of(dump)) as server:
        server.page = 3
        config = kubeconfigs.write(tmp_path / "kubeconfig", server.url)
        live = run(["explain", "--all-pending", "-o", "json", "--kubeconfig", str(config), *release])
    assert pods(capsys) == expected
    assert live == from_file


@pytest.mark.parametrize("kind", ["node", "claim"])
def test_a_node_and_a_claim_are_told_as_from_the_dump(
    kind: str, config: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    objects = kubeconfigs.objects_of(CLAIMS)
    kinds = {"node": "Node", "claim": "ResourceClaim"}
    thing = next(one["metadata"] for one in objects if one["kind"] == kinds[kind])
    target = [f"{kind}/{thing['name']}", *(["-n", thing["namespace"]] if kind == "claim" else []), "-o", "json"]
    from_file = run(["explain", *target, "-f", str(CLAIMS)])
    expected = json.loads(capsys.readouterr().out)
    live = run(["explain", *target, *config])
    answer = json.loads(capsys.readouterr().out)
    assert (answer.pop("kubernetesFrom"), expected.pop("kubernetesFrom")) == ("API server", "nodes' kubelets")
    assert answer == expected
    assert live == from_file
    assert answer[kind].endswith(thing["name"])


def test_as_a_process(server: ApiServer, config: list[str]) -> None:
    kubectl = str(Path(sys.executable).with_name("kubectl-aliquot"))
    asked = [kubectl, "explain", "--all-pending", "-o", "json", *config]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr == ""
    answer = json.loads(done.stdout)
    assert (answer["kubernetes"], answer["kubernetesFrom"]) == ("1.36", "API server")
    namespace, _, name = answer["pods"][0]["pod"].partition("/")
    asked = [kubectl, "explain", f"pod/{name}", "-n", namespace, *config]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert answer["pods"][0]["schedulerMessage"] in done.stdout


def test_everything_is_asked_for_in_pages(server: ApiServer, config: list[str]) -> None:
    run(["explain", "--all-pending", *config])
    lists = [asked for asked in server.asked if asked.path not in {"/version", "/apis"}]
    assert {asked.query["limit"] for asked in lists} == {"500"}
    assert {asked.headers["Authorization"] for asked in lists} == {"Bearer right"}


def test_a_list_that_expires_between_pages_begins_again(
    server: ApiServer, config: list[str], right: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    server.page = 2

    def expire(asked: Asked) -> None:
        if asked.path == PODS and "continue" in asked.query and server.lists(PODS) == 2:
            server.compact()

    server.on_page = expire
    run(["explain", "--all-pending", "-o", "json", *config])
    assert pods(capsys) == right
    assert [("continue" in asked.query) for asked in server.asked if asked.path == PODS][:3] == [False, True, False]


def test_what_may_not_be_listed_is_named(
    server: ApiServer, config: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    server.forbidden |= {SLICES, "/api/v1/events"}
    assert run(["explain", "--all-pending", *config]) == 3
    err = capsys.readouterr().err
    assert "cluster test: resourceslices.resource.k8s.io: you may not list them" in err
    assert "kubectl auth can-i list resourceslices.resource.k8s.io -A" in err
    assert "cluster test: events: you may not list them" in err
    assert "no ResourceSlices, and" in err  # the answer about claims can't be right then


def test_without_nodes_or_pods_there_is_nothing_to_judge(
    server: ApiServer, config: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    server.forbidden.add("/api/v1/nodes")
    assert run(["explain", "--all-pending", *config]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert 'you may not list nodes,pods (403: User "jane" cannot list resource "nodes"' in err
    assert "kubectl create clusterrole aliquot-reader --verb=get,list,watch --resource=nodes,pods" in err


def test_kinds_that_the_cluster_does_not_have_are_no_problem(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dump = CASES / "dumps" / "counted-gpu-taken" / "dump.yaml"
    with ApiServer(kubeconfigs.objects_of(dump)) as server:
        assert not any("resource.k8s.io" in path for path in server.kinds)
        config = kubeconfigs.write(tmp_path / "kubeconfig", server.url)
        assert run(["explain", "--all-pending", "--kubeconfig", str(config)]) == 3
        assert capsys.readouterr().err == ""
        assert not any("resource.k8s.io" in asked.path for asked in server.asked)  # /apis says that they aren't served


def test_discovery_may_be_forbidden(
    server: ApiServer, config: list[str], right: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    server.forbidden |= {"/version", "/apis"}
    run(["explain", "--all-pending", "-o", "json", *config])
    assert pods(capsys) == right


def test_a_busy_server_is_waited_for(
    server: ApiServer, config: list[str], right: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    server.faults[PODS] = [Fault(429, "too many requests", {"Retry-After": "1"}), Fault(503, "etcd leader changed")]
    begun = time.monotonic()
    run(["explain", "--all-pending", "-o", "json", *config])
    assert time.monotonic() - begun >= 1
    assert pods(capsys) == right


def test_a_connection_that_breaks_is_made_again(
    server: ApiServer, config: list[str], right: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    server.faults[PODS] = [Fault(200, headers={"Content-Length": "999"}, body=b'{"kind": "PodList", ')]
    run(["explain", "--all-pending", "-o", "json", *config])
    assert pods(capsys) == right


def test_a_server_that_stays_busy_is_told(
    server: ApiServer, config: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    server.faults[PODS] = [Fault(429, "overloaded", {"Retry-After": "600"})]
    assert run(["explain", "--all-pending", *config]) == 2
    assert "has too much to do (429: overloaded)" in capsys.readouterr().err


def test_a_slow_server_is_told(server: ApiServer, config: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    server.faults[PODS] = [Fault(0, seconds=1.5)]
    assert run(["explain", "--all-pending", "--request-timeout", "300ms", *config]) == 2
    err = capsys.readouterr().err
    assert "takes too long to answer" in err
    assert "--request-timeout 5m" in err


def test_an_unknown_token_is_told(server: ApiServer, config: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    server.tokens = {"other"}
    assert run(["explain", "--all-pending", *config]) == 2
    err = capsys.readouterr().err
    assert "doesn't know who you are (401: Unauthorized)" in err
    assert "hint: the token of user jane has expired or was withdrawn" in err


def test_the_newest_version_that_is_served_is_asked_for(
    server: ApiServer, config: list[str], right: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    server.serve("resource.k8s.io/v1beta1", "ResourceSlice")
    run(["explain", "--all-pending", "-o", "json", *config])
    assert pods(capsys) == right
    assert not any("v1beta1" in asked.path for asked in server.asked)


def test_an_older_cluster_gives_the_same_answer(tmp_path: Path, right: Any, capsys: pytest.CaptureFixture[str]) -> None:
    older = [_v1beta1(thing) for thing in kubeconfigs.objects_of(CLAIMS)]
    with ApiServer(older) as server:
        config = kubeconfigs.write(tmp_path / "kubeconfig", server.url)
        run(["explain", "--all-pending", "-o", "json", "--kubeconfig", str(config)])
        assert "/apis/resource.k8s.io/v1beta1/resourceslices" in {asked.path for asked in server.asked}
    answer = pods(capsys)
    assert [(pod["verdict"], pod["schedulerMessage"]) for pod in answer] == [
        (pod["verdict"], pod["schedulerMessage"]) for pod in right
    ]


def _v1beta1(thing: Any) -> Any:
    """As an API server of 1.32 would have it: recipes straight in requests, devices' fields under basic."""
    if thing["apiVersion"] != "resource.k8s.io/v1":
        return thing
    spec = thing.get("spec", {})
    if thing["kind"] == "ResourceSlice":
        devices = [
            {"name": one["name"], "basic": {key: part for key, part in one.items() if key != "name"}}
            for one in spec.get("devices", ())
        ]
        spec = {**spec, "devices": devices}
    elif thing["kind"] == "ResourceClaim":
        spec = _flat(spec)
    elif thing["kind"] == "ResourceClaimTemplate":
        spec = {**spec, "spec": _flat(spec["spec"])}
    return {**thing, "apiVersion": "resource.k8s.io/v1beta1", "spec": spec}


def _flat(spec: Any) -> Any:
    devices = spec["devices"]
    requests = [
        {**{key: part for key, part in one.items() if key != "exactly"}, **one.get("exactly", {})}
        for one in devices["requests"]
    ]
    return {**spec, "devices": {**devices, "requests": requests}}
