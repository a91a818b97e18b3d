"""What goes wrong between us and an API server, in sentences with a fix."""

import re
import socket
import ssl
from collections.abc import Iterator

import httpx2
import msgspec

from aliquot.cluster.api.kubeconfig import Account
from aliquot.cluster.objects.status import Cause, StatusError
from aliquot.cluster.unavailable import UnavailableError


class _Cause(msgspec.Struct):
    """metav1.StatusCause."""

    reason: str = ""
    message: str = ""
    field: str = ""


class _Details(msgspec.Struct, rename="camel"):
    """metav1.StatusDetails."""

    causes: list[_Cause] = []
    retry_after_seconds: float | None = None


class _Status(msgspec.Struct):
    """metav1.Status."""

    code: int | None = None
    message: str | None = None
    reason: str = ""
    details: _Details | None = None


def status_of(response: httpx2.Response) -> StatusError:
    """The server's no."""
    error = status_error(response.status_code, response.content)
    error.retry_after = asked_pause(response) or error.retry_after
    return error


def asked_pause(response: httpx2.Response) -> float | None:
    """Retry-After in seconds (API servers write no dates)."""
    try:
        return max(0.0, float(response.headers["Retry-After"]))
    except (KeyError, ValueError):
        return None


def status_error(code: int, body: bytes) -> StatusError:
    """The same from a Status object, or from whatever a proxy before the server wrote."""
    try:
        status = msgspec.json.decode(body, type=_Status)
    except msgspec.MsgspecError:
        return StatusError(code, " ".join(body[:200].decode(errors="replace").split()) or f"status {code}")
    details = status.details or _Details()
    return StatusError(
        status.code or code,
        status.message or f"status {code}",
        status.reason,
        retry_after=details.retry_after_seconds,
        causes=tuple(Cause(each.reason, each.message, each.field) for each in details.causes),
    )


def refused(error: StatusError, account: Account, resource: str) -> UnavailableError:
    """A no to something without which nothing can be judged."""
    where = f"{account.server.server}"
    if error.code == httpx2.codes.UNAUTHORIZED:
        return UnavailableError(f"{where} doesn't know who you are (401: {error.message})", _who(account))
    if error.code == httpx2.codes.FORBIDDEN:
        return UnavailableError(
            f"you may not list {resource} (403: {error.message})",
            "let an administrator run: kubectl create clusterrole aliquot-reader --verb=get,list,watch "
            f"--resource={resource} && kubectl create clusterrolebinding aliquot-reader "
            "--clusterrole=aliquot-reader --user=NAME   (kubectl auth whoami shows NAME)",
        )
    if error.code == httpx2.codes.NOT_FOUND:
        return UnavailableError(
            f"{where} has no {resource} (404: {error.message})", "is that an API server? Look at `server` in kubeconfig"
        )
    if error.code == httpx2.codes.TOO_MANY_REQUESTS:
        return UnavailableError(f"{where} has too much to do (429: {error.message})", "try again in a minute")
    return UnavailableError(f"{where} can't answer ({error.code}: {error.message})", _look(account))


def _who(account: Account) -> str:
    user = account.user
    name = account.user_name or "of this context"
    if user.plugin is not None:
        return f"log in again: the credential plugin {user.plugin.command} gave a token that isn't taken"
    if user.client_certificate or user.client_certificate_data:
        return f"the client certificate of user {name} may have expired: take a new kubeconfig"
    if user.token or user.token_file:
        return f"the token of user {name} has expired or was withdrawn: take a new one"
    if user.username:
        return f"name or password of user {name} aren't right"
    return f"the context{' ' + account.context if account.context else ''} gives no credentials"


def _look(account: Account) -> str:
    return f"is the cluster up? kubectl{account.flag} get --raw /readyz"


def unreachable(error: Exception, account: Account) -> UnavailableError:
    """No answer."""
    return UnavailableError(*_unreachable(error, account))


def _unreachable(error: Exception, account: Account) -> tuple[str, str]:
    server = account.server.server
    chain = list(_chain(error))
    for cause in chain:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return _certificate(cause, account)
    if isinstance(error, httpx2.ProxyError):
        return (
            f"the proxy to {server} doesn't let us through: {_words(error)}",
            f"look at {'proxy-url in kubeconfig' if account.server.proxy_url else 'HTTPS_PROXY and NO_PROXY'}",
        )
    for cause in chain:
        if isinstance(cause, ssl.SSLError):
            if cause.reason in {"WRONG_VERSION_NUMBER", "UNEXPECTED_EOF_WHILE_READING", "HTTP_REQUEST"}:
                return f"{server} doesn't speak TLS ({cause.reason})", "look at `server` in kubeconfig: http or https?"
            return f"{server} ends the TLS handshake: {cause.reason or cause}", _who(account)
        if isinstance(cause, socket.gaierror):
            return f"{server}: there's no such host", "look at `server` in kubeconfig, at VPN and DNS"
        if isinstance(cause, ConnectionRefusedError):
            return f"can't reach {server}: connection refused", _look(account)
    if isinstance(error, httpx2.ConnectTimeout):
        return f"can't reach {server}: no answer to the connection", "VPN or firewall? " + _look(account)
    if isinstance(error, httpx2.TimeoutException):
        return f"{server} takes too long to answer", "allow it more time: --request-timeout 5m"
    if isinstance(error, httpx2.UnsupportedProtocol):
        return f"{server!r} is no address of an API server", "look at `server` in kubeconfig"
    return f"can't reach {server}: {_words(error)}", _look(account)


def _certificate(cause: ssl.SSLCertVerificationError, account: Account) -> tuple[str, str]:
    server = account.server.server
    told = cause.verify_message or str(cause)
    if cause.verify_code in {18, 19, 20, 21}:  # <openssl/x509_vfy.h>: self-signed, or no issuer of it is known
        return (
            f"the certificate of {server} isn't signed by an authority that kubeconfig names ({told})",
            "is certificate-authority in kubeconfig this cluster's? A proxy in between may answer with its own",
        )
    if cause.verify_code == 10:
        return f"the certificate of {server} has expired", "renew it on the control plane; is this clock right?"
    if cause.verify_code in {62, 64}:
        return (
            f"the certificate of {server} is for another name ({told})",
            "use a name that it's for in `server`, or give that name as tls-server-name in kubeconfig",
        )
    return f"the certificate of {server} isn't good: {told}", _look(account)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _words(error: Exception) -> str:
    return re.sub(r"\[Errno -?\d+\] ", "", str(error)) or type(error).__name__
