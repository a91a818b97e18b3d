"""What is done with the input of each case file of ``cases/cdi``."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aliquot.cdi.annotations import annotate, annotation_key, requested_devices
from aliquot.cdi.check import check_device, check_edits, check_version
from aliquot.cdi.documents.decode import decode_device, decode_edits, decode_spec
from aliquot.cdi.documents.decoder import Decoder
from aliquot.cdi.documents.read import inspect
from aliquot.cdi.documents.write import edits_data, to_data
from aliquot.cdi.host_nodes import GivenNodes, HostNode
from aliquot.cdi.injection.inject import apply_edits, inject
from aliquot.cdi.injection.requests import take_requests
from aliquot.cdi.lower import lower
from aliquot.cdi.machine.files import write_spec
from aliquot.cdi.machine.folders import Folders
from aliquot.cdi.problems import Category, Problem, SpecError
from aliquot.cdi.qualified_names import QualifiedName, parse_device, parse_qualified, spec_file_name, split_kind
from aliquot.cdi.registry import Registry
from aliquot.cdi.spec import NO_EDITS, ContainerEdits
from aliquot.cdi.versions import minimum_version
from conformance.cdi_generate import generated

Input = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What an operation has to say."""

    ok: bool
    result: dict[str, Any] = field(default_factory=dict)
    category: Category | None = None


def _said(problems: tuple[Problem, ...], result: dict[str, Any]) -> Answer:
    error = "\n".join(str(problem) for problem in problems) or None
    return Answer(not problems, {"error": error, **result}, problems[0].category if problems else None)


# --- names and annotations -------------------------------------------------------------------------------------------
def qualified_name(given: Input) -> Answer:
    """A device reference, taken apart three ways."""
    text = given["device"]
    problems: tuple[Problem, ...] = ()
    try:
        strict = parse_qualified(text)
    except SpecError as error:
        strict, problems = QualifiedName("", "", text), error.problems
    vendor, class_ = split_kind(text)
    result = {
        "qualified": not problems,
        "parsed": _parts(parse_device(text)),
        "parseQualified": _parts(strict),
        "qualifier": {"vendor": vendor, "class": class_ or text},
    }
    return _said(problems, result)


def _parts(name: QualifiedName) -> dict[str, str]:
    return {"vendor": name.vendor, "class": name.class_, "name": name.name}


def key(given: Input) -> Answer:
    """The key of a container annotation."""
    return Answer(ok=True, result={"key": annotation_key(given["plugin"], given["deviceID"])})


def parse_annotations(given: Input) -> Answer:
    """The devices that annotations ask for."""
    return Answer(ok=True, result={"devicesSorted": sorted(requested_devices(given["annotations"] or {}))})


def update_annotations(given: Input) -> Answer:
    """Annotations with several requests added."""
    annotations = dict(given["existing"] or {})
    for request in given["injections"]:
        annotations = annotate(annotations, request["plugin"], request["deviceID"], request["devices"])
    devices = sorted(requested_devices(annotations))
    return Answer(ok=True, result={"annotations": annotations, "parsedDevicesSorted": devices})


# --- single specs ----------------------------------------------------------------------------------------------------
def load(given: Input) -> Answer:
    """Read and check a text."""
    text = given.get("data", given.get("yaml", given.get("json")))
    reading = inspect(text, file=given.get("fileName", "spec.yaml"))
    spec = reading.spec
    if spec is None or reading.problems:
        stage = (
            "parse" if reading.problems[0].category == "syntax" and not _no_devices(reading.problems) else "validate"
        )
        return _said(reading.problems, {"valid": False, "stage": stage})
    result = {
        "valid": True,
        "stage": None,
        "minimumVersion": minimum_version(spec),
        "vendor": spec.vendor,
        "class": spec.class_,
        "spec": to_data(spec),
    }
    return _said((), result)


def _no_devices(problems: tuple[Problem, ...]) -> bool:
    return problems[0].path == "devices"


def schema(given: Input) -> Answer:
    """Whether a text is a spec, and whether it can at least be read."""
    loaded = load(given)
    readable = loaded.ok or loaded.result["stage"] == "validate"
    return Answer(
        loaded.ok,
        {"schemaValid": loaded.ok, "loadable": readable, "loadError": loaded.result["error"]},
        loaded.category,
    )


def written(given: Input) -> Answer:
    """Write a text's spec to a file, read it back, and try to write it a second time."""
    reading = inspect(given["yaml"], file=given["fileName"])
    result: dict[str, Any] = {"roundTrip": False, "secondWriteWithoutOverwriteFails": False, "writtenText": None}
    if reading.problems or reading.spec is None:
        return _said(reading.problems, {"valid": False, **result})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(write_spec(folder, given["fileName"], reading.spec))
        text = path.read_text()
        result |= {"writtenText": text, "roundTrip": inspect(text).spec == reading.spec}
        try:
            write_spec(folder, given["fileName"], reading.spec, overwrite=False)
        except SpecError:
            result["secondWriteWithoutOverwriteFails"] = True
    return _said((), {"valid": True, **result})


def version(given: Input) -> Answer:
    """Whether the declared version is enough."""
    return _said(check_version(decode_spec(given["spec"], Decoder())), {})


def least_version(given: Input) -> Answer:
    """The version that a spec needs."""
    return Answer(ok=True, result={"minimumVersion": minimum_version(decode_spec(given["spec"], Decoder()))})


def device(given: Input) -> Answer:
    """Check one device."""
    decoder = Decoder()
    problems = check_device(decode_device(given["device"], decoder))
    return _said((*decoder.problems, *problems), {"valid": not problems})


def edits_check(given: Input) -> Answer:
    """Check one block of edits."""
    decoder = Decoder()
    problems = (*check_edits(_edits(given["edits"], decoder)), *decoder.problems)
    return _said(problems, {"valid": not problems})


def _edits(data: Any, decoder: Decoder | None = None) -> ContainerEdits:
    return NO_EDITS if data is None else decode_edits(data, decoder or Decoder())


def edits_append(given: Input) -> Answer:
    """Merge blocks of edits."""
    merged = _edits(given["dst"])
    for source in given["src"]:
        merged += _edits(source)
    return Answer(ok=True, result={"result": edits_data(merged) if merged else None})


# --- injection -------------------------------------------------------------------------------------------------------
def edits_apply(given: Input) -> Answer:
    """Apply a block of edits to an OCI spec."""
    return Answer(ok=True, result={"oci": apply_edits(given["oci"], _edits(given["edits"]), _host(given)).oci})


def _host(given: Input) -> GivenNodes:
    nodes = {"/dev/null": HostNode("c", 1, 3, 0o666)}
    others: set[str] = set()
    for path, node in (given.get("host") or {}).items():
        if node["type"] in {"b", "c", "p"}:
            nodes[path] = HostNode(node["type"], node.get("major", 0), node.get("minor", 0), node.get("mode", 0o666))
        else:
            others.add(path)
    return GivenNodes(nodes, frozenset(others))


def injection(given: Input) -> Answer:
    """Give devices to a container, from spec files."""
    with spec_files(given) as (folders, root):
        registry = folders.registry()
    result = _view(registry, root) | {"oci": None, "unresolved": None, "warnings": []}
    try:
        done = inject(given["oci"] or {}, given["devices"] or [], registry, _host(given))
    except SpecError as error:
        if error.category == "unresolvable":
            result["unresolved"] = [name for name in given["devices"] if name not in registry.devices]
        answer = _said(error.problems, result)
        return Answer(answer.ok, _relative(answer.result, root), answer.category)
    result |= {
        "oci": done.oci,
        "unresolved": [],
        "warnings": [str(warning) for warning in done.warnings],
        "error": None,
    }
    return Answer(ok=True, result=_relative(result, root))


def injection_from_annotations(given: Input) -> Answer:
    """Give a container the devices that its annotations ask for."""
    return injection({**given, "devices": requested_devices(given["annotations"] or {})})


def collect(given: Input) -> Answer:
    """Take device references out of an OCI spec's device nodes."""
    requested, oci = take_requests({"linux": {"devices": given["devices"]}})
    return Answer(ok=True, result={"requested": list(requested), "remaining": oci["linux"]["devices"]})


def issue(given: Input) -> Answer:
    """A file to load (and to lower for old container engines), or devices to inject."""
    if "data" not in given:
        return injection(given)
    loaded = load(given)
    if loaded.ok:
        lowered = lower(decode_spec(loaded.result["spec"], Decoder()), "0.5.0")
        spec = None if lowered.spec is None else to_data(lowered.spec)
        loaded.result["lower --to 0.5.0"] = {"spec": spec, "losses": [str(loss) for loss in lowered.losses]}
    return loaded


# --- folders ---------------------------------------------------------------------------------------------------------
@contextmanager
def spec_files(given: Input) -> Iterator[tuple[Folders, str]]:
    """The files of a case on disk: the folders, and the path to cut off."""
    with tempfile.TemporaryDirectory() as root:
        dirs = [Path(root) / dir_.lstrip("/") for dir_ in given["dirs"]]
        for dir_, name in zip(dirs, given["dirs"], strict=True):
            if name not in (given.get("missingDirs") or ()) and not name.startswith("/"):
                dir_.mkdir(parents=True, exist_ok=True)
        for name, text in (given.get("files") or {}).items():
            put(Path(root) / name, text)
        yield Folders(dirs, older_fields=False), f"{root}/"


def put(path: Path, text: str) -> None:
    """Write a file beside its place, then move it there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.part")
    beside.write_text(text)
    beside.replace(path)


def _view(registry: Registry, root: str) -> dict[str, Any]:
    sources = {name: found.file.path.removeprefix(root) for name, found in registry.devices.items()}
    errors = {path.removeprefix(root): [str(problem) for problem in found] for path, found in registry.errors.items()}
    return {
        "devices": sources,
        "priorities": {name: found.file.priority for name, found in registry.devices.items()},
        "errors": errors,
        "vendors": list(registry.vendors),
        "classes": list(registry.classes),
    }


def _relative(result: Any, root: str) -> Any:
    """The result without the temporary folder in its texts."""
    if isinstance(result, dict):
        return {key: _relative(value, root) for key, value in result.items()}
    if isinstance(result, list):
        return [_relative(item, root) for item in result]
    return result.replace(root, "") if isinstance(result, str) else result


def cache(given: Input) -> Answer:
    """What folders hold."""
    with spec_files(given) as (folders, root):
        view = _view(folders.registry(), root)
        missing = [folder.removeprefix(root) for folder in folders.missing]
    if len(missing) < len(given["dirs"]):
        missing = []  # the table lists them only where there is no folder at all
    result = {
        **view,
        "deviceSources": view["devices"],
        "devices": list(view["devices"]),
        "specErrorFiles": sorted(view["errors"]),
        "watchDirErrors": missing,
    }
    return Answer(ok=True, result=_relative(result, root))


def scan(given: Input) -> Answer:
    """Which files load; with `abortOnFirstError` nothing counts after a broken one."""
    with spec_files(given) as (folders, root):
        registry = folders.registry()
    files = {file.path.removeprefix(root).rsplit("/", 1)[-1]: file for file in registry.files}
    failure = [name for name, file in files.items() if not file.good]
    if given.get("abortOnFirstError") and failure:
        names = list(files)
        files = {name: files[name] for name in names[: names.index(failure[0])]}
        failure = failure[:1]
    good = {name: file.spec for name, file in files.items() if file.spec is not None and file.good}
    result = {
        "success": list(good),
        "failure": failure,
        "vendors": {name: spec.vendor for name, spec in good.items()},
        "classes": {name: spec.class_ for name, spec in good.items()},
    }
    return Answer(ok=True, result=result)


def refresh(given: Input) -> Answer:
    """Folders that change between two looks."""
    if "updates" in given:
        return _updates(given)
    steps: list[dict[str, Any]] = []
    with spec_files(given) as (folders, root):
        for step in given["steps"]:
            for name, text in step["write"].items():
                put(Path(root) / name, text)
            for name in step["remove"]:
                (Path(root) / name).unlink()
            view = _relative(_view(folders.registry(), root), root)
            steps.append({**view, "devices": list(view["devices"]), "specErrorFiles": sorted(view["errors"])})
    return Answer(ok=True, result={"afterStep": steps})


def _updates(given: Input) -> Answer:
    """After each single write, which node path the device has."""
    seen: list[str | None] = []
    with spec_files(given) as (folders, root):
        for update in given["updates"]:
            for folder in given["dirs"]:
                for name, text in (update.get(folder) or {}).items():
                    put(Path(root) / folder / name, text)
                    found = next(iter(folders.registry().devices.values()), None)
                    seen.append(found.device.edits.device_nodes[0].path if found else None)
    return Answer(ok=None not in seen, result={"seen": seen})


def transient(given: Input) -> Answer:
    """Specs that come and go by an id of their own: `-N` removes the Nth."""
    invalid: dict[str, bool] = {}
    category: Category | None = None
    listed: list[list[str] | None] = []
    counts: list[int] = []
    names: dict[int, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        folders = Folders([folder])
        for index, text in enumerate(given["specs"]):
            if text.startswith("-") and text[1:].isdigit():
                folders.remove(names[int(text[1:])])
            else:
                reading = inspect(text)
                if reading.problems or reading.spec is None:
                    invalid[str(index)], category = True, reading.problems[0].category
                    continue
                names[index] = spec_file_name(reading.spec.kind, str(index))
                folders.write(names[index], reading.spec)
            listed.append(list(folders.registry().devices) or None)
            counts.append(len(list(Path(folder).iterdir())))
    result = {"invalid": invalid or None, "expectedSpecIndex": listed or None, "numSpecFilesAfterStep": counts or None}
    return Answer(not invalid, result, category)


def write_many(given: Input) -> Answer:
    """Write texts' specs into folders and read them back."""
    refused: list[str] = []
    category: Category | None = None
    with spec_files(given) as (folders, _):
        for name, text in given["specs"].items():
            reading = inspect(text, file=name)
            if reading.spec is None or reading.problems:
                refused.append(name)
                category = category or reading.problems[0].category
                continue
            path = folders.write(name, reading.spec)
            if inspect(Path(path).read_text()).spec != reading.spec:
                return Answer(ok=False, result={"error": f"{name} reads back as something else"}, category="io")
    return Answer(not refused, {"invalidFiles": refused}, category)


# --- generating ------------------------------------------------------------------------------------------------------
def generation(given: Input) -> Answer:
    """The spec of a host with mock GPUs."""
    return Answer(ok=True, result=generated(given))


OPERATIONS: dict[str, Callable[[Input], Answer]] = {
    "annotations_key": key,
    "annotations_parse": parse_annotations,
    "annotations_update": update_annotations,
    "cache_new": cache,
    "cache_refresh": refresh,
    "cache_transient_specs": transient,
    "cache_vendors_classes": cache,
    "cache_write_spec": write_many,
    "cli_collect_from_oci": collect,
    "device_validate": device,
    "edits_append": edits_append,
    "edits_apply": edits_apply,
    "edits_validate": edits_check,
    "inject": injection,
    "inject_from_annotations": injection_from_annotations,
    "issue_cases": issue,
    "nvctk_generate": generation,
    "parser_qualified_name": qualified_name,
    "probes_inject": injection,
    "probes_names": qualified_name,
    "probes_spec_load": load,
    "random": injection,
    "scan_dirs": scan,
    "schema_validate": schema,
    "spec_load": load,
    "spec_write": written,
    "version_minimum": least_version,
    "version_validate": version,
}
