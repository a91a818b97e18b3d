"""`aliquot node check`: configurations of GPU sharing, read strictly, and what they'd do on a host."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from aliquot.cli.output import fail, write_json, write_yaml
from aliquot.cli.sharing.configs import HINT, NOTHING, ConfigReader, Written, classes_of
from aliquot.cli.sharing.notes import memory_notes, notes, numbered_notes
from aliquot.cli.sharing.words import config_json, kept_off, lines, of_the_host
from aliquot.cluster.documents import read_documents
from aliquot.cluster.problem import Problem
from aliquot.cluster.texts import texts
from aliquot.devices.findings import name_of
from aliquot.devices.gpu import Gpu
from aliquot.devices.survey import Survey
from aliquot.sharing.claim_configs.values import ClaimConfig, Mps, TimeSlicing, Unjudged
from aliquot.sharing.legal import client_limit, problems, strategy_of
from aliquot.sharing.plugin_config.offers import Offer, offers
from aliquot.sharing.plugin_config.values import PluginConfig
from aliquot.sharing.setup.in_the_way import before_instances, must_end
from aliquot.sharing.setup.steps import Target

FOUND, UNUSABLE = 1, 2

Output = Annotated[Literal["text", "json", "yaml"], Parameter(name=["--output", "-o"])]


def check(
    *files: Annotated[str, Parameter(allow_leading_hyphen=True)],
    host: Annotated[str | None, Parameter(name="--host")] = None,
    output: Output = "text",
) -> int:
    """What's wrong with configurations of GPU sharing, and what they ask for.

    Read are NVIDIA's device plugin's file (also in a ConfigMap), and the opaque configurations GpuConfig and
    MigDeviceConfig of resource.nvidia.com/v1beta1, by themselves or in a ResourceClaim, ResourceClaimTemplate or
    DeviceClass.

    Args:
        files: YAML or JSON, folders, or - for standard input.
        host: What they'd do there: nvml (this machine), sim:FILE, or preset:NAME.
        output: text, json or yaml.
    """
    if not files:
        fail("no file is given", "aliquot node check FILE; - is standard input")
        return UNUSABLE
    survey = None
    if host is not None:
        survey = _survey(host)
        if survey is None:
            return UNUSABLE
    written: list[tuple[str, Written]] = []
    wrong: list[Problem] = []
    unread: list[Problem] = []
    given = [each for path in files for each in texts(path, None, unread)]
    reader = ConfigReader(classes_of(given))
    for name, data in given:
        before, told = reader.configs, list[Problem]()
        for found in read_documents(name, data, reader):
            if isinstance(found, Written):
                written.append((name, found))
            else:
                told.append(found)
        if reader.configs > before:
            wrong += told
        else:
            unread += told or [Problem(name, NOTHING, hint=HINT)]
    there = [_on(each.config, survey) for _, each in written]
    if output == "text":
        for (name, each), host_says in zip(written, there, strict=True):
            for line in lines(name, each, host_says):
                print(line)
    else:
        rows = [{"file": name, "path": each.path, **config_json(each.config), **_noted(each.config, says),
                 **({"host": says} if says else {})}
                for (name, each), says in zip(written, there, strict=True)]  # fmt: skip
        faults = [_problem(each) for each in (*wrong, *unread)]
        (write_json if output == "json" else write_yaml)({"configs": rows, "problems": faults})
    for problem in (*wrong, *unread):
        place = str(Problem(problem.file, problem.message, problem.path, problem.document, problem.line))
        fail(place, problem.hint)
    if unread:
        return UNUSABLE
    return FOUND if wrong or any(says is not None and says["problems"] for says in there) else 0


def _survey(host: str) -> Survey | None:
    from aliquot.cli.host_input import host_of

    found = host_of(host)
    if found is None:
        return None
    try:
        return found.survey()
    finally:
        found.release()


def _problem(problem: Problem) -> dict[str, Any]:
    given = {"file": problem.file, "path": problem.path, "document": problem.document, "line": problem.line,
             "message": problem.message, "hint": problem.hint}  # fmt: skip
    return {name: value for name, value in given.items() if value not in (None, "")}


# --- what a host says ------------------------------------------------------------------------------------------------
def _on(config: ClaimConfig | PluginConfig | Unjudged, survey: Survey | None) -> dict[str, Any] | None:
    """What a configuration does on a host, and what's wrong with that; None: not known."""
    if survey is None or isinstance(config, Unjudged):
        return None
    wrong = [*of_the_host(survey)]
    if isinstance(config, PluginConfig):
        made, more = offers(config, survey)
        return {"name": survey.host, "offers": [_offer(each) for each in made], "problems": [*wrong, *more]}
    interval = config.sharing.interval if isinstance(config.sharing, TimeSlicing) else None
    options: dict[str, Any] = {} if interval is None else {"interval": interval}
    if isinstance(config.sharing, Mps):
        options["multi_user"] = config.sharing.multi_user
    way = strategy_of(config.sharing, on_mig=config.for_mig)
    rows = []
    for gpu in survey.gpus:
        against = [*problems(gpu, survey.driver, way, **options), *kept_off(gpu, survey)]
        row: dict[str, Any] = {"gpu": name_of(gpu), "problems": against}
        rows.append({**row, **({} if against else _where_possible(config, gpu, survey))})
    if all(row["problems"] for row in rows):
        wrong.append("no GPU here can be shared so" if survey.gpus else "there is no GPU here")
    told = tuple(numbered_notes(survey.gpus, config.sharing)) if isinstance(config.sharing, Mps) else ()
    return {"name": survey.host, "gpus": rows, **({"notes": list(told)} if told else {}), "problems": wrong}


def _where_possible(config: ClaimConfig, gpu: Gpu, survey: Survey) -> dict[str, Any]:
    """Of a GPU that nothing speaks against: what comes first, how many clients, and limits without effect."""
    found: dict[str, Any] = {}
    if first := [*_first(config, gpu)]:
        found["first"] = first
    if isinstance(mps := config.sharing, Mps) and not config.for_mig:
        if (most := client_limit(gpu, survey.driver)) is not None:
            found["mpsClients"] = most
        if told := [*memory_notes(gpu, mps)]:
            found["notes"] = told
    return found


def _first(config: ClaimConfig, gpu: Gpu) -> Iterator[str]:
    """What has to be done before the devices can be shared, as `node setup` has it."""
    if not config.for_mig:
        yield from must_end(gpu, Target(gpu.uuid), config.sharing)
        return
    if not gpu.mig_enabled:
        yield "MIG has to be switched on"
    elif not gpu.instances:
        yield "a MIG instance has to be made"
    yield from before_instances(gpu)


def _noted(config: ClaimConfig | PluginConfig | Unjudged, host: dict[str, Any] | None) -> dict[str, Any]:
    if isinstance(config, Unjudged):
        return {}
    told = notes(config, host=host is not None)
    return {"notes": list(told)} if told else {}


def _offer(each: Offer) -> dict[str, Any]:
    value: dict[str, Any] = {"resource": each.resource, "units": each.units, "devices": each.devices}
    value |= {"replicas": each.replicas, "memoryMiB": each.memory_mib, "memoryShared": each.memory_shared}
    return {**value, **({} if each.thread_percent is None else {"threadPercent": each.thread_percent})}
