"""The agent's log, on stderr: a line each, for people or for programs."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, Final, Literal

_LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_NAMES: Final = {30: "warning: ", 40: "error: ", 50: "error: "}


class _Text(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]
        return f"{at}Z {_NAMES.get(record.levelno, '')}{record.getMessage()}{_traceback(self, record)}"


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        said: dict[str, Any] = {
            "ts": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "msg": record.getMessage(),
            "logger": record.name.removeprefix("aliquot."),
        }
        if record.exc_info:
            said["traceback"] = self.formatException(record.exc_info)
        return json.dumps(said, ensure_ascii=False)


def _traceback(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    return f"\n{formatter.formatException(record.exc_info)}" if record.exc_info else ""


def logging_to_stderr(style: Literal["text", "json"], level: str) -> None:
    """Log from now on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json() if style == "json" else _Text())
    root = logging.getLogger("aliquot")
    root.handlers[:] = [handler]
    root.setLevel(_LEVELS[level])
    root.propagate = False
