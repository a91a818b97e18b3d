"""`aliquot node setup`: what setting up devices for a claim would do, with the undo of each step; nothing is done."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from aliquot.cdi.documents.write import edits_data
from aliquot.cli.host_input import HostOption, host_of
from aliquot.cli.node.look import looked_at
from aliquot.cli.output import fail, write_json, write_yaml
from aliquot.cli.sharing.configs import HINT, NOTHING, ConfigReader, Written, classes_of
from aliquot.cli.sharing.words import kept_off, of_the_host
from aliquot.cluster.documents import read_documents
from aliquot.cluster.problem import Problem
from aliquot.cluster.texts import texts
from aliquot.devices.findings import name_of
from aliquot.devices.mig import Geometry
from aliquot.devices.survey import Survey, Trouble
from aliquot.kube.reading.shape import Fault
from aliquot.sharing.claim_configs.choose import Offered, WrongKind, config_for
from aliquot.sharing.claim_configs.values import ClaimConfig, Unjudged
from aliquot.sharing.setup.names import target_of
from aliquot.sharing.setup.plan import MPS_ROOT, CannotSetUp, Request, SetUp, plan
from aliquot.sharing.setup.steps import StartMps, Step, Target

UNUSABLE, REFUSED = 2, 3
NAMES = "gpu-0 (the N of /dev/nvidiaN), gpu-0-mig-1g5gb-19-0, gpu-0:1g.5gb@0, or a UUID"

Output = Annotated[Literal["text", "json", "yaml"], Parameter(name=["--output", "-o"])]


def setup(
    *devices: str,
    config: Annotated[Path | None, Parameter(name="--config", allow_leading_hyphen=True)] = None,
    request: str | None = None,
    name: str = "claim",
    clients: int | None = None,
    mps_root: str = MPS_ROOT,
    host: HostOption = "nvml",
    output: Output = "text",
) -> int:
    """What setting devices up for one claim would do: steps on the host with their undo, and edits of the container.

    Args:
        devices: Of the host: gpu-0, gpu-0-mig-1g5gb-19-0, gpu-0:1g.5gb@0 (0 is the N of /dev/nvidiaN), or a UUID.
        config: A file with a GpuConfig or a MigDeviceConfig, or claims and classes that hold some; left out: nothing is
            configured.
        request: The claim's request that the devices are for, where the file holds several configurations.
        name: Of the claim: what an MPS daemon and its folder would be called.
        clients: How many programs will use each device at the same time.
        mps_root: Where the folders of MPS daemons are.
        host: nvml (this machine), sim:FILE, or preset:NAME.
        output: text, json or yaml.
    """
    if not devices:
        fail("no device is given", NAMES)
        return UNUSABLE
    found = host_of(host)
    if found is None:
        return UNUSABLE
    try:
        survey, geometries = looked_at(found)
    finally:
        found.release()
    targets = _targets(devices, survey, geometries)
    offered = () if config is None else _offered(config, request)
    if targets is None or offered is None:
        return UNUSABLE
    wanted = config_for(request or "", offered, on_mig=targets[0].place is not None)
    if request is None and offered:
        wanted = offered[0].config
    if isinstance(wanted, WrongKind):
        answer: SetUp | CannotSetUp = CannotSetUp((Fault(wanted.path, wanted.message),))
    else:
        asked = Request(name=name, targets=targets, config=wanted, clients=clients)
        answer = plan(asked, survey, geometries=geometries, mps_root=mps_root)
    if off := tuple(_kept_off(targets, survey)):
        answer = CannotSetUp((*off, *(answer.faults if isinstance(answer, CannotSetUp) else ())))
    beside = (*of_the_host(survey), *_of_gpus(targets, survey))
    if output == "text":
        for line in (*_lines(answer), *(f"note  {words}" for words in beside)):
            print(line)
    else:
        (write_json if output == "json" else write_yaml)(_plain(answer, beside))
    return 0 if isinstance(answer, SetUp) else REFUSED


def _kept_off(targets: tuple[Target, ...], survey: Survey) -> Iterator[Fault]:
    """That claims aren't given a device, by its taints: an agent would never be asked to set it up."""
    for uuid in dict.fromkeys(target.gpu for target in targets):
        gpu = survey.gpu(uuid)
        for message in kept_off(gpu, survey) if gpu is not None else ():
            yield Fault("", f"{uuid}: {message}", "put the GPU right first, or take another device")


def _of_gpus(targets: tuple[Target, ...], survey: Survey) -> tuple[str, ...]:
    """What couldn't be asked of the GPUs that are to be set up."""
    names = {survey.where(target.gpu) for target in targets}
    return tuple(f"{each}{f' ({each.hint})' if each.hint else ''}" for each in survey.troubles if each.gpu in names)


def _targets(names: tuple[str, ...], survey: Survey, geometries: dict[str, Geometry]) -> tuple[Target, ...] | None:
    """The devices of names; None after saying which aren't there."""
    found = [target_of(name, survey, geometries) for name in names]
    unknown = [name for name, target in zip(names, found, strict=True) if target is None]
    for trouble in _why_unknown(unknown, survey):  # the cause comes first
        fail(str(trouble), trouble.hint)
    for name in unknown:
        fail(f"{survey.host} has no device {name!r}", NAMES)
    if None in found and not survey.gpus:
        fail("no GPU was found to set up", "a simulated one: --host preset:mixed (`aliquot node presets`), or sim:FILE")
    known = tuple(target for target in found if target is not None)
    return known if len(known) == len(found) else None


def _why_unknown(names: list[str], survey: Survey) -> Iterator[Trouble]:
    """What may be why a name means nothing: the host's troubles, those of a GPU that it begins with, and lost GPUs."""
    called = {name_of(gpu): f"gpu-{gpu.minor}" for gpu in survey.gpus}
    for each in survey.troubles if names else ():
        gpu = called.get(each.gpu or "")
        if gpu is None or any(name == gpu or name.startswith((f"{gpu}-", f"{gpu}:")) for name in names):
            yield each
    yield from (each.trouble for each in survey.unreadable if names)


def _offered(path: Path, request: str | None) -> tuple[Offered, ...] | None:
    """The configurations of a file, one where no request is named; None after saying what's wrong with it."""
    wrong: list[Problem] = []
    read: list[Offered] = []
    given = list(texts(str(path), None, wrong))
    reader = ConfigReader(classes_of(given))
    for name, data in given:
        for found in read_documents(name, data, reader):
            if isinstance(found, Problem):
                wrong.append(found)
            elif isinstance(found, Written) and isinstance(found.config, Unjudged):
                if request is None or {request, request.partition("/")[0]} & {*found.requests}:
                    message = f"{found.config.kind} can't be set up here: {found.config.why}"
                    wrong.append(Problem(name, message, found.path))
            elif isinstance(found, Written) and isinstance(found.config, ClaimConfig):
                read.append(Offered(found.config, found.from_class, found.requests, found.path))
    for problem in wrong:
        fail(str(Problem(problem.file, problem.message, problem.path, problem.document, problem.line)), problem.hint)
    if wrong:
        return None
    if not read:
        fail(f"{path}: {NOTHING}", HINT)
        return None
    if request is not None and reader.requests and request not in reader.requests:
        fail(f"{path}: no claim in it has a request {request!r}", f"there are {', '.join(sorted(reader.requests))}")
        return None
    if request is None and len(read) > 1:
        fail(f"{path}: there are {len(read)} configurations in it", "say which request the devices are for: --request")
        return None
    return tuple(read)


def _lines(answer: SetUp | CannotSetUp) -> Iterator[str]:
    if isinstance(answer, CannotSetUp):
        yield "it can't be set up:"
        for fault in answer.faults:
            path = f"{fault.path}: " if fault.path else ""
            yield f"  {path}{fault.message}{f' ({fault.hint})' if fault.hint else ''}"
        return
    for number, step in enumerate(answer.steps, 1):
        yield f"step {number}  {step}"
        yield from (f"  each client  at most {limit}" for limit in _limits(step))
        yield f"  undo  {step.undo}"
    if not answer.steps:
        yield "nothing has to be set up"
    for entry in answer.edits.env:
        yield f"container  env {entry}"
    for mount in answer.edits.mounts:
        yield f"container  mount {mount.host_path} at {mount.container_path}"
    for note in answer.notes:
        yield f"note  {note}"


def _limits(step: Step) -> tuple[str, ...]:
    return step.daemon.limits if isinstance(step, StartMps) else ()


def _plain(answer: SetUp | CannotSetUp, beside: tuple[str, ...]) -> dict[str, Any]:
    if isinstance(answer, CannotSetUp):
        given = [{"path": each.path, "message": each.message, "hint": each.hint} for each in answer.faults]
        why = [{key: text for key, text in each.items() if text} for each in given]
        return {"possible": False, "why": why, "notes": list(beside)}
    steps = [{"step": str(step), **({"eachClientAtMost": list(limits)} if (limits := _limits(step)) else {}),
              "undo": str(step.undo)} for step in answer.steps]  # fmt: skip
    return {
        "possible": True,
        "steps": steps,
        "containerEdits": edits_data(answer.edits),
        "notes": [*answer.notes, *beside],
    }
