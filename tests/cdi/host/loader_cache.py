"""The bytes of a loader's cache."""

import struct

X86_64, I386 = 0x0303, 0x0003


def cache(*entries: tuple[int, str]) -> bytes:
    texts, table = b"", b""
    start = 48 + 24 * len(entries)
    for flags, path in entries:
        table += struct.pack("=iIIIQ", flags, 0, start + len(texts), 0, 0)
        texts += path.encode() + b"\0"
    return b"glibc-ld.so.cache1.1" + struct.pack("=II20x", len(entries), len(texts)) + table + texts
