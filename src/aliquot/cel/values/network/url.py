"""URLs as CEL's `url()` shows them."""

from dataclasses import dataclass
from typing import ClassVar

from aliquot.cel.values.network.url_escapes import (
    HOST_LITERAL,
    PATH_KEEP,
    UNRESERVED,
    UrlError,
    decoded,
    escaped,
    is_valid_path,
    split_port,
    unescaped,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Url:
    """A parsed URL, equal by its text."""

    pointer_in_go: ClassVar[bool] = True
    """As the key of a map it's found only as the same object."""

    scheme: str = ""
    opaque: str = ""
    user: str | None = None
    host: str = ""
    path: bytes = b""
    raw_path: str = ""
    """The path as written, where printing the decoded one would write something else."""
    query: str = ""
    force_query: bool = False
    """The URL ends in a `?` with nothing after it."""
    fragment: str = ""
    omit_host: bool = False

    @property
    def hostname(self) -> str:
        """The host without port, and without the brackets of an IPv6 address."""
        host, _ = split_port(self.host)
        return host[1:-1] if host.startswith("[") and host.endswith("]") else host

    @property
    def port(self) -> str:
        """The port's digits, or nothing."""
        return split_port(self.host)[1]

    @property
    def escaped_path(self) -> str:
        """The path with escapes, as written where that is a valid way to write it."""
        if self.raw_path and is_valid_path(self.raw_path) and unescaped(self.raw_path) == self.path:
            return self.raw_path
        return "*" if self.path == b"*" else escaped(self.path, PATH_KEEP)

    def query_values(self) -> dict[str, list[str]]:
        """The query's parameters; one with a bad escape or a semicolon is left out."""
        values: dict[str, list[str]] = {}
        for part in self.query.split("&"):
            if not part or ";" in part:
                continue
            name, _, value = part.partition("=")
            try:
                key, text = unescaped(name.replace("+", " ")), unescaped(value.replace("+", " "))
            except UrlError:
                continue
            values.setdefault(decoded(key), []).append(decoded(text))
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
                text += escaped(self.host.encode(), UNRESERVED | HOST_LITERAL | frozenset(b"%"))
            text += self.escaped_path  # begins with a slash where there's a host
        if self.force_query or self.query:
            text += f"?{self.query}"
        return text + (f"#{self.fragment}" if self.fragment else "")

    def __eq__(self, other: object) -> bool:
        """By text."""
        return isinstance(other, Url) and str(self) == str(other)

    def __hash__(self) -> int:
        """By text."""
        return hash(str(self))
