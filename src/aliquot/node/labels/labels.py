"""The labels of a node's GPUs, from one survey and the device plugin's configuration."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from aliquot.devices.gpu import Gpu
from aliquot.devices.mig import Geometry
from aliquot.devices.survey import Driver, Survey
from aliquot.node.labels.migs import GPU, base, mig_labels
from aliquot.node.labels.words import NVIDIA, OWN, family_of, fits, spelled
from aliquot.sharing.plugin_config.values import PluginConfig
from aliquot.sharing.strategies import Strategy


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of a node beside its survey."""

    geometries: Mapping[str, Geometry] = field(default_factory=dict[str, Geometry])
    """By UUID, of GPUs that have MIG."""
    config: PluginConfig = field(default_factory=PluginConfig)
    """How the device plugin offers them."""
    machine: str | None = None
    """The machine's product name, from its firmware."""
    unhealthy: int | None = None
    """GPUs that aren't given out for their health; None: nobody watches."""
    version: str | None = None
    """The agent's."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What is true of the node."""

    labels: Mapping[str, str]
    left_out: tuple[str, ...] = ()
    """What can't be a label, each with its value."""


def labels_of(survey: Survey, facts: Facts) -> Labels:
    """All labels; none where the node has no GPU that answers."""
    found: dict[str, str] = {}
    if survey.gpus:
        found |= _versions(survey.driver) if survey.driver is not None else {}
        found |= dict(_node(survey, facts))
        found |= _gpus(survey.gpus, facts.config)
        found |= mig_labels(survey, facts.geometries, facts.config)
        found |= dict(_own(survey, facts))
    wrong = {name for name, value in found.items() if not fits(value) or not fits(name.partition("/")[2])}
    left_out = tuple(f"{name}={found[name]}" for name in sorted(wrong))
    return Labels({name: value for name, value in sorted(found.items()) if name not in wrong}, left_out)


def _versions(driver: Driver) -> dict[str, str]:
    """Each in the older spelling, too, which GPU feature discovery still writes."""
    major, _, rest = driver.version.partition(".")
    minor, _, revision = rest.partition(".")
    new, old = f"{NVIDIA}cuda.driver-version", f"{NVIDIA}cuda.driver"
    found = {f"{new}.full": driver.version}
    found |= {f"{new}.major": major, f"{new}.minor": minor, f"{new}.revision": revision}
    found |= {f"{old}.major": major, f"{old}.minor": minor, f"{old}.rev": revision}
    if driver.cuda is not None:
        major, _, minor = driver.cuda.partition(".")
        new, old = f"{NVIDIA}cuda.runtime-version", f"{NVIDIA}cuda.runtime"
        found |= {f"{new}.full": driver.cuda, f"{new}.major": major, f"{new}.minor": minor}
        found |= {f"{old}.major": major, f"{old}.minor": minor}
    return found


def _node(survey: Survey, facts: Facts) -> Iterator[tuple[str, str]]:
    if facts.machine:
        yield f"{NVIDIA}gpu.machine", spelled(facts.machine)
    capable = any(gpu.mig is not None for gpu in survey.gpus)
    if capable or not any(gpu.mig_unknown for gpu in survey.gpus):
        yield f"{NVIDIA}mig.capable", _word(capable)
    sharing = facts.config.sharing
    mps = sharing is not None and sharing.strategy is Strategy.MPS
    yield f"{NVIDIA}mps.capable", _word(mps and not any(gpu.mig_enabled for gpu in survey.gpus))
    virtual = {gpu.virtual for gpu in survey.gpus}
    if None not in virtual:
        yield f"{NVIDIA}vgpu.present", _word(True in virtual)


def _gpus(gpus: Sequence[Gpu], config: PluginConfig) -> dict[str, str]:
    """Of the GPUs as whole ones.

    These labels have room for one model. Where a node has several, it's the one of most GPUs that aren't cut by MIG,
    and the first of those; the count is that model's. Labels of our own count each.
    """
    counts = Counter(gpu.name for gpu in gpus)
    order = {name: place for place, name in reversed(list(enumerate(gpu.name for gpu in gpus)))}
    whole = {gpu.name: gpu for gpu in gpus if not gpu.mig_enabled}
    told = whole or {gpu.name: gpu for gpu in gpus}
    name = min(told, key=lambda each: (-counts[each], order[each]))
    gpu = told[name]
    found = base(GPU, counts[name], config if whole else None, name)
    if gpu.memory is not None:
        found[f"{GPU}.memory"] = str(gpu.memory.total >> 20)
    if gpu.compute_capability is not None:
        major, _, minor = gpu.compute_capability.partition(".")
        found |= {f"{GPU}.compute.major": major, f"{GPU}.compute.minor": minor}
        family = family_of(gpu.compute_capability)
        if family is not None:
            found[f"{GPU}.family"] = family
    return found


def _own(survey: Survey, facts: Facts) -> Iterator[tuple[str, str]]:
    if facts.version is not None:
        yield f"{OWN}agent.version", facts.version
    if facts.unhealthy is not None:
        yield f"{OWN}gpu.unhealthy", str(facts.unhealthy)
    for name, count in Counter(gpu.name for gpu in survey.gpus).items():
        yield f"{OWN}gpu.{spelled(name)}.count", str(count)


def _word(true: bool) -> str:
    return "true" if true else "false"
