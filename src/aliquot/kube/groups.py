"""Groups of pods that are to start together, as several schedulers know them."""

from dataclasses import dataclass

from aliquot.kube.conditions import Condition
from aliquot.kube.meta import Meta

KUBERNETES = "scheduling.k8s.io"
VOLCANO = "scheduling.volcano.sh"
KAI = "scheduling.run.ai"
SCHEDULER_PLUGINS = "scheduling.x-k8s.io"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodGroup:
    """PodGroup of one of these API groups; Kubernetes' own is there from 1.36 (gate GenericWorkload)."""

    api: str
    """The API group."""
    meta: Meta
    least: int | None = None
    """How many pods must be able to start (minCount, minMember); None: no gang."""
    topology: bool = False
    """It has constraints on where its pods may stand together (spec.schedulingConstraints)."""
    queue: str = ""
    priority_class: str = ""
    phase: str = ""
    running: int | None = None
    conditions: tuple[Condition, ...] = ()
    reasons: tuple[tuple[str, str], ...] = ()
    """(reason, message) of KAI's schedulingConditions."""


@dataclass(frozen=True, slots=True)
class GangWorkload:
    """scheduling.k8s.io Workload: in 1.35 it holds the groups itself, from 1.36 only templates of them."""

    meta: Meta
    groups: tuple[tuple[str, int | None], ...] = ()
    """(name, least number of pods; None: no gang)."""
    templates: bool = False


@dataclass(frozen=True, slots=True)
class Queue:
    """Queue of Volcano or KAI."""

    api: str
    meta: Meta
    state: str = ""
    """Of Volcano: Open, Closed, Closing, Unknown."""
    parent: str = ""
    conditions: tuple[Condition, ...] = ()
