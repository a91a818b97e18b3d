"""State that outlives the kubelet: a JSON file with a checksum over its data's bytes, replaced in one step."""

import os
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")


class DamagedCheckpointError(ValueError):
    """The file isn't what was written; the real kubelet doesn't start over it."""


class _Envelope(msgspec.Struct):
    checksum: str
    data: msgspec.Raw


def save(file: Path, data: object) -> None:
    """Replace the file."""
    body = msgspec.json.encode(data, order="sorted")
    envelope = _Envelope(sha256(body).hexdigest(), msgspec.Raw(body))
    fresh = file.with_name(f".{file.name}.new")
    with fresh.open("wb") as stream:
        stream.write(msgspec.json.encode(envelope))
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(file)


def load(file: Path, kind: type[T]) -> T | None:
    """What was saved; None: nothing yet.

    Raises:
        DamagedCheckpointError: it was changed since, or isn't of that kind.
    """
    try:
        text = file.read_bytes()
    except FileNotFoundError:
        return None
    try:
        envelope = msgspec.json.decode(text, type=_Envelope)
        body = bytes(envelope.data)
        if sha256(body).hexdigest() != envelope.checksum:
            raise DamagedCheckpointError(f"{file}: its checksum doesn't match its data; remove it")
        return msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as error:
        raise DamagedCheckpointError(f"{file}: {error}; remove it") from error
