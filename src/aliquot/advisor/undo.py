"""The line that takes a change back, or what is lost where none does; and the copy that it takes back from."""

import shlex
from dataclasses import dataclass

WAITS = "# nothing to undo: the pod waits, and is made again as it was"


@dataclass(frozen=True, slots=True)
class Kept:
    """An object as it was, in a file, to be taken back from it: the copy is made before the change."""

    kind: str
    name: str
    namespace: str = ""
    verb: str = "replace"
    """`replace --force` for what can't be changed in place, `create` for what is gone."""

    @property
    def undo(self) -> str:
        """From the copy."""
        return f"kubectl {self.verb} -f {_file(self.kind, self.name, self.namespace)}"

    def before(self, command: str) -> str:
        """The command, and the line before it that keeps the copy."""
        copied = copy(self.kind, self.name, self.namespace, version=self.verb != "replace")
        return f"{copied}\n{command}"


def copy(kind: str, name: str, namespace: str = "", *, version: bool = True) -> str:
    """The line that copies an object into a file.

    Args:
        kind: what it is.
        name: of the object.
        namespace: empty where it has none.
        version: with its resourceVersion. A replace in place is refused with it: it's no longer the newest.
    """
    where = f" -n {shlex.quote(namespace)}" if namespace else ""
    without = "" if version else " | grep -v '^  resourceVersion:'"
    return f"kubectl get {kind.lower()} {shlex.quote(name)}{where} -o yaml{without} > {_file(kind, name, namespace)}"


def lost(kind: str, name: str, namespace: str, what: str) -> str:
    """Nothing brings it back but its manifest."""
    return f"# no undo: {what}; to make it again, keep its manifest before: {copy(kind, name, namespace)}"


def _file(kind: str, name: str, namespace: str) -> str:
    """Its own for each object: a way out may change a pod and a claim of one name."""
    return shlex.quote("-".join(part for part in (kind.lower(), namespace, name) if part) + ".before.yaml")
