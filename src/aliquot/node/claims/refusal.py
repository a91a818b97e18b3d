"""Why a claim can't be prepared or unprepared: a value, whose words land in the events of pods."""

from dataclasses import dataclass
from typing import Final

RETRY: Final = "retry"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A no, with its reason."""

    message: str
    hint: str = ""
    retry: bool = False
    """Whether the same call may succeed later though nobody changes the claim."""

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message

    def and_then(self, message: str) -> "Refusal":
        """The same no, and what came of it."""
        return Refusal(f"{self.message}; {message}" if message else self.message, self.hint, self.retry)


def later(message: str, hint: str = RETRY) -> Refusal:
    """A no that time may turn into a yes."""
    return Refusal(message, hint, retry=True)
