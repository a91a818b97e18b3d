"""The cause where no node is looked at: CEL fails, a claim or class isn't there, a claim is elsewhere."""

import re

from aliquot.advisor.causes.cause import Cause, listed, nodes_named, number
from aliquot.advisor.causes.not_there import claim_missing, class_missing
from aliquot.advisor.dra.attributes import domains_of
from aliquot.advisor.dra.claims import selectors_of
from aliquot.advisor.nearest import is_near, nearest
from aliquot.kube.pod import Pod
from aliquot.scheduling.outcome import Refusal
from aliquot.snapshot.snapshot import Snapshot

NO_CLASS = re.compile(r"request (?P<request>\S+): device class (?P<name>\S+) does not exist")
CEL = re.compile(
    r"(?P<owner>class|claim) (?P<name>\S+): selector #(?P<index>\d+)(?: on device \S+)?: "
    r"CEL (?P<phase>compile|runtime) error: (?P<text>.*)",
    re.DOTALL,
)
UPDATING = re.compile(
    r"claim (?P<claim>\S+), request (?P<request>\S+): asks for all devices, but resource pool "
    r"(?P<driver>[^/\s]+)/(?P<pool>\S+) is currently being updated"
)
MISSING_KEY = re.compile(r"no such key: (\w+)")
ELSEWHERE = "resourceclaim not available on the node"


def before_nodes(snapshot: Snapshot, pod: Pod, refusal: Refusal) -> Cause | None:
    """None: nodes were looked at."""
    if refusal.reason == "SchedulerError":
        return _error(snapshot, pod, refusal.message)
    missing = NO_CLASS.search(refusal.message)
    if missing is not None:
        return class_missing(snapshot, missing["request"], missing["name"])
    if not refusal.reason and pod.claims:
        return claim_missing(snapshot, pod)
    return None


def _error(snapshot: Snapshot, pod: Pod, message: str) -> Cause:
    updated = UPDATING.search(message)
    if updated is not None:
        parts = [
            one for one in snapshot.slices.values() if (one.driver, one.pool) == (updated["driver"], updated["pool"])
        ]
        count = max((one.slice_count for one in parts), default=0)
        sentence = (
            f"Request {updated['request']} of claim {updated['claim']} asks for all devices, and pool "
            f"{updated['pool']} of {updated['driver']} isn't published whole ({len(parts)} of "
            f"{number(count, 'slice')}): as long as that is so, the scheduler gives up on the pod, whatever other "
            "nodes offer."
        )
        return Cause("incomplete-pool", sentence, (updated["pool"], updated["driver"]))
    found = CEL.search(message)
    if found is None:
        return Cause("other", f"The scheduler gives up on it, whatever nodes could offer: {message}.", ())
    whose = f"DeviceClass {found['name']}" if found["owner"] == "class" else f"claim {found['name']}"
    text = found["text"].split(". consider using")[0].strip()
    key = MISSING_KEY.search(text)
    if key is None:
        sentence = f"Selector #{found['index']} of {whose} fails ({text}), which ends the whole attempt on every node."
        return Cause("cel-error", sentence, (found["name"],))
    table = misplaced(snapshot, pod, key[1])
    if table is not None:
        sentence = (
            f"Selector #{found['index']} of {whose} reads {key[1]} among the devices' {OTHER_TABLE[table]}, and it's "
            f"in their {table}: CEL's error `no such key: {key[1]}` ends the whole attempt, whatever other nodes offer."
        )
        return Cause("cel-error", sentence, (found["name"], key[1]))
    strange = in_other_domain(snapshot, pod, key[1])
    if strange is not None:
        named, domains = strange
        sentence = (
            f"Selector #{found['index']} of {whose} reads {key[1]} in the domain {named}, and devices have it in "
            f"{listed(domains)}: CEL's error `no such key: {key[1]}` ends the whole attempt, whatever other nodes "
            "offer."
        )
        return Cause("cel-error", sentence, (found["name"], key[1], *domains))
    lacking, have = _without(snapshot, key[1])
    near = [name for name in nearest(key[1], have)[:1] if is_near(name, key[1])]
    meant = f" ({near[0]} is probably meant)" if near else ""
    others = f" These devices have {listed(sorted(have), 6)}." if have else ""
    sentence = (
        f"A selector reads {key[1]}{meant}, which the devices of {nodes_named(lacking)} don't have: in "
        f"selector #{found['index']} of {whose} CEL's error `no such key: {key[1]}` ends the whole attempt, whatever "
        f"other nodes offer.{others}"
    )
    return Cause("cel-error", sentence, (found["name"], key[1], *sorted(lacking)[:3]))


OTHER_TABLE = {"capacity": "attributes", "attributes": "capacity"}


def misplaced(snapshot: Snapshot, pod: Pod, key: str) -> str | None:
    """The table in which a name is that the pod's selectors read in the other one; None: it's in neither or in both."""
    attributes, capacities = (
        {
            name.rpartition("/")[2]
            for one in snapshot.slices.values()
            for device in one.devices
            for name in (device.attributes if table == "attributes" else device.capacity)
        }
        for table in ("attributes", "capacity")
    )
    texts = " ".join(selectors_of(snapshot, pod))
    for table, there, elsewhere in (("attributes", capacities, attributes), ("capacity", attributes, capacities)):
        if key in there and key not in elsewhere and re.search(rf"device\.{table}\[[^\]]*\]\.{key}\b", texts):
            return OTHER_TABLE[table]
    return None


def in_other_domain(snapshot: Snapshot, pod: Pod, key: str) -> tuple[str, list[str]] | None:
    """The domain in which the pod's selectors read a name, and those that it's in. None: some device has it there."""
    for text in selectors_of(snapshot, pod):
        for read in re.finditer(rf"""device\.(attributes|capacity)\[\s*(["'])([^"']+)\2\s*\]\.{key}\b""", text):
            domains = domains_of(snapshot, read[1], key)
            if domains and read[3] not in domains:
                return read[3], domains
    return None


def _without(snapshot: Snapshot, key: str) -> tuple[set[str], set[str]]:
    """Nodes with devices that lack an attribute or capacity of that name, and the names that these devices do have."""
    nodes: set[str] = set()
    have: set[str] = set()
    for one in snapshot.slices.values():
        for device in one.devices:
            names = {name.rpartition("/")[2] for name in (*device.attributes, *device.capacity)}
            if key not in names:
                nodes.add(one.node_name or one.pool)
                have |= names
    return nodes, have


def elsewhere(snapshot: Snapshot, pod: Pod, refusal: Refusal) -> Cause | None:
    """An allocated claim that most nodes can't reach: the pod must go where its devices are."""
    if ELSEWHERE not in refusal.message:
        return None
    for wanted in pod.claims:
        name = wanted.claim_name or pod.claim_names.get(wanted.name)
        claim = snapshot.claims.get(f"{pod.namespace}/{name}") if name else None
        if claim is None or claim.allocation is None:
            continue
        devices = [one.device for one in claim.allocation.results]
        pools = {
            one.node_name
            for one in snapshot.slices.values()
            if one.node_name and any((one.driver, one.pool) == (d.driver, d.pool) for d in devices)
        }
        where = [node for node in snapshot.nodes if node in pools]
        if not where:
            continue
        reasons = [
            f"{node}: {', '.join(dict.fromkeys(reason.text for reason in refusal.reasons(node)))}" for node in where
        ]
        users = [one.name for one in claim.reserved_for if one.name != pod.name]
        shared = f" for {listed(users)}" if users else ""
        sentence = (
            f"Its claim {claim.meta.key} is allocated on {nodes_named(where)} already{shared} "
            f"({listed([one.device for one in devices])}), and while it is the pod can only go there, where this is "
            f"in the way: {'; '.join(reasons)}."
        )
        return Cause("claim-elsewhere", sentence, (claim.meta.key, *where[:3], *users[:2]))
    return None
