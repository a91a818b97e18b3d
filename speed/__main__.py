"""Runs every benchmark: each module here that has a `main`; `python -m speed reading` runs the named ones.

A `main` prints, and returns its ratios. Exit status: 0 all ratios are within their limits, 1 some aren't.
"""

import importlib
import pkgutil
import sys

import speed
from speed.limits import Ratio, missed


def parts() -> list[str]:
    """The benchmarks by name: modules with a `main`."""
    names = sorted(module.name for module in pkgutil.iter_modules(speed.__path__) if module.name != "__main__")
    return [name for name in names if hasattr(importlib.import_module(f"speed.{name}"), "main")]


def main(wanted: list[str]) -> int:
    """Run the named benchmarks, or all."""
    unknown = sorted(set(wanted) - set(parts()))
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(parts())}", file=sys.stderr)
        return 2
    ratios: list[Ratio] = []
    for name in wanted or parts():
        print(f"== {name}", flush=True)
        ratios += importlib.import_module(f"speed.{name}").main()
    for line in missed(ratios):
        print(line)
    return int(bool(missed(ratios)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
