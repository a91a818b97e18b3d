"""What claims, templates and classes ask for, as plain data of any version: whom their configurations are for."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aliquot.kube.reading.shape import Fault, is_list, is_object
from aliquot.sharing.claim_configs.asked import Asked, Configured, gives_of, misdirected, wrong_kind
from aliquot.sharing.claim_configs.values import DRIVER

Classes = Mapping[str, Sequence[str]]
"""The CEL expressions of each class, by its name."""


def classes_in(value: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The classes of a document."""
    if not is_object(value):
        return
    for item in value["items"] if is_list(value.get("items")) else ():
        yield from classes_in(item)
    name = value["metadata"].get("name") if is_object(value.get("metadata")) else None
    if value.get("kind") == "DeviceClass" and isinstance(name, str):
        yield name, expressions(value.get("spec"))


def expressions(holder: Any) -> tuple[str, ...]:
    """The CEL expressions of a class's spec or of a request."""
    selectors = holder.get("selectors") if is_object(holder) else None
    cels = [each.get("cel") for each in selectors if is_object(each)] if is_list(selectors) else []
    return tuple(text for cel in cels if is_object(cel) and isinstance(text := cel.get("expression"), str))


def of_claim(devices: Any, path: str, classes: Classes) -> Iterator[Fault]:
    """What's wrong with whom the configurations of a claim are for.

    Args:
        devices: `spec.devices`.
        path: its path.
        classes: those that are known.
    """
    if is_object(devices):
        yield from misdirected(tuple(asked_in(devices, classes)), tuple(_configured(devices, path)))


def of_class(value: Mapping[str, Any], path: str) -> Iterator[Fault]:
    """The same of a class, whose configurations are for the devices that it gives."""
    for name, texts in classes_in(value):
        gives = gives_of(name, texts)
        if gives is not None:
            for each in _configured(value.get("spec"), path):
                yield from wrong_kind(each.path, each.kind, f"the class {name}, which", gives)


def asked_in(devices: Mapping[str, Any], classes: Classes) -> Iterator[Asked]:
    """The requests and their alternatives."""
    for request in devices["requests"] if is_list(devices.get("requests")) else ():
        if not is_object(request) or not isinstance(name := request.get("name"), str):
            continue
        several = request.get("firstAvailable")
        if is_list(several):
            for each in several:
                if is_object(each) and isinstance(each.get("name"), str):
                    yield _asked(f"{name}/{each['name']}", each, classes)
        else:
            exactly = request.get("exactly")
            yield _asked(name, exactly if is_object(exactly) else request, classes)


def _asked(name: str, recipe: Mapping[str, Any], classes: Classes) -> Asked:
    class_name = str(recipe.get("deviceClassName", ""))
    return Asked(name, class_name, gives_of(class_name, classes.get(class_name), expressions(recipe)))


def _configured(holder: Any, path: str) -> Iterator[Configured]:
    configs = holder.get("config") if is_object(holder) else None
    for index, each in enumerate(configs if is_list(configs) else ()):
        opaque = each.get("opaque") if is_object(each) else None
        if not is_object(opaque) or opaque.get("driver") != DRIVER:
            continue
        parameters = opaque.get("parameters")
        kind = parameters.get("kind") if is_object(parameters) else None
        names = tuple(map(str, each["requests"])) if is_list(each.get("requests")) else ()
        yield Configured(f"{path}.config[{index}]", str(kind), names)
