"""The API server answered, and the answer is no (metav1.Status)."""

from dataclasses import dataclass

REASONS = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    409: "Conflict",
    410: "Expired",
    413: "RequestEntityTooLarge",
    415: "UnsupportedMediaType",
    422: "Invalid",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}
"""metav1.StatusReason by HTTP status, where one status has one reason; 409 is also AlreadyExists."""
ALREADY_EXISTS = "AlreadyExists"
BUSY = frozenset({429, 500, 502, 503, 504})
"""Answers after which the same request may succeed."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One of several reasons (metav1.StatusCause): a field that is wrong, or that somebody else owns."""

    reason: str
    message: str
    field: str = ""
    """Its path in the object: `.spec.nodeName`."""


class StatusError(Exception):
    """The API server's no."""

    def __init__(
        self,
        code: int,
        message: str,
        reason: str = "",
        *,
        retry_after: float | None = None,
        causes: tuple[Cause, ...] = (),
    ) -> None:
        super().__init__(message)
        self.code = code
        """HTTP status."""
        self.message = message
        """As the server words it."""
        self.reason = reason or REASONS.get(code, "")
        """metav1.StatusReason: what programs decide by."""
        self.retry_after = retry_after
        """Seconds after which the server wants to be asked again, where it says so."""
        self.causes = causes

    @property
    def missing(self) -> bool:
        """There's no such object, or no such kind."""
        return self.code == 404

    @property
    def exists(self) -> bool:
        """It can't be created: there's one of that name."""
        return self.reason == ALREADY_EXISTS

    @property
    def conflict(self) -> bool:
        """Somebody else was faster, or owns a field: read again, then decide again."""
        return self.code == 409 and not self.exists

    @property
    def expired(self) -> bool:
        """The version to go on from is too old: list again."""
        return self.code == 410

    @property
    def temporary(self) -> bool:
        """The same request may succeed later."""
        return self.code in BUSY
