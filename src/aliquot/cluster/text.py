"""From a file's bytes to UTF-8 text: gzip, byte order marks, UTF-16; binary junk is told apart."""

import zlib
from dataclasses import dataclass

MAX_UNPACKED_RATIO = 200
"""A gzip file that grows more is refused as a bomb; dumps of like pods grow 40 times, gzip can a thousand."""

ALWAYS_UNPACKED_BYTES = 2**28
"""Up to here any file may grow: it does no harm."""

_BOM_UTF8 = b"\xef\xbb\xbf"
_BOM_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class UnreadableError(Exception):
    """The file isn't text."""

    message: str
    hint: str = ""
    line: int | None = None


def text_of(data: bytes) -> bytes:
    """The UTF-8 bytes of a file's content.

    Raises:
        UnreadableError: it's a broken gzip file, or not text.
    """
    if data.startswith(b"\x1f\x8b"):
        data = _unpacked(data)
    if data.startswith(_BOM_UTF8):
        return data[len(_BOM_UTF8) :]
    if data.startswith(_BOM_UTF16) or _looks_like_utf16(data):
        return _from_utf16(data)
    if b"\0" in data[:8192]:
        raise UnreadableError("binary data, not a manifest", "give YAML or JSON, as kubectl get ... -o yaml writes")
    return data


def _looks_like_utf16(data: bytes) -> bool:
    """Without a byte order mark: every other byte of the beginning is zero."""
    head = data[:64]
    return len(head) >= 8 and len(head) % 2 == 0 and (not any(head[1::2]) or not any(head[0::2])) and any(head)


def _from_utf16(data: bytes) -> bytes:
    unmarked = "utf-16-be" if any(data[1:64:2]) else "utf-16-le"
    encoding = "utf-16" if data.startswith(_BOM_UTF16) else unmarked
    try:
        return data.decode(encoding).encode()
    except UnicodeError as error:
        raise UnreadableError(f"broken UTF-16 text: {error}", "save the file as UTF-8") from error


def _unpacked(data: bytes) -> bytes:
    """All members of a gzip file."""
    parts: list[bytes] = []
    total = 0
    limit = max(ALWAYS_UNPACKED_BYTES, MAX_UNPACKED_RATIO * len(data))
    while data:
        stream = zlib.decompressobj(wbits=31)
        try:
            part = stream.decompress(data, limit - total + 1)
        except zlib.error as error:
            raise UnreadableError(f"broken gzip data: {error}") from error
        total += len(part)
        if total > limit:
            raise UnreadableError(f"gzip data grows more than {MAX_UNPACKED_RATIO} times", "unpack it yourself")
        if not stream.eof:
            raise UnreadableError("truncated gzip data", "copy the file again")
        parts.append(part)
        data = stream.unused_data.lstrip(b"\0")  # tar and tape pad with zeros
    return parts[0] if len(parts) == 1 else b"".join(parts)


def check_utf8(data: bytes, first_line: int = 1) -> str:
    """The text of UTF-8 bytes.

    Raises:
        UnreadableError: they aren't UTF-8; says in which line.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise UnreadableError(
            f"not UTF-8 text: byte 0x{data[error.start]:02x} in column {column}", "save the file as UTF-8", line
        ) from error
