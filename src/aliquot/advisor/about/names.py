"""Which node or claim a person means."""

from dataclasses import dataclass

from aliquot.advisor.nearest import nearest
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class NotThere:
    """Nothing in the input is meant by it: what to tell, and what to do."""

    message: str
    hint: str


def find_node(snapshot: Snapshot, name: str) -> str | NotThere:
    """A node's name, if it's there."""
    if name in snapshot.nodes:
        return name
    return NotThere(
        f"there's no node {name} in the input" if name else "node/ says no name",
        _near(nearest(name, snapshot.nodes)) or "the input has no nodes: kubectl get nodes -o yaml > nodes.yaml",
    )


def find_claim(snapshot: Snapshot, name: str, namespace: str | None) -> str | NotThere:
    """A claim's key: by `NAMESPACE/NAME`, or by its name in the given namespace, or in the only one that has it."""
    space, slash, rest = name.partition("/")
    wanted, where = (rest, space) if slash else (name, namespace)
    if slash and namespace not in (None, space):
        return NotThere(f"claim/{name} names namespace {space}, and -n {namespace}", "leave one of them away")
    found = [
        key
        for key, claim in snapshot.claims.items()
        if claim.meta.name == wanted and where in (None, claim.meta.namespace)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        return NotThere(
            f"claim {wanted} is in {len(found)} namespaces", f"say which: claim/{' or claim/'.join(sorted(found))}"
        )
    names: dict[str, list[str]] = {}
    for key, claim in snapshot.claims.items():
        names.setdefault(claim.meta.name, []).append(key)
    near = [key for one in nearest(wanted, names) for key in names[one]]
    inside = f" in namespace {where}" if where else ""
    none = (
        "there are no ResourceClaims"
        if "ResourceClaim" in snapshot.kinds
        else "the input has no ResourceClaims: kubectl get resourceclaims -A -o yaml > claims.yaml"
    )
    return NotThere(
        f"there's no claim {wanted}{inside} in the input" if wanted else "claim/ says no name",
        _near(near) or none,
    )


def _near(names: list[str]) -> str:
    return f"nearest: {', '.join(names[:3])}" if names else ""
