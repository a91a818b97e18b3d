"""`aliquot explain node/N` and `claim/C`: read the cluster, find it, tell its story."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypedDict

from aliquot.advisor.about.claim import about_claim
from aliquot.advisor.about.document import claim_document, node_document
from aliquot.advisor.about.names import NotThere, find_claim, find_node
from aliquot.advisor.about.node import about_node
from aliquot.cli.cluster_input import Live, as_json, cluster_of, misleading, tell, unjudgeable
from aliquot.cli.explain.answer import PENDING
from aliquot.cli.explain.claim_text import claim_text
from aliquot.cli.explain.node_text import node_text
from aliquot.cli.output import fail, progress, write_json, write_yaml
from aliquot.cli.release import changed_gates, chosen_kubernetes
from aliquot.cli.terminal import page
from aliquot.cluster.reading import Reading
from aliquot.cluster.unavailable import UnavailableError
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.proven_gates import proven
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot

NOTHING_USABLE = 2
TEXTS = ("text", "table", "wide")
"""Formats for people; there's one text, so that all of them give it."""


def tell_about(
    subject: tuple[str, str],
    file: tuple[Path, ...],
    live: Live,
    *,
    namespace: str | None,
    kubernetes: str | None,
    feature_gates: str,
    spare: Snapshot | None,
    output: str,
    ways: int | None,
) -> int:
    """Print the story of a (`node` or `claim`, name); the exit status."""
    kind, name = subject
    if output == "html":
        this = f"--all-pending --node {name}" if kind == "node" else "--all-pending"
        of_pods = f"the page of pods that wait: aliquot explain {this} -o html"
        fail(f"there's no HTML page of a {kind}", f"of a {kind} there are -o text, json and yaml; {of_pods}")
        return NOTHING_USABLE
    try:
        with cluster_of(file, live) as cluster:
            progress("reading " + (", ".join(map(str, file)) or "the cluster") + " ...")
            reading = cluster.read()
    except UnavailableError as error:
        progress("")
        fail(error.message, error.hint)
        return NOTHING_USABLE
    progress("")
    tell(misleading(reading))
    snapshot = reading.snapshot
    if not reading.objects and (nothing := unjudgeable(reading)) is not None:
        fail(*nothing)
        return NOTHING_USABLE
    found = find_node(snapshot, name) if kind == "node" else find_claim(snapshot, name, namespace)
    if isinstance(found, NotThere):
        fail(found.message, found.hint)
        return NOTHING_USABLE
    try:
        release = chosen_kubernetes(snapshot, kubernetes, reading.server)
        gates = changed_gates(feature_gates, release.kubernetes)
    except ValueError as error:
        fail(*(error.args if len(error.args) > 1 else (str(error), "--kubernetes 1.36")))
        return NOTHING_USABLE
    tell(release.warnings)
    reading = replace(reading, warnings=(*reading.warnings, *release.warnings))
    chosen = proven(snapshot, release.kubernetes).changed(gates)
    scheduler = Scheduler.of(chosen)
    progress(f"looking at {kind} {found} ...")
    head = partial(_head, reading, chosen, release.source)
    if kind == "node":
        node = about_node(snapshot, found, scheduler, spare)
        _write(output, lambda: node_text(node, ways), lambda: node_document(node, **head()))
        return 0
    claim = about_claim(snapshot, found, scheduler, spare)
    _write(output, lambda: claim_text(claim, ways), lambda: claim_document(claim, **head()))
    return PENDING if claim.pending else 0


class _Head(TypedDict):
    kubernetes: str
    source: str
    warnings: list[dict[str, object]]


def _head(reading: Reading, chosen: Kubernetes, source: str) -> _Head:
    return {"kubernetes": str(chosen), "source": source, "warnings": list(map(as_json, reading.warnings))}


def _write(output: str, text: Callable[[], str], document: Callable[[], dict[str, object]]) -> None:
    progress("")
    if output in TEXTS:
        page(text())
    else:
        (write_json if output == "json" else write_yaml)(document())
