"""Which kube-scheduler to answer for."""

from aliquot.scheduling.versions import NEWEST, Release, release
from aliquot.snapshot.snapshot import Snapshot

CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")


def chosen_release(snapshot: Snapshot, asked: str | None) -> tuple[Release, str]:
    """The release, and where it's from in words.

    The scheduler runs on the control plane: its nodes' kubelets are nearest to it. A kubelet is never newer than the
    API server, so of all other nodes the newest counts.

    Raises:
        ValueError: if `asked` is no version.
    """
    if asked is not None:
        return release(asked), "--kubernetes"
    control = [node for node in snapshot.nodes.values() if any(label in node.meta.labels for label in CONTROL_PLANE)]
    for nodes, words in ((control, "control-plane nodes' kubelets"), (snapshot.nodes.values(), "nodes' kubelets")):
        found: list[Release] = []
        for node in nodes:
            try:
                found.append(release(node.kubelet_version))
            except ValueError:
                continue  # empty, or a distribution's own scheme
        if found:
            return max(found, key=lambda one: one.minor), words
    return Release(NEWEST), "newest known, the dump names none"
