"""Reading a configuration: everything that's wrong with it at once, each with its path and what may stand there."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, get_args

import msgspec

from aliquot.kube.reading.shape import Fault, FaultsError, faults, found, is_object
from aliquot.kube.reading.strict import unknown_fields, without_unknown
from aliquot.node.config.shape import WireConfig
from aliquot.node.config.values import API_VERSION, KIND, NodeConfig
from aliquot.node.device_plugin.offering.read_rules import read_offering
from aliquot.node.health.policy import Effect

_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "mig": ("dynamic", "static"),
    "dcgmNames": ("auto", "on", "off"),
    "taintEffect": get_args(Effect),
    "logLevel": ("debug", "info", "warning", "error"),
}
_PATHS: Final = ("kubeletRoot", "cdiFolder", "driverRoot", "devicePluginConfig")
_ADDRESS: Final = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[^\s:\[\]]*):(?P<port>[0-9]{1,5})", re.ASCII)
_DRIVER: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII)
RECONCILE_SECONDS: Final = (10, 86400)
"""At least, and at most."""


def read_config(value: Any) -> NodeConfig:
    """Read a configuration.

    Args:
        value: the file as plain data.

    Raises:
        FaultsError: with every fault.
    """
    if not is_object(value):
        raise FaultsError(Fault("", f"expected an object, found {found(value)}", f"apiVersion: {API_VERSION}"))
    known = without_unknown(value, WireConfig)
    wrong = [*unknown_fields(value, WireConfig), *faults(known, WireConfig)]
    places = {fault.path for fault in wrong}
    wrong += [fault for fault in _judge(known) if fault.path not in places]
    if wrong:
        raise FaultsError(*wrong)
    return _config(msgspec.convert(known, WireConfig))


def _judge(value: Mapping[str, Any]) -> Iterator[Fault]:
    if value.get("apiVersion") not in {None, API_VERSION}:
        yield Fault("apiVersion", f"{value['apiVersion']!r} isn't known", f"write {API_VERSION}")
    if value.get("kind") not in {None, KIND}:
        yield Fault("kind", f"{value['kind']!r} isn't known", f"write {KIND}")
    for name, words in _WORDS.items():
        if (word := value.get(name)) is not None and word not in words:
            yield Fault(name, f"{word!r} isn't known", f"one of {', '.join(words)}")
    for name in _PATHS:
        if (path := value.get(name)) and not str(path).startswith("/"):
            yield Fault(name, f"{path!r} is relative, and the agent may be started anywhere", "begin it with /")
    yield from _numbers(value)
    if value.get("offer") is not None:
        try:
            read_offering(value["offer"])
        except FaultsError as wrong:
            yield from (fault.under("offer") for fault in wrong.faults)


def _numbers(value: Mapping[str, Any]) -> Iterator[Fault]:
    seconds = value.get("reconcileSeconds")
    least, most = RECONCILE_SECONDS
    if isinstance(seconds, int) and not least <= seconds <= most:
        yield Fault("reconcileSeconds", f"{seconds} is out of range", f"{least} to {most}")
    address = value.get("metricsAddress")
    if isinstance(address, str) and address:
        at = _ADDRESS.fullmatch(address)
        if at is None or int(at["port"]) > 65535:
            yield Fault("metricsAddress", f"{address!r} is no address", "HOST:PORT, such as :9400 or 127.0.0.1:9400")
    driver = value.get("nicDriver")
    if isinstance(driver, str) and driver and (len(driver) > 63 or not _DRIVER.fullmatch(driver)):
        yield Fault("nicDriver", f"{driver!r} can't name a driver", "a DNS name in lower case, up to 63 letters")


def _config(wire: WireConfig) -> NodeConfig:
    given: dict[str, Any] = {
        field.name: value
        for field in msgspec.structs.fields(wire)
        if field.name not in {"api_version", "kind", "metadata", "offer"}
        and (value := getattr(wire, field.name)) is not None
    }
    if wire.offer is not None:
        given["offer"] = read_offering(wire.offer)
    return NodeConfig(**given)
