"""Requests to one API server: credentials, patience where it asks for it, and clear words where it says no."""

import base64
import binascii
import contextlib
import socket
import ssl
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Self

import httpx2
from lightkube.config import client_adapter
from lightkube.config.kubeconfig import SingleConfig
from lightkube.config.models import Cluster, Context, User
from lightkube.core.exceptions import ConfigError

from aliquot.cluster.api.credentials import Credential, PluginToken, run
from aliquot.cluster.api.faults import asked_pause, refused, status_of, unreachable
from aliquot.cluster.api.kubeconfig import Account
from aliquot.cluster.objects.status import BUSY, StatusError
from aliquot.cluster.unavailable import UnavailableError

JSON = "application/json"
CONNECT_SECONDS = 10.0
ANSWER_SECONDS = 60.0
"""How long the server may take for a page of a list, without --request-timeout; its own limit is as long."""
PATIENCE_SECONDS = 120.0
"""How long one request may be put off by 429 and 5xx together."""
NOT_DONE = frozenset({429, 503})
"""Answers after which a write surely wasn't made, and may succeed later."""
TRIES = 6
FIRST_PAUSE_SECONDS = 0.5


class Stream:
    """The lines of an answer that goes on and on."""

    def __init__(self, response: httpx2.Response, failed: Callable[[Exception], UnavailableError]) -> None:
        self._response = response
        self._failed = failed
        self._closed = False

    def __iter__(self) -> Iterator[str]:
        """Without their ends; they end when it's closed, and when nothing came for so long that it may be dead.

        Raises:
            UnavailableError: the connection broke off.
        """
        try:
            yield from self._response.iter_lines()
        except httpx2.ReadTimeout:
            return
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            if not self._closed:
                raise self._failed(error) from error

    def close(self) -> None:
        """Have the lines end, also for a thread that waits for the next one."""
        self._closed = True
        network = self._response.extensions["network_stream"]
        with contextlib.suppress(OSError):  # it's down already
            network.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


class Connection:
    """A connection pool to one API server, for any number of threads."""

    def __init__(
        self,
        account: Account,
        timeout: float = ANSWER_SECONDS,
        told: Callable[[str], None] = lambda _: None,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        """Prepare it; nothing is sent yet.

        Args:
            account: the server, and who asks.
            timeout: seconds that an answer may take.
            told: hears, in words, why a request waits.
            patience: seconds that a request may be put off by 429 and 5xx together.

        Raises:
            UnavailableError: certificates or keys can't be read, or the credential plugin fails.
        """
        self.account = account
        self._timeout = timeout
        self._told = told
        self._patience = patience
        self._http = _client(account, timeout)
        name = account.server.tls_server_name
        self._extensions = {"sni_hostname": name} if name else {}

    def __enter__(self) -> Self:
        """For `with`: closed at its end."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all connections."""
        self._http.close()

    def get(self, path: str, query: Mapping[str, str] | None = None, accept: str = JSON) -> bytes:
        """The body of an answer of status 200.

        Raises:
            StatusError: the server says no, for good or for too long.
            UnavailableError: it can't be reached, or doesn't know us.
        """
        return self.send("GET", path, query, accept=accept)

    def send(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        content: str = JSON,
        *,
        accept: str = JSON,
    ) -> bytes:
        """The body of a good answer.

        A GET is tried again after whatever may pass. A write is only where the server surely didn't make it: 429 and
        503. After another fault it may have been made or not; who asked for it reads, then decides.

        Raises:
            StatusError: the server says no, for good or for too long.
            UnavailableError: it can't be reached, or doesn't know us.
        """
        again = BUSY if method == "GET" else NOT_DONE
        headers = {"Accept": accept} | ({"Content-Type": content} if body is not None else {})
        begun = time.monotonic()
        for number in range(1, TRIES + 1):
            pause = FIRST_PAUSE_SECONDS * 2 ** (number - 1)
            try:
                response = self._http.request(
                    method, path, params=dict(query or {}), content=body, headers=headers, extensions=self._extensions
                )
            except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError) as error:
                # a connection that broke: a load balancer between us, or a server that was restarted
                if number == TRIES or method != "GET":
                    raise unreachable(error, self.account) from error
            except (httpx2.HTTPError, ConfigError) as error:
                raise self._failed(error) from error
            else:
                if response.is_success:
                    return response.content
                error_status = status_of(response)
                if response.status_code == httpx2.codes.UNAUTHORIZED:
                    raise refused(error_status, self.account, path)
                pause = asked_pause(response) or pause
                late = time.monotonic() + pause - begun > self._patience
                if response.status_code not in again or number == TRIES or late:
                    raise error_status
                self._told(f"the API server asks to wait {pause:g} s ({response.status_code}) ...")
            time.sleep(pause)
        raise AssertionError  # the last try returned or raised

    @contextlib.contextmanager
    def lines(self, path: str, query: Mapping[str, str], quiet_seconds: float) -> Generator[Stream, None, None]:
        """The lines of a stream, such as a watch; at its end the lines end.

        Args:
            path: of the collection.
            query: of the request.
            quiet_seconds: how long nothing may come before the connection counts as dead.

        Raises:
            StatusError: the server says no.
            UnavailableError: it can't be reached, or doesn't know us.
        """
        timeout = httpx2.Timeout(self._timeout, connect=CONNECT_SECONDS, read=quiet_seconds)
        try:
            with self._http.stream(
                "GET",
                path,
                params=dict(query),
                headers={"Accept": JSON},
                timeout=timeout,
                extensions=self._extensions,
            ) as response:
                if not response.is_success:
                    response.read()
                    if response.status_code == httpx2.codes.UNAUTHORIZED:
                        raise refused(status_of(response), self.account, path)
                    raise status_of(response)
                yield Stream(response, self._failed)
        except (httpx2.HTTPError, ConfigError) as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> UnavailableError:
        if isinstance(error, ConfigError):  # a token's file, say
            return UnavailableError(f"user {self.account.user_name}: {error}", "take a new kubeconfig")
        return unreachable(error, self.account)


def _client(account: Account, timeout: float) -> httpx2.Client:
    user = account.user
    if user.auth_provider is not None:
        raise UnavailableError(
            f"user {account.user_name}: auth-provider was dropped from Kubernetes in 1.26",
            "take a kubeconfig with a credential plugin (exec)",
        )
    if bool(user.client_certificate or user.client_certificate_data) != bool(user.client_key or user.client_key_data):
        raise UnavailableError(
            f"user {account.user_name} has a client certificate without its key, or the other way round",
            "kubectl config view --minify shows what it names",
        )
    credential = run(account) if user.plugin is not None else None
    patience = httpx2.Timeout(timeout, connect=min(CONNECT_SECONDS, timeout))
    parameters = client_adapter.ConnectionParams(timeout=patience, proxy=account.server.proxy_url)
    try:
        client = client_adapter.Client(_lightkube_config(account, credential), parameters)
    except (binascii.Error, ssl.SSLError, OSError, ValueError, httpx2.InvalidURL) as error:
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
        named = getattr(error, "filename", None)
        told = f"{named}: {reason}" if named else reason
        raise UnavailableError(
            f"the kubeconfig's server, certificates, keys or proxy can't be used: {told}",
            "kubectl config view --minify shows what it names",
        ) from error
    if credential is not None and credential.token:
        client.auth = PluginToken(account, credential)
    for name, value in (("Impersonate-User", user.impersonate), ("Impersonate-Uid", user.impersonate_uid)):
        if value:
            client.headers[name] = value
    if user.impersonate_groups:
        pairs = [*client.headers.multi_items(), *(("Impersonate-Group", group) for group in user.impersonate_groups)]
        client.headers = httpx2.Headers(pairs)
    return client


def _lightkube_config(account: Account, credential: Credential | None) -> SingleConfig:
    server, user = account.server, account.user
    certificate, key = user.client_certificate_data, user.client_key_data
    if credential is not None and credential.client_certificate_data:
        certificate = base64.b64encode(credential.client_certificate_data.encode()).decode()
        key = base64.b64encode((credential.client_key_data or "").encode()).decode()
    return SingleConfig(
        context_name=account.context,
        context=Context(cluster=account.context),
        cluster=Cluster(
            server=server.server,
            certificate_auth=server.certificate_authority if not server.certificate_authority_data else None,
            certificate_auth_data=server.certificate_authority_data,
            insecure=server.insecure_skip_tls_verify,
        ),
        user=User(
            username=user.username,
            password=user.password,
            token=user.token,
            token_file=user.token_file,  # before a token, as client-go has it
            client_cert=user.client_certificate if not certificate else None,
            client_cert_data=certificate,
            client_key=user.client_key if not key else None,
            client_key_data=key,
        ),
    )


__all__ = ["Connection", "StatusError"]
