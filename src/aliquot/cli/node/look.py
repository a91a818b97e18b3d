"""A look at a host: its survey, how its GPUs may be cut, and what couldn't be asked of it."""

from dataclasses import replace
from time import monotonic

from aliquot.devices.findings import name_of
from aliquot.devices.gpu import Gpu
from aliquot.devices.hosts.protocol import Host, HostFault, Refused, Why, slow_answer
from aliquot.devices.mig import Geometry, geometry_of
from aliquot.devices.survey import Survey, Trouble


def looked_at(host: Host) -> tuple[Survey, dict[str, Geometry]]:
    """A survey, and the geometries of its GPUs by UUID; what couldn't be asked of those is among its troubles."""
    survey = host.survey()
    geometries, troubles = _asked(host, survey)
    return replace(survey, troubles=(*survey.troubles, *troubles)), geometries


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
