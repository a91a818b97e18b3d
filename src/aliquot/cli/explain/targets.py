"""Which pods a person means: `pod/x`, `ns/x`, `deployment/x`, a bare name, labels, or all that wait."""

from dataclasses import dataclass

from aliquot.advisor.explanation.asked import find, waiting
from aliquot.advisor.nearest import nearest
from aliquot.advisor.owners import owner_of
from aliquot.kube.pod import Pod
from aliquot.snapshot.snapshot import Snapshot

WORKLOADS = frozenset(
    {"deployment", "statefulset", "daemonset", "replicaset", "job", "cronjob", "replicationcontroller"}
)
SHORT = {
    "": "pod",
    "po": "pod",
    "deploy": "deployment",
    "sts": "statefulset",
    "ds": "daemonset",
    "rs": "replicaset",
    "cj": "cronjob",
    "rc": "replicationcontroller",
    "no": "node",
    "resourceclaim": "claim",
}
SUBJECTS = frozenset({"node", "claim"})
"""What can be explained beside pods."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nothing is meant by it: what to tell, and what to do."""

    message: str
    hint: str


def kind_of(text: str) -> str:
    """The kind that a person means: `deploy`, `deployments`, `deployment.apps` are `deployment`; nothing is a pod."""
    kind = text.lower().partition(".")[0]
    kind = SHORT.get(kind, kind.removesuffix("s"))
    return SHORT.get(kind, kind)


def subject_of(target: str) -> tuple[str, str] | None:
    """(`node` or `claim`, its name) where one of these is meant; None: pods are."""
    kind, slash, name = target.partition("/")
    found = kind_of(kind) if slash else ""
    return (found, name) if found in SUBJECTS else None


def is_kind(text: str) -> bool:
    """A kind that pods are found by."""
    return kind_of(text) in WORKLOADS | {"pod"}


def pods_meant(
    snapshot: Snapshot, target: str, namespace: str | None, labels: dict[str, str] | None = None
) -> list[Pod] | Unknown:
    """The pods; without a target all that wait (in the namespace, with the labels, where those are given)."""
    if namespace is not None and not _has_namespace(snapshot, namespace):
        known = {pod.namespace for pod in snapshot.pods.values()}
        close = ", ".join(nearest(namespace, known)[:3])
        hint = f"nearest: {close}" if close else "no pods at all"
        return Unknown(f"there's nothing in namespace {namespace!r} in the input", hint)
    if not target:
        wanted = labels or {}
        pods = [
            pod
            for pod in (snapshot.pods.values() if labels else waiting(snapshot))
            if namespace in (None, pod.namespace) and wanted.items() <= pod.meta.labels.items() and not pod.terminal
        ]
        if labels and not pods:
            told = ",".join(f"{key}={value}" for key, value in labels.items())
            return Unknown(f"no pod has the labels {told}", "kubectl get pods -A --show-labels")
        return pods
    first, slash, rest = target.partition("/")
    if slash and not is_kind(first) and _has_namespace(snapshot, first):
        return pods_meant(snapshot, rest, first)
    kind, _, name = target.rpartition("/")
    wanted_kind = kind_of(kind)
    found = find(snapshot, wanted_kind, name, namespace)
    if not found and not kind:
        found = next((pods for one in sorted(WORKLOADS) if (pods := find(snapshot, one, name, namespace))), [])
    return found or _not_found(snapshot, wanted_kind, name, namespace, bare=not kind)


def _has_namespace(snapshot: Snapshot, namespace: str) -> bool:
    return namespace in snapshot.namespaces or any(pod.namespace == namespace for pod in snapshot.pods.values())


def _not_found(snapshot: Snapshot, kind: str, name: str, namespace: str | None, *, bare: bool) -> Unknown:
    where = f" in namespace {namespace}" if namespace else ""
    pods = {pod.name: pod.namespace for pod in snapshot.pods.values()}
    if kind == "pod" and not bare:
        known = pods
    elif kind in WORKLOADS or bare:
        owners = {owner_of(snapshot, pod) for pod in snapshot.pods.values()}
        known = {owner.name: owner.namespace for owner in owners if bare or owner.kind.lower() == kind}
        known |= {
            one.meta.name: one.meta.namespace for one in snapshot.workloads.values() if bare or one.kind.lower() == kind
        }
        known |= pods if bare else {}
    else:
        kinds = ", ".join(sorted(WORKLOADS))
        return Unknown(
            f"pods aren't found by {kind!r}",
            f"give pod/NAME, NAMESPACE/NAME, node/NAME, claim/NAME or one of: {kinds}/NAME",
        )
    close = ", ".join(f"{one} (-n {known[one]})" for one in nearest(name, known)[:3])
    what = f"pod or workload {name}" if bare else f"{kind}/{name}"
    hint = f"nearest: {close}" if close else f"the input has no {kind}"
    return Unknown(f"there's no {what}{where} in the input", hint)


def labels_of(text: str) -> dict[str, str] | Unknown:
    """`app=x,tier=y`."""
    found: dict[str, str] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        key, equals, value = part.partition("=")
        if not equals:
            return Unknown(f"label selector {part!r} isn't KEY=VALUE", "-l app=llm,tier=gpu")
        found[key.strip()] = value.strip().removeprefix("=")
    return found
