"""A small cluster, read as a dump is, and its pending pod explained."""

import io
from typing import Any, cast

import yaml

from aliquot.advisor.explain import explain
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.wayout import WayOut
from aliquot.cluster.files import FileCluster
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot
from scenarios.drivers import Json


def snapshot(*objects: Json) -> Snapshot:
    """Read as `aliquot explain -f -` reads it."""
    reading = FileCluster(["-"], io.BytesIO(yaml.safe_dump_all(objects).encode())).read()
    assert not reading.warnings
    return reading.snapshot


def story(*objects: Json, minor: int = 36) -> Explanation:
    """The story of the only pod without a node."""
    world = snapshot(*objects)
    (found,) = explain(world, world.pending(), Scheduler.of(Kubernetes(minor)))
    return found


def ways(*objects: Json) -> dict[tuple[str, str], WayOut]:
    """(kind, target) -> the best such way out of the only pending pod."""
    found: dict[tuple[str, str], WayOut] = {}
    for way in story(*objects).ways_out:
        found.setdefault((way.kind, way.target), way)
    return found


def commands(way: WayOut) -> list[str]:
    """What a person would type."""
    return [change.command for change in way.changes]


def spec_patch(way: WayOut) -> Json:
    """The pod spec that a way out's first change merges."""
    spec: Any = (way.changes[0].patch or {})["spec"]
    return cast("Json", spec["template"]["spec"] if "template" in spec else spec)
