"""Reading URLs as Go's net/url does."""

import re
from typing import Final

from aliquot.cel.values.go_text import go_quote
from aliquot.cel.values.url import Url
from aliquot.cel.values.url_escapes import (
    HOST_LITERAL,
    PATH_KEEP,
    UNRESERVED,
    UrlError,
    complaint,
    decoded,
    escaped,
    is_port,
    unescaped,
)

_SCHEME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.\-]*\Z", re.ASCII)


_USER: Final = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*\Z", re.ASCII)


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
        unescaped(fragment)
        return Url(url.scheme, url.opaque, url.user, url.host, url.path, url.raw_path, url.query, url.force_query,
                   fragment, url.omit_host)  # fmt: skip
    return url


def _parse(text: str, *, via_request: bool) -> Url:
    if any(ord(char) < 0x20 or ord(char) == 0x7F for char in text):
        raise UrlError(complaint(text, "net/url: invalid control character in URL"))
    if not text and via_request:
        raise UrlError(complaint(text, "empty url"))
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
        raise UrlError(complaint(text, "invalid URI for request"))
    user, host, omit_host = None, "", False
    if (scheme or (not via_request and not rest.startswith("///"))) and rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        user, host = _parse_authority(text, authority)
    elif scheme and rest.startswith("/"):
        omit_host = True
    path_bytes = unescaped(rest, text)
    raw_path = "" if escaped(path_bytes, PATH_KEEP) == rest else rest
    return Url(scheme, "", user, host, path_bytes, raw_path, query, force_query, "", omit_host)


def _split_scheme(text: str) -> tuple[str, str]:
    head, colon, rest = text.partition(":")
    if not colon or any(not (c.isascii() and (c.isalnum() or c in "+-.")) for c in head):
        return "", text
    if not head:
        raise UrlError(complaint(text, "missing protocol scheme"))
    if not _SCHEME.match(head):
        return "", text
    return head.lower(), rest


def _parse_authority(text: str, authority: str) -> tuple[str | None, str]:
    userinfo, at, host = authority.rpartition("@")
    user: str | None = None
    if at:
        if not _USER.match(userinfo):
            raise UrlError(complaint(text, "net/url: invalid userinfo"))
        name, colon, password = userinfo.partition(":")
        keep = UNRESERVED | frozenset(b"$&+,;=")
        user = escaped(unescaped(name, text), keep)
        if colon:
            user += ":" + escaped(unescaped(password, text), keep)
    return user, _parse_host(text, host)


def _parse_host(text: str, host: str) -> str:
    if host.startswith("["):
        end = host.rfind("]")
        if end < 0:
            raise UrlError(complaint(text, "missing ']' in host"))
        if not is_port(host[end + 1 :]):
            raise UrlError(complaint(text, f"invalid port {go_quote(host[end + 1 :])} after host"))
        zone = host[:end].find("%25")
        if zone >= 0:
            _check_host(text, host[:zone])
            return decoded(_unescape_host(text, host[:zone]) + unescaped(host[zone:end], text)) + host[end:]
    else:
        colon = host.rfind(":")
        if colon >= 0 and not is_port(host[colon:]):
            raise UrlError(complaint(text, f"invalid port {go_quote(host[colon:])} after host"))
    _check_host(text, host)
    return decoded(_unescape_host(text, host))


def _check_host(text: str, host: str) -> None:
    for char in host:
        code = ord(char)
        if code < 0x80 and code not in UNRESERVED and code not in HOST_LITERAL and char != "%":
            raise UrlError(complaint(text, f"invalid character {go_quote(char)} in host name"))


def _unescape_host(text: str, host: str) -> bytes:
    """A host may only escape what isn't ASCII."""
    for index, char in enumerate(host):
        if char == "%" and host[index + 1 : index + 2] in "01234567" and host[index : index + 3] != "%25":
            raise UrlError(complaint(text, f"invalid URL escape {go_quote(host[index : index + 3])}"))
    return unescaped(host, text)
