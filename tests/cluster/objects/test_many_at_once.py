"""The law: whoever writes at the same time, no update is lost, and who watches ends with what a list has.

`make soak` (HYPOTHESIS_PROFILE=deep) runs the full count.
"""

import os
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.objects.following import Followed
from aliquot.cluster.objects.resources import NODES
from aliquot.cluster.objects.status import StatusError
from aliquot.cluster.protocol import WritableCluster
from tests.cluster.objects.things import Json, eventually, node

OPERATIONS = 10_000 if os.environ.get("HYPOTHESIS_PROFILE") == "deep" else 800
WRITERS, WATCHERS, OBJECTS = 8, 4, 12
ACTS = ("create", "count", "apply", "patch", "delete")


class Writer:
    """Does random things to few objects, and remembers what the server said was done."""

    def __init__(self, number: int, cluster: WritableCluster, group: str, seed: int) -> None:
        self.number = number
        self.cluster = cluster
        self.group = group
        self.chance = random.Random(seed * 100 + number)
        self.added: Counter[str] = Counter()
        """Uid -> how often its counter was raised by one."""
        self.applied: dict[str, str] = {}
        """Uid -> what was last applied."""
        self.outcomes: Counter[str] = Counter()

    def run(self, operations: int) -> None:
        acts = (
            self.create,
            self.count,
            self.count,
            self.count,
            self.apply,
            self.patch,
        )
        for _ in range(operations):
            name = f"{self.group}-{self.chance.randrange(OBJECTS)}"
            act = self.delete if self.chance.random() < 0.05 else self.chance.choice(acts)
            try:
                act(name)
            except StatusError as error:
                self.outcomes[error.reason] += 1
            else:
                self.outcomes[act.__name__] += 1

    def create(self, name: str) -> None:
        self.cluster.create(NODES, node(name, labels={"of": self.group}, annotations={"count": "0"}))

    def count(self, name: str) -> None:
        thing = self.cluster.get(NODES, name)
        annotations = thing["metadata"]["annotations"]
        annotations["count"] = str(int(annotations["count"]) + 1)
        self.cluster.update(NODES, thing)
        self.added[thing["metadata"]["uid"]] += 1

    def apply(self, name: str) -> None:
        value = str(self.chance.random())
        uid = self.cluster.get(NODES, name)["metadata"]["uid"]
        wanted = node(name, uid=uid, labels={f"writer-{self.number}": value})
        self.applied[self.cluster.apply(NODES, wanted, manager=f"writer-{self.number}")["metadata"]["uid"]] = value

    def patch(self, name: str) -> None:
        self.cluster.patch(NODES, name, {"spec": {"unschedulable": self.chance.choice((True, None))}})

    def delete(self, name: str) -> None:
        self.cluster.delete(NODES, name)


def check(things: tuple[Json, ...], writers: list[Writer]) -> None:
    added = sum((writer.added for writer in writers), Counter[str]())
    for thing in things:
        metadata = thing["metadata"]
        assert int(metadata["annotations"]["count"]) == added[metadata["uid"]]
        for writer in writers:
            assert metadata["labels"].get(f"writer-{writer.number}") == writer.applied.get(metadata["uid"])


@pytest.mark.law
@pytest.mark.enable_socket
@pytest.mark.timeout(1800)
def test_no_update_is_lost_and_watchers_agree(cluster: WritableCluster, memory: MemoryCluster, name: str) -> None:
    with ExitStack() as watching, ThreadPoolExecutor(WRITERS) as pool:
        followers = [watching.enter_context(Followed(cluster, NODES, labels=f"of={name}")) for _ in range(WATCHERS)]
        assert all(follower.listed.wait(30) for follower in followers)
        writers = [Writer(number, cluster, name, seed=1) for number in range(WRITERS)]
        done = [pool.submit(writer.run, OPERATIONS // WRITERS) for writer in writers]
        memory.compact()  # in the middle of it
        for each in done:
            each.result()
        listing = cluster.list(NODES, labels=f"of={name}")
        wanted = {("", thing["metadata"]["name"]): thing for thing in listing.items}
        for follower in followers:
            eventually(lambda follower=follower: dict(follower.things) == wanted)  # type: ignore[misc]  # bound in the loop
    check(listing.items, writers)
    outcomes = sum((writer.outcomes for writer in writers), Counter[str]())
    assert sum(outcomes.values()) == OPERATIONS // WRITERS * WRITERS
    assert outcomes.keys() <= {*ACTS, "AlreadyExists", "Conflict", "NotFound", "Invalid"}
    assert all(outcomes[act] for act in (*ACTS, "AlreadyExists"))
