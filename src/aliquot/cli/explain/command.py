"""`aliquot explain`: why a pod is pending, and the ways out."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter, validators

from aliquot.advisor.causes.cause import Cause, number
from aliquot.advisor.document import document, head, nodes, story
from aliquot.advisor.explain import explain as explain_pods
from aliquot.advisor.explanation.asked import waiting
from aliquot.advisor.explanation.unapplied import Unapplied
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.plan_all.choose import plan_all as plan_for_all
from aliquot.advisor.wayout import Level
from aliquot.advisor.wishes import GROUPS, KINDS, NO_WISHES, Prefer, Wishes, wishes
from aliquot.cli.cluster_input import Live, as_json, cluster_of, misleading, read_cluster, tell, unjudgeable
from aliquot.cli.explain.answer import Answer, Mistake
from aliquot.cli.explain.only import EVERYTHING, Only, filtered
from aliquot.cli.explain.targets import Unknown, labels_of, pods_meant, subject_of
from aliquot.cli.explain.would import STDIN, Manifest, file_name, in_place, read_manifest
from aliquot.cli.look import PLAIN, Look
from aliquot.cli.output import fail, progress, write_json, write_stream, write_yaml
from aliquot.cli.release import changed_gates, chosen_kubernetes
from aliquot.cli.terminal import emit, use, visible
from aliquot.cluster.gaps import no_pods
from aliquot.cluster.reading import Reading
from aliquot.cluster.unavailable import UnavailableError
from aliquot.scheduling.proven_gates import proven
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot

NOTHING_USABLE = 2
LARGE = 5000
"""Pods times nodes from which JSON isn't indented, and what twins share is encoded once."""

CURRENT = Live()
Format = Literal["text", "table", "wide", "json", "yaml", "html"]
MANY = 1000
"""Ways out: all there are."""


def explain(
    target: Annotated[str, Parameter(show_default=False)] = "",
    /,
    *more: Annotated[str, Parameter(show=False)],
    file: Annotated[
        tuple[Path, ...], Parameter(name=["--file", "-f"], negative=(), allow_leading_hyphen=True, show_default=False)
    ] = (),
    namespace: Annotated[str | None, Parameter(name=["--namespace", "-n"])] = None,
    all_pending: Annotated[bool, Parameter(name=["--all-pending", "-A"], negative=(), show_default=False)] = False,
    selector: Annotated[str, Parameter(name=["--selector", "-l"], show_default=False)] = "",
    kubernetes: str | None = None,
    feature_gates: Annotated[str, Parameter(show_default=False)] = "",
    node_groups: Annotated[tuple[Path, ...], Parameter(negative=(), show_default=False)] = (),
    output: Annotated[Format, Parameter(name=["--output", "-o"])] = "text",
    ways: Annotated[int | None, Parameter(validator=validators.Number(gte=0))] = None,
    plan_all: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    avoid: Annotated[str, Parameter(show_default=False)] = "",
    max_risk: Annotated[Level, Parameter(show_default=False)] = "high",
    prefer: Annotated[Prefer | None, Parameter(show_default=False)] = None,
    watch: Annotated[bool, Parameter(name=["--watch", "-w"], negative=(), show_default=False)] = False,
    would: Annotated[tuple[Path, ...], Parameter(negative=(), allow_leading_hyphen=True, show_default=False)] = (),
    only: Only = EVERYTHING,
    look: Look = PLAIN,
    live: Live = CURRENT,
) -> int:
    """Why a pod is pending, and what would place it; what a node's GPUs do; what a claim has, or why it has nothing.

    Args:
        target: What to explain: pod/NAME, NAMESPACE/NAME, deployment/NAME, statefulset/NAME, job/NAME, a bare NAME;
            node/NAME, claim/NAME, claim/NAMESPACE/NAME.
        more: The name, where the kind stands alone: `pod NAME`.
        file: Where the cluster is: YAML or JSON files, folders, a `kubectl cluster-info dump` folder, .gz, or - for
            standard input. May be given several times. Without it the cluster of the kubeconfig is asked.
        namespace: Of the target. Without it every namespace is searched.
        all_pending: Explain all that wait: pods without a node, those that can't start, and those that were never made.
        selector: Pods with these labels: app=llm,tier=gpu.
        kubernetes: The scheduler's version, such as 1.36. Without it: that of the dump's nodes, else the newest known.
        feature_gates: The scheduler's gates that differ from its release's defaults: DRADeviceTaintRules=true,...
        node_groups: Files with nodes that an autoscaler could add, one Node of each group (its name is the group's),
            with the ResourceSlices that its drivers would publish: groups that may have no node now.
        output: text for people (a line for each cause, then a block for each); wide for everything; json or yaml for
            programs; html for one self-contained page with a map of the devices.
        ways: How many ways out the text shows of each cause; without it as many as fit. The other formats hold all.
        plan_all: One plan for all that wait (or for the pods asked for) instead of a story of each: the fewest ways out
            that together place as many as possible, tried together in the order of the queue.
        avoid: Ways out that aren't wanted, with commas between them: kinds as the answer names them (share,add-node),
            or several at once: evict (whatever ends a pod that runs), node (more nodes), less (the workload gets less
            than it asks for), sharing (a GPU divided), taint, selector.
        max_risk: The most risk of a way out that is still offered.
        prefer: What counts first among the ways out: risk, then money; or cost, then risk; then how much they change.
            Without it risk weighs most, but a node for much money doesn't come before a small risk (README has sums).
        watch: Stay, and print again what has another verdict than before; Ctrl-C ends. With -o json a line each time.
        would: Judge a manifest that isn't applied yet: its pods, and those that its workloads would make. A file, a
            folder, or - for standard input; may be given several times. What names no namespace is in that of -n.
        only: What to leave away.
        look: How a terminal shows it.
        live: Which cluster is asked, without -f.
    """
    use(look.color, paged=not (look.no_pager or watch))
    target = target.strip()
    if kind_then_name := " ".join(more):
        target = f"{target}/{kind_then_name}"  # `explain pod NAME`, as kubectl takes it too
    asks_all = all_pending or bool(selector) or (not target and (namespace is not None or plan_all) and not would)
    if bool(target) + asks_all + bool(would) != 1:
        fail(
            "say which pod: pod/NAME or deployment/NAME, --all-pending for all, or --would FILE, and only one of them",
            "aliquot explain --help has examples",
        )
        return NOTHING_USABLE
    if STDIN in file and STDIN in would:
        fail("standard input can't be the cluster and the manifest", "give one of them as a file")
        return NOTHING_USABLE
    labels = labels_of(selector)
    if isinstance(labels, Unknown):
        fail(labels.message, labels.hint)
        return NOTHING_USABLE
    if watch and output not in ("text", "table", "wide", "json"):
        fail(f"--watch can't write {output}", "leave -o away, or -o json: a line of JSON for every change")
        return NOTHING_USABLE
    if plan_all and (watch or output == "html"):
        fail(f"--plan-all can't {'be watched' if watch else 'write html'}", "it's for -o text, json and yaml")
        return NOTHING_USABLE
    wanted = wishes(avoid, max_risk, prefer)
    if isinstance(wanted, tuple):
        fail(
            f"--avoid doesn't know {', '.join(wanted)}", f"it knows {', '.join((*GROUPS, *sorted(KINDS - {*GROUPS})))}"
        )
        return NOTHING_USABLE
    manifest = read_manifest(would, namespace)
    if isinstance(manifest, Mistake):
        fail(manifest.message, manifest.hint)
        return NOTHING_USABLE
    groups = read_cluster(node_groups) if node_groups else None
    if node_groups and groups is None:
        return NOTHING_USABLE
    subject = subject_of(target)
    if subject is not None:
        from aliquot.cli.explain.about import tell_about

        if only != EVERYTHING:
            fail("--node and --cause choose among pods that wait", f"leave them away with {subject[0]}/NAME")
            return NOTHING_USABLE
        if watch:
            fail(f"--watch follows pods, not {subject[0]}s", "leave --watch away")
            return NOTHING_USABLE
        spare = groups.snapshot if groups is not None else None
        return tell_about(
            subject, file, live, namespace=namespace, kubernetes=kubernetes, feature_gates=feature_gates, spare=spare,
            output=output, ways=ways,
        )  # fmt: skip
    ask = partial(
        answered,
        target=target,
        namespace=namespace,
        labels=labels,
        kubernetes=kubernetes,
        feature_gates=feature_gates,
        spare=groups.snapshot if groups is not None else None,
        wanted=wanted,
        manifest=manifest,
        only=only,
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
    told = misleading(reading)
    tell(told)
    answer = ask(reading, plan=plan_all)
    progress("")
    if isinstance(answer, Mistake):
        fail(answer.message, answer.hint)
        return NOTHING_USABLE
    tell([problem for problem in answer.reading.warnings if problem not in told])
    show_answer(answer, output, ways)
    return answer.status


def answered(
    reading: Reading,
    *,
    target: str,
    namespace: str | None,
    labels: dict[str, str],
    kubernetes: str | None,
    feature_gates: str,
    spare: Snapshot | None,
    wanted: Wishes = NO_WISHES,
    plan: bool = False,
    manifest: Manifest | None = None,
    only: Only = EVERYTHING,
) -> Answer | Mistake:
    """The stories of the asked pods (an empty target: of all pending ones) in this cluster; of a manifest, of its."""
    snapshot = reading.snapshot
    unmade = manifest is None and not snapshot.pods and bool(waiting(snapshot))
    if (nothing := unjudgeable(reading, brings_pods=manifest is not None or unmade)) is not None:
        return Mistake(*nothing)
    if unmade and (gap := no_pods(reading)) is not None:
        uncounted = replace(
            gap, message=f"{gap.message}, so that nothing counts as used: less may be free than is said"
        )
        reading = replace(reading, warnings=(*reading.warnings, uncounted))
    try:
        release = chosen_kubernetes(snapshot, kubernetes, reading.server)
        gates = changed_gates(feature_gates, release.kubernetes)
    except ValueError as error:
        return Mistake(*(error.args if len(error.args) > 1 else (str(error), "--kubernetes 1.36")))
    chosen = proven(snapshot, release.kubernetes).changed(gates)
    reading = replace(reading, warnings=(*reading.warnings, *release.warnings))
    made = None
    if manifest is not None:
        made, reading = in_place(reading, manifest)
        snapshot = made.snapshot
    pods = made.pods if made is not None else pods_meant(snapshot, target, namespace, labels)
    if isinstance(pods, Unknown):
        return Mistake(pods.message, pods.hint)
    progress(f"judging {number(len(pods), 'pod')} on {number(len(snapshot.nodes), 'node')} ...")
    scheduler = Scheduler.of(chosen)
    every = explain_pods(snapshot, pods, scheduler, spare, wanted)
    unapplied = None
    if made is not None and manifest is not None:
        every = [refused_by_server(one, made.refusals.get(one.pod.key)) for one in every]
        unapplied = Unapplied.of(file_name(manifest), manifest.objects, {one.key for one in made.pods})
    stories = filtered(snapshot, every, scheduler, only)
    if isinstance(stories, Mistake):
        return stories
    crowded = made is not None and (made.refused or any(one.forecast for one in every))
    planned = plan_for_all(snapshot, stories, scheduler, spare, wanted) if plan else None
    if unapplied is not None:
        stories = list(map(unapplied.told, stories))
        if planned is not None:
            edited = (replace(step, changes=unapplied.edits(step.changes)) for step in planned.steps)
            planned = replace(planned, steps=tuple(edited))
    return Answer(reading, tuple(stories), str(chosen), release.source, snapshot, crowded, planned)


def refused_by_server(story: Explanation, why: str | None) -> Explanation:
    """A pod that has room and is never made has no room."""
    if why is None or story.verdict != "placeable":
        return story
    where = f"There would be room for it on {story.feasible[0]}." if story.feasible else ""
    sentence = f"{why} {where}".strip()
    cause = Cause("not-created", sentence, (story.pod.name,))
    return replace(story, verdict="blocked", sentence=sentence, cause=cause, forecast="")


def show_answer(answer: Answer, output: Format, ways: int | None) -> None:
    """Write it to stdout; `ways`: how many ways out a table has of each pod."""
    if answer.plan is not None:
        from aliquot.cli.explain.plan import show_plan

        show_plan(answer, answer.plan, output)
        return
    reading, stories, chosen, source = answer.reading, answer.stories, answer.release, answer.source
    snapshot = answer.snapshot
    if output in ("text", "table", "wide"):
        of = f"{len(snapshot.pods)}{' that could be read' if reading.warnings else ''}"
        from aliquot.cli.explain.text import show

        if output == "wide":
            from aliquot.cli.explain.wide import show as show_all

            show_all(stories, release=chosen, source=source, ways=MANY if ways is None else ways)
        else:
            show(stories, release=chosen, source=source, ways=ways, of=of)
    elif output == "html":
        from aliquot.cli.explain.page.render import page

        emit(visible(page(snapshot, stories, release=chosen, source=source), lines=True), sys.stdout)
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
    write_stream({**head(answer.release, answer.source), **more, "warnings": warnings}, "pods", encoded(stories))


def encoded(stories: Sequence[Explanation]) -> Iterator[object]:
    """Stories for JSON; twins share their nodes, which are encoded once."""
    import msgspec

    known: dict[int, object] = {}
    for one in stories:
        told = known.get(id(one.groups))
        if told is None:
            told = known[id(one.groups)] = msgspec.Raw(msgspec.json.encode(nodes(one)))
        yield story(one, told)
