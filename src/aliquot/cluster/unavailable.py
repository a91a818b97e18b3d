"""A cluster that can't be read at all."""


class UnavailableError(Exception):
    """There's no cluster to read, or it doesn't answer, or it lets us read nothing that could be judged."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        """What is wrong, in a sentence."""
        self.hint = hint
        """What to do about it; may be empty."""
