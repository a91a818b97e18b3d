"""`aliquot explain`: why a pod is pending, and the ways out."""

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter, validators

from aliquot.advisor.document import document, nodes, story
from aliquot.advisor.explain import Explanation, find
from aliquot.advisor.explain import explain as explain_pods
from aliquot.advisor.nearest import nearest
from aliquot.advisor.owners import owner_of
from aliquot.cli.cluster_input import Live, as_json, cluster_of, misleading, read_cluster, tell, unjudgeable
from aliquot.cli.explain.answer import Answer, Mistake
from aliquot.cli.output import fail, progress, write_json, write_stream, write_yaml
from aliquot.cli.release import changed_gates, chosen_kubernetes
from aliquot.cluster.reading import Reading
from aliquot.cluster.unavailable import UnavailableError
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot

WORKLOADS = frozenset(
    {"deployment", "statefulset", "daemonset", "replicaset", "job", "cronjob", "replicationcontroller"}
)
NOTHING_USABLE = 2
LARGE = 5000
"""Pods times nodes from which JSON isn't indented, and what twins share is encoded once."""

CURRENT = Live()
Format = Literal["table", "json", "yaml", "html"]


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
    output: Annotated[Format, Parameter(name=["--output", "-o"])] = "table",
    ways: Annotated[int, Parameter(validator=validators.Number(gte=0))] = 5,
    watch: Annotated[bool, Parameter(name=["--watch", "-w"], negative=(), show_default=False)] = False,
    live: Live = CURRENT,
) -> int:
    """Why a pod is pending, and what would place it.

    Replays kube-scheduler's decision on a dump, gives every reason on every node (the scheduler stops at a node's
    first), and offers ways out that were tried on a copy of the dump: best first by risk, then by cost, then by how
    much they change.

    Args:
        target: What to explain: pod/NAME (or NAME), deployment/NAME, statefulset/NAME, job/NAME.
        more: The name, where the kind stands alone: `pod NAME`.
        file: Where the cluster is: YAML or JSON files, folders, a `kubectl cluster-info dump` folder, .gz, or - for
            standard input. May be given several times. Without it the cluster of the kubeconfig is asked.
        namespace: Of the target. Without it every namespace is searched.
        all_pending: Explain every pod that has no node.
        kubernetes: The scheduler's version, such as 1.36. Without it: that of the dump's nodes, else the newest known.
        feature_gates: The scheduler's gates that differ from its release's defaults: DRADeviceTaintRules=true,...
        node_groups: Files with nodes that an autoscaler could add, one Node of each group (its name is the group's),
            with the ResourceSlices that its drivers would publish: groups that may have no node now.
        output: table for people; json or yaml for programs; html for one self-contained page.
        ways: How many ways out the table shows of each pod; json, yaml and html hold all.
        watch: Stay, and print again what has another verdict than before; Ctrl-C ends. With -o json a line each time.
        live: Which cluster is asked, without -f.
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
    if watch and output not in ("table", "json"):
        fail(f"--watch can't write {output}", "leave -o away, or -o json: a line of JSON for every change")
        return NOTHING_USABLE
    groups = read_cluster(node_groups) if node_groups else None
    if node_groups and groups is None:
        return NOTHING_USABLE
    ask = partial(
        answered,
        target=target,
        namespace=namespace,
        kubernetes=kubernetes,
        feature_gates=feature_gates,
        spare=groups.snapshot if groups is not None else None,
    )
    try:
        with cluster_of(file, live) as cluster:
            if watch:
                from aliquot.cli.explain.watching import follow

                show = partial(show_answer, output=output, ways=ways)
                return follow(cluster, ask, show, write_line if output == "json" else None)
            progress("reading " + (", ".join(map(str, file)) or "the cluster") + " ...")
            reading = cluster.read()
    except UnavailableError as error:
        progress("")
        fail(error.message, error.hint)
        return NOTHING_USABLE
    tell(misleading(reading))
    answer = ask(reading)
    progress("")
    if isinstance(answer, Mistake):
        fail(answer.message, answer.hint)
        return NOTHING_USABLE
    show_answer(answer, output, ways)
    return answer.status


def answered(
    reading: Reading,
    *,
    target: str,
    namespace: str | None,
    kubernetes: str | None,
    feature_gates: str,
    spare: Snapshot | None,
) -> Answer | Mistake:
    """The stories of the asked pods (an empty target: of all pending ones) in this cluster."""
    if (nothing := unjudgeable(reading)) is not None:
        return Mistake(*nothing)
    snapshot = reading.snapshot
    try:
        chosen, source = chosen_kubernetes(snapshot, kubernetes, reading.server)
        chosen = chosen.changed(changed_gates(feature_gates, chosen))
    except ValueError as error:
        return Mistake(*(error.args if len(error.args) > 1 else (str(error), "--kubernetes 1.36")))
    if namespace is not None and not _has_namespace(snapshot, namespace):
        known = {pod.namespace for pod in snapshot.pods.values()}
        close = ", ".join(nearest(namespace, known)[:3])
        return Mistake(
            f"there's nothing in namespace {namespace!r} in the input",
            f"nearest: {close}" if close else "no pods at all",
        )
    if not target:
        pods = [pod for pod in snapshot.pending() if namespace in (None, pod.namespace)]
    else:
        kind, _, name = target.rpartition("/")
        pods = find(snapshot, kind_of(kind), name, namespace)
        if not pods:
            return Mistake(*_not_found(snapshot, kind_of(kind), name, namespace))
    progress(f"judging {len(pods)} pods on {len(snapshot.nodes)} nodes ...")
    stories = explain_pods(snapshot, pods, Scheduler.of(chosen), spare)
    return Answer(reading, tuple(stories), str(chosen), source)


def show_answer(answer: Answer, output: Format, ways: int) -> None:
    """Write it to stdout; `ways`: how many ways out a table has of each pod."""
    reading, stories, chosen, source = answer.reading, answer.stories, answer.release, answer.source
    snapshot = reading.snapshot
    if output == "table":
        of = f"{len(snapshot.pods)}{' that could be read' if reading.warnings else ''}"
        from aliquot.cli.explain.text import show

        show(stories, release=chosen, source=source, ways=ways, of=of)
    elif output == "html":
        from aliquot.cli.explain.page import page

        sys.stdout.write(page(snapshot, stories, release=chosen, source=source))
    else:
        warnings = list(map(as_json, reading.warnings))
        if output == "json" and len(stories) * len(snapshot.nodes) > LARGE:
            write_line(answer, stories)
        else:
            written = document(stories, kubernetes=chosen, source=source, warnings=warnings)
            (write_json if output == "json" else write_yaml)(written)


def write_line(answer: Answer, stories: Sequence[Explanation], **more: object) -> None:
    """Some of its stories as JSON on one line, with more fields of the document if given."""
    warnings = list(map(as_json, answer.reading.warnings))
    head = {"kubernetes": answer.release, "kubernetesFrom": answer.source, **more, "warnings": warnings}
    write_stream(head, "pods", encoded(stories))


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
