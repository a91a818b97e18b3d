"""Which API server, and who we are: kubeconfig files as kubectl reads them.

Rules (client-go's loading rules): `--kubeconfig` alone if it's given; else every file of KUBECONFIG, those that don't
exist left out; else `~/.kube/config`; else, in a pod, its service account. Of several files the first that sets a value
or names an entry counts, and a path is relative to the file that it stands in.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from aliquot.advisor.nearest import nearest
from aliquot.cluster.text import UnreadableError, check_utf8, text_of
from aliquot.cluster.unavailable import UnavailableError
from aliquot.cluster.yaml_stream import YamlError, load_all

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Where the kubelet mounts a pod's credentials."""
NO_CLUSTER = "give a dump with -f FILE, or a kubeconfig: --kubeconfig FILE, KUBECONFIG or ~/.kube/config"

S = TypeVar("S", bound=msgspec.Struct)


class _Shape(msgspec.Struct, rename="kebab"):
    """Part of a kubeconfig: field names in kebab case unless they say otherwise."""


class ClusterEntry(_Shape):
    """clusters[].cluster."""

    server: str = "http://localhost:8080"
    certificate_authority: str | None = None
    certificate_authority_data: str | None = None
    insecure_skip_tls_verify: bool = False
    tls_server_name: str | None = None
    proxy_url: str | None = None


class PluginVariable(msgspec.Struct):
    """env[] of a credential plugin."""

    name: str
    value: str


class Plugin(msgspec.Struct, rename="camel"):
    """users[].user.exec: a program that prints credentials."""

    command: str
    api_version: str | None = None
    args: list[str] | None = None
    env: list[PluginVariable] | None = None
    install_hint: str | None = None
    provide_cluster_info: bool = False
    interactive_mode: str | None = None


class UserEntry(_Shape):
    """users[].user."""

    token: str | None = None
    token_file: str | None = msgspec.field(name="tokenFile", default=None)
    client_certificate: str | None = None
    client_certificate_data: str | None = None
    client_key: str | None = None
    client_key_data: str | None = None
    username: str | None = None
    password: str | None = None
    plugin: Plugin | None = msgspec.field(name="exec", default=None)
    auth_provider: dict[str, Any] | None = None
    impersonate: str | None = msgspec.field(name="as", default=None)
    impersonate_groups: list[str] | None = msgspec.field(name="as-groups", default=None)
    impersonate_uid: str | None = msgspec.field(name="as-uid", default=None)


class ContextEntry(_Shape):
    """contexts[].context."""

    cluster: str = ""
    user: str = ""
    namespace: str = ""


class _Named(msgspec.Struct):
    name: str
    cluster: dict[str, Any] | None = None
    user: dict[str, Any] | None = None
    context: dict[str, Any] | None = None


class _File(_Shape):
    current_context: str | None = None
    clusters: list[_Named] | None = None
    users: list[_Named] | None = None
    contexts: list[_Named] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One API server, and who asks it. Paths are absolute."""

    context: str
    """Its name in the kubeconfig; empty in a pod."""
    server: ClusterEntry
    user: UserEntry
    user_name: str = ""
    namespace: str = ""
    folder: Path = field(default_factory=Path)
    """Of the file that the user stands in: a plugin's relative path starts there."""

    @property
    def flag(self) -> str:
        """What makes kubectl ask the same cluster: ` --context x`, or nothing."""
        return f" --context {self.context}" if self.context else ""


def account(
    context: str | None,
    kubeconfig: Path | None,
    environment: Mapping[str, str] | None = None,
    service_account: Path = SERVICE_ACCOUNT,
) -> Account:
    """The account of a context, or of the current one.

    Raises:
        UnavailableError: there's no kubeconfig and this is no pod, or it can't be read, or it doesn't hold what the
            context names.
    """
    environment = os.environ if environment is None else environment
    files, asked = _files(kubeconfig, environment)
    there = [file for file in files if file.is_file()]
    if not there:
        if kubeconfig is not None:
            raise UnavailableError(f"there's no kubeconfig {kubeconfig}", NO_CLUSTER)
        if "KUBERNETES_SERVICE_HOST" in environment and (service_account / "token").is_file() and context is None:
            return _in_pod(environment, service_account)
        raise UnavailableError(f"no cluster to look at: there's no kubeconfig ({asked})", NO_CLUSTER)
    merged = _Merged()
    for file in there:
        merged.add(file)
    return merged.account(context, ", ".join(map(str, there)))


def _files(kubeconfig: Path | None, environment: Mapping[str, str]) -> tuple[list[Path], str]:
    """Where to look, and the same in words."""
    if kubeconfig is not None:
        return [kubeconfig], str(kubeconfig)
    if named := environment.get("KUBECONFIG"):
        return [Path(one) for one in named.split(os.pathsep) if one], f"KUBECONFIG is {named}"
    home = Path(environment.get("HOME") or "~").expanduser() / ".kube" / "config"
    return [home], f"KUBECONFIG isn't set, and {home} isn't there"


def _in_pod(environment: Mapping[str, str], folder: Path) -> Account:
    host = environment["KUBERNETES_SERVICE_HOST"]
    host = f"[{host}]" if ":" in host else host
    port = environment.get("KUBERNETES_SERVICE_PORT", "443")
    namespace = folder / "namespace"
    return Account(
        context="",
        server=ClusterEntry(server=f"https://{host}:{port}", certificate_authority=str(folder / "ca.crt")),
        user=UserEntry(token_file=str(folder / "token")),
        user_name="the pod's service account",
        namespace=namespace.read_text("utf-8").strip() if namespace.is_file() else "",
        folder=folder,
    )


class _Merged:
    """Several kubeconfig files as one."""

    def __init__(self) -> None:
        self.current = ""
        self.clusters: dict[str, tuple[Path, dict[str, Any]]] = {}
        self.users: dict[str, tuple[Path, dict[str, Any]]] = {}
        self.contexts: dict[str, tuple[Path, dict[str, Any]]] = {}

    def add(self, file: Path) -> None:
        """Add a file; what earlier ones hold stays."""
        wire = _parsed(file)
        self.current = self.current or wire.current_context or ""
        for one in wire.clusters or ():
            self.clusters.setdefault(one.name, (file, one.cluster or {}))
        for one in wire.users or ():
            self.users.setdefault(one.name, (file, one.user or {}))
        for one in wire.contexts or ():
            self.contexts.setdefault(one.name, (file, one.context or {}))

    def account(self, asked: str | None, files: str) -> Account:
        name = asked or self.current
        if not name:
            known = ", ".join(sorted(self.contexts)[:5])
            raise UnavailableError(
                f"the kubeconfig {files} has no current context",
                f"choose one with --context: {known}" if known else NO_CLUSTER,
            )
        if name not in self.contexts:
            close = ", ".join(nearest(name, self.contexts)[:3])
            raise UnavailableError(
                f"there's no context {name!r} in the kubeconfig {files}",
                f"nearest: {close}" if close else "it has no contexts at all",
            )
        context = _converted(*self.contexts[name], ContextEntry, f"context {name}")
        if context.cluster not in self.clusters:
            raise UnavailableError(
                f"context {name} names cluster {context.cluster!r}, which isn't in the kubeconfig {files}",
                f"it has {', '.join(sorted(self.clusters)[:5]) or 'none'}",
            )
        if context.user and context.user not in self.users:
            raise UnavailableError(
                f"context {name} names user {context.user!r}, who isn't in the kubeconfig {files}",
                f"it has {', '.join(sorted(self.users)[:5]) or 'none'}",
            )
        cluster_file, cluster = self.clusters[context.cluster]
        user_file, user = self.users.get(context.user, (cluster_file, {}))
        server = _converted(cluster_file, cluster, ClusterEntry, f"cluster {context.cluster}")
        who = _converted(user_file, user, UserEntry, f"user {context.user}")
        _absolute(server, ("certificate_authority",), cluster_file.parent)
        _absolute(who, ("token_file", "client_certificate", "client_key"), user_file.parent)
        return Account(
            context=name,
            server=server,
            user=who,
            user_name=context.user,
            namespace=context.namespace,
            folder=user_file.parent,
        )


def _absolute(entry: msgspec.Struct, names: Sequence[str], folder: Path) -> None:
    for name in names:
        if given := getattr(entry, name):
            setattr(entry, name, str((folder / given).absolute()))


def _parsed(file: Path) -> _File:
    try:
        documents = load_all(check_utf8(text_of(file.read_bytes())))
    except OSError as error:
        raise UnavailableError(f"the kubeconfig {file} can't be opened: {error.strerror or error}") from error
    except (UnreadableError, YamlError) as error:
        line = f", line {error.line}" if error.line is not None else ""
        raise UnavailableError(f"the kubeconfig {file}{line}: {error.message}", error.hint) from error
    return _converted(file, documents[0] if documents else {}, _File, "")


def _converted(file: Path, value: object, shape: type[S], where: str) -> S:
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        place = f"{where}: " if where else ""
        raise UnavailableError(f"the kubeconfig {file}: {place}{error}", "kubectl config view shows it") from error
