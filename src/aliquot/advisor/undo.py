"""The line that takes a change back, or what is lost where none does."""

import shlex

WAITS = "# nothing to undo: the pod waits, and is made again as it was"


def keep(kind: str, name: str, namespace: str = "") -> str:
    """The line that keeps an object as it is, before it's changed."""
    where = f" -n {shlex.quote(namespace)}" if namespace else ""
    return f"kubectl get {kind.lower()} {shlex.quote(name)}{where} -o yaml > {_file(name)}"


def from_copy(kind: str, name: str, namespace: str = "", *, verb: str = "replace") -> str:
    """From a copy. `verb`: `replace --force` for what can't be changed in place, `create` for what is gone."""
    return f"kubectl {verb} -f {_file(name)}  # a copy kept before: {keep(kind, name, namespace)}"


def lost(kind: str, name: str, namespace: str, what: str) -> str:
    """Nothing brings it back but its manifest."""
    return f"# no undo: {what}; to make it again, keep its manifest before: {keep(kind, name, namespace)}"


def _file(name: str) -> str:
    return shlex.quote(f"{name}.before.yaml")
