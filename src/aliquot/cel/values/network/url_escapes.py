"""The parts of URLs: which signs stand for themselves, escapes, ports. Go's net/url."""

from typing import Final

from aliquot.cel.values.go_text import go_quote

UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
HEX: Final = frozenset("0123456789abcdefABCDEF")
HOST_LITERAL: Final = frozenset(b"!$&'()*+,;=:[]<>\"")
"""What Go lets stand in a host besides unreserved characters."""


class UrlError(ValueError):
    """A text that Go doesn't take for a URL."""


PATH_KEEP: Final = UNRESERVED | frozenset(b"$&+,/:;=@")


def is_port(text: str) -> bool:
    """Whether a text is nothing, or a colon and digits."""
    return not text or (text[0] == ":" and all("0" <= char <= "9" for char in text[1:]))


def split_port(host: str) -> tuple[str, str]:
    """A host's name or address, and its port."""
    colon = host.rfind(":")
    if colon >= 0 and is_port(host[colon:]):
        return host[:colon], host[colon + 1 :]
    return host, ""


def unescaped(text: str, whole: str = "") -> bytes:
    """The bytes that a part of a URL stands for; `whole` is the URL that a complaint shows."""
    if "%" not in text:
        return text.encode()
    parts = text.split("%")
    result = [parts[0].encode()]
    for index, part in enumerate(parts[1:], 1):
        if len(part) < 2 or part[0] not in HEX or part[1] not in HEX:
            bad = f"%{'%'.join(parts[index:])}".encode()[:3].decode(errors="surrogateescape")
            raise UrlError(complaint(whole or text, f"invalid URL escape {go_quote(bad)}"))
        result.append(bytes([int(part[:2], 16)]) + part[2:].encode())
    return b"".join(result)


def is_valid_path(text: str) -> bool:
    """Whether Go takes an escaped path as it's written."""
    keep = UNRESERVED | frozenset(b"!$&'()*+,;=:@[]/%")
    return all(byte in keep for byte in text.encode())


def escaped(raw: bytes, keep: frozenset[int]) -> str:
    """The bytes with all but `keep` escaped."""
    return "".join(chr(byte) if byte in keep else f"%{byte:02X}" for byte in raw)


def decoded(raw: bytes) -> str:
    """The bytes as text, with replacement characters where they are none."""
    return raw.decode(errors="replace")


def complaint(text: str, why: str) -> str:
    """Kubernetes' words for a text that Go refuses."""
    return f"URL parse error during conversion from string: parse {go_quote(text)}: {why}"
