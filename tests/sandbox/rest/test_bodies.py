"""Bodies as an API server writes them, for clients that aren't ours."""

import json
import stat
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.objects.resources import CLAIMS, NODES, PODS
from aliquot.sandbox.rest.server import RestServer
from tests.cluster.objects.things import claim, node, pod

pytestmark = pytest.mark.enable_socket
NODES_PATH = "/api/v1/nodes"
Ask = Callable[..., httpx2.Response]


def test_discovery(ask: Ask) -> None:
    assert ask("GET", "/version").json()["gitVersion"] == "v1.37.2"
    assert ask("GET", "/api").json()["versions"] == ["v1"]
    groups = {group["name"]: group["preferredVersion"]["version"] for group in ask("GET", "/apis").json()["groups"]}
    assert groups == {"coordination.k8s.io": "v1", "resource.k8s.io": "v1"}
    core = {each["name"]: each for each in ask("GET", "/api/v1").json()["resources"]}
    assert set(core) == {"nodes", "nodes/status", "pods", "pods/status", "events"}
    assert core["pods"]["namespaced"]
    assert not core["nodes"]["namespaced"]
    dra = {each["name"]: each["kind"] for each in ask("GET", "/apis/resource.k8s.io/v1").json()["resources"]}
    assert dra["resourceslices"] == "ResourceSlice"
    assert dra["resourceclaims/status"] == "ResourceClaim"
    assert ask("GET", "/apis/resource.k8s.io").json()["kind"] == "APIGroup"
    assert ask("GET", "/readyz").text == "ok"


@pytest.mark.parametrize(
    "path",
    [
        "/apis/resource.k8s.io/v1alpha3",
        "/apis/apps/v1/deployments",
        "/api/v1/nodes/n/proxy",
        "/api/v1/namespaces/default/nodes",
        "/api/v1/pods/name-without-namespace",
        "/openapi/v3",
        "/",
    ],
)
def test_nothing_is_there(ask: Ask, path: str) -> None:
    assert ask("GET", path).status_code == 404


def test_a_list_has_items_without_their_kind(ask: Ask, memory: MemoryCluster) -> None:
    memory.create(NODES, node("n"))
    answer = ask("GET", NODES_PATH).json()
    assert (answer["kind"], answer["apiVersion"]) == ("NodeList", "v1")
    assert set(answer["items"][0]) == {"metadata", "spec"}
    assert ask("GET", f"{NODES_PATH}/n").json()["kind"] == "Node"


def test_pages_are_of_one_moment(ask: Ask, memory: MemoryCluster) -> None:
    for index in range(5):
        memory.create(NODES, node(f"n{index}"))
    first = ask("GET", f"{NODES_PATH}?limit=2").json()
    assert first["metadata"]["remainingItemCount"] == 3
    memory.delete(NODES, "n3")
    memory.create(NODES, node("n2a"))
    memory.patch(NODES, "n4", {"metadata": {"labels": {"new": "1"}}})
    names, answer = [each["metadata"]["name"] for each in first["items"]], first
    while token := answer["metadata"].get("continue"):
        answer = ask("GET", f"{NODES_PATH}?limit=2&continue={token}").json()
        assert answer["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]
        names += [each["metadata"]["name"] for each in answer["items"]]
    assert names == ["n0", "n1", "n2", "n3", "n4"]
    assert "labels" not in answer["items"][-1]["metadata"]


def test_a_page_of_a_forgotten_moment(ask: Ask, memory: MemoryCluster) -> None:
    for index in range(3):
        memory.create(NODES, node(f"n{index}"))
    token = ask("GET", f"{NODES_PATH}?limit=1").json()["metadata"]["continue"]
    memory.delete(NODES, "n2")
    memory.compact()
    answer = ask("GET", f"{NODES_PATH}?limit=1&continue={token}")
    assert (answer.status_code, answer.json()["reason"]) == (410, "Expired")
    assert ask("GET", f"{NODES_PATH}?continue=nonsense").status_code == 400


def test_a_watch_may_begin_with_all_that_is_there(ask: Ask, memory: MemoryCluster) -> None:
    memory.create(NODES, node("n"))
    query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    answer = ask("GET", f"{NODES_PATH}?{query}&timeoutSeconds=1")
    events = [json.loads(line) for line in answer.text.splitlines()]
    assert [event["type"] for event in events[:2]] == ["ADDED", "BOOKMARK"]
    assert events[1]["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


def test_bookmarks_come_to_who_asks_for_them(ask: Ask, memory: MemoryCluster) -> None:
    memory.create(PODS, pod("elsewhere"))
    answer = ask("GET", f"{NODES_PATH}?watch=true&resourceVersion=1&timeoutSeconds=1&allowWatchBookmarks=true")
    events = [json.loads(line) for line in answer.text.splitlines()]
    assert {event["type"] for event in events} == {"BOOKMARK"}
    assert events[0]["object"]["metadata"]["resourceVersion"] == memory.list(NODES).resource_version
    assert ask("GET", f"{NODES_PATH}?watch=true&resourceVersion=1&timeoutSeconds=1").text == ""


def test_an_expired_watch_says_so_in_the_stream(ask: Ask, memory: MemoryCluster) -> None:
    memory.create(NODES, node("n"))
    memory.compact()
    answer = ask("GET", f"{NODES_PATH}?watch=true&resourceVersion=1&timeoutSeconds=1")
    event = json.loads(answer.text)
    assert (answer.status_code, event["type"], event["object"]["code"]) == (200, "ERROR", 410)


def test_deletions_answer_with_what_is_left(ask: Ask, memory: MemoryCluster) -> None:
    memory.create(NODES, node("n"))
    gone = ask("DELETE", f"{NODES_PATH}/n").json()
    assert (gone["kind"], gone["status"], gone["details"]["kind"]) == ("Status", "Success", "nodes")
    memory.create(CLAIMS, {**claim("c"), "metadata": {**claim("c")["metadata"], "finalizers": ["example.com/keep"]}})
    left = ask("DELETE", "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/c").json()
    assert left["metadata"]["deletionTimestamp"]


def test_the_manager_is_the_client_by_default(ask: Ask) -> None:
    answer = ask("POST", NODES_PATH, node("n", labels={"a": "1"}))
    assert answer.status_code == 201
    assert answer.json()["metadata"]["managedFields"][0]["manager"] == "tests"


@pytest.mark.parametrize(
    ("method", "path", "body", "content", "code", "told"),
    [
        ("POST", NODES_PATH, [1], "application/json", 400, "Expected `object`"),
        ("POST", NODES_PATH, {"metadata": 1}, "application/json", 400, "metadata"),
        ("POST", NODES_PATH, {"kind": "Pod", "metadata": {"name": "n"}}, "application/json", 400, "kind is Pod"),
        ("PUT", f"{NODES_PATH}/n", node("m"), "application/json", 400, "isn't that of the request (n)"),
        ("POST", NODES_PATH, node("m"), "application/vnd.kubernetes.protobuf", 415, "known is application/json"),
        ("PATCH", f"{NODES_PATH}/n", {}, "application/strategic-merge-patch+json", 415, "merge-patch"),
        ("PATCH", f"{NODES_PATH}/n", [], "application/merge-patch+json", 400, "Expected `object`"),
        ("PATCH", f"{NODES_PATH}/n", [{"op": "no", "path": ""}], "application/json-patch+json", 400, "no op 'no'"),
        ("PATCH", f"{NODES_PATH}/n", node("n"), "application/apply-patch+yaml", 422, "fieldManager"),
        ("PUT", NODES_PATH, node("n"), "application/json", 405, "PUT"),
        ("DELETE", f"{NODES_PATH}/n?propagationPolicy=Orphan", None, "application/json", 400, "Orphan"),
        ("POST", f"{NODES_PATH}?dryRun=All", node("m"), "application/json", 400, "dryRun"),
    ],
)
def test_requests_that_make_no_sense(
    ask: Ask, memory: MemoryCluster, method: str, path: str, body: object, content: str, code: int, told: str
) -> None:
    memory.create(NODES, node("n"))
    answer = ask(method, path, body, content)
    assert answer.status_code == code
    status = answer.json()
    assert (status["kind"], status["status"], status["code"]) == ("Status", "Failure", code)
    assert told in status["message"]


def test_only_who_knows_the_address_is_let_in(ask: Ask, server: RestServer, tmp_path: Path) -> None:
    path = server.kubeconfig(tmp_path / "config")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert ask("GET", NODES_PATH).status_code == 200
    guessed = httpx2.get(f"{server.url[:-1]}{NODES_PATH}", trust_env=False)
    assert (guessed.status_code, guessed.json()["reason"]) == (401, "Unauthorized")
