"""Which kube-scheduler to answer for."""

import contextlib
import re
from dataclasses import dataclass

from aliquot.advisor.nearest import nearest
from aliquot.cluster.problem import Problem
from aliquot.kube.release import NEWEST, OLDEST, Kubernetes, kubernetes_of
from aliquot.snapshot.snapshot import Snapshot

CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A release, and where it's from."""

    kubernetes: Kubernetes
    where: str
    """In words: `--kubernetes`, `nodes' kubelets`."""
    unknown: str = ""
    """The release asked about, where it isn't one that we know: the nearest one answers."""

    @property
    def source(self) -> str:
        """Where it's from, with a word where another release answers."""
        return f"{self.where}; {self.unknown} isn't known, this is the nearest that is" if self.unknown else self.where

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """That another release answers; mostly none."""
        if not self.unknown:
            return ()
        far = "oldest" if self.kubernetes.minor == OLDEST else "newest"
        message = (
            f"Kubernetes {self.unknown} isn't known, so this is what kube-scheduler {self.kubernetes} would do, the "
            f"{far} known: {self.unknown} may decide otherwise"
        )
        return (Problem(self.where, message, hint=f"known are 1.{OLDEST} to 1.{NEWEST}"),)


def chosen_kubernetes(snapshot: Snapshot, asked: str | None, server: str = "") -> Chosen:
    """The release to answer for.

    The API server's own version (`server`) is the scheduler's too, but for some minutes of an upgrade. Where it isn't
    known: the scheduler runs on the control plane, whose nodes' kubelets are nearest to it. A kubelet is never newer
    than the API server, so of all other nodes the newest counts.

    Raises:
        ValueError: if `asked` is no version.
    """
    if asked is not None:
        return _chosen(asked, "--kubernetes")
    with contextlib.suppress(ValueError):  # a distribution's own scheme: the nodes may say more
        return _chosen(server, "API server")
    control = [node for node in snapshot.nodes.values() if any(label in node.meta.labels for label in CONTROL_PLANE)]
    for nodes, words in ((control, "control-plane nodes' kubelets"), (snapshot.nodes.values(), "nodes' kubelets")):
        found: list[tuple[int, int, str]] = []
        for node in nodes:
            try:
                there = kubernetes_of(node.kubelet_version)
            except ValueError:
                continue  # empty, or a distribution's own scheme
            found.append((there.minor, -1 if there.patch is None else there.patch, node.kubelet_version))
        if found:
            *_, text = max(found)
            return _chosen(text, words)
    return Chosen(Kubernetes(NEWEST), "newest known, the dump names none")


def _chosen(text: str, where: str) -> Chosen:
    kubernetes = kubernetes_of(text)
    found = re.match(r"v?1\.(\d+)", text.strip())
    minor = int(found[1]) if found is not None else NEWEST
    return Chosen(kubernetes, where, "" if OLDEST <= minor <= NEWEST else f"1.{minor}")


def changed_gates(text: str, kubernetes: Kubernetes) -> tuple[tuple[str, bool], ...]:
    """Read `--feature-gates A=true,B=false`, as the scheduler's own flag is written.

    Raises:
        ValueError: with (message, hint) of all that is wrong, if a gate isn't known or its value isn't true or false.
    """
    known = kubernetes.known_gates()
    found: list[tuple[str, bool]] = []
    wrong: dict[str, str] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        name, _, value = part.partition("=")
        if not name:
            wrong[f"{part!r} names no feature gate"] = "--feature-gates A=true,B=false"
        elif name not in known:
            wrong[f"no feature gate {name!r} matters here"] = f"nearest: {nearest(name, known)[0]}"
        elif value.lower() not in ("true", "false"):
            wrong[f"feature gate {name}: {value!r} is neither true nor false"] = f"--feature-gates {name}=true"
        else:
            found.append((name, value.lower() == "true"))
    if wrong:
        raise ValueError("; ".join(wrong), "; ".join(dict.fromkeys(wrong.values())))
    return tuple(found)
