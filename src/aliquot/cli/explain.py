"""`aliquot explain`: why a pod is pending, and the ways out."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from aliquot.cli.output import fail, write_json, write_yaml

if TYPE_CHECKING:
    from aliquot.snapshot.snapshot import Snapshot

NOTHING_USABLE = 2
PENDING = 3

Format = Literal["table", "json", "yaml", "html"]


def explain(
    target: Annotated[str, Parameter(show_default=False)] = "",
    /,
    *,
    file: Annotated[
        tuple[Path, ...], Parameter(name=["--file", "-f"], negative=(), allow_leading_hyphen=True, show_default=False)
    ] = (),
    namespace: Annotated[str | None, Parameter(name=["--namespace", "-n"])] = None,
    all_pending: Annotated[bool, Parameter(name="--all-pending", negative=(), show_default=False)] = False,
    kubernetes: str | None = None,
    output: Annotated[Format, Parameter(name=["--output", "-o"])] = "table",
    ways: int = 5,
) -> int:
    """Why a pod is pending, and what would place it.

    Replays kube-scheduler's decision on a dump, gives every reason on every node (the scheduler stops at a node's
    first), and offers ways out that were tried on a copy of the dump first.

    Args:
        target: What to explain: pod/NAME (or NAME), deployment/NAME, statefulset/NAME, job/NAME.
        file: Where the cluster is: YAML or JSON files, folders, a `kubectl cluster-info dump` folder, .gz, or - for
            standard input. May be given several times.
        namespace: Of the target. Without it every namespace is searched.
        all_pending: Explain every pod that has no node.
        kubernetes: The scheduler's version, such as 1.36. Without it: that of the dump's nodes, else the newest known.
        output: table for people; json or yaml for programs; html for one self-contained page.
        ways: How many ways out the table shows of each pod; json, yaml and html hold all.
    """
    from aliquot.advisor.document import document
    from aliquot.advisor.explain import explain as explain_pods
    from aliquot.advisor.explain import find
    from aliquot.cli.cluster_input import as_json, read_cluster
    from aliquot.cli.release import chosen_release

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
    reading = read_cluster(file)
    if reading is None:
        return NOTHING_USABLE
    snapshot = reading.snapshot
    try:
        release, source = chosen_release(snapshot, kubernetes)
    except ValueError as error:
        fail(str(error), "--kubernetes 1.36")
        return NOTHING_USABLE
    if all_pending:
        pods = [pod for pod in snapshot.pending() if namespace in (None, pod.namespace)]
    else:
        kind, _, name = target.rpartition("/")
        pods = find(snapshot, kind_of(kind), name, namespace)
        if not pods:
            fail(*_not_found(snapshot, kind_of(kind), name, namespace))
            return NOTHING_USABLE
    from aliquot.advisor.case import Judge

    stories = explain_pods(snapshot, pods, Judge(release))
    if output == "table":
        from aliquot.cli.explain_text import show

        show(stories, release=str(release), source=source, ways=ways)
    else:
        answer = document(stories, kubernetes=str(release), source=source, warnings=map(as_json, reading.warnings))
        if output == "json":
            write_json(answer)
        elif output == "yaml":
            write_yaml(answer)
        else:
            from aliquot.cli.explain_html import page

            sys.stdout.write(page(snapshot, stories, release=str(release), source=source))
    return PENDING if any(story.verdict in ("pending", "gated") for story in stories) else 0


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


def _not_found(snapshot: "Snapshot", kind: str, name: str, namespace: str | None) -> tuple[str, str]:
    from aliquot.advisor.nearest import nearest
    from aliquot.advisor.owners import owner_of

    where = f" in namespace {namespace}" if namespace else ""
    if kind == "pod":
        known = {pod.name: pod.namespace for pod in snapshot.pods.values()}
    else:
        owners = {owner_of(snapshot, pod) for pod in snapshot.pods.values()}
        known = {owner.name: owner.namespace for owner in owners if owner.kind.lower() == kind}
    close = nearest(name, known)[:3]
    names = ", ".join(f"{one} (-n {known[one]})" for one in close)
    hint = f"nearest: {names}" if close else f"the input has no {kind} at all"
    return f"there's no {kind}/{name}{where} in the input", hint
