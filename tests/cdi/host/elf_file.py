"""Writes the smallest shared library that a loader's cache takes: a header, two segments, a table of texts."""

import struct

_MACHINE = {"x86_64": 62, "aarch64": 183}


def shared_library(soname: str | None, *, machine: str = "x86_64", order: str = "<") -> bytes:
    """A 64-bit ELF library with that SONAME (None for none)."""
    texts = b"\0" + (soname.encode() + b"\0" if soname is not None else b"")
    headers = 64 + 2 * 56
    dynamic = headers + len(texts) + (-len(texts) % 8)
    entries = [(5, headers), (10, len(texts))]
    if soname is not None:
        entries.append((14, 1))
    table = b"".join(struct.pack(f"{order}QQ", *entry) for entry in [*entries, (0, 0)])
    end = dynamic + len(table)
    ident = b"\x7fELF" + bytes([2, 1 if order == "<" else 2, 1]) + bytes(9)
    head = struct.pack(f"{order}HHIQQQIHHHHHH", 3, _MACHINE[machine], 1, 0, 64, 0, 0, 64, 56, 2, 64, 0, 0)
    load = struct.pack(f"{order}IIQQQQQQ", 1, 5, 0, 0, 0, end, end, 0x1000)
    dyn = struct.pack(f"{order}IIQQQQQQ", 2, 4, dynamic, dynamic, dynamic, len(table), len(table), 8)
    return ident + head + load + dyn + texts + bytes(-len(texts) % 8) + table
