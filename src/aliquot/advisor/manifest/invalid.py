"""Resources that the API server's validation refuses (apis/core/validation, ValidateResourceRequirements)."""

from collections.abc import Iterator

from aliquot.advisor.amounts import about
from aliquot.kube.pod import Container, Pod


def refusals(pod: Pod) -> Iterator[str]:
    """Why the pod can't be made, a sentence's part each; none: nothing is seen that speaks against it."""
    for one in (*pod.init_containers, *pod.containers):
        yield from (f"container {one.name}: {wrong.field}: {wrong.message}" for wrong in one.refused)
        yield from _limits(one)


def _limits(one: Container) -> Iterator[str]:
    for name, asked in one.requests.items():
        limit = one.limits.get(name)
        whole = ("/" in name and "kubernetes.io/" not in name) or name.startswith("hugepages-")
        if limit is None:
            if whole and asked:
                yield f"container {one.name} asks for {about(name, asked)} {name} without a limit, which it must have"
        elif whole and asked != limit:
            yield (
                f"container {one.name} asks for {about(name, asked)} {name} with a limit of {about(name, limit)}: they "
                "must be the same"
            )
        elif asked > limit:
            most = about(name, limit)
            yield f"container {one.name} asks for {about(name, asked)} of {name}, above its limit of {most}"
