"""`aliquot node inspect`: what a node has and what is wrong with it; `aliquot node presets`: hosts to start from."""

from dataclasses import replace
from time import monotonic
from typing import Annotated, Literal

from cyclopts import Parameter

from aliquot.cli.host_input import HostOption, host_of
from aliquot.cli.output import fail, warn, write_json, write_yaml
from aliquot.devices.findings import findings, name_of
from aliquot.devices.gpu import Gpu
from aliquot.devices.hosts.protocol import Host, HostFault, Refused, Why, slow_answer
from aliquot.devices.hosts.simulated.presets import preset_names, preset_summary, preset_text
from aliquot.devices.mig import Geometry, geometry_of
from aliquot.devices.survey import Survey, Trouble

WRONG, UNUSABLE = 1, 2

Output = Annotated[Literal["text", "json", "yaml"], Parameter(name=["--output", "-o"])]


def inspect(*, host: HostOption = "nvml", output: Output = "text") -> int:
    """What this node has: driver, GPUs, links, MIG layout, what runs on them, and what is wrong.

    Args:
        host: nvml (this machine), sim:FILE, preset:NAME, or sysfs:DIR.
        output: text, json or yaml.
    """
    found = host_of(host)
    if found is None:
        return UNUSABLE
    try:
        survey, geometries = looked_at(found)
    finally:
        found.release()
    wrong = findings(survey)
    if output == "text":
        from aliquot.cli.node_text import lines

        for line in lines(survey, geometries, wrong):
            print(line)
    else:
        from aliquot.cli.node_json import survey_json

        (write_json if output == "json" else write_yaml)(survey_json(survey, geometries, wrong))
    return WRONG if wrong else 0


def looked_at(host: Host) -> tuple[Survey, dict[str, Geometry]]:
    """A survey, and the geometries of its GPUs by UUID; what couldn't be asked of those is among its troubles."""
    survey = host.survey()
    geometries, troubles = _asked(host, survey)
    return replace(survey, troubles=(*survey.troubles, *troubles)), geometries


def geometries_of(host: Host, survey: Survey) -> dict[str, Geometry]:
    """How each GPU that has MIG may be cut, by UUID; warns of what couldn't be asked."""
    geometries, troubles = _asked(host, survey)
    for each in troubles:
        warn(f"{each} ({each.hint})" if each.hint else each)
    return geometries


def _asked(host: Host, survey: Survey) -> tuple[dict[str, Geometry], list[Trouble]]:
    found: dict[str, Geometry] = {}
    troubles: list[Trouble] = []
    for gpu in survey.gpus:
        if gpu.mig is None:
            continue
        start = monotonic()
        table = geometry_of(gpu.model) if gpu.model is not None else None
        table = table if table is not None and table.known else None
        told, failed = _ask(host, gpu, table)
        known = told or table
        if known is not None:
            found[gpu.uuid] = known
        if failed is not None:
            troubles.append(failed)
        elif slow := slow_answer(monotonic() - start):
            troubles.append(Trouble(message=f"asked for its MIG profiles, {slow[0]}", gpu=name_of(gpu)))
    return found, troubles


def _ask(host: Host, gpu: Gpu, table: Geometry | None) -> tuple[Geometry | None, Trouble | None]:
    """What the host says, and what kept it from saying it all; that drivers tell nothing with MIG off is no trouble."""
    rest = f"this program's table of {table.key} stands in" if table else "what it can hold is unknown"
    try:
        answer = host.geometry(gpu.uuid)
    except HostFault as fault:
        message = f"its MIG profiles couldn't be asked for: {fault.message}; {rest}"
        return None, Trouble(message=message, hint=fault.hint, gpu=name_of(gpu))
    if isinstance(answer, Refused):
        if answer.why is Why.MIG_OFF and not gpu.mig_enabled:
            return None, None
        message = f"its MIG profiles couldn't be asked for: {answer.why}, {answer.message}; {rest}"
        hint = "run as root" if answer.why is Why.NO_PERMISSION else ""
        return None, Trouble(message=message, hint=hint, gpu=name_of(gpu))
    if answer.placement_certainty == "node":
        return answer, None
    if not gpu.mig_enabled:
        return None, None
    message = "where its MIG instances lie is told to root only: its layout and what still fits are unknown"
    return None, Trouble(message=message, hint="run as root", gpu=name_of(gpu))


def presets(name: str | None = None, /) -> int:
    """The simulated hosts that come with aliquot; with a name, its file to start from.

    Args:
        name: Of the preset to print.
    """
    if name is None:
        width = max(map(len, preset_names()))
        for each in preset_names():
            print(f"{each.ljust(width)}  {preset_summary(each)}")
        return 0
    text = preset_text(name)
    if text is None:
        fail(f"there is no preset {name!r}", f"there are {', '.join(preset_names())}")
        return UNUSABLE
    print(text, end="")
    return 0
