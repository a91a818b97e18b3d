"""Answers, and the Status objects among them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from aliquot.cluster.objects.status import StatusError

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """To one request."""

    code: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict[str, str])
    content: str = "application/json"


@dataclass(frozen=True, slots=True)
class Stream:
    """An answer that goes on: lines of JSON."""

    lines: Iterator[bytes]
    close: Any
    """Ends the lines; callable from any thread."""


def answer(body: Json, code: int = 200) -> Answer:
    """With a JSON body."""
    return Answer(code, msgspec.json.encode(body))


def refusal(error: StatusError) -> Answer:
    """A no."""
    headers = {} if error.retry_after is None else {"Retry-After": f"{error.retry_after:g}"}
    return Answer(error.code, msgspec.json.encode(status(error)), headers)


def status(error: StatusError) -> Json:
    """A no as metav1.Status."""
    details: Json = {}
    if error.causes:
        details["causes"] = [
            {"reason": cause.reason, "message": cause.message, "field": cause.field} for cause in error.causes
        ]
    if error.retry_after is not None:
        details["retryAfterSeconds"] = round(error.retry_after)
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": error.message,
        "reason": error.reason,
        **({"details": details} if details else {}),
        "code": error.code,
    }
