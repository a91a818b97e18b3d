"""The cluster that a command looks at: the files of its -f arguments, or without them the API server of kubeconfig."""

import contextlib
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from aliquot.advisor.causes.cause import number
from aliquot.cli.output import fail, note, progress, warn
from aliquot.cluster.files import FileCluster
from aliquot.cluster.gaps import no_devices, no_nodes, no_pods
from aliquot.cluster.problem import Problem
from aliquot.cluster.protocol import Cluster
from aliquot.cluster.reading import Reading
from aliquot.cluster.unavailable import UnavailableError
from aliquot.units.duration import parse_duration

if TYPE_CHECKING:
    from aliquot.cluster.api.connection import Connection

WARNINGS_SHOWN = 30
EXPECTED = "expected what `kubectl get nodes,pods -A -o yaml` (or -o json) or `kubectl cluster-info dump` prints"


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Live:
    """Which API server, where no file is given."""

    context: Annotated[str | None, Parameter(show_default=False)] = None
    """Of the kubeconfig, whose cluster is asked where there's no -f; without it the current one."""
    kubeconfig: Annotated[Path | None, Parameter(show_default=False)] = None
    """The kubeconfig file; without it those of KUBECONFIG, else ~/.kube/config, else the pod's service account."""
    request_timeout: Annotated[str, Parameter(show_default=False)] = "60s"
    """How long the API server may take for one answer: 90s, 2m; 60s if not given."""


@contextlib.contextmanager
def cluster_of(paths: Sequence[Path], live: Live) -> Generator[Cluster, None, None]:
    """Files, or the API server.

    Raises:
        UnavailableError: no file is given, and there's no API server that we could ask.
    """
    if paths:
        yield FileCluster([str(path) for path in dict.fromkeys(paths)])
        return
    from aliquot.cluster.api.kube_cluster import KubeCluster

    with connection(live) as opened:
        yield KubeCluster(opened, told=progress, noted=warn)


def connection(live: Live) -> "Connection":
    """To the API server.

    Raises:
        UnavailableError: there's none that we could ask.
    """
    from aliquot.cluster.api.connection import Connection
    from aliquot.cluster.api.kubeconfig import account

    return Connection(account(live.context, live.kubeconfig), seconds(live.request_timeout), told=progress)


def seconds(text: str) -> float:
    """A duration as kubectl takes it: `90s`, `2m`, or a number of seconds.

    Raises:
        UnavailableError: it's none.
    """
    try:
        found = float(text) if text.replace(".", "", 1).isdecimal() else parse_duration(text) / 1e9
    except ValueError as error:
        raise UnavailableError(f"--request-timeout {text}: {error}", "--request-timeout 2m") from error
    if found <= 0:
        raise UnavailableError(f"--request-timeout {text}: must be above zero", "--request-timeout 2m")
    return found


def read_cluster(paths: Sequence[Path]) -> Reading | None:
    """Read files, and tell on stderr what was left out. None: there's nothing to work on (told too)."""
    reading = FileCluster([str(path) for path in paths]).read()
    return reading if usable(reading) else None


def usable(reading: Reading) -> bool:
    """Tell on stderr what was left out. False: there's nothing to work on (told too)."""
    tell(reading.warnings)
    if (nothing := _nothing(reading)) is not None:
        fail(*nothing)
        return False
    return True


def unjudgeable(reading: Reading, *, brings_pods: bool = False) -> tuple[str, str] | None:
    """Why no pod can be judged by this, and what to do about it; None: pods can be.

    Args:
        reading: the input.
        brings_pods: there are pods to be judged beside those of the input (a manifest's).
    """
    gap = no_nodes(reading) or (None if brings_pods else no_pods(reading))
    return _nothing(reading) or ((gap.message, gap.hint) if gap is not None else None)


def misleading(reading: Reading) -> tuple[Problem, ...]:
    """All warnings, and what else makes answers wrong without being seen in them."""
    gap = no_devices(reading)
    return reading.warnings if gap is None else (*reading.warnings, gap)


def _nothing(reading: Reading) -> tuple[str, str] | None:
    if reading.objects:
        return None
    if reading.warnings and all(one.message.startswith("can't be opened") for one in reading.warnings):
        return "none of the files given by -f could be opened", "check their names"
    kinds = ", ".join(f"{count} {kind}" for kind, count in reading.skipped.items())
    return "nothing usable in the input" + (f": it holds only {kinds}" if kinds else ""), EXPECTED


def tell(problems: Sequence[Problem]) -> None:
    """Warnings on stderr; of very many the first."""
    for problem in problems[:WARNINGS_SHOWN]:
        (note if problem.note else warn)(problem)
    if len(problems) > WARNINGS_SHOWN:
        warn(f"and {number(len(problems) - WARNINGS_SHOWN, 'more problem')} (-o json lists all)")


def as_json(problem: Problem) -> dict[str, object]:
    """A problem as `-o json` lists it."""
    line = f"line {problem.line}" if problem.line is not None else ""
    document = f"document {problem.document}" if problem.document is not None else ""
    where = ", ".join(part for part in (document, line, problem.path) if part)
    return {"file": problem.file, "path": where, "message": problem.message, "hint": problem.hint}
