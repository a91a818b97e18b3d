"""The cause where a claim, a template of claims or a DeviceClass isn't there, or isn't in the input."""

from collections.abc import Container, Iterable
from dataclasses import replace

from aliquot.advisor.causes.cause import Cause, listed
from aliquot.advisor.nearest import is_near, nearest
from aliquot.kube.pod import Pod, PodClaim
from aliquot.snapshot.snapshot import Snapshot

RESOURCES = {
    "ResourceClaim": "resourceclaims",
    "ResourceClaimTemplate": "resourceclaimtemplates",
    "DeviceClass": "deviceclasses",
}


def class_missing(snapshot: Snapshot, request: str, name: str) -> Cause:
    """Of a request that names a class that the scheduler doesn't find."""
    unknown = _unread(snapshot, "DeviceClass", name) or _not_held(snapshot, "DeviceClass", name)
    if unknown is not None:
        return replace(unknown, kind="class-missing")
    near = _near(name, snapshot.classes)
    return Cause("class-missing", f"Request {request} asks for DeviceClass {name}, which doesn't exist{near}.", (name,))


def claim_missing(snapshot: Snapshot, pod: Pod) -> Cause:
    """Of a pod whose claims the scheduler doesn't find: which, and what was probably meant."""
    for wanted in pod.claims:
        name = wanted.claim_name or pod.claim_names.get(wanted.name)
        if name and f"{pod.namespace}/{name}" in snapshot.claims:
            continue
        crossed = _other_kind(snapshot, pod, wanted)
        if crossed is not None:
            return crossed
        if wanted.template_name is not None and f"{pod.namespace}/{wanted.template_name}" not in snapshot.templates:
            here = [one.meta.name for one in snapshot.templates.values() if one.meta.namespace == pod.namespace]
            near = _near(wanted.template_name, here, snapshot.templates)
            unread = _unread(snapshot, "ResourceClaimTemplate", wanted.template_name)
            unread = unread or _not_held(snapshot, "ResourceClaimTemplate", wanted.template_name)
            if unread is not None:
                return unread
            sentence = (
                f"Its ResourceClaimTemplate {wanted.template_name} isn't in the input (namespace {pod.namespace})"
                f"{near}, so no claim can be made for it and the scheduler doesn't look at it."
            )
            return Cause("claim-missing", sentence, (wanted.template_name,))
        if wanted.claim_name is not None:
            here = [one.meta.name for one in snapshot.claims.values() if one.meta.namespace == pod.namespace]
            unread = _unread(snapshot, "ResourceClaim", wanted.claim_name)
            unread = unread or _not_held(snapshot, "ResourceClaim", wanted.claim_name, _users(snapshot, pod, wanted))
            if unread is not None:
                return unread
            near = _near(wanted.claim_name, here, snapshot.claims)
            sentence = (
                f"Its ResourceClaim {wanted.claim_name} isn't in the input (namespace {pod.namespace}){near}, so the "
                "scheduler doesn't look at it."
            )
            return Cause("claim-missing", sentence, (wanted.claim_name,))
    said = [
        one.message
        for one in snapshot.events
        if (one.kind, one.namespace, one.name) == ("Pod", pod.namespace, pod.name) and one.type == "Warning"
    ]
    tail = f" An event says: {said[-1]}" if said else ""
    return Cause(
        "claim-missing", f"Its claim isn't made yet, so the scheduler doesn't look at it.{tail}", (pod.claims[0].name,)
    )


def _unread(snapshot: Snapshot, kind: str, name: str) -> Cause | None:
    """That an object of this kind couldn't be read, which may be the one; None: all were."""
    why = snapshot.unread.get(kind)
    if why is None:
        return None
    which = f"a {kind} of the input" if len(why) == 1 else f"{len(why)} objects of this kind in the input"
    may = "and may be this one" if len(why) == 1 else "and one of them may be this"
    sentence = (
        f"{kind} {name} isn't among what could be read: {which} couldn't be ({listed(why, 2)}), {may}. Until that's "
        "corrected nothing can be said of the pod."
    )
    return Cause("claim-missing", sentence, (name,))


def _other_kind(snapshot: Snapshot, pod: Pod, wanted: PodClaim) -> Cause | None:
    """The name is right, and the field is the other kind's."""
    claim, template = wanted.claim_name, wanted.template_name
    if claim is not None and _only(pod, claim, snapshot.templates, snapshot.claims):
        return _misplaced(pod, claim, ("resourceClaimName", "ResourceClaim"), "ResourceClaimTemplate")
    if template is not None and _only(pod, template, snapshot.claims, snapshot.templates):
        return _misplaced(pod, template, ("resourceClaimTemplateName", "ResourceClaimTemplate"), "ResourceClaim")
    return None


def _only(pod: Pod, name: str, here: Container[str], not_there: Container[str]) -> bool:
    key = f"{pod.namespace}/{name}"
    return key in here and key not in not_there


def _misplaced(pod: Pod, name: str, at: tuple[str, str], kind: str) -> Cause:
    field, missing = at
    right = f"{kind[:1].lower()}{kind[1:]}Name"
    sentence = (
        f"Its {field} names no {missing} of namespace {pod.namespace}: {name} is a {kind}, so {right} is meant."
        " Until then the scheduler doesn't look at it."
    )
    return Cause("claim-missing", sentence, (name,))


def _near(name: str, here: Iterable[str], everywhere: Iterable[str] = ()) -> str:
    """What was probably meant: by that name in another namespace, which a pod can't use; or by a near name."""
    elsewhere = [key for key in everywhere if key.rpartition("/")[2] == name]
    if elsewhere:
        return f" (there is {listed(elsewhere)} in another namespace, and a pod can only use its own namespace's)"
    close = nearest(name, here)[:3]
    if not close:
        return ""
    return (
        f" ({close[0]} is probably meant)"
        if is_near(close[0], name)
        else f" (there {'is' if len(close) == 1 else 'are'} {listed(close)})"
    )


def _not_held(snapshot: Snapshot, kind: str, name: str, users: Iterable[str] = ()) -> Cause | None:
    """That the input holds none of the kind, so that it's unknown; None: it holds some."""
    if kind in snapshot.kinds:
        return None
    used = list(users)
    there = f" {listed(used)} {'runs' if len(used) == 1 else 'run'} with it, so it exists." if used else ""
    take = f"kubectl get {RESOURCES[kind]} -A -o yaml > {RESOURCES[kind]}.yaml"
    sentence = (
        f"It needs {kind} {name}, and the input holds no {kind} at all: nothing can be said of the pod without it."
        f"{there} Take them too, with one more -f: {take}"
    )
    return Cause("claim-missing", sentence, (name,))


def _users(snapshot: Snapshot, pod: Pod, wanted: PodClaim) -> Iterable[str]:
    """Other pods that run with that claim."""
    for one in snapshot.pods.values():
        uses = any(claim.claim_name == wanted.claim_name for claim in one.claims)
        if uses and one.namespace == pod.namespace and one.phase == "Running":
            yield one.key
