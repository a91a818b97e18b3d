"""URLs as Go's net/url reads them: the part that CEL's `url()` shows."""

import re
from dataclasses import dataclass
from typing import Final

from aliquot.cel.quoting import go_quote

_SCHEME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.\-]*\Z", re.ASCII)
_UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_HOST_LITERAL: Final = frozenset(b"!$&'()*+,;=:[]<>\"")
"""What Go lets stand in a host besides unreserved characters."""

_USER: Final = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*\Z", re.ASCII)


class UrlError(ValueError):
    """A text that Go doesn't take for a URL."""


@dataclass(frozen=True, slots=True)
class Url:
    """A parsed URL, equal by its text."""

    scheme: str
    opaque: str
    user: str | None
    host: str
    path: bytes
    raw_path: str
    """The path as written, where printing the decoded one would write something else."""
    query: str
    force_query: bool
    """The URL ends in a `?` with nothing after it."""
    fragment: str
    omit_host: bool = False

    @property
    def hostname(self) -> str:
        """The host without port, and without the brackets of an IPv6 address."""
        host, _ = _split_port(self.host)
        return host[1:-1] if host.startswith("[") and host.endswith("]") else host

    @property
    def port(self) -> str:
        """The port's digits, or nothing."""
        return _split_port(self.host)[1]

    @property
    def escaped_path(self) -> str:
        """The path with escapes, as written where that is a valid way to write it."""
        if self.raw_path and _is_valid_path(self.raw_path) and _unescape(self.raw_path) == self.path:
            return self.raw_path
        return "*" if self.path == b"*" else _escape(self.path, _PATH_KEEP)

    def query_values(self) -> dict[str, list[str]]:
        """The query's parameters; one with a bad escape or a semicolon is left out."""
        values: dict[str, list[str]] = {}
        for part in self.query.split("&"):
            if not part or ";" in part:
                continue
            name, _, value = part.partition("=")
            try:
                key, text = _unescape(name.replace("+", " ")), _unescape(value.replace("+", " "))
            except UrlError:
                continue
            values.setdefault(_text(key), []).append(_text(text))
        return values

    def __str__(self) -> str:
        """As Go's `String()`."""
        text = f"{self.scheme}:" if self.scheme else ""
        if self.opaque:
            text += self.opaque
        else:
            named = self.scheme or self.host or self.user is not None
            if named and not (self.omit_host and not self.host and self.user is None):
                if self.host or self.path or self.user is not None:
                    text += "//"
                text += f"{self.user}@" if self.user is not None else ""
                text += _escape(self.host.encode(), _UNRESERVED | _HOST_LITERAL | frozenset(b"%"))
            path = self.escaped_path
            if path and not path.startswith("/") and self.host:
                text += "/"
            text += path
        if self.force_query or self.query:
            text += f"?{self.query}"
        return text + (f"#{self.fragment}" if self.fragment else "")

    def __eq__(self, other: object) -> bool:
        """By text."""
        return isinstance(other, Url) and str(self) == str(other)

    def __hash__(self) -> int:
        """By text."""
        return hash(str(self))


_PATH_KEEP: Final = _UNRESERVED | frozenset(b"$&+,/:;=@")


def is_url(text: str) -> bool:
    """Whether Go's `ParseRequestURI` takes the text: an absolute URL or an absolute path."""
    try:
        _parse(text, via_request=True)
    except UrlError:
        return False
    return True


def parse_url(text: str) -> Url:
    """Read an absolute URL.

    Raises:
        UrlError: Go's `ParseRequestURI` refuses it.
    """
    _parse(text, via_request=True)
    body, _, fragment = text.partition("#")
    url = _parse(body, via_request=False)
    if fragment:
        _unescape(fragment)
        return Url(url.scheme, url.opaque, url.user, url.host, url.path, url.raw_path, url.query, url.force_query,
                   fragment, url.omit_host)  # fmt: skip
    return url


def _parse(text: str, *, via_request: bool) -> Url:
    if any(ord(char) < 0x20 or ord(char) == 0x7F for char in text):
        raise UrlError(_complaint(text, "net/url: invalid control character in URL"))
    if not text and via_request:
        raise UrlError(_complaint(text, "empty url"))
    if text == "*":
        return Url("", "", None, "", b"*", "", "", force_query=False, fragment="")
    scheme, rest = _split_scheme(text)
    force_query = rest.endswith("?") and rest.count("?") == 1
    query = ""
    if force_query:
        rest = rest[:-1]
    else:
        rest, _, query = rest.partition("?")
    if not rest.startswith("/"):
        if scheme:
            return Url(scheme, rest, None, "", b"", "", query, force_query, "")
        if via_request:
            raise UrlError(_complaint(text, "invalid URI for request"))
        if ":" in rest.partition("/")[0]:
            raise UrlError(_complaint(text, "first path segment in URL cannot contain colon"))
    user, host, omit_host = None, "", False
    if (scheme or (not via_request and not rest.startswith("///"))) and rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        user, host = _parse_authority(text, authority)
    elif scheme and rest.startswith("/"):
        omit_host = True
    path_bytes = _unescape(rest, text)
    raw_path = "" if _escape(path_bytes, _PATH_KEEP) == rest else rest
    return Url(scheme, "", user, host, path_bytes, raw_path, query, force_query, "", omit_host)


def _split_scheme(text: str) -> tuple[str, str]:
    head, colon, rest = text.partition(":")
    if not colon or any(not (c.isascii() and (c.isalnum() or c in "+-.")) for c in head):
        return "", text
    if not head:
        raise UrlError(_complaint(text, "missing protocol scheme"))
    if not _SCHEME.match(head):
        return "", text
    return head.lower(), rest


def _parse_authority(text: str, authority: str) -> tuple[str | None, str]:
    userinfo, at, host = authority.rpartition("@")
    user: str | None = None
    if at:
        if not _USER.match(userinfo):
            raise UrlError(_complaint(text, "net/url: invalid userinfo"))
        name, colon, password = userinfo.partition(":")
        keep = _UNRESERVED | frozenset(b"$&+,;=")
        user = _escape(_unescape(name, text), keep)
        if colon:
            user += ":" + _escape(_unescape(password, text), keep)
    return user, _parse_host(text, host)


def _parse_host(text: str, host: str) -> str:
    if host.startswith("["):
        end = host.rfind("]")
        if end < 0:
            raise UrlError(_complaint(text, "missing ']' in host"))
        if not _is_port(host[end + 1 :]):
            raise UrlError(_complaint(text, f"invalid port {go_quote(host[end + 1 :])} after host"))
        zone = host[:end].find("%25")
        if zone >= 0:
            _check_host(text, host[:zone])
            return _text(_unescape_host(text, host[:zone]) + _unescape(host[zone:end], text)) + host[end:]
    else:
        colon = host.rfind(":")
        if colon >= 0 and not _is_port(host[colon:]):
            raise UrlError(_complaint(text, f"invalid port {go_quote(host[colon:])} after host"))
    _check_host(text, host)
    return _text(_unescape_host(text, host))


def _check_host(text: str, host: str) -> None:
    for char in host:
        code = ord(char)
        if code < 0x80 and code not in _UNRESERVED and code not in _HOST_LITERAL and char != "%":
            raise UrlError(_complaint(text, f"invalid character {go_quote(char)} in host name"))


def _unescape_host(text: str, host: str) -> bytes:
    """A host may only escape what isn't ASCII."""
    for index, char in enumerate(host):
        if char == "%" and host[index + 1 : index + 2] in "01234567" and host[index : index + 3] != "%25":
            raise UrlError(_complaint(text, f"invalid URL escape {go_quote(host[index : index + 3])}"))
    return _unescape(host, text)


def _is_port(text: str) -> bool:
    return not text or (text[0] == ":" and all("0" <= char <= "9" for char in text[1:]))


def _split_port(host: str) -> tuple[str, str]:
    colon = host.rfind(":")
    if colon >= 0 and _is_port(host[colon:]):
        return host[:colon], host[colon + 1 :]
    return host, ""


def _unescape(text: str, whole: str = "") -> bytes:
    if "%" not in text:
        return text.encode()
    parts = text.split("%")
    result = [parts[0].encode()]
    for part in parts[1:]:
        if len(part) < 2 or part[0] not in _HEX or part[1] not in _HEX:
            raise UrlError(_complaint(whole or text, f"invalid URL escape {go_quote('%' + part[:2])}"))
        result.append(bytes([int(part[:2], 16)]) + part[2:].encode())
    return b"".join(result)


def _is_valid_path(text: str) -> bool:
    keep = _UNRESERVED | frozenset(b"!$&'()*+,;=:@[]/%")
    return all(byte in keep for byte in text.encode())


def _escape(raw: bytes, keep: frozenset[int]) -> str:
    return "".join(chr(byte) if byte in keep else f"%{byte:02X}" for byte in raw)


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace")


def _complaint(text: str, why: str) -> str:
    return f"URL parse error during conversion from string: parse {go_quote(text)}: {why}"
