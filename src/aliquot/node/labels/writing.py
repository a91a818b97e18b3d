"""Writing a node's labels: all of ours in one server-side apply, so that what isn't true any more goes by itself."""

from collections.abc import Mapping
from typing import Final

from aliquot.cluster.objects.protocol import Json, Objects
from aliquot.cluster.objects.resources import NODES
from aliquot.cluster.objects.status import StatusError
from aliquot.node.labels.ownership import LeftAlone, writing

MANAGER: Final = "aliquot-node-labels"
"""Our labels' own: what else the agent writes to the Node isn't taken for them."""
TRIES: Final = 5


def write_labels(objects: Objects, node: str, labels: Mapping[str, str]) -> tuple[LeftAlone, ...]:
    """Make these labels the node's, and take away those of ours that aren't among them; what was left to others.

    Nothing is written where all is as it should be.

    Raises:
        StatusError: 404: there's no such node; 409: somebody else was faster every time; others: the server's no.
        UnavailableError: no answer.
    """
    for number in range(1, TRIES + 1):
        thing = objects.get(NODES, node)
        found = writing(thing, labels, MANAGER)
        if not found.needed:
            return found.left_alone
        try:
            objects.apply(NODES, _applied(thing, found.labels), manager=MANAGER)
        except StatusError as error:
            if not error.conflict or number == TRIES:
                raise
        else:
            return found.left_alone
    raise AssertionError  # the last try returned or raised


def _applied(node: Json, labels: Mapping[str, str]) -> Json:
    """With the uid, so that an apply can't create a node that has gone meanwhile."""
    metadata = {"name": node["metadata"]["name"], "uid": node["metadata"]["uid"], "labels": dict(labels)}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata}
