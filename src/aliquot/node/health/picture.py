"""How the node's GPUs are, as one value for all who tell of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from aliquot.devices.survey import Survey
from aliquot.node.health.states import NodeHealth
from aliquot.node.health.telling import News, Told


@dataclass(frozen=True, slots=True)
class Picture:
    """How the node's GPUs are."""

    health: NodeHealth
    survey: Survey
    """The last look, with the XIDs that were heard."""
    published: Survey
    """The same with silent GPUs as they last stood, so that they stay published."""
    told: Mapping[str, Told]
    """By UUID."""
    news: tuple[News, ...] = ()
    """What is new in it."""

    @property
    def lasting(self) -> tuple[object, ...]:
        """What is published of it, without what is of the moment."""
        survey = self.published
        gpus = tuple(one.gpu for one in self.health.gpus.values())
        return self.told, survey.driver, gpus, survey.nics, survey.unreadable, survey.troubles


NOTHING: Final = Picture(NodeHealth(), Survey(host=""), Survey(host=""), {})
"""Before anything was asked."""
