"""Credential plugins: programs that print a token or a client certificate (client.authentication.k8s.io).

lightkube runs those of v1alpha1 and v1beta1 that print tokens; today's write v1, and some print certificates.
"""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import msgspec

from aliquot.cluster.api.kubeconfig import Account, Plugin
from aliquot.cluster.unavailable import UnavailableError

VERSIONS = tuple(f"client.authentication.k8s.io/{version}" for version in ("v1", "v1beta1", "v1alpha1"))


class Credential(msgspec.Struct, rename="camel"):
    """status of an ExecCredential."""

    token: str | None = None
    client_certificate_data: str | None = None
    client_key_data: str | None = None
    expiration_timestamp: str | None = None


class _Printed(msgspec.Struct, rename="camel"):
    status: Credential | None = None


@dataclass(slots=True)
class PluginToken(httpx2.Auth):
    """A plugin's token on every request; the plugin runs again once it has expired or the server refuses it."""

    account: Account
    current: Credential

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response, None]:
        """Sends the request, and once more with a fresh token if the server doesn't know the old one."""
        if _expired(self.current):
            self.current = run(self.account)
        request.headers["Authorization"] = f"Bearer {self.current.token}"
        response = yield request
        if response.status_code == httpx2.codes.UNAUTHORIZED:
            self.current = run(self.account)
            request.headers["Authorization"] = f"Bearer {self.current.token}"
            yield request


def _expired(credential: Credential) -> bool:
    if credential.expiration_timestamp is None:
        return False
    try:
        return datetime.fromisoformat(credential.expiration_timestamp) <= datetime.now(UTC)  # noqa: TID251 - an edge
    except (TypeError, ValueError):
        return False  # the server will say


def run(account: Account) -> Credential:
    """Run the account's plugin.

    What it writes to stderr goes to ours, as kubectl has it: that's where it asks people to log in.

    Raises:
        UnavailableError: it isn't installed, fails, or prints no credential.
    """
    plugin = account.user.plugin
    assert plugin is not None
    if plugin.api_version not in VERSIONS:
        raise UnavailableError(
            f"user {account.user_name}: the credential plugin {plugin.command} has apiVersion {plugin.api_version}",
            f"known are {', '.join(VERSIONS)}",
        )
    command = plugin.command
    if os.sep in command:
        command = str(account.folder / command)
    environment = {**os.environ, **{one.name: one.value for one in plugin.env or ()}}
    environment["KUBERNETES_EXEC_INFO"] = json.dumps(_asked(account, plugin))
    try:
        done = subprocess.run(  # noqa: S603 - the user's own kubeconfig says which program
            [command, *(plugin.args or ())], env=environment, stdout=subprocess.PIPE, check=False
        )
    except OSError as error:
        raise UnavailableError(
            f"user {account.user_name}: the credential plugin {plugin.command} can't be run: {error.strerror or error}",
            plugin.install_hint or f"install {Path(plugin.command).name}, or use another context",
        ) from error
    if done.returncode:
        raise UnavailableError(
            f"user {account.user_name}: the credential plugin {plugin.command} ended with status {done.returncode}",
            "it says why above; log in with it, then try again",
        )
    return _read(done.stdout, account, plugin)


def _read(printed: bytes, account: Account, plugin: Plugin) -> Credential:
    try:
        credential = msgspec.json.decode(printed, type=_Printed).status
    except msgspec.MsgspecError as error:
        raise UnavailableError(
            f"user {account.user_name}: the credential plugin {plugin.command} printed no ExecCredential: {error}"
        ) from error
    if credential is None or not (credential.token or credential.client_certificate_data):
        raise UnavailableError(
            f"user {account.user_name}: the credential plugin {plugin.command} printed neither token nor certificate",
            "log in with it, then try again",
        )
    return credential


def _asked(account: Account, plugin: Plugin) -> dict[str, Any]:
    spec: dict[str, Any] = {"interactive": plugin.interactive_mode != "Never" and sys.stdin.isatty()}
    if plugin.provide_cluster_info:
        server = account.server
        told = {
            "server": server.server,
            "certificate-authority-data": server.certificate_authority_data,
            "insecure-skip-tls-verify": server.insecure_skip_tls_verify or None,
            "tls-server-name": server.tls_server_name,
            "proxy-url": server.proxy_url,
        }
        spec["cluster"] = {key: value for key, value in told.items() if value is not None}
    return {"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": spec}
