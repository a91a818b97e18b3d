"""What is wrong with configurations for NVIDIA's driver, in claims and classes: it shows only when it prepares them."""

from collections.abc import Iterator

from aliquot.dra.claim import Claim, ClaimSpec, DeviceConfig
from aliquot.kube.pod import Pod
from aliquot.kube.reading.shape import Fault, FaultsError, is_object
from aliquot.sharing.claim_configs.asked import KIND_OF, Asked, Configured, gives_of, misdirected, wrong_kind
from aliquot.sharing.claim_configs.read import read_config
from aliquot.sharing.claim_configs.values import DRIVER
from aliquot.snapshot.snapshot import Snapshot

CLAIM, TEMPLATE = "spec.devices", "spec.spec.devices"


def problems_of_claim(snapshot: Snapshot, claim: Claim) -> list[str]:
    """What is wrong with the configurations of a claim and of its classes, each with its path."""
    return [_words(fault) for fault in _faults(snapshot, claim.spec, CLAIM)]


def problems_of_pod(snapshot: Snapshot, pod: Pod) -> list[str]:
    """The same for all claims of a pod, each with the object that a person edits."""
    found: list[str] = []
    for wanted in pod.claims:
        name = wanted.claim_name or pod.claim_names.get(wanted.name)
        claim = snapshot.claims.get(f"{pod.namespace}/{name}") if name else None
        template = snapshot.templates.get(f"{pod.namespace}/{wanted.template_name}") if wanted.template_name else None
        if template is not None:
            told = _faults(snapshot, template.spec, TEMPLATE)
            found += [f"ResourceClaimTemplate {wanted.template_name}: {_words(fault)}" for fault in told]
        elif claim is not None:
            found += [f"ResourceClaim {name}: {text}" for text in problems_of_claim(snapshot, claim)]
    return list(dict.fromkeys(found))


def _words(fault: Fault) -> str:
    return f"{fault.path}: {fault.message}"


def _faults(snapshot: Snapshot, spec: ClaimSpec, path: str) -> Iterator[Fault]:
    asked = tuple(_asked(snapshot, spec))
    numbered = [(f"{path}.config[{index}]", each) for index, each in enumerate(spec.config) if each.driver == DRIVER]
    yield from misdirected(asked, [Configured(where, _kind(each), each.requests) for where, each in numbered])
    for where, each in numbered:
        yield from _unreadable(where, each)
    for name in dict.fromkeys(one.class_name for one in asked):
        yield from _of_class(snapshot, name)


def _asked(snapshot: Snapshot, spec: ClaimSpec) -> Iterator[Asked]:
    for request in spec.requests:
        recipes = [(request.name, request.exactly)] if request.exactly is not None else []
        recipes += [(f"{request.name}/{each.name}", each) for each in request.first_available]
        for name, recipe in recipes:
            known = snapshot.classes.get(recipe.class_name)
            of_class = None if known is None else [text for text in known.selectors if text]
            own = [text for text in recipe.selectors if text]
            yield Asked(name, recipe.class_name, gives_of(recipe.class_name, of_class, own))


def _of_class(snapshot: Snapshot, name: str) -> Iterator[Fault]:
    known = snapshot.classes.get(name)
    gives = gives_of(name, [text for text in known.selectors if text]) if known is not None else None
    for index, each in enumerate(known.config if known is not None else ()):
        if each.driver == DRIVER:
            where = f"DeviceClass {name}: spec.config[{index}]"
            if gives is not None:
                yield from wrong_kind(where, _kind(each), f"the class {name}, which", gives)
            yield from _unreadable(where, each)


def _kind(config: DeviceConfig) -> str:
    return str(config.parameters.get("kind")) if is_object(config.parameters) else ""


def _unreadable(where: str, config: DeviceConfig) -> Iterator[Fault]:
    """Why NVIDIA's driver doesn't take a configuration; of other kinds it may know more than is known here."""
    if _kind(config) not in KIND_OF:
        return
    try:
        read_config(config.parameters)
    except FaultsError as error:
        for fault in error.faults:
            told = Fault(fault.path, f"{fault.message}: NVIDIA's driver refuses it")
            yield told.under(f"{where}.opaque.parameters")
