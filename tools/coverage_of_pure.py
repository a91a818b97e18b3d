"""Print the branch coverage of each pure package; fail under its floor (95 %; cel: 100 %)."""

import io
import sys

from coverage import Coverage

# Edges are driven through processes and sockets, where line counting sees little.
EDGES = ("cli", "cluster", "node", "sandbox")
FLOOR = {"default": 95.0, "cel": 100.0}


def main() -> int:
    """Read .coverage and report per package."""
    import pathlib

    data = Coverage()
    data.load()
    root = pathlib.Path("src/aliquot")
    low = 0
    for package in sorted(p.name for p in root.iterdir() if (p / "__init__.py").exists() and p.name not in EDGES):
        out = io.StringIO()
        total = data.report(include=[f"src/aliquot/{package}/*"], file=out, skip_covered=True, show_missing=True)
        floor = FLOOR.get(package, FLOOR["default"])
        print(f"{package:12} {total:6.1f} % of lines and branches (at least {floor:.0f} %)")
        if total < floor:
            low = 1
            print(out.getvalue())
    return low


if __name__ == "__main__":
    sys.exit(main())
