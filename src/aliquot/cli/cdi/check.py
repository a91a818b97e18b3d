"""`aliquot cdi check`: specs held against this host."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from aliquot.cdi.host.local_host import LocalHost
from aliquot.cdi.host_check import check_host
from aliquot.cdi.host_findings import Finding
from aliquot.cdi.machine.runtimes import installed_version
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.runtime_config.readers import unreadable
from aliquot.cdi.runtime_config.releases import RUNTIMES, Runtime
from aliquot.cli.cdi.output import NO, UNUSABLE, YES, Dirs, OutputFormat, folders_of, read_spec, tell
from aliquot.cli.cdi.together import lines
from aliquot.cli.output import fail, write_json, write_yaml

if TYPE_CHECKING:
    from aliquot.cdi.spec import Spec


def check(
    *files: Path,
    dirs: Dirs = (),
    runtime: Runtime | None = None,
    version: str = "",
    output: Annotated[OutputFormat, Parameter(name=["--output", "-o"])] = "table",
) -> int:
    """Hold specs against this host; each finding comes with its fix.

    Args:
        files: Spec files; without any, all in the spec folders.
        runtime: The container runtime that shall read them; without it, those that are installed here.
        version: Its version, instead of what the program itself says. Only with --runtime.
        dirs: Spec folders from low to high priority, instead of /etc/cdi and /var/run/cdi. May be given several times.
        output: table for people; json or yaml for programs.
    """
    if version and runtime is None:
        fail("say which runtime it is", "--runtime containerd, crio, docker or podman")
        return UNUSABLE
    specs: list[tuple[str, Spec]] = []
    broken: list[Problem] = []
    if files:
        for file in files:
            try:
                specs.append((str(file), read_spec(file)))
            except SpecError as error:
                broken += error.problems
    else:
        registry = folders_of(dirs).registry()
        specs = [(file.path, file.spec) for file in registry.files if file.spec is not None and file.good]
        broken = [problem for problems in registry.errors.values() for problem in problems]
    names = RUNTIMES if runtime is None else (runtime,)
    readers = {name: number for name in names if (number := version or installed_version(name))}
    try:
        found = [(path, finding) for path, spec in specs for finding in _findings(path, spec, runtime, readers)]
    except SpecError as error:  # of the version
        tell(error.problems)
        return UNUSABLE
    findings = [(problem.file, Finding("error", problem)) for problem in broken] + found
    _tell(output, findings, [path for path, _ in specs])
    if not specs:
        return UNUSABLE
    return NO if any(finding.severity == "error" for _, finding in findings) else YES


def _findings(path: str, spec: "Spec", runtime: Runtime | None, readers: Mapping[Runtime, str]) -> Iterator[Finding]:
    """What a runtime can't read, an error for the one that was asked for; then what doesn't fit the host."""
    for name, number in readers.items():
        problem = unreadable(spec, path, name, number)
        if problem is not None:
            yield Finding("error" if runtime is not None else "warning", problem)
    ways = (runtime,) if runtime is not None else RUNTIMES
    yield from check_host(spec, LocalHost(), file=path, runtimes=ways)


def _tell(output: OutputFormat, findings: list[tuple[str, Finding]], checked: list[str]) -> None:
    if output != "table":
        rows: list[dict[str, Any]] = [
            {
                "file": path,
                "severity": finding.severity,
                "path": finding.problem.path or None,
                "line": finding.problem.line,
                "message": finding.problem.message,
                "fix": finding.problem.hint or None,
            }
            for path, finding in findings
        ]
        answer = {"checked": checked, "findings": rows}
        if output == "json":
            write_json(answer)
        else:
            write_yaml(answer)
        return
    told: dict[str, list[Finding]] = {}
    for path, finding in findings:
        told.setdefault(path, []).append(replace(finding, problem=replace(finding.problem, file=path)))
    for line in (line for each in told.values() for line in lines(each)):
        print(line)
    for path in checked:
        if path not in told:
            print(f"{path}: fits this host")
    if not checked and not findings:
        print("there's no spec to check")
