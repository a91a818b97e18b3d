"""Random CDI specs and injections: ``python -m conformance.generate_cdi --count 1000 --seed 1 > cases.jsonl``.

Three kinds take turns: a spec to load (mostly good, often with one thing wrong), names to take apart, and devices to
inject from the files of several folders into an OCI spec. The host's nodes are those that every Linux has (/dev/null,
/dev/zero, /dev/full), so no case needs root. The same seed gives the same cases on every machine.
"""

import argparse
import random
import sys
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from conformance import lines

Json = dict[str, Any]

OLD_VERSIONS: Final = ("0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0", "1.0.0")
BAD_VERSIONS: Final = ("", "0.1.0", "0.2.0", "1.2.0", "v1.1.0", "vv1.1.0", "1.1", "1.1.0-rc1", " 1.1.0", "2.0.0")
KINDS: Final = ("acme.test/gpu", "acme.test/gpu", "beta.example.com/nic", "acme.test/gpu.mig", "v/c")
BAD_KINDS: Final = (
    "",
    "acme",
    "/gpu",
    "acme.test/",
    "-a/gpu",
    "acme-/gpu",
    "acme.test/gpu/x",
    "a b/gpu",
    "é/gpu",
    "1a/gpu",
    "a/1b",
)
NAMES: Final = ("0", "1", "all", "gpu0", "GPU-1f2e", "mig:0", "dev-a", "a.b_c")
BAD_NAMES: Final = ("", "-a", "a-", "a b", "a/b", "a=b", ":a", "é", "a,b")
NODES: Final = {
    "/dev/null": {"type": "c", "major": 1, "minor": 3, "mode": 0o666},
    "/dev/zero": {"type": "c", "major": 1, "minor": 5, "mode": 0o666},
    "/dev/full": {"type": "c", "major": 1, "minor": 7, "mode": 0o666},
}
"""Nodes that are on every host, as a case describes them."""
DESTINATIONS: Final = (
    "/", "/usr", "/usr/lib", "/usr/lib/", "/usr/lib/libacme.so.1", "/etc/acme", "/a/../b/c", "rel/path", "/tmp/data",
)  # fmt: skip
OPTIONS: Final = ("ro", "rw", "nosuid", "nodev", "bind", "rbind", "rprivate", "idmap", "ridmap")
STAGES: Final = ("prestart", "createRuntime", "createContainer", "startContainer", "poststart", "poststop")


class EditsBuilder:
    """Makes parts of specs; ``wrong``: chance that a part breaks a rule, ``old``: that an old version is declared."""

    def __init__(self, dice: random.Random, *, wrong: float, old: float = 0.2) -> None:
        self.dice = dice
        self.wrong = wrong
        self.old = old

    def one(self, good: Sequence[Any], bad: Sequence[Any]) -> Any:
        """One of the good values, or now and then a bad one."""
        return self.dice.choice(bad if self.dice.random() < self.wrong else good)

    def some(self, most: int) -> range:
        """Up to ``most`` items, few as a rule."""
        return range(min(self.dice.choice((0, 0, 1, 1, 2, 3)), most))

    def maybe(self, part: Json, name: str, chance: float, good: Sequence[Any], bad: Sequence[Any] = ()) -> None:
        """Set a member, with this chance."""
        if self.dice.random() < chance:
            part[name] = self.one(good, bad) if bad else self.dice.choice(good)

    def env(self) -> Any:
        """A variable."""
        return self.one(("FOO=1", "FOO=2", "BAR=x=y", "PATH=/opt/bin", "EMPTY=", "A B=c", "é=1"), ("", "A", "=b"))

    def node(self) -> Json:
        """A device node; only those of the host may leave out type and numbers."""
        path = self.dice.choice((*NODES, *NODES, "/dev/acme0", "/dev/missing", "dev/relative"))
        made: Json = {"path": path}
        if path not in NODES or self.dice.random() < 0.4:
            made["type"] = self.one(("c", "c", "b", "u", "p"), ("d", "char"))
            made["major"] = self.dice.choice((0, 1, 195, 511))
            self.maybe(made, "minor", 0.8, (0, 3, 5, 128))
        self.maybe(made, "hostPath", 0.3, (*NODES, path, "/dev/missing"))
        self.maybe(made, "permissions", 0.4, ("rwm", "r", "rw", "m", "none", "", "rrw"), ("x", "r w", "None"))
        self.maybe(made, "fileMode", 0.3, (0, 0o600, 0o666, 0o4755))
        self.maybe(made, "uid", 0.2, (0, 1000, 65534))
        self.maybe(made, "gid", 0.2, (0, 44, 109))
        if self.dice.random() < self.wrong:
            made["path"] = ""
        return made

    def mount(self) -> Json:
        """A mount."""
        made: Json = {
            "hostPath": self.one(("/opt/acme", "/run/acme/sock", "tmpfs", "rel"), ("",)),
            "containerPath": self.one(DESTINATIONS, ("",)),
        }
        if self.dice.random() < 0.6:
            made["options"] = self.dice.sample(OPTIONS, self.dice.choice((0, 1, 2, 4)))
        self.maybe(made, "type", 0.2, ("bind", "tmpfs", "none"))
        return made

    def hook(self) -> Json:
        """A hook."""
        made: Json = {
            "hookName": self.one(STAGES, ("", "Prestart", "teardown")),
            "path": self.one(("/usr/bin/hook", "hook"), ("",)),
        }
        self.maybe(made, "args", 0.5, (["hook", "x"], []))
        if self.dice.random() < 0.3:
            made["env"] = [self.env()]
        self.maybe(made, "timeout", 0.2, (0, 1, 30, -1))
        return made

    def edits(self, most: int = 3) -> Json:
        """A block of edits."""
        made: Json = {}
        parts = {"env": self.env, "deviceNodes": self.node, "mounts": self.mount, "hooks": self.hook}
        for name in self.dice.sample(sorted(parts), self.dice.choice((1, 1, 2, 3))):
            made[name] = [parts[name]() for _ in range(self.dice.randint(1, most))]
        if self.dice.random() < 0.15:
            made["additionalGids"] = self.dice.choice(([0], [44], [44, 109, 44], []))
        if self.dice.random() < 0.12:
            rdt: Json = {}
            self.maybe(rdt, "closID", 0.6, ("x", "/", ""), (".", "..", "a/b", "a\nb"))
            self.maybe(rdt, "l3CacheSchema", 0.4, ("L3:0=f",))
            self.maybe(rdt, "schemata", 0.3, (["L3:0=f"], []))
            self.maybe(rdt, "enableMonitoring", 0.3, (True, False))
            made["intelRdt"] = rdt
        if self.dice.random() < 0.1:
            name = self.one(("eno1", "acme0"), ("",))
            made["netDevices"] = [{"hostInterfaceName": name, "name": self.one(("eth0",), ("",))}]
        if self.dice.random() < self.wrong / 2:
            made[self.dice.choice(("colour", "devicenodes2", "envs"))] = []
        return made

    def spec(self) -> Json:
        """A whole spec."""
        names = self.dice.sample(NAMES, self.dice.choice((1, 1, 2, 3)))
        made: Json = {
            "cdiVersion": self.one(OLD_VERSIONS if self.dice.random() < self.old else ("1.1.0",), BAD_VERSIONS),
            "kind": self.one(KINDS, BAD_KINDS),
            "devices": [{"name": self.one((name,), BAD_NAMES), "containerEdits": self.edits()} for name in names],
        }
        if self.dice.random() < 0.4:
            made["containerEdits"] = self.edits(2)
        if self.dice.random() < 0.1:
            self.dice.choice([made, *made["devices"]])["annotations"] = {"example.com/k": "v"}
        if self.dice.random() < self.wrong:
            self.spoil(made)
        return made

    def spoil(self, spec: Json) -> None:
        """One of the ways in which a whole spec is wrong."""
        match self.dice.randrange(6):
            case 0:
                spec["devices"] = []
            case 1:
                spec["devices"].append(dict(spec["devices"][0]))
            case 2:
                spec["devices"][0]["containerEdits"] = {}
            case 3:
                del spec[self.dice.choice(("cdiVersion", "kind", "devices"))]
            case 4:
                spec["devices"] = {"name": "0"}
            case _:
                spec["devices"][0]["containerEdits"]["env"] = "FOO=1"


def container(dice: random.Random) -> Json:
    """An OCI spec into which devices are injected."""
    made: Json = {"ociVersion": "1.1.0"}
    if dice.random() < 0.8:
        user: Json = {"uid": dice.choice((0, 0, 1000)), "gid": dice.choice((0, 0, 1000))}
        if dice.random() < 0.3:
            user["additionalGids"] = [44]
        made["process"] = {"user": user, "cwd": "/", "args": ["sh"]}
        if dice.random() < 0.7:
            made["process"]["env"] = dice.sample(("PATH=/bin", "FOO=0", "FOO=00", "X=1"), dice.choice((1, 2, 4)))
    if dice.random() < 0.6:
        made["mounts"] = [
            {"destination": each, "source": "/old"} for each in dice.sample(DESTINATIONS, dice.choice((1, 2, 3)))
        ]
    if dice.random() < 0.5:
        made["linux"] = {"namespaces": [{"type": "pid"}], "resources": {"devices": [{"allow": False, "access": "rwm"}]}}
        if dice.random() < 0.4:
            made["linux"]["namespaces"].append({"type": "user"})
            made["linux"]["uidMappings"] = [{"containerID": 0, "hostID": 1000, "size": 10}]
        if dice.random() < 0.4:
            made["linux"]["devices"] = [{"path": "/dev/null", "type": "c", "major": 9, "minor": 9}]
    if dice.random() < 0.2:
        made["hooks"] = {"prestart": [{"path": "/old/pre"}]}
    return made


def load_case(dice: random.Random) -> Json:
    """A text to load."""
    maker = EditsBuilder(dice, wrong=dice.choice((0.0, 0.02, 0.1)))
    text = msgspec.json.encode(maker.spec()).decode()
    return {"file": "probes_spec_load.json", "input": {"fileName": dice.choice(("s.json", "s.yaml")), "data": text}}


def name_case(dice: random.Random) -> Json:
    """A device reference."""
    kind = dice.choice(BAD_KINDS if dice.random() < 0.3 else KINDS)
    name = dice.choice(BAD_NAMES if dice.random() < 0.3 else NAMES)
    text = dice.choice((f"{kind}={name}", f"{kind}={name}", kind, name, f"/{kind}={name}", f"{kind}={name}={name}"))
    return {"file": "probes_names.json", "input": {"device": text}}


def inject_case(dice: random.Random) -> Json:
    """Devices to inject, from one to three files in two folders."""
    maker = EditsBuilder(dice, wrong=dice.choice((0.0, 0.0, 0.0, 0.05)), old=0.0)
    files = {f"{dice.choice(('etc', 'run'))}/s{n}.json": maker.spec() for n in range(dice.choice((1, 1, 1, 2, 3)))}
    known = [
        f"{spec['kind']}={device['name']}"
        for spec in files.values()
        if "kind" in spec and isinstance(spec.get("devices"), list)
        for device in spec["devices"]
    ]
    names = [dice.choice(known) for _ in range(dice.choice((0, 1, 1, 2, 3)))] if known else []
    if dice.random() < 0.1:
        names.append("acme.test/gpu=unknown")
    return {
        "file": "probes_inject.json",
        "input": {
            "dirs": ["etc", "run"],
            "files": {name: msgspec.json.encode(spec).decode() for name, spec in files.items()},
            "host": NODES,
            "oci": container(dice),
            "devices": names,
        },
    }


def case(seed: int, number: int) -> Json:
    """The case that this seed and number always give."""
    dice = random.Random(f"{seed}/cdi/{number}")
    make = (load_case, inject_case, inject_case, load_case, inject_case, name_case)[number % 6]
    return {"name": f"{seed}-{number}"} | make(dice)


def cases(count: int, seed: int) -> list[Json]:
    """``count`` cases of one seed."""
    return [case(seed, number) for number in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m conformance.generate_cdi", description="Random CDI cases.")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    sys.stdout.buffer.write(lines.dump(cases(wanted.count, wanted.seed)))


if __name__ == "__main__":
    main()
