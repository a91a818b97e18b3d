"""Reading URLs as Go's net/url does."""

import re
from dataclasses import replace
from typing import Final

from aliquot.cel.values.network.url import Url
from aliquot.cel.values.network.url_escapes import (
    PATH_KEEP,
    UNRESERVED,
    UrlError,
    complaint,
    escaped,
    unescaped,
)
from aliquot.cel.values.network.url_host import parse_host

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
        unescaped(fragment, text)
        return replace(url, fragment=fragment)
    return url


def _parse(text: str, *, via_request: bool) -> Url:
    if any(ord(char) < 0x20 or ord(char) == 0x7F for char in text):
        raise UrlError(complaint(text, "net/url: invalid control character in URL"))
    if not text and via_request:
        raise UrlError(complaint(text, "empty url"))
    if text == "*":
        return Url(path=b"*")
    scheme, rest = _split_scheme(text)
    force_query = rest.endswith("?") and rest.count("?") == 1
    query = ""
    if force_query:
        rest = rest[:-1]
    else:
        rest, _, query = rest.partition("?")
    if not rest.startswith("/"):
        if scheme:
            return Url(scheme=scheme, opaque=rest, query=query, force_query=force_query)
        raise UrlError(complaint(text, "invalid URI for request"))
    user, host, omit_host = None, "", False
    if (scheme or (not via_request and not rest.startswith("///"))) and rest.startswith("//"):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        user, host = _parse_authority(text, scheme, authority)
    elif scheme and rest.startswith("/"):
        omit_host = True
    path_bytes = unescaped(rest, text)
    raw_path = "" if escaped(path_bytes, PATH_KEEP) == rest else rest
    return Url(
        scheme=scheme,
        user=user,
        host=host,
        path=path_bytes,
        raw_path=raw_path,
        query=query,
        force_query=force_query,
        omit_host=omit_host,
    )


def _split_scheme(text: str) -> tuple[str, str]:
    head, colon, rest = text.partition(":")
    if not colon or any(not (c.isascii() and (c.isalnum() or c in "+-.")) for c in head):
        return "", text
    if not head:
        raise UrlError(complaint(text, "missing protocol scheme"))
    if not _SCHEME.match(head):
        return "", text
    return head.lower(), rest


def _parse_authority(text: str, scheme: str, authority: str) -> tuple[str | None, str]:
    userinfo, at, host = authority.rpartition("@")
    host = parse_host(text, scheme, host)
    user: str | None = None
    if at:
        if not _USER.match(userinfo):
            raise UrlError(complaint(text, "net/url: invalid userinfo"))
        name, colon, password = userinfo.partition(":")
        keep = UNRESERVED | frozenset(b"$&+,;=")
        user = escaped(unescaped(name, text), keep)
        if colon:
            user += ":" + escaped(unescaped(password, text), keep)
    return user, host
