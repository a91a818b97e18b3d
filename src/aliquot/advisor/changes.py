"""Changes as a person makes them: a patch, and the kubectl line that applies it."""

import json
import shlex
from collections.abc import Mapping, Sequence

from aliquot.advisor.owners import OwnerRef
from aliquot.advisor.wayout import Change, Patch
from aliquot.kube.selectors import NodeSelector, Requirement
from aliquot.kube.taints import Taint, Toleration

REPLACING = frozenset({"Deployment", "DaemonSet"})
"""Their controllers replace pods when the template changes."""
KEEPING = frozenset({"StatefulSet", "ReplicaSet", "ReplicationController"})
"""Theirs don't (a StatefulSet's rollout waits for the pod that is pending): the pod is deleted, to be made anew."""


def _namespace(namespace: str) -> str:
    return f" -n {shlex.quote(namespace)}" if namespace else ""


def _compact(value: object) -> str:
    return shlex.quote(json.dumps(value, ensure_ascii=False))


def pod_spec(owner: OwnerRef, pod: str, spec: Patch) -> tuple[Change, ...]:
    """Merge `spec` (strategic merge patch of a pod's spec) into the pod, or into its owner's template.

    Args:
        owner: whose template it is; the pod itself if nobody's.
        pod: the pending pod's name.
        spec: the patch.
    """
    where = f"{owner.kind.lower()} {shlex.quote(owner.name)}{_namespace(owner.namespace)}"
    template: Patch = {"spec": {"template": {"spec": spec}}}
    if owner.kind in REPLACING or owner.kind in KEEPING:
        patched = Change(owner.full, f"kubectl patch {where} --type=strategic -p {_compact(template)}", template)
        if owner.kind in REPLACING:
            return (patched,)
        again = f"kubectl delete pod {shlex.quote(pod)}{_namespace(owner.namespace)}"
        return (patched, Change(f"pod {owner.namespace}/{pod}", again))
    if owner.kind == "Pod":
        # Most of a pod's spec can't be changed in place: it's made anew from the patched manifest.
        patch: Patch = {"spec": spec}
        command = (
            f"kubectl patch {where} --type=strategic --dry-run=client -o yaml -p {_compact(patch)}"
            " | kubectl replace --force -f -"
        )
        return (Change(owner.full, command, patch),)
    if owner.kind == "CronJob":
        patch = {"spec": {"jobTemplate": template}}
        command = f"kubectl patch {where} --type=strategic -p {_compact(patch)}  # holds from its next run on"
        return (Change(owner.full, command, patch),)
    if owner.kind == "Job":
        command = (
            f"# a Job's template can't be changed: delete job {owner.name} and create it again from its manifest with"
            " this patch; what it has done so far is lost"
        )
        return (Change(owner.full, command, template),)
    return (Change(owner.full, f"# change the pod template of {owner.full} (a custom kind) as in the patch", template),)


def tolerations_patch(tolerations: tuple[Toleration, ...]) -> list[dict[str, object]]:
    """The whole list: a strategic merge replaces tolerations, it doesn't append. The API server's own are left out."""
    return [
        _toleration(one)
        for one in tolerations
        if not (
            one.effect == "NoExecute"
            and one.seconds == 300
            and one.key in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
        )
    ]


def _toleration(one: Toleration) -> dict[str, object]:
    found: dict[str, object] = {}
    if one.key:
        found["key"] = one.key
    found["operator"] = one.operator
    if one.value:
        found["value"] = one.value
    if one.effect:
        found["effect"] = one.effect
    if one.seconds is not None:
        found["tolerationSeconds"] = one.seconds
    return found


def _requirement(one: Requirement) -> dict[str, object]:
    found: dict[str, object] = {"key": one.key, "operator": one.operator}
    if one.values:
        found["values"] = list(one.values)
    return found


def node_affinity_patch(selector: NodeSelector | None) -> dict[str, object]:
    """spec.affinity with the required node terms as given; None takes them away. Preferences stay as they are."""
    if selector is None:
        return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": None}}
    terms: list[dict[str, object]] = []
    for term in selector.terms:
        found: dict[str, object] = {}
        if term.expressions:
            found["matchExpressions"] = [_requirement(one) for one in term.expressions]
        if term.fields:
            found["matchFields"] = [_requirement(one) for one in term.fields]
        terms.append(found)
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def uncordon(node: str) -> Change:
    """Allow new pods on a node."""
    return Change(f"node {node}", f"kubectl uncordon {shlex.quote(node)}", {"spec": {"unschedulable": None}})


def remove_taints(node: str, taints: tuple[Taint, ...], left: tuple[Taint, ...]) -> Change:
    """Take taints off a node; `left` are those that stay."""
    keys = " ".join(shlex.quote(f"{taint}-") for taint in taints)
    rest = [{"key": one.key, "effect": one.effect} | ({"value": one.value} if one.value else {}) for one in left]
    return Change(
        f"node {node}",
        f"kubectl taint nodes {shlex.quote(node)} {keys}",
        {"spec": {"taints": rest or None}},
    )


def label_node(node: str, labels: Mapping[str, str]) -> Change:
    """Set labels that an operator on the node acts on."""
    pairs = " ".join(shlex.quote(f"{key}={value}") for key, value in labels.items())
    return Change(
        f"node {node}",
        f"kubectl label node {shlex.quote(node)} --overwrite {pairs}",
        {"metadata": {"labels": dict(labels)}},
    )


def plugin_config(name: str, config: Mapping[str, object]) -> Change:
    """Add a named configuration to the device plugin's ConfigMap (JSON is YAML, so it can stand on one line)."""
    patch = {"data": {name: json.dumps(config)}}
    return Change(
        "configmap of NVIDIA's device plugin",
        f"kubectl patch configmap DEVICE_PLUGIN_CONFIG -n gpu-operator --type=merge -p {_compact(patch)}"
        "  # the ConfigMap that ClusterPolicy's spec.devicePlugin.config.name names",
        patch,
    )


def stop(owner: OwnerRef, pods: tuple[str, ...]) -> Change:
    """Stop a workload, so that its pods give back what they hold."""
    name, namespace = shlex.quote(owner.name), _namespace(owner.namespace)
    if owner.kind in ("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"):
        return Change(
            owner.full,
            f"kubectl scale {owner.kind.lower()} {name}{namespace} --replicas=0",
            {"spec": {"replicas": 0}},
        )
    if owner.kind in ("Job", "CronJob"):
        patch = {"spec": {"suspend": True}}
        extra = "" if owner.kind == "Job" else f" && kubectl delete pod {' '.join(map(shlex.quote, pods))}{namespace}"
        return Change(
            owner.full, f"kubectl patch {owner.kind.lower()} {name}{namespace} -p {_compact(patch)}{extra}", patch
        )
    if owner.kind == "Pod":
        return Change(owner.full, f"kubectl delete pod {name}{namespace}")
    if owner.kind == "DaemonSet":
        return Change(owner.full, f"kubectl delete daemonset {name}{namespace}")
    return Change(owner.full, f"# stop {owner.full}: scale it to zero by its own means")


def start(owner: OwnerRef, replicas: int) -> Change:
    """Have a stopped workload run again."""
    name, namespace = shlex.quote(owner.name), _namespace(owner.namespace)
    if owner.kind in ("Job", "CronJob"):
        patch: Patch = {"spec": {"suspend": False}}
        return Change(owner.full, f"kubectl patch {owner.kind.lower()} {name}{namespace} -p {_compact(patch)}", patch)
    return Change(
        owner.full,
        f"kubectl scale {owner.kind.lower()} {name}{namespace} --replicas={replicas}",
        {"spec": {"replicas": replicas}},
    )


def claim_spec(
    kind: str, namespace: str, name: str, operations: Sequence[Patch], owner: OwnerRef, pod: str
) -> tuple[Change, ...]:
    """Make a claim (or its template) anew with a JSON patch, then the pod, so that it gets a new claim."""
    where = f"{kind.lower()} {shlex.quote(name)}{_namespace(namespace)}"
    edited = Change(
        f"{kind.lower()} {namespace}/{name}",
        f"kubectl patch {where} --type=json --dry-run=client -o yaml -p {_compact(list(operations))}"
        " | kubectl replace --force -f -",
        {"jsonPatch": list(operations)},
    )
    if kind == "ResourceClaim":
        return (edited,)
    again = (
        f"kubectl delete pod {shlex.quote(pod)}{_namespace(namespace)}"
        if owner.templated
        else f"kubectl get pod {shlex.quote(pod)}{_namespace(namespace)} -o yaml | kubectl replace --force -f -"
    )
    return (edited, Change(f"pod {namespace}/{pod}", again))


def shared_claim(kind: str, namespace: str, name: str, new: str) -> Change:
    """Make a claim that several pods may name, with the spec of a template or of another claim."""
    path = "{.spec.spec}" if kind == "ResourceClaimTemplate" else "{.spec}"
    read = f"kubectl get {kind.lower()} {shlex.quote(name)}{_namespace(namespace)} -o jsonpath='{path}'"
    body = f'{{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{{"name":"{new}"}},"spec":%s}}'
    return Change(
        f"resourceclaim {namespace}/{new}",
        f"printf '{body}' \"$({read})\" | kubectl apply{_namespace(namespace)} -f -",
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": {"name": new, "namespace": namespace},
        },
    )


def mig_strategy() -> Change:
    """Let the device plugin advertise each MIG profile under a name of its own."""
    patch: Patch = {"spec": {"mig": {"strategy": "mixed"}}}
    return Change(
        "clusterpolicy cluster-policy",
        f"kubectl patch clusterpolicies.nvidia.com cluster-policy --type=merge -p {_compact(patch)}",
        patch,
    )
