"""`aliquot explain --plan-all`: one plan for all that wait, for a person or a program."""

from collections.abc import Mapping, Sequence

from aliquot.advisor.causes.cause import listed, number
from aliquot.advisor.plan_all.document import document
from aliquot.advisor.plan_all.value import Plan, Step
from aliquot.cli.cluster_input import as_json
from aliquot.cli.explain.answer import Answer
from aliquot.cli.explain.lines import Words, console, indented, shell, unbroken, undo_lines, written
from aliquot.cli.output import write_json, write_yaml
from aliquot.cli.terminal import page

NAMES = 6


def show_plan(answer: Answer, plan: Plan, output: str) -> None:
    """Write it to stdout."""
    if output in ("json", "yaml"):
        warnings = list(map(as_json, answer.reading.warnings))
        told = document(plan, kubernetes=answer.release, source=answer.source, warnings=warnings)
        (write_json if output == "json" else write_yaml)(told)
        return
    out = console()
    out.print(Words(headline(plan), style="bold"))
    if plan.roomy:
        indented(out, f"Without any change there's room for {listed(plan.roomy, NAMES)}.", 2)
    for nth, step in enumerate(plan.steps, 1):
        out.print()
        indented(out, Words.assemble((f"{nth}. {step.title}", "bold"), (f"  [{step.kind}]", "dim")), 0)
        indented(out, f"places {_pods(step.places, plan.nodes)}", 3)
        indented(out, facts(step), 3, "dim")
        for change in step.changes:
            for line in shell(change.command):
                unbroken(out, f"   {line}", "green")
        for line in undo_lines(step.changes):
            unbroken(out, f"   {line}", "dim")
    if plan.left:
        out.print()
        out.print(Words("Still waiting then:", style="bold cyan"))
        reasons: dict[str, list[str]] = {}
        for left in plan.left:
            reasons.setdefault(left.why.replace(left.pod, "the pod"), []).append(left.pod)
        for why, pods in reasons.items():
            indented(out, f"{listed(pods, NAMES)}: {why}", 2)
    out.print(Words(f"kube-scheduler {answer.release} ({answer.source}).", style="dim"))
    page(written(out))


def headline(plan: Plan) -> str:
    """`1 step places 5 of the 5 pods that wait.`."""
    waiting = len(plan.pods) - len(plan.roomy)
    if not plan.pods:
        return "No pod waits."
    if not waiting:
        return f"There's room for all {number(len(plan.pods), 'pod')} that wait: nothing needs to be changed."
    if not plan.steps:
        return f"No way out that was tried places any of the {number(waiting, 'pod')} without room."
    count = sum(len(step.places) for step in plan.steps)
    verb = "places" if len(plan.steps) == 1 else "place"
    return f"{number(len(plan.steps), 'step')} {verb} {count} of the {number(waiting, 'pod')} without room."


def facts(step: Step) -> str:
    """Risk, money, and who ends."""
    cost = f"; cost: {step.cost.text}" if step.cost.usd_per_hour != 0 else ""
    ends = (
        f"; {listed(step.stopped, 3)} no longer {'runs' if len(step.stopped) == 1 else 'run'}" if step.stopped else ""
    )
    return f"risk {step.risk.level}: {step.risk.text}{ends}{cost}"


def _pods(pods: Sequence[str], nodes: Mapping[str, str]) -> str:
    """`2 pods: ml/a on n1, ml/b on n2`."""
    told = [f"{pod} on {nodes[pod]}" if pod in nodes else pod for pod in pods]
    return f"{number(len(pods), 'pod')}: {listed(told, NAMES)}"
