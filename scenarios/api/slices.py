"""ResourceSlices: a pool of devices of one node, cut as the API demands."""

from collections.abc import Sequence
from typing import Final

from scenarios.drivers import Json

MOST_DEVICES: Final = 128
MOST_COUNTER_SETS: Final = 8


def pool(
    driver: str, devices: Sequence[Json], sets: Sequence[Json] = (), *, name: str = "n", node: str = "n"
) -> list[Json]:
    """The slices of a complete pool; counter sets fill slices of their own."""
    parts = [{"devices": list(part)} for part in _parts(devices, MOST_DEVICES)]
    parts += [{"sharedCounters": list(part)} for part in _parts(sets, MOST_COUNTER_SETS)]
    return [
        {
            "metadata": {"name": f"{name}-{driver}-{number:02}"},
            "spec": {
                "driver": driver,
                "pool": {"name": name, "generation": 1, "resourceSliceCount": len(parts)},
                "nodeName": node,
                **part,
            },
        }
        for number, part in enumerate(parts)
    ]


def _parts(things: Sequence[Json], most: int) -> list[Sequence[Json]]:
    return [things[at : at + most] for at in range(0, len(things), most)]


def on_node(slices: Sequence[Json], name: str) -> list[Json]:
    """The same slices as pools of another node, named like it."""
    return [
        {
            **one,
            "metadata": {"name": f"{one['metadata']['name']}-{name}"},
            "spec": {**one["spec"], "nodeName": name, "pool": {**one["spec"]["pool"], "name": name}},
        }
        for one in slices
    ]
