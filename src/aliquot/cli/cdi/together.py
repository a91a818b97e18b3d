"""Findings of one kind as one, for people: on a machine without its driver nothing of a spec is there."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from aliquot.cdi.host_findings import REGENERATE, Finding, Missing

MANY = 3
"""From so many on they're told together."""
SHOWN = 3
_OR = f"; or {REGENERATE}"


def lines(findings: Sequence[Finding]) -> Iterator[str]:
    """The findings of one file; many things of a kind that aren't there stand where the first of them does."""
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in findings:
        if finding.missing is not None:
            groups.setdefault(_kind(finding, finding.missing), []).append(finding)
    for finding in findings:
        group = groups.get(_kind(finding, finding.missing), []) if finding.missing is not None else []
        if len(group) >= MANY and finding is not group[0]:
            continue
        many, problem = len(group) >= MANY, finding.problem
        yield f"{finding.severity}: {_line(group) if many else replace(problem, hint='')}"
        yield from (f"  fix: {fix}" for fix in (_fixes(group) if many else (problem.hint,)) if fix)


def _kind(finding: Finding, missing: Missing) -> tuple[str, str, str]:
    return finding.severity, missing.kind, missing.why


def _line(group: Sequence[Finding]) -> str:
    first = group[0]
    missing = [each.missing for each in group if each.missing is not None]
    paths = list(dict.fromkeys(each.path for each in missing))
    kind, why = missing[0].kind, missing[0].why
    names = ", ".join(paths[:SHOWN]) + (f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else "")
    if len(paths) == 1:
        what = f"the {kind} {names} isn't there, which {len(group)} places name"
    else:
        what = f"{len(paths)} {kind}s aren't there: {names}"
    end = f" ({why})" if why else ""
    if kind == "hook":
        end = ": no container with this spec will start"
    where = f"{first.problem.file}: " if first.problem.file else ""
    return f"{where}{what}{end}; the first is {first.problem.path}"


def _fixes(group: Sequence[Finding]) -> tuple[str, ...]:
    """Each way once; what all have in common comes last."""
    hints = list(dict.fromkeys(each.problem.hint for each in group if each.problem.hint))
    if len(hints) > 1 and all(hint.endswith(_OR) for hint in hints):
        return (*(hint.removesuffix(_OR) for hint in hints), f"or {REGENERATE}")
    return tuple(hints)
