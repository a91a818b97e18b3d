"""What the kinds build with, and words that several of them need."""

import random
from collections.abc import Sequence
from typing import Any

from scenarios.drivers import Json
from scenarios.mixed.claimed import Claims
from scenarios.mixed.hardware import Model
from scenarios.mixed.site import COUNTED, Site
from scenarios.mixed.truth import Remedy, right
from scenarios.mixed.workloads import Workloads, of_model

FREEING: tuple[Remedy, ...] = right("free-device", "move", "raise-priority", "add-node")
"""What helps where somebody holds what a pod wants."""
FEWER: tuple[Remedy, ...] = right("fewer-devices", "shrink", "change-request")


class Build:
    """A site with its workloads and claims."""

    def __init__(self, site: Site) -> None:
        """On this site."""
        self.site = site
        self.flows = Workloads(site)
        self.claims = Claims(site, self.flows)

    @property
    def dice(self) -> random.Random:
        """The site's chance."""
        return self.site.dice

    def pool(self, model: Model, nodes: int, gpus: int, **more: Any) -> list[str]:
        """Alike nodes with GPUs of a model."""
        return [self.site.gpu_node(model, gpus, **more) for _ in range(nodes)]

    def asks_model(self, model: Model) -> Json:
        """The part of a spec that asks for nodes of a model: by a selector or by affinity."""
        return of_model(model.label, affine=self.dice.random() < 0.3)

    def waits(self, model: Model, gpus: int = 1, *, resource: str = COUNTED, **more: Any) -> str:
        """A pod that waits for GPUs of a model."""
        return self.flows.waiting({resource: gpus, **more.pop("requests", {})}, **self.asks_model(model), **more)


def spread(dice: random.Random, total: int, places: int) -> list[int]:
    """A total cut into positive parts."""
    cuts = sorted(dice.sample(range(1, total), places - 1))
    return [b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True)]


def any_of(names: Sequence[str]) -> tuple[str, ...]:
    """One of these words."""
    return tuple(names)
