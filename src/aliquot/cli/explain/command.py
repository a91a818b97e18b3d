"""`aliquot explain`: why a pod is pending, and the ways out."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter, validators

from aliquot.advisor.document import document, head, nodes, story
from aliquot.advisor.explain import Explanation, find, waiting
from aliquot.advisor.explain import explain as explain_pods
from aliquot.advisor.nearest import nearest
from aliquot.advisor.owners import owner_of
from aliquot.cli.cluster_input import as_json, read_cluster
from aliquot.cli.output import fail, progress, write_json, write_stream, write_yaml
from aliquot.cli.release import changed_gates, chosen_kubernetes
from aliquot.scheduling.proven_gates import proven
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot

WORKLOADS = frozenset(
    {"deployment", "statefulset", "daemonset", "replicaset", "job", "cronjob", "replicationcontroller"}
)
NOTHING_USABLE = 2
PENDING = 3
MANY = 1000
LARGE = 5000
"""Pods times nodes from which JSON isn't indented, and what twins share is encoded once."""

Format = Literal["text", "table", "wide", "json", "yaml", "html"]


def explain(
    target: Annotated[str, Parameter(show_default=False)] = "",
    /,
    *more: Annotated[str, Parameter(show=False)],
    file: Annotated[
        tuple[Path, ...], Parameter(name=["--file", "-f"], negative=(), allow_leading_hyphen=True, show_default=False)
    ] = (),
    namespace: Annotated[str | None, Parameter(name=["--namespace", "-n"])] = None,
    all_pending: Annotated[bool, Parameter(name="--all-pending", negative=(), show_default=False)] = False,
    kubernetes: str | None = None,
    feature_gates: Annotated[str, Parameter(show_default=False)] = "",
    node_groups: Annotated[tuple[Path, ...], Parameter(negative=(), show_default=False)] = (),
    output: Annotated[Format, Parameter(name=["--output", "-o"])] = "text",
    ways: Annotated[int | None, Parameter(validator=validators.Number(gte=0))] = None,
) -> int:
    """Why a pod is pending, and what would place it.

    Replays kube-scheduler's decision on a dump, gives every reason on every node (the scheduler stops at a node's
    first), and offers ways out that were tried on a copy of the dump: best first by risk, then by cost, then by how
    much they change.

    Args:
        target: What to explain: pod/NAME (or NAME), deployment/NAME, statefulset/NAME, job/NAME.
        more: The name, where the kind stands alone: `pod NAME`.
        file: Where the cluster is: YAML or JSON files, folders, a `kubectl cluster-info dump` folder, .gz, or - for
            standard input. May be given several times.
        namespace: Of the target. Without it every namespace is searched.
        all_pending: Explain every pod that has no node.
        kubernetes: The scheduler's version, such as 1.36. Without it: that of the dump's nodes, else the newest known.
        feature_gates: The scheduler's gates that differ from its release's defaults: DRADeviceTaintRules=true,...
        node_groups: Files with nodes that an autoscaler could add, one Node of each group (its name is the group's),
            with the ResourceSlices that its drivers would publish: groups that may have no node now.
        output: text for people (a line for each cause, then a block for each); wide for everything; json or yaml for
            programs; html for one self-contained page.
        ways: How many ways out the text shows of each cause; without it as many as fit. The other formats hold all.
    """
    target = target.strip()
    if kind_then_name := " ".join(more):
        target = f"{target}/{kind_then_name}"  # `explain pod NAME`, as kubectl takes it too
    if bool(target) == all_pending:
        fail(
            "say which pod: pod/NAME or deployment/NAME, or --all-pending for all",
            "aliquot explain --help has examples",
        )
        return NOTHING_USABLE
    if not file:
        fail(
            "no cluster to look at: give a dump with -f",
            "kubectl get nodes,pods,deployments,replicasets,namespaces,priorityclasses,events -A -o yaml > dump.yaml",
        )
        return NOTHING_USABLE
    progress("reading " + ", ".join(map(str, file)) + " ...")
    reading = read_cluster(tuple(dict.fromkeys(file)))
    if reading is None:
        return NOTHING_USABLE
    snapshot = reading.snapshot
    try:
        chosen, source = chosen_kubernetes(snapshot, kubernetes)
        chosen = proven(snapshot, chosen).changed(changed_gates(feature_gates, chosen))
    except ValueError as error:
        fail(*(error.args if len(error.args) > 1 else (str(error), "--kubernetes 1.36")))
        return NOTHING_USABLE
    if namespace is not None and not _has_namespace(snapshot, namespace):
        known = {pod.namespace for pod in snapshot.pods.values()}
        close = ", ".join(nearest(namespace, known)[:3])
        fail(
            f"there's nothing in namespace {namespace!r} in the input",
            f"nearest: {close}" if close else "no pods at all",
        )
        return NOTHING_USABLE
    if all_pending:
        pods = [pod for pod in waiting(snapshot) if namespace in (None, pod.namespace)]
    else:
        kind, _, name = target.rpartition("/")
        pods = find(snapshot, kind_of(kind), name, namespace)
        if not pods:
            fail(*_not_found(snapshot, kind_of(kind), name, namespace))
            return NOTHING_USABLE
    progress(f"judging {len(pods)} pods on {len(snapshot.nodes)} nodes ...")
    groups = read_cluster(node_groups) if node_groups else None
    if node_groups and groups is None:
        return NOTHING_USABLE
    spare = groups.snapshot if groups is not None else None
    stories = explain_pods(snapshot, pods, Scheduler.of(chosen), spare)
    progress("")
    if output in ("text", "table"):
        from aliquot.cli.explain.text import show

        show(stories, release=str(chosen), source=source, ways=ways)
    elif output == "wide":
        from aliquot.cli.explain.wide import show as show_all

        show_all(stories, release=str(chosen), source=source, ways=MANY if ways is None else ways)
    elif output == "html":
        from aliquot.cli.explain.page import page

        sys.stdout.write(page(snapshot, stories, release=str(chosen), source=source))
    else:
        warnings = list(map(as_json, reading.warnings))
        if output == "json" and len(stories) * len(snapshot.nodes) > LARGE:
            write_stream({**head(str(chosen), source), "warnings": warnings}, "pods", encoded(stories))
        else:
            answer = document(stories, kubernetes=str(chosen), source=source, warnings=warnings)
            (write_json if output == "json" else write_yaml)(answer)
    return PENDING if any(story.verdict in ("pending", "gated", "blocked") for story in stories) else 0


def encoded(stories: Sequence[Explanation]) -> Iterator[object]:
    """Stories for JSON; twins share their nodes, which are encoded once."""
    import msgspec

    known: dict[int, object] = {}
    for one in stories:
        told = known.get(id(one.groups))
        if told is None:
            told = known[id(one.groups)] = msgspec.Raw(msgspec.json.encode(nodes(one)))
        yield story(one, told)


def kind_of(text: str) -> str:
    """The kind that a person means: `deploy`, `deployments`, `deployment.apps` are `deployment`; nothing is a pod."""
    short = {
        "": "pod",
        "po": "pod",
        "deploy": "deployment",
        "sts": "statefulset",
        "ds": "daemonset",
        "rs": "replicaset",
    }
    kind = text.lower().partition(".")[0]
    return short.get(kind, kind.removesuffix("s") if kind.endswith("s") else kind)


def _has_namespace(snapshot: Snapshot, namespace: str) -> bool:
    return namespace in snapshot.namespaces or any(pod.namespace == namespace for pod in snapshot.pods.values())


def _not_found(snapshot: Snapshot, kind: str, name: str, namespace: str | None) -> tuple[str, str]:
    where = f" in namespace {namespace}" if namespace else ""
    known: dict[str, str] = {}
    if kind == "pod":
        known = {pod.name: pod.namespace for pod in snapshot.pods.values()}
    elif kind in WORKLOADS:
        owners = {owner_of(snapshot, pod) for pod in snapshot.pods.values()}
        known = {owner.name: owner.namespace for owner in owners if owner.kind.lower() == kind}
        known |= {one.meta.name: one.meta.namespace for one in snapshot.workloads.values() if one.kind.lower() == kind}
    else:
        return f"pods aren't found by {kind!r}", f"give pod/NAME or one of: {', '.join(sorted(WORKLOADS))}/NAME"
    close = ", ".join(f"{one} (-n {known[one]})" for one in nearest(name, known)[:3])
    hint = f"nearest: {close}" if close else f"the input has no {kind}"
    return f"there's no {kind}/{name}{where} in the input", hint
