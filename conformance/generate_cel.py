"""Random selectors over random devices: well typed by construction, then spoilt now and then.

    python -m conformance.generate_cel --count 1000 --seed 1 > cases.jsonl

The same seed gives the same cases on every machine.
"""

import argparse
import random
import re
import sys
from typing import Any, Final

from conformance import lines
from conformance.cel_grammar import ELEMENTS, LEAVES, TEMPLATES, VOCABULARY

HOLE: Final = re.compile(r"<([A-Za-z][A-Za-z0-9(),]*)(?:\|([a-z,]+))?>|@([a-z]):([A-Za-z]+(?:\([A-Za-z,]+\))?)")
TOKEN: Final = re.compile(r"[A-Za-z_]\w*|\d+|\s+|.", re.DOTALL)

Scope = tuple[tuple[str, str], ...]
"""The variables in reach: (name, type), innermost last."""


class Writer:
    """Writes expressions of a wanted type, with the odd one of a wrong type."""

    def __init__(self, dice: random.Random, *, spoil: float) -> None:
        self.dice = dice
        self.spoil = spoil
        self.fresh = 0
        self.left = 40

    def expression(self, wanted: str, depth: int, scope: Scope = ()) -> str:
        """An expression of type ``wanted``, at most ``depth`` templates deep; of another type now and then."""
        if wanted in TEMPLATES and self.dice.random() < self.spoil:
            wanted = self.dice.choice(tuple(kind for kind in TEMPLATES if "(" not in kind))
        usable = [name for name, kind in scope if kind == wanted]
        if usable and self.dice.random() < 0.5:
            return self.dice.choice(usable)
        if wanted == "domain" and (maps := [name for name, kind in scope if kind == "domainmap"]):
            return self.dice.choice(maps)
        self.left -= 1
        ends = depth <= 0 or self.left <= 0 or self.dice.random() < 0.15
        pool = LEAVES if ends else TEMPLATES
        choices = options(pool, wanted) or options(LEAVES, wanted) or options(TEMPLATES, wanted)
        assert choices, f"nothing gives {wanted}"
        template, bound = self.dice.choice(choices)
        return self.fill(template, dict(bound), depth - 1, scope)

    def fill(self, template: str, bound: dict[str, str], depth: int, scope: Scope) -> str:
        """Replace each hole of a template, from left to right."""
        names: dict[str, tuple[str, str]] = {}

        def concrete(kind: str) -> str:
            return re.sub(r"\b[TKV]\b", lambda match: self.bind(bound, match.group()), kind)

        def replace(hole: re.Match[str]) -> str:
            kind, uses, short, declared = hole.groups()
            if short:
                self.fresh += 1
                name = short if self.dice.random() < 0.7 else f"{short}{self.fresh}"
                names[short] = (name, concrete(declared))
                return name
            inner = scope + tuple(names[use] for use in (uses or "").split(",") if use)
            text = self.expression(concrete(kind), depth, inner)
            atomic = re.fullmatch(r"[\w.]+|'[^']*'|\"[^\"]*\"|\[.*\]|\(.*\)", text, re.DOTALL)
            return text if atomic or depth < -1 or self.dice.random() < 0.05 else parenthesised(text, kind)

        text = HOLE.sub(replace, template)
        for short, (name, _) in names.items():
            text = re.sub(rf"(?<![\w.'\"]){short}(?![\w'\"(:])", name, text) if name != short else text
        return text

    def bind(self, bound: dict[str, str], variable: str) -> str:
        """What a type variable stands for in this template."""
        if variable not in bound:
            pool = ("string", "int", "bool") if variable == "K" else ELEMENTS
            bound[variable] = self.dice.choice(pool)
        return bound[variable]


def parenthesised(text: str, kind: str) -> str:
    """Keep an operand together, where it's an operation."""
    simple = kind in {"name", "listname", "capacityname", "hostpiece", "portpiece"} or re.fullmatch(
        r"[\w.]+\(.*\)|[\w.\[\]'\"]+", text, re.DOTALL
    )
    return text if simple and " ? " not in text else f"({text})"


def options(pool: dict[str, tuple[str, ...]], wanted: str) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """The templates of ``pool`` that give ``wanted``, with the type variables that this settles."""
    found: list[tuple[str, tuple[tuple[str, str], ...]]] = [(template, ()) for template in pool.get(wanted, ())]
    for shape, templates in pool.items():
        if shape != wanted and (bound := settle(shape, wanted)) is not None:
            found += [(template, bound) for template in templates]
    return found


def settle(shape: str, wanted: str) -> tuple[tuple[str, str], ...] | None:
    """How ``list(T)`` or ``map(K,V)`` becomes ``wanted``; None if it can't."""
    head, _, rest = shape.partition("(")
    wanted_head, _, wanted_rest = wanted.partition("(")
    if not rest or not wanted_rest or head != wanted_head or not re.fullmatch(r"[TKV](,[TKV])*\)", rest):
        return None
    variables = rest[:-1].split(",")
    parts = wanted_rest[:-1].split(",", len(variables) - 1)
    return tuple(zip(variables, parts, strict=True)) if len(parts) == len(variables) else None


def mutated(dice: random.Random, text: str) -> str:
    """The text with one token dropped, doubled, swapped or replaced."""
    tokens = TOKEN.findall(text)
    at = dice.randrange(len(tokens))
    match dice.randrange(5):
        case 0:
            del tokens[at]
        case 1:
            tokens.insert(at, dice.choice(VOCABULARY))
        case 2:
            tokens[at] = dice.choice(VOCABULARY)
        case 3:
            other = dice.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        case _:
            tokens.insert(at, tokens[at])
    return "".join(tokens)


def device(dice: random.Random, *, lists: bool) -> dict[str, Any]:
    """A device whose attributes are sometimes absent, of another type, or (seldom) broken."""
    usual: dict[str, tuple[dict[str, Any], ...]] = {
        "type": ({"string": "gpu"}, {"string": "mig"}, {"int": 1}),
        "index": ({"int": 0}, {"int": 3}, {"string": "3"}),
        "model": ({"string": "NVIDIA A100-SXM4-80GB"}, {"string": "a"}, {"string": "日本é"}),
        "healthy": ({"bool": True}, {"bool": False}),
        "driverVersion": ({"version": "550.54.15"}, {"version": "1.2.3-alpha"}, {"version": "1.0.0+b"}),
        "big": ({"int": 9223372036854775807}, {"int": -9223372036854775808}, {"int": 9007199254740993}),
        "addr": ({"string": "10.1.2.3"}, {"string": "::1"}, {"string": "https://h/p"}),
        "other.example.com/flag": ({"bool": True}, {"bool": False}, {"string": "x"}),
        "resource.kubernetes.io/pcieRoot": ({"string": "pci0000:00"},),
        "gpu.nvidia.com/explicit": ({"string": "e"},),
    }
    attributes = {name: dice.choice(values) for name, values in usual.items() if dice.random() < 0.8}
    if lists:
        longs: dict[str, tuple[dict[str, Any], ...]] = {
            "links": ({"strings": ["a", "b"]}, {"strings": ["gpu"]}, {"strings": [f"v{n}" for n in range(50)]}),
            "numas": ({"ints": [0, 1]}, {"ints": [3]}, {"ints": [2, 1, 2]}),
            "flags": ({"bools": [True]}, {"bools": [False, True]}),
            "vers": ({"versions": ["1.0.0", "2.0.0"]}, {"versions": ["1.2.3"]}),
            "empty": ({"strings": []},),
        }
        attributes |= {name: dice.choice(values) for name, values in longs.items() if dice.random() < 0.8}
    if dice.random() < 0.01:
        attributes["bad"] = dice.choice(({"version": "1.2"}, {}, {"version": "01.0.0"}))
    capacities = {
        "memory": ("80Gi", "40Gi", "85899345920"),
        "slots": ("7", "0"),
        "frac": ("1500m",),
        "other.example.com/bw": ("1G", "100n"),
    }
    made: dict[str, Any] = {
        "driver": dice.choice(("gpu.nvidia.com", "gpu.nvidia.com", "d.io")),
        "attributes": attributes,
        "capacity": {
            name: {"value": dice.choice(values)} for name, values in capacities.items() if dice.random() < 0.8
        },
    }
    if dice.random() < 0.3:
        made["allowMultipleAllocations"] = dice.random() < 0.7
    return made


def case(seed: int, number: int, kubernetes: str | None = None) -> dict[str, Any]:
    """The case that this seed and number always give."""
    dice = random.Random(f"{seed}/cel/{number}")
    lists = dice.random() < 0.4
    writer = Writer(dice, spoil=dice.choice((0.0, 0.0, 0.0, 0.02, 0.05)))
    root = dice.choices(("bool", "attribute", "dyn", "string", "list(int)"), (92, 4, 2, 1, 1))[0]
    text = writer.expression(root, dice.choice((1, 2, 2, 3, 3, 4, 5)))
    if dice.random() < 0.08:
        text = mutated(dice, text)
    made = {
        "id": f"{seed}-{number}",
        "expr": text,
        "device": device(dice, lists=lists or dice.random() < 0.02),
        "listTypeAttributes": lists,
        "consumableCapacity": dice.random() < 0.5,
        "newExpressionsEnv": dice.random() < 0.15,
    }
    return made | ({"kubernetes": kubernetes} if kubernetes else {})


def cases(count: int, seed: int, kubernetes: str | None = None) -> list[dict[str, Any]]:
    """``count`` cases of one seed."""
    return [case(seed, number, kubernetes) for number in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m conformance.generate_cel", description="Random selectors as JSON lines."
    )
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kubernetes", help="write this version into each case")
    wanted = parser.parse_args()
    sys.stdout.buffer.write(lines.dump(cases(wanted.count, wanted.seed, wanted.kubernetes)))


if __name__ == "__main__":
    main()
