"""`aliquot cdi validate|lower|diff`: verbs on spec files."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from aliquot.cdi.diff import diff as compare
from aliquot.cdi.documents.read import inspect
from aliquot.cdi.documents.write import to_json, to_yaml
from aliquot.cdi.lower import lower as lower_spec
from aliquot.cdi.problems import SpecError
from aliquot.cdi.versions import minimum_version
from aliquot.cli.cdi.output import NO, UNUSABLE, YES, OutputFormat, TextFormat, read_spec, read_text, tell
from aliquot.cli.output import fail, warn, write_json, write_yaml


def validate(
    *files: Annotated[Path, Parameter(allow_leading_hyphen=True)],
    strict: Annotated[bool, Parameter(name="--strict", negative=())] = False,
    output: Annotated[OutputFormat, Parameter(name=["--output", "-o"])] = "table",
) -> int:
    """Check spec files; every problem at once, with file, line, field and fix.

    Args:
        files: Files, or - for standard input.
        strict: Hold them to the specification's prose too: lengths, exact field names and types, absolute hook paths,
            positive timeouts, annotations. Without it: what the Go library, and so every container engine, accepts.
        output: table for people; json or yaml for programs.
    """
    if not files:
        fail("say which files", "aliquot cdi validate /etc/cdi/*.yaml")
        return UNUSABLE
    answers: list[dict[str, Any]] = []
    status = YES
    for file in files:
        try:
            text = read_text(file)
        except SpecError as error:
            problems, spec, status = error.problems, None, UNUSABLE
        else:
            reading = inspect(text, file=str(file), strength="strict" if strict else "faithful", older_fields=True)
            problems, spec = reading.problems, reading.spec
        if problems:
            status = max(status, NO)
        least = minimum_version(spec) if spec is not None and not problems else None
        if output == "table":
            tell(problems)
            if spec is not None and least is not None:
                noun = "device" if len(spec.devices) == 1 else "devices"
                print(
                    f"{file}: good; {spec.kind}, {len(spec.devices)} {noun}, cdiVersion {spec.version}, needs {least}"
                )
        else:
            found = [
                {
                    "category": problem.category,
                    "path": problem.path,
                    "line": problem.line,
                    "message": problem.message,
                    "hint": problem.hint or None,
                }
                for problem in problems
            ]
            answers.append({"file": str(file), "valid": not problems, "minimumVersion": least, "problems": found})
    if output == "json":
        write_json({"files": answers})
    elif output == "yaml":
        write_yaml({"files": answers})
    return status


def lower(
    file: Annotated[Path, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    to: str,
    strict: Annotated[bool, Parameter(name="--strict", negative=())] = False,
    output: Annotated[TextFormat, Parameter(name=["--output", "-o"])] = "yaml",
) -> int:
    """Rewrite a spec for container engines that only read an older version; what is lost is told.

    Args:
        file: A spec file, or - for standard input.
        to: The version to declare, such as 0.5.0.
        strict: Refuse if anything is lost.
        output: yaml or json.
    """
    try:
        lowered = lower_spec(read_spec(file), to)
    except SpecError as error:
        tell(error.problems)
        return UNUSABLE
    refused = lowered.spec is None or (strict and bool(lowered.losses))
    for loss in lowered.losses:
        if refused:
            fail(str(loss))
        else:
            warn(loss)
    if lowered.spec is None or refused:
        fail(f"{file} can't be lowered to {to}" + (" without loss" if lowered.spec is not None else ""))
        return NO
    print(to_json(lowered.spec) if output == "json" else to_yaml(lowered.spec), end="")
    return YES


def diff(
    old: Path,
    new: Path,
    /,
    *,
    output: Annotated[OutputFormat, Parameter(name=["--output", "-o"])] = "table",
) -> int:
    """What differs between two specs, by meaning.

    Args:
        old: A spec file.
        new: Another one.
        output: table for people; json or yaml for programs.
    """
    try:
        differences = compare(read_spec(old), read_spec(new))
    except SpecError as error:
        tell(error.problems)
        return UNUSABLE
    if output == "table":
        for difference in differences:
            print(difference)
    else:
        rows = [
            {
                "kind": difference.kind,
                "where": difference.where or None,
                "what": difference.what,
                "old": difference.old,
                "new": difference.new,
            }
            for difference in differences
        ]
        if output == "json":
            write_json({"changes": rows})
        else:
            write_yaml({"changes": rows})
    return NO if differences else YES
