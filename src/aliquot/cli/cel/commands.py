"""`aliquot cel`: expressions for DeviceClasses and claims, checked and tried on devices."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from aliquot.cli.help import epilogue
from aliquot.cli.output import fail, point, say_hint, warn, write_json, write_yaml
from aliquot.cli.terminal import Colour, use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aliquot.cel import CompileError, Environment, EvaluationError, Problem, Program
    from aliquot.cli.cel.devices import Device

UNUSABLE = 2
NO_MATCH = 1
FAILED = 3

Format = Literal["table", "json", "yaml"]

EXAMPLES = epilogue(
    """aliquot cel check 'device.driver == "gpu.nvidia.com"'""",
    """aliquot cel eval 'device.driver == "gpu.nvidia.com"' --device slices.yaml""",
    """kubectl get resourceslices -o yaml |
  aliquot cel eval 'device.driver == "gpu.nvidia.com"' --device -""",
)
CHECK_EXAMPLES = epilogue(
    """aliquot cel check 'device.attributes["gpu.nvidia.com"].type == "gpu"'""",
    """aliquot cel check 'device.allowMultipleAllocations' --new -o json""",
    status="0  the expression is valid\n"
    "2  it isn't; with --new also where the API server refuses it for its length\n"
    "   or its estimated cost",
)
EVAL_EXAMPLES = epilogue(
    """aliquot cel eval 'device.driver == "gpu.nvidia.com"' --device slices.yaml""",
    """aliquot cel eval 'device.driver.startsWith("gpu.")' --device all.yaml -o json""",
    status="0  at least one device matches, and the expression has an answer for each\n"
    "1  no device matches\n"
    "2  the expression isn't valid, or a device can't be read\n"
    "3  the expression fails on a device: kube-scheduler would give up on the pod",
)

app = App(
    name="cel",
    help="CEL expressions that select devices: checked and evaluated as Kubernetes does.",
    help_epilogue=EXAMPLES,
    help_format="plaintext",
)


@app.command(help_epilogue=CHECK_EXAMPLES)
def check(
    expression: str,
    /,
    *,
    kubernetes: str = "1.36",
    new: Annotated[bool, Parameter(name="--new", negative=())] = False,
    list_attributes: Annotated[bool, Parameter(name="--list-attributes", negative=())] = False,
    consumable_capacity: Annotated[bool, Parameter(name="--consumable-capacity", negative=())] = False,
    output: Annotated[Format, Parameter(name=["--output", "-o"])] = "table",
    color: Colour = "auto",
) -> int:
    """Whether an expression is valid: its type and its cost, or everything that's wrong with it.

    Args:
        expression: The CEL expression.
        kubernetes: The version whose rules count; 1.34 and 1.35 follow their tables of gates, and weren't compared.
        new: As the API server validates new objects; else as the scheduler compiles stored ones.
        list_attributes: With the gate DRAListTypeAttributes.
        consumable_capacity: With the gate DRAConsumableCapacity; it matters for new objects only.
        output: table, json or yaml.
        color: Of error messages; auto: on a terminal, as NO_COLOR, CLICOLOR_FORCE and TERM have it.
    """
    use(color)
    environment = _environment(kubernetes, new, list_attributes, consumable_capacity)
    if environment is None:
        return UNUSABLE
    from aliquot.cel import CompileError, compile  # noqa: A004  re.compile's name, too
    from aliquot.cli.cel.admission import refusals
    from aliquot.cli.cel.misplaced import compared_as_quantities

    program = compile(expression, environment)
    refused = refusals(program) if new and not isinstance(program, CompileError) else ()
    notes = compared_as_quantities(expression)
    if output != "table":
        _write(output, _program_json(program, environment, refused, notes))
    elif isinstance(program, CompileError) or refused:
        _show(program if isinstance(program, CompileError) else CompileError(program.expression, refused))
        for note in notes:
            warn(note)
    else:
        for line in _summary(program, environment, notes):
            print(line)
    return UNUSABLE if isinstance(program, CompileError) or refused else 0


@app.command(name="eval", help_epilogue=EVAL_EXAMPLES)
def evaluate(
    expression: str,
    /,
    *,
    device: Annotated[tuple[Path, ...], Parameter(name="--device", negative=(), allow_leading_hyphen=True)] = (),
    kubernetes: str = "1.36",
    list_attributes: Annotated[bool, Parameter(name="--list-attributes", negative=())] = False,
    consumable_capacity: Annotated[bool, Parameter(name="--consumable-capacity", negative=())] = False,
    output: Annotated[Format, Parameter(name=["--output", "-o"])] = "table",
    color: Colour = "auto",
) -> int:
    """What an expression says of each device, and what that costs.

    Args:
        expression: The CEL expression.
        device: A device (driver, attributes, capacity), a ResourceSlice, or a List of them; YAML or JSON; - for stdin.
        kubernetes: The version whose rules count; 1.34 and 1.35 follow their tables of gates, and weren't compared.
        list_attributes: With the gate DRAListTypeAttributes.
        consumable_capacity: With the gate DRAConsumableCapacity.
        output: table, json or yaml.
        color: Of error messages; auto: on a terminal, as NO_COLOR, CLICOLOR_FORCE and TERM have it.
    """
    use(color)
    from aliquot.cel import CompileError, compile, prepare  # noqa: A004  re.compile's name, too

    environment = _environment(kubernetes, new=False, lists=list_attributes, shares=consumable_capacity)
    devices = _devices(device)
    if environment is None or devices is None:
        return UNUSABLE
    program = compile(expression, environment)
    if isinstance(program, CompileError):
        if output == "table":
            _show(program)
        else:
            _write(output, _program_json(program, environment))
        return UNUSABLE
    from aliquot.cli.cel.misplaced import misplaced

    answers = [(each, *program.trace(prepare(each))) for each in devices]
    notes = misplaced(program, devices)
    if output == "table":
        for line in _summary(program, environment):
            print(line)
        _table(answers)
        for note in notes:
            warn(note)
    else:
        rows = [_answer_json(each, answer, cost) for each, answer, cost in answers]
        _write(output, {**_program_json(program, environment, notes=notes), "devices": rows})
    if any(not isinstance(answer, bool) for _, answer, _ in answers):
        return FAILED
    return 0 if any(answer is True for _, answer, _ in answers) else NO_MATCH


def _environment(kubernetes: str, new: bool, lists: bool, shares: bool) -> "Environment | None":
    from aliquot.cel import environment

    try:
        return environment(
            kubernetes, consumable_capacity=shares, list_attributes=lists, mode="new" if new else "stored"
        )
    except ValueError as error:
        fail(str(error), "--kubernetes 1.36")
        return None


def _devices(paths: tuple[Path, ...]) -> "list[Device] | None":
    from aliquot.cli.cel.devices import read_devices

    if not paths:
        fail("there is no device to evaluate the expression on", "--device FILE, with a device or ResourceSlices")
        return None
    devices: list[Device] = []
    broken = False
    for path in paths:
        found, faults = read_devices(path)
        devices += found
        for fault in faults:
            broken = True
            fail(f"{fault.where}: {fault.message}", fault.hint)
    return None if broken else devices


# --- for people --------------------------------------------------------------------------------------------------
def _summary(program: "Program", environment: "Environment", notes: "Sequence[str]" = ()) -> list[str]:
    from aliquot.cli.cel.admission import COST_LIMIT, refusals

    cost = program.max_cost
    lines = [
        f"valid   {program.output_type}",
        f"cost    at most {cost:,} by the API server's estimate (limit {COST_LIMIT:,})",
    ]
    # the scheduler evaluates stored ones all the same
    head = "note    the API server would refuse it in a new object:"
    lines += [f"{head} {problem.message} ({problem.hint})" for problem in refusals(program)]
    if not environment.verified:
        lines.append(f"note    the rules of Kubernetes {environment.kubernetes} are not verified against its code")
    return [*lines, *(f"note    {note}" for note in notes)]


def _show(error: "CompileError") -> None:
    """Every problem with its line of the expression and a caret."""
    for problem in error.problems:
        fail(f"{problem}" if problem.line else problem.message)
        if problem.line:
            point(error.source_line(problem), problem.column)
        if problem.hint:
            say_hint(problem.hint)


def _table(answers: "list[tuple[Device, bool | EvaluationError, int | None]]") -> None:
    width = max(len(f"{device.driver}/{device.name}") for device, _, _ in answers)
    print(f"\n{'DEVICE'.ljust(width)}  VALUE  COST")
    for device, answer, cost in answers:
        value = ("true" if answer else "false") if isinstance(answer, bool) else "error"
        print(f"{f'{device.driver}/{device.name}'.ljust(width)}  {value:5}  {'-' if cost is None else cost}")
    for device, answer, _ in answers:
        if not isinstance(answer, bool):
            meant = _meant(device, answer.message)
            warn(f"{device.driver}/{device.name}: {answer.message}{f'; did you mean {meant}?' if meant else ''}")


def _meant(device: "Device", message: str) -> str:
    """The attribute or capacity that was probably meant by a missing one."""
    from aliquot.cel.checking.hints import nearest

    if not message.startswith("no such key: "):
        return ""
    missing = message.removeprefix("no such key: ")
    names = [name.rpartition("/")[2] for name in (*device.attributes, *device.capacity)]
    return nearest(missing, [name for name in names if name != missing])


# --- for programs ------------------------------------------------------------------------------------------------
def _write(output: Format, value: dict[str, object]) -> None:
    (write_json if output == "json" else write_yaml)(value)


def _program_json(
    program: "Program | CompileError",
    environment: "Environment",
    refused: "Sequence[Problem]" = (),
    notes: "Sequence[str]" = (),
) -> dict[str, object]:
    from aliquot.cel import CompileError

    head: dict[str, object] = {
        "expression": program.expression,
        "kubernetes": environment.kubernetes,
        "verified": environment.verified,
    }
    tail: dict[str, object] = {"notes": list(notes)} if notes else {}
    problems = [
        {"line": each.line, "column": each.column, "message": each.message, "hint": each.hint}
        for each in (program.problems if isinstance(program, CompileError) else refused)
    ]
    if not isinstance(program, CompileError):
        tail = {"type": program.output_type, "maxCost": program.max_cost, **tail}
    return {**head, "valid": not problems, **({"problems": problems} if problems else {}), **tail}


def _answer_json(device: "Device", answer: "bool | EvaluationError", cost: int | None) -> dict[str, object]:
    row: dict[str, object] = {"driver": device.driver, "device": device.name}
    if isinstance(answer, bool):
        return {**row, "value": answer, "cost": cost}
    return {**row, "error": answer.message, "cost": cost}
