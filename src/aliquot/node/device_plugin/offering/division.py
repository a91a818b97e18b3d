"""Which GPUs are offered by DRA and which by the device plugin: decided for each GPU, never both."""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from aliquot.devices.findings import name_of
from aliquot.devices.gpu import Gpu
from aliquot.devices.naming import models_named
from aliquot.devices.survey import Survey, Unreadable


class By(StrEnum):
    """Who offers a GPU."""

    DRA = "dra"
    DEVICE_PLUGIN = "device-plugin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """GPUs that are named in one way, and who offers them. Exactly one name is given."""

    by: By
    index: int | None = None
    """The driver's number of the GPU."""
    uuid: str | None = None
    product: str | None = None
    """A name as the catalogue knows it or as the driver spells it: `A100-40GB`, `NVIDIA L4`."""

    def __str__(self) -> str:
        named = {"index": self.index, "uuid": self.uuid, "product": self.product}
        given = next((f"{key} {value}" for key, value in named.items() if value is not None), "nothing")
        return f"{given}: {self.by.value}"


@dataclass(frozen=True, slots=True)
class Offering:
    """The rules of a node; a GPU that no rule names goes to `others`."""

    rules: tuple[Rule, ...] = ()
    others: By = By.DRA


@dataclass(frozen=True, slots=True)
class Decided:
    """Two disjoint sets of UUIDs. A GPU that doesn't answer, and about which a rule can't be judged, is in neither."""

    dra: frozenset[str]
    device_plugin: frozenset[str]
    notes: tuple[str, ...] = ()
    """Rules that name no GPU of this node."""

    def device_plugins(self, survey: Survey) -> Survey:
        """What the device plugin offers of a host."""
        return _only(survey, self.device_plugin)

    def dras(self, survey: Survey) -> Survey:
        """What DRA offers of a host."""
        return _only(survey, self.dra)


@dataclass(frozen=True, slots=True)
class Undecided:
    """The rules contradict each other, or are faulty; nothing may be offered by them."""

    conflicts: tuple[str, ...] = field(default=())


def decide(offering: Offering, survey: Survey) -> Decided | Undecided:
    """Decide for every GPU of a host."""
    faults = [f"the rule `{rule}` names a GPU in no way, or in several" for rule in offering.rules if _names(rule) != 1]
    if faults:
        return Undecided(tuple(faults))
    to: dict[By, set[str]] = {By.DRA: set(), By.DEVICE_PLUGIN: set()}
    conflicts: list[str] = []
    used: set[Rule] = set()
    answering = {gpu.uuid for gpu in survey.gpus}
    lost = (each for each in survey.unreadable if each.uuid not in {None, *answering})
    gpus: list[Gpu | Unreadable] = [*survey.gpus, *lost]
    for gpu in gpus:
        rules = [rule for rule in offering.rules if _matches(rule, gpu)]
        used |= set(rules)
        verdicts = {rule.by for rule in rules}
        if len(verdicts) > 1:
            conflicts.append(f"{_name(gpu)} is offered twice: {', and '.join(f'`{rule}`' for rule in rules)}")
        elif rules or not _may_match(offering, gpu):
            to[verdicts.pop() if verdicts else offering.others].add(gpu.uuid or "")
    if conflicts:
        return Undecided(tuple(conflicts))
    notes = tuple(f"the rule `{rule}` names no GPU of this node" for rule in offering.rules if rule not in used)
    return Decided(frozenset(to[By.DRA]), frozenset(to[By.DEVICE_PLUGIN]), notes)


def _names(rule: Rule) -> int:
    return sum(each is not None for each in (rule.index, rule.uuid, rule.product))


def _matches(rule: Rule, gpu: Gpu | Unreadable) -> bool:
    if rule.uuid is not None or rule.index is not None:
        return rule.uuid == gpu.uuid if rule.uuid is not None else rule.index == gpu.index
    if rule.product is None or isinstance(gpu, Unreadable):
        return False
    return rule.product == gpu.name or (gpu.model is not None and gpu.model in models_named(rule.product))


def _may_match(offering: Offering, gpu: Gpu | Unreadable) -> bool:
    """Whether a rule could name a GPU of which too little is known."""
    if not isinstance(gpu, Unreadable):
        return False
    unsure = (rule.product is not None or (rule.index is not None and gpu.index is None) for rule in offering.rules)
    verdicts = {rule.by for rule, may in zip(offering.rules, unsure, strict=True) if may}
    return bool(verdicts - {offering.others})


def _name(gpu: Gpu | Unreadable) -> str:
    return name_of(gpu) if isinstance(gpu, Gpu) else gpu.trouble.gpu or f"{gpu.uuid}"


def _only(survey: Survey, uuids: frozenset[str]) -> Survey:
    return replace(
        survey,
        gpus=tuple(gpu for gpu in survey.gpus if gpu.uuid in uuids),
        unreadable=tuple(each for each in survey.unreadable if each.uuid in uuids),
    )
