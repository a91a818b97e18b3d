"""Spec texts that someone, or a disk, has spoilt."""

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from tests.cdi.cases import COPIES, rows

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**31, 2**32, 2**63, 2**64, 1.0, 1.5, 1e21, -0.0, "", "a", "0", "A=1", "none", "rwm",
    "c", "/dev/x", "0.5.0", "v1.1.0", "1.1.0", "acme.test/gpu", "é", "\u2028", "\x7f", "x" * 300, [], {}, [None], [[]],
    [{}], {"a": {}}, ["A=1"], [1], [0, 44], {"schemata": []}, {"closID": "/"}, [{"path": "/dev/x"}],
)  # fmt: skip
KEYS = (
    "cdiVersion", "kind", "annotations", "devices", "containerEdits", "name", "env", "deviceNodes", "netDevices",
    "path", "mounts", "intelRdt", "additionalGids", "hooks", "hostPath", "type", "major", "minor", "fileMode",
    "permissions", "uid", "gid", "hookName", "args", "timeout", "options", "containerPath", "closID", "schemata",
    "enableMonitoring", "enableCMT", "additionalGIDs", "KIND", "colour", "hostInterfaceName",
)  # fmt: skip
PIECES = (
    "{", "}", "[", "]", ":", ": ", ",", "\n", "\n  ", "- ", "&a ", "*a", "<<: ", "!!str ", "!!int ", "!!binary ", "'",
    '"', "#", " #", "---\n", "...\n", "\t", "\x00", "\x85", "\ufeff", "~", "null", "0o17", "0600", "1_0", "0x1f",
    "1e3", "yes", "on", ".inf", ".nan", "2001-01-01", "? ", "| ", "> ", "%YAML 1.2\n", "\\u0041", "\\x", "é", "\ud800",
)  # fmt: skip


def corpus() -> list[str]:
    """Good and bad specs, as they were written."""
    texts = [row["input"]["data"] for row in rows(COPIES / "probes_spec_load.json") if len(row["input"]["data"]) < 5000]
    for row in rows(COPIES / "random.jsonl"):
        texts += row["input"]["files"].values()
    return texts


def mutated(seed: int, count: int) -> Iterator[str]:
    """That many spoilt specs, the same ones for the same seed."""
    chance = random.Random(seed)
    texts = corpus()
    for _ in range(count):
        text = chance.choice(texts)
        if chance.random() < 0.5:
            data = _parsed(text)
            if data is not None:
                for _ in range(chance.randint(1, 3)):
                    _change(data, chance)
                text = json.dumps(data, ensure_ascii=chance.random() < 0.5, indent=chance.choice((None, None, 2)))
        if chance.random() < 0.6:
            for _ in range(chance.randint(1, 4)):
                text = _spoil(text, chance)
        yield text


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _places(data: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    if isinstance(data, dict | list):
        for key in data if isinstance(data, dict) else range(len(data)):
            found.append((data, key))
            found += _places(data[key])
    return found


def _change(data: Any, chance: random.Random) -> None:
    places = _places(data)
    if not places:
        return
    holder, key = chance.choice(places)
    what = chance.randrange(5)
    if what == 0:
        del holder[key]
    elif what == 1 and isinstance(holder, dict):
        holder[chance.choice(KEYS)] = holder.pop(key)
    elif what == 2 and isinstance(holder, dict):
        holder[chance.choice(KEYS)] = deepcopy(chance.choice(VALUES))
    elif what == 3 and isinstance(holder, list):
        holder.insert(key, holder[key])
    else:
        holder[key] = deepcopy(chance.choice(VALUES))


def _spoil(text: str, chance: random.Random) -> str:
    at = chance.randint(0, len(text))
    end = min(len(text), at + chance.choice((0, 0, 1, 1, 2, 10, 200)))
    piece = chance.choice(PIECES) if chance.random() < 0.7 else text[end : end + chance.randint(0, 20)]
    return text[:at] + piece + text[end:]
