"""Changes as a person makes them: a patch, the kubectl line that applies it, and the one that takes it back."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from aliquot.advisor import undo
from aliquot.advisor.owners import OwnerRef
from aliquot.advisor.wayout import Change, Patch
from aliquot.kube.selectors import NodeSelector, Requirement
from aliquot.kube.taints import Taint, Toleration

REPLACING = frozenset({"Deployment", "DaemonSet"})
"""Their controllers replace pods when the template changes."""
ROLLED = frozenset({"Deployment", "DaemonSet", "StatefulSet"})
"""Their controllers keep earlier templates."""
KEEPING = frozenset({"StatefulSet", "ReplicaSet", "ReplicationController"})
"""Theirs don't (a StatefulSet's rollout waits for the pod that is pending): the pod is deleted, to be made anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PodChange(Change):
    """A change of a pod's spec, in the pod or in its owner's template."""

    owner: OwnerRef
    pod: str
    spec: Patch


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimChange(Change):
    """A change of a claim's spec, or of its template's."""

    kind: str
    namespace: str
    name: str
    operations: tuple[Patch, ...]
    owner: OwnerRef
    pod: str


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
    kept = undo.Kept(owner.kind, owner.name, owner.namespace, "replace --force" if owner.kind == "Pod" else "replace")

    def made(command: str, patch: Patch, back: str) -> PodChange:
        return PodChange(owner.full, command, patch, back, owner=owner, pod=pod, spec=spec)

    if owner.kind in REPLACING or owner.kind in KEEPING:
        command = f"kubectl patch {where} --type=strategic -p {_compact(template)}"
        patched = (
            made(command, template, f"kubectl rollout undo {where}")
            if owner.kind in ROLLED
            else made(kept.before(command), template, kept.undo)
        )
        if owner.kind in REPLACING:
            return (patched,)
        again = f"kubectl delete pod {shlex.quote(pod)}{_namespace(owner.namespace)}"
        return (patched, Change(f"pod {owner.namespace}/{pod}", again, undo=undo.WAITS))
    if owner.kind == "Pod":
        # Most of a pod's spec can't be changed in place: it's made anew from the patched manifest.
        patch: Patch = {"spec": spec}
        command = (
            f"kubectl patch {where} --type=strategic --dry-run=client -o yaml -p {_compact(patch)}"
            " | kubectl replace --force -f -"
        )
        return (made(kept.before(command), patch, kept.undo),)
    if owner.kind == "CronJob":
        patch = {"spec": {"jobTemplate": template}}
        command = f"kubectl patch {where} --type=strategic -p {_compact(patch)}  # holds from its next run on"
        return (made(kept.before(command), patch, kept.undo),)
    if owner.kind == "Job":
        command = (
            f"# a Job's template can't be changed: delete job {owner.name} and create it again from its manifest with"
            " this patch; what it has done so far is lost"
        )
        return (made(command, template, ""),)
    return (made(f"# change the pod template of {owner.full} (a custom kind) as in the patch", template, ""),)


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
    where = shlex.quote(node)
    return Change(
        f"node {node}", f"kubectl uncordon {where}", {"spec": {"unschedulable": None}}, f"kubectl cordon {where}"
    )


def remove_taints(node: str, taints: tuple[Taint, ...], left: tuple[Taint, ...]) -> Change:
    """Take taints off a node; `left` are those that stay."""
    keys = " ".join(shlex.quote(f"{taint}-") for taint in taints)
    rest = [{"key": one.key, "effect": one.effect} | ({"value": one.value} if one.value else {}) for one in left]
    return Change(
        f"node {node}",
        f"kubectl taint nodes {shlex.quote(node)} {keys}",
        {"spec": {"taints": rest or None}},
        f"kubectl taint nodes {shlex.quote(node)} {' '.join(shlex.quote(str(taint)) for taint in taints)}",
    )


def label_node(node: str, labels: Mapping[str, str], before: Mapping[str, str]) -> Change:
    """Set labels that an operator on the node acts on; `before`: those that it has."""
    pairs = " ".join(shlex.quote(f"{key}={value}") for key, value in labels.items())
    old = " ".join(shlex.quote(f"{key}={before[key]}" if key in before else f"{key}-") for key in labels)
    return Change(
        f"node {node}",
        f"kubectl label node {shlex.quote(node)} --overwrite {pairs}",
        {"metadata": {"labels": dict(labels)}},
        f"kubectl label node {shlex.quote(node)} --overwrite {old}",
    )


def plugin_config(name: str, config: Mapping[str, object]) -> Change:
    """Add a named configuration to the device plugin's ConfigMap, which one line finds whoever installed the plugin.

    By its Helm chart the DaemonSet mounts that ConfigMap alone, by the GPU Operator beside one named ...-entrypoint.
    """
    patch = {"data": {name: _flow(config)}}
    add = "kubectl patch configmap CONFIG -n NAMESPACE --type=merge -p"
    each = '{range .items[*]}{.metadata.namespace}/{.metadata.name}: {..configMap.name}{"\\n"}{end}'
    return Change(
        "configmap of NVIDIA's device plugin",
        "# where Helm or the GPU Operator installed the device plugin (one that ends in -entrypoint is not meant):\n"
        f"kubectl get ds -A -o jsonpath='{each}' | grep device-plugin  # NAMESPACE/...: CONFIG\n"
        "# no CONFIG there: first make one, named by config.name (Helm) or devicePlugin.config.name (GPU Operator)\n"
        f"{add} \\\n  {_compact(patch)}",
        patch,
        f"{add} {_compact({'data': {name: None}})}",
    )


def _flow(value: object) -> str:
    """As YAML on one line: short, and without a quotation mark that a shell or JSON would have to escape."""
    if (table := _table(value)) is not None:
        return f"{{{', '.join(f'{key}: {_flow(one)}' for key, one in table.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, cast('list[object]', value)))}]"
    return value if isinstance(value, str) else json.dumps(value)


def stop(owner: OwnerRef, pods: tuple[str, ...], replicas: int | None) -> Change:
    """Stop a workload, so that its pods give back what they hold; `replicas`: as many as it has, if that's known."""
    name, namespace = shlex.quote(owner.name), _namespace(owner.namespace)
    if owner.kind in ("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"):
        which = f"{owner.kind.lower()} {name}{namespace}"
        read = f"kubectl get {which} -o jsonpath='{{.spec.replicas}}'  # REPLICAS\n" if replicas is None else ""
        return Change(
            owner.full,
            f"{read}kubectl scale {which} --replicas=0",
            {"spec": {"replicas": 0}},
            f"kubectl scale {which} --replicas={'REPLICAS' if replicas is None else replicas}",
        )
    if owner.kind in ("Job", "CronJob"):
        patch = {"spec": {"suspend": True}}
        extra = "" if owner.kind == "Job" else f" && kubectl delete pod {' '.join(map(shlex.quote, pods))}{namespace}"
        which = f"kubectl patch {owner.kind.lower()} {name}{namespace} -p"
        back = f"{which} {_compact({'spec': {'suspend': False}})}  # what its pods had done since they started is lost"
        return Change(owner.full, f"{which} {_compact(patch)}{extra}", patch, back)
    if owner.kind == "Pod":
        back = undo.lost("pod", owner.name, owner.namespace, "no controller makes it again, and what it did is lost")
        return Change(owner.full, f"kubectl delete pod {name}{namespace}", undo=back)
    if owner.kind == "DaemonSet":
        kept = undo.Kept("daemonset", owner.name, owner.namespace, "create")
        return Change(owner.full, kept.before(f"kubectl delete daemonset {name}{namespace}"), undo=kept.undo)
    return Change(owner.full, f"# stop {owner.full}: scale it to zero by its own means")


def start(owner: OwnerRef, replicas: int | None) -> Change:
    """Have a stopped workload run again."""
    name, namespace = shlex.quote(owner.name), _namespace(owner.namespace)
    nothing = "# nothing to undo: it has as many as before"
    if owner.kind in ("Job", "CronJob"):
        patch: Patch = {"spec": {"suspend": False}}
        command = f"kubectl patch {owner.kind.lower()} {name}{namespace} -p {_compact(patch)}"
        return Change(owner.full, command, patch, nothing)
    amount: int | str = "REPLICAS" if replicas is None else replicas
    command = f"kubectl scale {owner.kind.lower()} {name}{namespace} --replicas={amount}"
    return Change(owner.full, command, {"spec": {"replicas": amount}}, nothing)


def claim_spec(
    kind: str, namespace: str, name: str, operations: Sequence[Patch], owner: OwnerRef, pod: str
) -> tuple[Change, ...]:
    """Make a claim (or its template) anew with a JSON patch, then the pod, so that it gets a new claim."""
    where = f"{kind.lower()} {shlex.quote(name)}{_namespace(namespace)}"
    kept = undo.Kept(kind, name, namespace, "replace --force")
    edited = ClaimChange(
        f"{kind.lower()} {namespace}/{name}",
        kept.before(
            f"kubectl patch {where} --type=json --dry-run=client -o yaml -p {_compact(list(operations))}"
            " | kubectl replace --force -f -"
        ),
        {"jsonPatch": list(operations)},
        kept.undo,
        kind=kind,
        namespace=namespace,
        name=name,
        operations=tuple(operations),
        owner=owner,
        pod=pod,
    )
    if kind == "ResourceClaim":
        return (edited,)
    again = (
        f"kubectl delete pod {shlex.quote(pod)}{_namespace(namespace)}"
        if owner.templated
        else f"kubectl get pod {shlex.quote(pod)}{_namespace(namespace)} -o yaml | kubectl replace --force -f -"
    )
    return (edited, Change(f"pod {namespace}/{pod}", again, undo=undo.WAITS))


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
        f"kubectl delete resourceclaim {shlex.quote(new)}{_namespace(namespace)}",
    )


def mig_strategy() -> Change:
    """Let the device plugin advertise each MIG profile under a name of its own."""
    patch: Patch = {"spec": {"mig": {"strategy": "mixed"}}}
    kept = undo.Kept("clusterpolicies.nvidia.com", "cluster-policy")
    return Change(
        "clusterpolicy cluster-policy",
        "# where the GPU Operator runs; its policy has this name unless it was installed otherwise\n"
        + kept.before(f"kubectl patch clusterpolicies.nvidia.com cluster-policy --type=merge -p {_compact(patch)}"),
        patch,
        kept.undo,
    )


def merged(several: Sequence[Change]) -> tuple[Change, ...]:
    """The same with one change for each object: two edits of one pod, template or claim are one patch."""
    found: list[Change] = []
    for change in several:
        for nth, there in enumerate(found):
            if (one := _one_of(there, change)) is not None:
                found[nth] = one
                break
        else:
            found.append(change)
    return tuple(found)


def _one_of(one: Change, other: Change) -> Change | None:
    if isinstance(one, PodChange) and isinstance(other, PodChange) and one.owner == other.owner:
        return pod_spec(one.owner, one.pod, _together(one.spec, other.spec))[0]
    if isinstance(one, ClaimChange) and isinstance(other, ClaimChange) and one.target == other.target:
        operations = (*one.operations, *other.operations)
        return claim_spec(one.kind, one.namespace, one.name, operations, one.owner, one.pod)[0]
    return one if one == other else None


def _together(one: Patch, other: Patch) -> Patch:
    """Two strategic merge patches as one, the second on top; lists of named things go by their names."""
    found: dict[str, object] = dict(one)
    for key, value in other.items():
        there = found.get(key)
        tables, lists = (_table(there), _table(value)), (_named(there), _named(value))
        if tables[0] is not None and tables[1] is not None:
            found[key] = _together(tables[0], tables[1])
        elif lists[0] is not None and lists[1] is not None:
            before, after = lists[0], lists[1]
            found[key] = [_together(before.get(name, {}), after.get(name, {})) for name in {**before, **after}]
        else:
            found[key] = value
    return found


def _table(value: object) -> Patch | None:
    """None: it's none."""
    return cast("Patch", value) if isinstance(value, Mapping) else None


def _named(value: object) -> dict[str, Patch] | None:
    """Entries by name; None: it's no list of named entries."""
    if not isinstance(value, list):
        return None
    found: dict[str, Patch] = {}
    for one in cast("list[object]", value):
        entry = _table(one)
        name = entry.get("name") if entry is not None else None
        if entry is None or not isinstance(name, str):
            return None
        found[name] = entry
    return found
