"""Advice for pods that have room or a node and don't start: nothing here can be tried on a dump."""

import re
import shlex
from collections.abc import Iterable, Iterator

from aliquot.advisor.causes.blocked import unset
from aliquot.advisor.wayout import Advice
from aliquot.kube.pod import Pod
from aliquot.scheduling.blockers.blocker import Blocker

_NOT_FOUND = re.compile(r'(secret|configmap) "([^"]+)" not found')
_NO_KEY = re.compile(r"couldn't find key (\S+) in (Secret|ConfigMap) (?:\S+/)?([\w.-]+)")
_REFUSED = re.compile(r"unauthorized|authentication|denied|forbidden|\b40[13]\b", re.IGNORECASE)
_NO_SUCH = re.compile(r"not found|manifest unknown|\b404\b", re.IGNORECASE)
KINDS = {"secret": "Secret", "configmap": "ConfigMap"}


def advice(pod: Pod, blockers: Iterable[Blocker]) -> Iterator[Advice]:
    """What to make, correct or look at, with the command that shows it."""
    for one in blockers:
        message = " ".join(item.message for item in one.evidence)
        match one.kind:
            case "image-pull":
                yield _image(pod, one, message)
            case "container-config":
                yield from _config(pod, message)
            case "missing-object":
                meant = f": {one.nearest} exists, and is probably meant" if one.nearest else ""
                yield _make(one.object.kind, one.object.name, pod.namespace, meant)
            case "container-crash":
                container = f" -c {shlex.quote(one.subject)}" if one.subject else ""
                yield Advice(
                    f"Container {one.subject} starts and ends again: its last output says why",
                    f"kubectl logs {shlex.quote(pod.name)}{_in(pod)}{container} --previous",
                )
            case "quota-unspecified":
                yield from _unspecified(pod, one)
            case "mount-failed" | "sandbox-failed":
                yield Advice("The kubelet's events say what it lacks", _describe(pod))
            case _:
                pass


def _unspecified(pod: Pod, one: Blocker) -> Iterator[Advice]:
    maker = one.others[0] if one.others else one.object
    for part in one.subject.split(";"):
        amount, _, names = part.strip().partition(" for: ")
        kind, _, resource = amount.rpartition(".")  # plain `cpu` means its request
        flag = f"--{kind or 'requests'}={resource}=AMOUNT"
        container = f" -c {shlex.quote(names)}" if names else ""
        yield Advice(
            f"Set {unset(part)}, or give all containers of {pod.namespace} a default by a LimitRange",
            f"kubectl set resources {maker.kind.lower()} {shlex.quote(maker.name)}{_in(pod)}{container} {flag}",
        )


def _in(pod: Pod) -> str:
    return f" -n {shlex.quote(pod.namespace)}"


def _image(pod: Pod, one: Blocker, message: str) -> Advice:
    secrets = ", ".join(pod.image_pull_secrets) or "none of its own"
    if _REFUSED.search(message):
        text = (
            f"The registry refuses: give the pod, or service account {pod.service_account}, an imagePullSecret that "
            f"may pull {one.subject} (it names {secrets})"
        )
    elif _NO_SUCH.search(message):
        text = f"The registry doesn't know {one.subject}: correct the image's name or tag"
    else:
        text = f"Look at the image's name ({one.subject}), and the node's way to the registry"
    return Advice(text, _describe(pod))


def _describe(pod: Pod) -> str:
    return f"kubectl describe pod {shlex.quote(pod.name)}{_in(pod)}"


def _config(pod: Pod, message: str) -> Iterator[Advice]:
    for kind, name in dict.fromkeys(_NOT_FOUND.findall(message)):
        yield _make(KINDS[kind], name, pod.namespace, "")
    for key, kind, name in dict.fromkeys(_NO_KEY.findall(message)):
        yield Advice(
            f"Add key {key} to {kind} {name}, or name a key that it has",
            f"kubectl describe {kind.lower()} {shlex.quote(name)}{_in(pod)}",
        )


def _make(kind: str, name: str, namespace: str, meant: str) -> Advice:
    where = "" if kind in ("RuntimeClass", "PriorityClass") else f" -n {shlex.quote(namespace)}"
    place = f" in {namespace}" if where else ""
    text = f"Create {kind} {name}{place}, or name one that's there{meant}"
    return Advice(text, f"kubectl get {kind.lower()}s{where}".replace("classs", "classes"))
