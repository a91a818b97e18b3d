"""`explain --would FILE`: a manifest that isn't applied yet, judged as if it were."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aliquot.advisor.manifest.applied import Applied, applied
from aliquot.cli.explain.answer import Mistake
from aliquot.cluster.admission import admitted
from aliquot.cluster.files import FileCluster
from aliquot.cluster.gaps import no_devices, no_pods
from aliquot.cluster.items import Noun
from aliquot.cluster.problem import Problem
from aliquot.cluster.reading import Reading
from aliquot.kube.pod import Pod
from aliquot.kube.workload import PriorityClass, Workload

STDIN = Path("-")
MAKERS = "Pod, Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the files hold."""

    name: str
    """The files, as the user named them."""
    objects: tuple[Noun, ...]
    problems: tuple[Problem, ...]
    """What couldn't be read of them, and what isn't judged."""


def read_manifest(paths: Sequence[Path], namespace: str | None) -> Manifest | Mistake | None:
    """Read files.

    Args:
        paths: files, folders, or `-`; without any there's no manifest.
        namespace: of objects that name none.
    """
    if not paths:
        return None
    name = ", ".join(map(str, paths))
    reading = FileCluster(list(map(str, paths)), namespace=namespace or "default").read()
    if not reading.objects and reading.warnings:
        return Mistake(f"--would: {reading.warnings[0]}")
    if not any(isinstance(thing, Pod | Workload) for thing in reading.objects):
        kinds = sorted({*reading.skipped, *(_kind(thing) for thing in reading.objects)})
        what = f"it holds only {', '.join(kinds)}" if kinds else "it's empty"
        return Mistake(f"--would {name}: nothing in it makes pods: {what}", f"these are judged: {MAKERS}")
    left = ", ".join(f"{count} {kind}" for kind, count in reading.skipped.items())
    told = f"not judged: {left} (if they make pods, those are not in the answer)"
    return Manifest(name, reading.objects, (*reading.warnings, *([Problem(name, told, note=True)] if left else [])))


def file_name(manifest: Manifest) -> str:
    """Of a manifest in one file that file, else `the manifest`: which file has what isn't told."""
    return manifest.name if Path(manifest.name).is_file() else "the manifest"


def _kind(thing: Noun) -> str:
    return thing.kind if isinstance(thing, Workload) else type(thing).__name__


def in_place(reading: Reading, manifest: Manifest) -> tuple[Applied, Reading]:
    """The cluster with the manifest applied now, and its reading with what has to be told beside."""
    classes = tuple(thing for thing in reading.objects if isinstance(thing, PriorityClass))
    objects = admitted((*classes, *map(_unapplied, manifest.objects)))[len(classes) :]
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    made = applied(reading.snapshot, objects, now)
    gap = no_devices(reading, made.snapshot)
    empty = Problem("", "the cluster's input has no pods: nothing there counts as used", note=True)
    told = (
        *([empty] if no_pods(reading) is not None else []),
        *manifest.problems,
        *([gap] if gap is not None else []),
        *(Problem(manifest.name, one, note=True) for one in made.notes),
    )
    return made, replace(reading, warnings=(*reading.warnings, *told))


def _unapplied(thing: Noun) -> Noun:
    """A manifest that was taken from a cluster has a uid; the class decides its priority anew all the same."""
    return replace(thing, meta=replace(thing.meta, uid="")) if isinstance(thing, Pod) else thing
