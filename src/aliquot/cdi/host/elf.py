"""The SONAME of a shared library: the name by which other programs ask the loader for it.

Source: the System V ABI, chapters 4 and 5 (program header PT_DYNAMIC, entries DT_STRTAB and DT_SONAME).
"""

import struct

_PT_LOAD, _PT_DYNAMIC = 1, 2
_DT_NULL, _DT_STRTAB, _DT_SONAME = 0, 5, 14


def soname(content: bytes) -> str | None:
    """The SONAME, "" where the library has none, None where the bytes aren't an ELF file that can be read."""
    try:
        return _soname(content)
    except (struct.error, ValueError):
        return None


def _soname(content: bytes) -> str | None:
    if len(content) < 52 or content[:4] != b"\x7fELF" or content[4] not in {1, 2} or content[5] not in {1, 2}:
        return None
    order = "<" if content[5] == 1 else ">"
    wide = content[4] == 2
    offset = struct.unpack_from(f"{order}Q" if wide else f"{order}I", content, 32 if wide else 28)[0]
    size, count = struct.unpack_from(f"{order}HH", content, 54 if wide else 42)
    segments: list[tuple[int, int, int, int]] = []  # type, offset in the file, address, size in the file
    for i in range(count):
        at = offset + i * size
        if wide:
            kind, _, start, address, _, length = struct.unpack_from(f"{order}IIQQQQ", content, at)
        else:
            kind, start, address, _, length = struct.unpack_from(f"{order}IIIII", content, at)
        segments.append((kind, start, address, length))
    entries: dict[int, int] = {}
    step, shape = (16, f"{order}QQ") if wide else (8, f"{order}II")
    for kind, start, _, length in segments:
        if kind == _PT_DYNAMIC:
            for at in range(start, start + length - step + 1, step):
                tag, value = struct.unpack_from(shape, content, at)
                if tag == _DT_NULL:
                    break
                entries.setdefault(tag, value)
    if _DT_SONAME not in entries:
        return ""
    table = entries.get(_DT_STRTAB, 0)
    for kind, start, address, length in segments:
        if kind == _PT_LOAD and address <= table < address + length:
            begin = start + table - address + entries[_DT_SONAME]
            return content[begin : content.index(b"\0", begin)].decode()
    return None
