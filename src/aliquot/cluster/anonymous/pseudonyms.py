"""Texts with other words in them: names, labels, images, messages, CEL."""

import hashlib
import hmac
import re
from collections.abc import Callable
from random import Random

from aliquot.cluster.anonymous.vocabulary import (
    AZURE,
    HARDWARE_DOMAINS,
    MESSAGE_WORDS,
    PLACES,
    PUBLIC_DOMAINS,
    PUBLIC_IMAGES,
    PUBLIC_KEYS,
    PUBLIC_PLACE,
    PUBLIC_VALUES,
    PUBLIC_WORDS,
    REASON_WORDS,
    ROLES,
    VENDOR_NAME,
)
from aliquot.cluster.anonymous.words import Words

UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_PARTS = re.compile(
    rf"(?P<uuid>{UUID.pattern})"
    r"|(?P<address>(?<![\d.])\d{1,3}(?P<dot>[.-])\d{1,3}(?P=dot)\d{1,3}(?P=dot)\d{1,3}(?![\d.]))"
    r"|(?P<number>\d{5,})|(?P<word>[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+)"
)
_MESSAGE_TOKEN = re.compile(r"[^\W_](?:[\w./-]*[^\W_])?")
_TAINT = re.compile(r"\{([^:{}]+): ([^{}]*)\}")
_NUMERIC = re.compile(r"[\d./]+[a-zA-Z]{0,2}")
_LITERAL_OR_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"' + r"|'(?:[^'\\\n]|\\.)*'" + r"|//[^\n]*")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_FIELD = re.compile(r"\.([A-Za-z_]\w*)")
LONGEST_NAME = 512


class Pseudonyms:
    """One cluster's; equal texts get equal ones."""

    def __init__(self, random: Random) -> None:
        """None yet; `random` chooses the words and the key."""
        self._words = Words(random)
        self._key = random.randbytes(32)
        self._names: dict[str, str] = {}
        self.nodes: set[str] = set()
        """Names of nodes, wherever attributes and CEL may have them."""
        self.technical: set[str] = set()
        """Names of resources and attributes, which stay in messages too."""

    def name(self, text: str) -> str:
        """Of an object, or any text that isn't known to be something else."""
        found = self._names.get(text)
        if found is None:
            found = self._names[text] = self._name(text)
        return found

    def _name(self, text: str) -> str:
        if len(text) > LONGEST_NAME:
            return self._digest(text)[:12]
        domain, slash, _ = text.partition("/")
        if (slash and _public(domain)) or VENDOR_NAME.fullmatch(text):
            return text
        return _PARTS.sub(self._part, text)

    def label_key(self, key: str) -> str:
        """Of a label, annotation or taint."""
        domain, slash, rest = key.partition("/")
        if domain == "node-role.kubernetes.io":
            return key if rest in ROLES else f"{domain}/{self.name(rest)}"
        if key in PUBLIC_KEYS or (slash and _public(domain)):
            return key
        return self.name(key)

    def label_value(self, key: str, value: str) -> str:
        """Of the label or taint of this key."""
        domain = key.partition("/")[0]
        public = (
            key in PUBLIC_VALUES
            or domain in HARDWARE_DOMAINS
            or domain.endswith(_HARDWARE_ENDS)
            or (key in PLACES and _public_place(value))
        )
        return self.attribute(value) if public else self.name(value)

    def api_group(self, api_version: str) -> tuple[str, bool]:
        """(the apiVersion or API group to write, whether it's somebody's own, whose kinds then name them)."""
        group, slash, version = api_version.rpartition("/") if "/" in api_version else (api_version, "", "")
        if "." not in group or _public(group):
            return api_version, False
        return self.name(group) + slash + version, True

    def image(self, text: str) -> str:
        """Of a container."""
        return text if text.startswith(PUBLIC_IMAGES) else self.name(text)

    def uid(self, text: str) -> str:
        """Of an object."""
        return _PARTS.sub(self._part, text) if UUID.search(text) else self.name(text)

    def attribute(self, text: str) -> str:
        """A device's attribute, which stays, but for what is one node's alone: its name, UUIDs, addresses."""
        if text in self.nodes:
            return self.name(text)
        return _PARTS.sub(lambda part: part[0] if part["word"] or part["number"] else self._part(part), text)

    def expression(self, text: str) -> str:
        """CEL over devices: as it is, but for literals that name a node, and without comments."""
        changed = _LITERAL_OR_COMMENT.sub(self._literal, text)
        self.technical.update(_FIELD.findall(changed))
        return changed

    def _literal(self, found: re.Match[str]) -> str:
        text = found[0]
        return "" if text.startswith("//") else text[0] + self.attribute(text[1:-1]) + text[0]

    def message(self, text: str) -> str:
        """Words of Kubernetes' own messages stay; every other is hidden."""
        parts: list[str] = []
        at = 0
        for taint in _TAINT.finditer(text):
            key, value = taint[1], taint[2]
            parts += [self._sentence(text[at : taint.start()])]
            parts += [f"{{{self.label_key(key)}: {self.label_value(key, value)}}}"]
            at = taint.end()
        return "".join(parts) + self._sentence(text[at:])

    def reason(self, text: str) -> str:
        """In CamelCase: words of known reasons stay; a controller may have put its owner's name into one of its own."""
        return _CAMEL.sub(lambda word: word[0] if word[0].lower() in REASON_WORDS else self.name(word[0]), text)

    def _sentence(self, text: str) -> str:
        def hidden(token: re.Match[str]) -> str:
            quoted = text[: token.start()].endswith('"') and text[token.end() :].startswith('"')
            # "data-first" in quotes is somebody's name, though data and first are words of messages
            return self.name(token[0]) if quoted and "-" in token[0] else self._message_token(token[0])

        return _MESSAGE_TOKEN.sub(hidden, text)

    def _message_token(self, token: str) -> str:
        if (
            all(word in MESSAGE_WORDS for word in token.lower().split("-"))
            or token in self.technical
            or _NUMERIC.fullmatch(token)
        ):
            return token
        if "/" in token and not _public(token.partition("/")[0]):
            return "/".join(map(self._message_token, token.split("/")))
        return self.name(token)

    def _part(self, part: re.Match[str]) -> str:
        text = part[0]
        if part["uuid"]:
            digest = self._digest(text.lower())
            return "-".join((digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32]))
        if part["address"]:
            return part["dot"].join(map(str, bytes.fromhex(self._digest(text)[:8])))
        if part["number"]:
            return str(int(self._digest(text), 16))[: len(text)]
        lower = text.lower()
        if len(text) == 1 or lower in PUBLIC_WORDS:
            return text
        return _cased(text)(self._words.word(lower))

    def _digest(self, text: str) -> str:
        return hmac.new(self._key, text.encode(errors="replace"), hashlib.sha256).hexdigest()


_HARDWARE_ENDS = tuple(f".{domain}" for domain in HARDWARE_DOMAINS)
_ENDS = tuple(f".{domain}" for domain in PUBLIC_DOMAINS)


def _public(domain: str) -> bool:
    return domain in PUBLIC_DOMAINS or domain.endswith(_ENDS)


def _public_place(value: str) -> bool:
    return value.partition("-")[0] in AZURE or PUBLIC_PLACE.fullmatch(value) is not None


def _cased(text: str) -> Callable[[str], str]:
    if text.isupper():
        return str.upper
    return str.capitalize if text[0].isupper() else str
