"""The configurations in a file: NVIDIA's device plugin's, and opaque ones, by themselves or in claims and classes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import msgspec

from aliquot.advisor.nearest import is_near
from aliquot.cli.sharing.claims import Classes, asked_in, classes_in, of_claim, of_class
from aliquot.cluster.documents import read_documents
from aliquot.cluster.envelope import Document
from aliquot.cluster.yaml_stream import YamlError, load_all
from aliquot.kube.reading.shape import Fault, FaultsError, is_list, is_object, join
from aliquot.kube.reading.shape import found as found_words
from aliquot.sharing.claim_configs import vfio
from aliquot.sharing.claim_configs.read import KINDS, read_config
from aliquot.sharing.claim_configs.values import API_VERSION, DRIVER, ClaimConfig, Unjudged
from aliquot.sharing.plugin_config.read import SECTIONS, read_plugin_config
from aliquot.sharing.plugin_config.values import PluginConfig

NOTHING = "there is no configuration of GPU sharing in it"
HINT = "give the device plugin's file, a GpuConfig or MigDeviceConfig, or a claim, template or class that holds one"

_GROUP = API_VERSION.partition("/")[0]
_OTHERS = ("compute-domain.nvidia.com",)
_DECODER = msgspec.json.Decoder(float_hook=Decimal)


@dataclass(frozen=True, slots=True)
class Written:
    """A configuration that was read, and where in its document it stands."""

    path: str
    config: ClaimConfig | PluginConfig | Unjudged
    requests: tuple[str, ...] = ()
    """Of a claim: the requests it's for; empty: all."""
    from_class: bool = False


class _ClassReader:
    def read(self, document: Document) -> Iterator[tuple[str, tuple[str, ...]] | Fault]:
        yield from classes_in(_DECODER.decode(document.data))


def classes_of(files: Iterable[tuple[str, bytes]]) -> Classes:
    """The classes in texts, by name: a claim may stand before its class, or in another file."""
    reader = _ClassReader()
    found = (each for name, data in files for each in read_documents(name, data, reader))
    return {each[0]: each[1] for each in found if isinstance(each, tuple)}


class ConfigReader:
    """Reads documents; counts what it was shown, so that a file without any configuration is told from a bad one."""

    def __init__(self, classes: Classes | None = None) -> None:
        self.configs = 0
        self.classes = classes or {}
        self.requests: set[str] = set()
        """Of the claims and templates that were read, their alternatives too."""

    def read(self, document: Document) -> Iterator[Written | Fault]:
        """The configurations and the faults of a document."""
        yield from self._any(_DECODER.decode(document.data), "")

    def _any(self, value: Any, path: str) -> Iterator[Written | Fault]:
        if not is_object(value):
            return
        kind, version = str(value.get("kind", "")), str(value.get("apiVersion", ""))
        if version.startswith(f"{_GROUP}/") or (kind in KINDS and "spec" not in value):
            yield from self._claim(value, path)
        elif is_list(value.get("items")):
            for index, item in enumerate(value["items"]):
                yield from self._any(item, f"{join(path, 'items')}[{index}]")
        elif kind == "ConfigMap" and is_object(value.get("data")):
            for name, text in value["data"].items():
                yield from self._text(text, join(path, f"data.{name}"))
        elif kind in {"ResourceClaim", "ResourceClaimTemplate", "DeviceClass"}:
            yield from self._opaque(value, kind, path)
        elif not kind and (SECTIONS & value.keys() or value.get("version") == "v1"):
            yield from self._plugin(value, path)

    def _opaque(self, value: dict[str, Any], kind: str, path: str) -> Iterator[Written | Fault]:
        """The configurations for NVIDIA's driver in a claim, a template or a class."""
        way = {"ResourceClaim": ("spec", "devices"), "DeviceClass": ("spec",)}.get(kind, ("spec", "spec", "devices"))
        holder: Any = value
        for name in way:
            holder, path = (holder.get(name) if is_object(holder) else None), join(path, name)
        configs = holder.get("config") if is_object(holder) else None
        for index, each in enumerate(configs if is_list(configs) else []):
            opaque = each.get("opaque") if is_object(each) else None
            if is_object(opaque) and (opaque.get("driver") == DRIVER or _means_it(opaque)):
                if (driver := opaque.get("driver")) != DRIVER:
                    other = f"{found_words(driver)} isn't {DRIVER}, which passes this over"
                    message = "missing" if driver is None else other
                    yield Fault(f"{path}.config[{index}].opaque.driver", message, f"did you mean {DRIVER}?")
                named = tuple(map(str, each["requests"])) if is_list(each.get("requests")) else ()
                for found in self._claim(opaque.get("parameters"), f"{path}.config[{index}].opaque.parameters"):
                    if isinstance(found, Written):
                        yield replace(found, requests=named, from_class=kind == "DeviceClass")
                    else:
                        yield found
        if kind == "DeviceClass":
            yield from of_class(value, path)
        else:
            asked = asked_in(holder, {}) if is_object(holder) else ()
            self.requests |= {name for each in asked for name in (each.name, each.name.partition("/")[0])}
            yield from of_claim(holder, path, self.classes)

    def _claim(self, value: Any, path: str) -> Iterator[Written | Fault]:
        self.configs += 1
        if is_object(value) and value.get("kind") == vfio.KIND:
            wrong = [fault.under(path) for fault in vfio.vfio_faults(value)]
            yield from wrong
            if not wrong:
                yield Written(path, Unjudged(vfio.KIND, vfio.WHY))
            return
        try:
            yield Written(path, read_config(value))
        except FaultsError as error:
            yield from (fault.under(path) for fault in error.faults)

    def _plugin(self, value: Any, path: str) -> Iterator[Written | Fault]:
        self.configs += 1
        try:
            config, passed_over = read_plugin_config(value)
        except FaultsError as error:
            yield from (fault.under(path) for fault in error.faults)
        else:
            yield Written(path, config)
            yield from (fault.under(path) for fault in passed_over)

    def _text(self, text: Any, path: str) -> Iterator[Written | Fault]:
        """An entry of a ConfigMap: one file of the device plugin, or something else."""
        try:
            values = load_all(text) if isinstance(text, str) else []
        except YamlError as error:
            yield Fault(path, error.message, error.hint)
            return
        for value in values:
            if is_object(value) and "kind" not in value:
                yield from self._any(value, path)


def _means_it(opaque: dict[str, Any]) -> bool:
    """Whether what is for another driver is most likely meant for NVIDIA's, by that name or by what it holds."""
    driver, parameters = opaque.get("driver"), opaque.get("parameters")
    if driver in _OTHERS:
        return False
    version = str(parameters.get("apiVersion")) if is_object(parameters) else ""
    return version.startswith(f"{_GROUP}/") or (isinstance(driver, str) and is_near(driver, DRIVER))
