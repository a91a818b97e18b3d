"""An object read, changed and written again, until nobody else was faster."""

from collections.abc import Callable

from aliquot.cluster.objects.protocol import MANAGER, Json, Objects, Subresource
from aliquot.cluster.objects.resources import Resource
from aliquot.cluster.objects.status import StatusError

TRIES = 20
"""Each time that we lose, somebody else has won: more in a row than there are writers means something else is wrong."""


def change(
    objects: Objects,
    resource: Resource,
    name: str,
    namespace: str = "",
    *,
    edit: Callable[[Json], Json | None],
    subresource: Subresource = "",
    manager: str = MANAGER,
) -> Json:
    """The object after `edit`, which gets it anew each time, or as it is where `edit` says None: nothing to do.

    For what server-side apply can't do: lists that are one field (taints), and changes that depend on what is there.

    Raises:
        StatusError: 404: it's gone; 409: somebody else was faster every time; others: the server's no.
        UnavailableError: no answer; the change may have been made or not.
    """
    for number in range(1, TRIES + 1):
        thing = objects.get(resource, name, namespace)
        version = thing["metadata"]["resourceVersion"]
        edited = edit(thing)
        if edited is None:
            return thing
        metadata = {**edited["metadata"], "resourceVersion": version}
        try:
            return objects.update(resource, {**edited, "metadata": metadata}, subresource=subresource, manager=manager)
        except StatusError as error:
            if not error.conflict or number == TRIES:
                raise
    raise AssertionError  # the last try returned or raised
