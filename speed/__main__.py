"""Runs every benchmark: each module here that has a `main`; `python -m speed reading` runs the named ones."""

import importlib
import pkgutil
import sys

import speed


def main(wanted: list[str]) -> None:
    for module in sorted(pkgutil.iter_modules(speed.__path__), key=lambda module: module.name):
        if module.name == "__main__" or (wanted and module.name not in wanted):
            continue
        run = getattr(importlib.import_module(f"speed.{module.name}"), "main", None)
        if run is not None:
            print(f"== {module.name}")
            run()


if __name__ == "__main__":
    main(sys.argv[1:])
