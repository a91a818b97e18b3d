"""Getting in: kubeconfigs, TLS, credential plugins, proxies; what doesn't work is told with the fix."""

import base64
import json
import os
import socket
import ssl
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
import yaml

from aliquot.cli.entry import run
from tests.cluster import kubeconfigs
from tests.cluster.api_server import ApiServer

pytestmark = pytest.mark.enable_socket

DUMP = Path(__file__).parent.parent / "cases" / "dumps" / "counted-gpu-taken" / "dump.yaml"
ALL = ["explain", "--all-pending"]
PENDING = 3

Told = Callable[..., str]


@pytest.fixture(autouse=True)
def _no_kubeconfig_of_our_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    """Runs a command that can't work, and gives what it says."""

    def says(*arguments: str) -> str:
        capsys.readouterr()
        assert run([*ALL, *arguments]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert "Traceback" not in err
        return err

    return says


@pytest.fixture(name="server")
def server_() -> Iterator[ApiServer]:
    with ApiServer(kubeconfigs.objects_of(DUMP)) as server:
        yield server


@pytest.fixture
def secure(authority: trustme.CA) -> Iterator[ApiServer]:
    """Its certificate is for 127.0.0.1 and for kubernetes.default, and it asks clients for theirs."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1", "kubernetes.default").configure_cert(context)
    authority.configure_trust(context)
    context.verify_mode = ssl.CERT_OPTIONAL
    server = ApiServer(kubeconfigs.objects_of(DUMP)).start(context)
    yield server
    server.stop()


def pem(authority: trustme.CA) -> str:
    return base64.b64encode(authority.cert_pem.bytes()).decode()


def config(path: Path, server: str, **parts: Any) -> str:
    return str(kubeconfigs.write(path, server, **parts))


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


# --- which kubeconfig -----------------------------------------------------------------------------------------------


def test_no_kubeconfig(told: Told, tmp_path: Path) -> None:
    err = told()
    assert f"no cluster to look at: there's no kubeconfig (KUBECONFIG isn't set, and {tmp_path}/.kube/config" in err
    assert "hint: give a dump with -f FILE, or a kubeconfig" in err


def test_the_kubeconfig_in_the_home_folder(server: ApiServer, tmp_path: Path) -> None:
    (tmp_path / ".kube").mkdir()
    config(tmp_path / ".kube" / "config", server.url)
    assert run(ALL) == PENDING


def test_several_kubeconfigs_are_one(server: ApiServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first that says something counts; those that aren't there don't; paths are relative to their own file."""
    (tmp_path / "users").mkdir()
    (tmp_path / "users" / "token").write_text("right\n")
    context = {"name": "prod", "context": {"cluster": "c", "user": "u"}}
    (tmp_path / "a").write_text(yaml.safe_dump({"current-context": "prod", "contexts": [context]}))
    (tmp_path / "users" / "b").write_text(
        yaml.safe_dump({"current-context": "other", "users": [{"name": "u", "user": {"tokenFile": "token"}}]})
    )
    (tmp_path / "c").write_text(yaml.safe_dump({"clusters": [{"name": "c", "cluster": {"server": server.url}}]}))
    files = [tmp_path / "a", tmp_path / "none", tmp_path / "users" / "b", tmp_path / "c"]
    monkeypatch.setenv("KUBECONFIG", os.pathsep.join(map(str, files)))
    server.tokens = {"right"}
    assert run(ALL) == PENDING


def test_another_context(server: ApiServer, told: Told, tmp_path: Path) -> None:
    file = Path(config(tmp_path / "k", "http://127.0.0.1:1"))
    wire = yaml.safe_load(file.read_text())
    wire["clusters"].append({"name": "d", "cluster": {"server": server.url}})
    wire["contexts"].append({"name": "staging", "context": {"cluster": "d", "user": "jane"}})
    wire["contexts"].append({"name": "lost", "context": {"cluster": "gone", "user": "jane"}})
    file.write_text(yaml.safe_dump(wire))
    assert run([*ALL, "--kubeconfig", str(file), "--context", "staging"]) == PENDING
    err = told("--kubeconfig", str(file), "--context", "stagin")
    assert f"there's no context 'stagin' in the kubeconfig {file}" in err
    assert "hint: nearest: staging" in err
    assert "names cluster 'gone', which isn't in the kubeconfig" in told("--kubeconfig", str(file), "--context", "lost")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("clusters:\n- name: [a\n", "line 3: not YAML", id="not YAML"),
        pytest.param("clusters: {}\n", "Expected `array | null`, got `object` - at `$.clusters`", id="wrong type"),
        pytest.param("apiVersion: v1\n", "has no current context", id="empty"),
        pytest.param("current-context: a\n", "there's no context 'a'", id="no contexts"),
    ],
)
def test_a_broken_kubeconfig(told: Told, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "k").write_text(text)
    err = told("--kubeconfig", str(tmp_path / "k"))
    assert f"the kubeconfig {tmp_path / 'k'}" in err
    assert words in err


def test_a_kubeconfig_that_is_not_there(told: Told) -> None:
    assert "there's no kubeconfig nowhere" in told("--kubeconfig", "nowhere")


# --- TLS ------------------------------------------------------------------------------------------------------------


def test_an_authority_of_the_clusters_own(secure: ApiServer, authority: trustme.CA, tmp_path: Path) -> None:
    by_data = {"certificate-authority-data": pem(authority)}
    assert run([*ALL, "--kubeconfig", config(tmp_path / "k", secure.url, cluster=by_data)]) == PENDING
    (tmp_path / "ca.pem").write_bytes(authority.cert_pem.bytes())
    by_file = {"certificate-authority": "ca.pem"}
    assert run([*ALL, "--kubeconfig", config(tmp_path / "k", secure.url, cluster=by_file)]) == PENDING
    unchecked = {"insecure-skip-tls-verify": True}
    assert run([*ALL, "--kubeconfig", config(tmp_path / "k", secure.url, cluster=unchecked)]) == PENDING


def test_another_authority(secure: ApiServer, told: Told, tmp_path: Path) -> None:
    wrong = {"certificate-authority-data": pem(trustme.CA())}
    err = told("--kubeconfig", config(tmp_path / "k", secure.url, cluster=wrong))
    assert f"the certificate of {secure.url} isn't signed by an authority that kubeconfig names" in err


def test_a_certificate_for_another_name(secure: ApiServer, authority: trustme.CA, told: Told, tmp_path: Path) -> None:
    elsewhere = secure.url.replace("127.0.0.1", "localhost")
    trusted = {"certificate-authority-data": pem(authority)}
    err = told("--kubeconfig", config(tmp_path / "k", elsewhere, cluster=trusted))
    assert f"the certificate of {elsewhere} is for another name" in err
    assert "tls-server-name" in err
    named = {**trusted, "tls-server-name": "kubernetes.default"}
    assert run([*ALL, "--kubeconfig", config(tmp_path / "k", elsewhere, cluster=named)]) == PENDING


def test_https_where_http_is_spoken(server: ApiServer, told: Told, tmp_path: Path) -> None:
    err = told("--kubeconfig", config(tmp_path / "k", server.url.replace("http:", "https:")))
    assert "doesn't speak TLS" in err


def test_certificates_that_are_none(secure: ApiServer, told: Told, tmp_path: Path) -> None:
    rubbish = {"certificate-authority-data": base64.b64encode(b"rubbish").decode()}
    err = told("--kubeconfig", config(tmp_path / "k", secure.url, cluster=rubbish))
    assert "the kubeconfig's server, certificates, keys or proxy can't be used" in err
    missing = {"certificate-authority": "nowhere.pem"}
    err = told("--kubeconfig", config(tmp_path / "k", secure.url, cluster=missing))
    assert "No such file or directory" in err


# --- nobody there ---------------------------------------------------------------------------------------------------


def test_nobody_listens(told: Told, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    err = told("--kubeconfig", config(tmp_path / "k", url))
    assert f"can't reach {url}: connection refused" in err
    assert "hint: is the cluster up? kubectl --context test get --raw /readyz" in err


def test_no_such_host(told: Told, tmp_path: Path) -> None:
    err = told("--kubeconfig", config(tmp_path / "k", "https://nowhere.invalid:6443"))
    assert "https://nowhere.invalid:6443: there's no such host" in err


@pytest.mark.parametrize("server", ["kubernetes:6443", "https://[::1", "https://a:port", "", "ftp://a"])
def test_an_address_that_is_none(told: Told, tmp_path: Path, server: str) -> None:
    err = told("--kubeconfig", config(tmp_path / "k", server))
    assert "is no address of an API server" in err or "the kubeconfig's server" in err


def test_an_address_with_a_path(server: ApiServer, tmp_path: Path) -> None:
    """As Rancher and others have it."""
    server.prefix = "/k8s/clusters/c-1"
    assert run([*ALL, "--kubeconfig", config(tmp_path / "k", server.url + server.prefix)]) == PENDING


# --- who we are -----------------------------------------------------------------------------------------------------


def plugin(command: Path | str, version: str = "v1", **more: Any) -> dict[str, Any]:
    return {"exec": {"apiVersion": f"client.authentication.k8s.io/{version}", "command": str(command), **more}}


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_a_plugin_gives_a_token(server: ApiServer, tmp_path: Path, version: str) -> None:
    """It's told what is asked of it, gets its arguments and environment, and is found beside the kubeconfig."""
    server.tokens = {"token-of-prod"}
    (tmp_path / "bin").mkdir()
    script(
        tmp_path / "bin" / "login",
        f'echo "$KUBERNETES_EXEC_INFO" > {tmp_path}/asked\n'
        'echo "{\\"kind\\": \\"ExecCredential\\", \\"status\\": {\\"token\\": \\"$1-of-$CLUSTER\\"}}"',
    )
    environment = [{"name": "CLUSTER", "value": "prod"}]
    user = plugin("bin/login", version, args=["token"], env=environment, provideClusterInfo=True)
    assert run([*ALL, "--kubeconfig", config(tmp_path / "k", server.url, user=user)]) == PENDING
    asked = json.loads((tmp_path / "asked").read_text())
    assert asked["apiVersion"] == f"client.authentication.k8s.io/{version}"
    assert asked["spec"]["cluster"]["server"] == server.url


def test_a_token_that_is_refused_is_fetched_again(server: ApiServer, tmp_path: Path) -> None:
    server.tokens = {"2"}
    counting = f'echo x >> {tmp_path}/runs\necho "{{\\"status\\": {{\\"token\\": \\"$(wc -l < {tmp_path}/runs)\\"}}}}"'
    user = plugin(script(tmp_path / "login", counting))
    assert run([*ALL, "--kubeconfig", config(tmp_path / "k", server.url, user=user)]) == PENDING
    assert (tmp_path / "runs").read_text().split() == ["x", "x"]


def test_a_plugin_gives_a_certificate(secure: ApiServer, authority: trustme.CA, tmp_path: Path) -> None:
    mine = authority.issue_cert("jane")
    status = {
        "clientCertificateData": mine.cert_chain_pems[0].bytes().decode(),
        "clientKeyData": mine.private_key_pem.bytes().decode(),
    }
    (tmp_path / "credential").write_text(json.dumps({"status": status}))
    user = plugin(script(tmp_path / "login", f"cat {tmp_path}/credential"))
    trusted = {"certificate-authority-data": pem(authority)}
    assert run([*ALL, "--kubeconfig", config(tmp_path / "k", secure.url, cluster=trusted, user=user)]) == PENDING


@pytest.mark.parametrize(
    ("user", "words"),
    [
        pytest.param(
            plugin("no-such-login", installHint="get it from the shop"),
            ["the credential plugin no-such-login can't be run: ", "hint: get it from the shop"],
            id="not installed",
        ),
        pytest.param(plugin("false"), ["false ended with status 1", "log in with it"], id="fails"),
        pytest.param(plugin("true"), ["true printed no ExecCredential"], id="prints nothing"),
        pytest.param(plugin("echo", args=["{}"]), ["printed neither token nor certificate"], id="empty"),
        pytest.param(plugin("true", "v2"), ["known are client.authentication.k8s.io/v1"], id="unknown version"),
        pytest.param({"auth-provider": {"name": "gcp"}}, ["auth-provider was dropped"], id="auth-provider"),
    ],
)
def test_a_plugin_that_gives_nothing(
    server: ApiServer, told: Told, tmp_path: Path, user: dict[str, Any], words: list[str]
) -> None:
    err = told("--kubeconfig", config(tmp_path / "k", server.url, user=user))
    assert "user jane: " in err
    assert all(part in err for part in words)


@pytest.mark.parametrize(
    ("user", "words"),
    [
        ({"tokenFile": "nowhere"}, "nowhere not found\nhint: take a new kubeconfig"),
        ({"client-certificate": "a.pem"}, "has a client certificate without its key"),
        ({"client-certificate": "a.pem", "client-key": "b.pem"}, "No such file or directory"),
    ],
)
def test_credentials_that_are_not_there(
    server: ApiServer, told: Told, tmp_path: Path, user: dict[str, Any], words: str
) -> None:
    assert words in told("--kubeconfig", config(tmp_path / "k", server.url, user=user))


def test_somebody_elses_eyes(server: ApiServer, tmp_path: Path) -> None:
    user = {"token": "right", "as": "auditor", "as-groups": ["readers", "night-shift"]}
    assert run([*ALL, "--kubeconfig", config(tmp_path / "k", server.url, user=user)]) == PENDING
    assert {asked.headers["Impersonate-User"] for asked in server.asked} == {"auditor"}
    assert {asked.headers["Impersonate-Group"] for asked in server.asked} == {"readers, night-shift"}


# --- proxies --------------------------------------------------------------------------------------------------------


class Proxy:
    """Takes CONNECT, and remembers to where."""

    def __init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listening.getsockname()[1]}"
        self.asked: list[str] = []
        self.refuses = False
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self._tunnel, args=(client,), daemon=True).start()

    def _tunnel(self, client: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.recv(4096)
        self.asked.append(head.split(b" ")[1].decode())
        if self.refuses:
            client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            client.close()
            return
        host, _, port = self.asked[-1].rpartition(":")
        with client, socket.create_connection((host, int(port))) as server:
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = threading.Thread(target=_copy, args=(server, client), daemon=True)
            back.start()
            _copy(client, server)
            back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


@pytest.fixture(name="proxy")
def proxy_() -> Iterator[Proxy]:
    proxy = Proxy()
    yield proxy
    proxy.listening.close()


def test_a_proxy_of_the_kubeconfig(
    secure: ApiServer, authority: trustme.CA, proxy: Proxy, told: Told, tmp_path: Path
) -> None:
    cluster = {"certificate-authority-data": pem(authority), "proxy-url": proxy.url}
    file = config(tmp_path / "k", secure.url, cluster=cluster)
    assert run([*ALL, "--kubeconfig", file]) == PENDING
    assert set(proxy.asked) == {f"127.0.0.1:{secure.port}"}
    proxy.refuses = True
    err = told("--kubeconfig", file)
    assert f"the proxy to {secure.url} doesn't let us through: 403 Forbidden" in err
    assert "hint: look at proxy-url in kubeconfig" in err


def test_a_proxy_of_the_environment(
    secure: ApiServer, authority: trustme.CA, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy.url)
    file = config(tmp_path / "k", secure.url, cluster={"certificate-authority-data": pem(authority)})
    assert run([*ALL, "--kubeconfig", file]) == PENDING
    assert set(proxy.asked) == {f"127.0.0.1:{secure.port}"}
    proxy.asked.clear()
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert run([*ALL, "--kubeconfig", file]) == PENDING
    assert proxy.asked == []
