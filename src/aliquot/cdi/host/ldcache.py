"""The loader's cache (`/etc/ld.so.cache`): which libraries it knows, and where. Format: glibc's dl-cache.h."""

import struct

_MAGIC = b"glibc-ld.so.cache1.1"
_OLD_MAGIC = b"ld.so-1.7.0\0"
_HEADER = struct.Struct("=II20x")  # number of entries, length of the texts, and fields that don't matter here
_ENTRY = struct.Struct("=iIIIQ")


def cached_paths(content: bytes) -> tuple[str, ...]:
    """The paths of all libraries in the cache, in its order; none where the bytes aren't a cache.

    Entries of 32-bit libraries are left out: flags say so in their second byte (0 there, except where i386 is native).
    """
    start = 0
    if content.startswith(_OLD_MAGIC):  # the older table comes first, then the newer one, aligned to 8 bytes
        count = int.from_bytes(content[12:16], "little")
        start = (16 + count * 12 + 7) & ~7
    if content[start : start + len(_MAGIC)] != _MAGIC:
        return ()
    found: list[str] = []
    try:
        count, _ = _HEADER.unpack_from(content, start + len(_MAGIC))
        at = start + len(_MAGIC) + _HEADER.size
        for i in range(count):
            flags, _, value, _, _ = _ENTRY.unpack_from(content, at + i * _ENTRY.size)
            if (flags >> 8) & 0xFF:
                end = content.index(b"\0", start + value)
                found.append(content[start + value : end].decode())
    except (struct.error, ValueError):
        return ()
    return tuple(dict.fromkeys(found))
