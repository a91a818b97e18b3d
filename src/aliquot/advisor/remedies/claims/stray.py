"""Advice where a driver publishes its devices under a name that no node has."""

import shlex
from collections.abc import Iterator

from aliquot.advisor.case import Case
from aliquot.advisor.dra.claims import wanted_drivers
from aliquot.advisor.dra.strays import strays
from aliquot.advisor.wayout import Advice


def advice(case: Case) -> Iterator[Advice]:
    """Have it publish by the node's name, where one is probably meant; else the node has to come back."""
    if not case.spots or not all(spot.lacks_devices for spot in case.spots):
        return
    for name, meant in strays(case.snapshot, wanted_drivers(case.snapshot, case.pod)).items():
        if meant:
            yield Advice(
                f"Have the driver publish as node {meant}, not {name}: its plugin takes the name from spec.nodeName "
                "of its pod (or an option of the driver), not from the host's name",
                f"kubectl get resourceslices --field-selector spec.nodeName={shlex.quote(name)}",
            )
        else:
            yield Advice(
                f"Node {name} isn't in the input: when it has joined (again), its devices count",
                f"kubectl get node {shlex.quote(name)}",
            )
