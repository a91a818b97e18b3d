"""`aliquot node doctor`: is this machine fit for the agent?"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from aliquot.cli.host_input import HostOption, host_of
from aliquot.cli.output import fail, write_json, write_yaml
from aliquot.node.doctor.examine import examine
from aliquot.node.doctor.looking.look import look
from aliquot.node.doctor.value import Check, Status, worst

WRONG, UNUSABLE = 1, 2
_LABEL: Final = max(len(status) for status in Status)

Output = Annotated[Literal["text", "json", "yaml"], Parameter(name=["--output", "-o"])]


def doctor(
    *, host: HostOption = "nvml", kubelet_root: Path | None = None, root: Path = Path("/"), output: Output = "text"
) -> int:
    """Say whether this machine is fit for the agent: each check with what was found, why it matters, and the fix.

    Args:
        host: nvml (this machine), sim:FILE, preset:NAME, or sysfs:DIR.
        kubelet_root: the kubelet's folder, as this process sees it; without it, it's found out.
        root: the machine's file system, as this process sees it: /host where a container has it there.
        output: text, json or yaml.
    """
    for option, folder in (("--root", root), ("--kubelet-root", kubelet_root)):
        if folder is not None and not folder.is_dir():
            fail(f"{option}: there is no folder {folder}", "give it as this process sees it")
            return UNUSABLE
    devices = host_of(host)
    if devices is None:
        return UNUSABLE
    try:
        survey = devices.survey()
    finally:
        devices.release()
    found = look(root, kubelet_root)
    checks = examine(found, survey)
    if output == "text":
        _tell(checks)
    else:
        document = {
            "host": survey.host,
            "root": found.root,
            "kubeletRoot": found.kubelet.root,
            "status": str(worst(checks)),
            "checks": [_row(check) for check in checks],
        }
        (write_json if output == "json" else write_yaml)(document)
    return WRONG if worst(checks) in {Status.WARN, Status.FAIL} else 0


def _row(check: Check) -> dict[str, object]:
    return {
        "name": check.name,
        "status": str(check.status),
        "found": check.found,
        "why": check.why or None,
        "fix": list(check.fix),
    }


def _tell(checks: Sequence[Check]) -> None:
    from aliquot.cli.terminal import visible

    for check in checks:
        print(f"{check.status:<{_LABEL}}  {check.name}: {visible(check.found)}")
        indent = " " * (_LABEL + 2)
        if check.why:
            print(f"{indent}why: {visible(check.why)}")
        for number, line in enumerate(check.fix, start=1):
            label = "fix" if len(check.fix) == 1 else f"fix {number}"
            print(f"{indent}{label}: {visible(line)}")
    counted = Counter(check.status for check in checks)
    print(", ".join(f"{counted[status]} {status}" for status in reversed(Status) if counted[status]))
