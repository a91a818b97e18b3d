"""The host of a URL, with its port: names, and addresses in brackets, as Go's net/url reads them (Go 1.26)."""

from aliquot.cel.values.go_text import go_quote
from aliquot.cel.values.network.addresses import NetworkError, parse_address
from aliquot.cel.values.network.url_escapes import HEX, HOST_LITERAL, UNRESERVED, UrlError, complaint, decoded, is_port

_STRICT: frozenset[str] = frozenset({"http", "https"})
"""The schemes whose hosts may hold no colon but the one before the port."""


def parse_host(text: str, scheme: str, host: str) -> str:
    """The host of the URL `text`, without escapes.

    Raises:
        UrlError: it isn't one.
    """
    bracket = host.rfind("[")
    if bracket > 0:
        raise UrlError(complaint(text, "invalid IP-literal"))
    if bracket == 0:
        return _bracketed(text, host)
    colon = host.find(":") if scheme in _STRICT else host.rfind(":")
    if colon >= 0:
        _check_port(text, host[colon:])
    return decoded(_unescaped(text, host))


def _bracketed(text: str, host: str) -> str:
    """An IPv6 address in brackets. `%25` begins its zone, where other escapes are allowed than in a name (RFC 6874)."""
    end = host.rfind("]")
    if end < 0:
        raise UrlError(complaint(text, "missing ']' in host"))
    port = host[end + 1 :]
    _check_port(text, port)
    name, percent, zone = host[1:end].partition("%25")
    raw = _unescaped(text, name) + (_unescaped(text, percent + zone, zone=True) if percent else b"")
    try:
        version = parse_address(raw.decode(errors="surrogateescape")).version
    except NetworkError as error:
        raise UrlError(complaint(text, f"invalid host: {error}")) from None
    if version == 4:
        raise UrlError(complaint(text, "invalid IP-literal"))
    return f"[{decoded(raw)}]{port}"


def _check_port(text: str, port: str) -> None:
    if not is_port(port):
        raise UrlError(complaint(text, f"invalid port {go_quote(port)} after host"))


def _unescaped(text: str, part: str, *, zone: bool = False) -> bytes:
    """A name may only escape what isn't ASCII; a zone only what might stand there as it is, and a space."""
    raw, source, position = bytearray(), part.encode(), 0
    while position < len(source):
        byte = source[position]
        if byte == 0x25:
            escape = source[position : position + 3].decode(errors="surrogateescape")
            if len(escape) < 3 or escape[1] not in HEX or escape[2] not in HEX:
                raise UrlError(complaint(text, f"invalid URL escape {go_quote(escape)}"))
            byte = int(escape[1:], 16)
            refused = byte != 0x20 and not _stands(byte) if zone else byte < 0x80
            if refused and escape != "%25":
                raise UrlError(complaint(text, f"invalid URL escape {go_quote(escape)}"))
            position += 3
        elif byte < 0x80 and not _stands(byte):
            raise UrlError(complaint(text, f"invalid character {go_quote(chr(byte))} in host name"))
        else:
            position += 1
        raw.append(byte)
    return bytes(raw)


def _stands(byte: int) -> bool:
    return byte in UNRESERVED or byte in HOST_LITERAL
