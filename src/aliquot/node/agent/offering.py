"""Which GPU is offered which way. Pure.

A GPU that DRA and the device plugin both offered would be given to two pods: neither knows of the other. So each GPU
goes one way, and the first rule that it matches decides.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from aliquot.devices.gpu import Gpu
from aliquot.devices.survey import Survey
from aliquot.node.config.values import Offer, OfferRule


def offer_of(gpu: Gpu, rules: Sequence[OfferRule]) -> Offer:
    """How a GPU is offered; one that no rule names isn't."""
    for rule in rules:
        if not rule.gpus or _names(gpu).intersection(map(str.casefold, rule.gpus)):
            return rule.offer
    return Offer.NONE


def offered(survey: Survey, rules: Sequence[OfferRule], way: Offer) -> Survey:
    """The host as one way sees it: with the GPUs that go that way."""
    return replace(survey, gpus=tuple(gpu for gpu in survey.gpus if offer_of(gpu, rules) is way))


def unmatched(survey: Survey, rules: Iterable[OfferRule]) -> tuple[str, ...]:
    """Names in rules that no GPU here has: a slip, or a GPU that is gone."""
    known = {name for gpu in survey.gpus for name in _names(gpu)}
    return tuple(name for rule in rules for name in rule.gpus if name.casefold() not in known)


def _names(gpu: Gpu) -> set[str]:
    """UUID, PCI address, number and product."""
    return {gpu.uuid.casefold(), gpu.pci.casefold(), str(gpu.index), gpu.name.casefold()}
