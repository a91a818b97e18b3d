"""The checkpoint's bytes: an envelope with versions and a checksum, around the payload.

The checksum is over the payload's raw bytes, as they stand: whoever writes a payload in another order or with other
spaces still agrees on it. `readableFrom` is the oldest version whose reader may read the file; so an agent that was
downgraded by one version goes on where the newer one stopped.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import msgspec

from aliquot.node.claims.checkpoint import Checkpoint
from aliquot.node.claims.payload import Payload, checkpoint_of, payload_data

VERSION: Final = 2
READABLE_FROM: Final = 1
_DIGEST: Final = "sha256:"


@dataclass(frozen=True, slots=True)
class Damaged:
    """Bytes that are no checkpoint which this version can read."""

    why: str


class _Envelope(msgspec.Struct, rename="camel"):
    version: int
    readable_from: int
    checksum: str
    payload: msgspec.Raw


_envelope = msgspec.json.Decoder(_Envelope)
_payload = msgspec.json.Decoder(Payload)


def encode(checkpoint: Checkpoint) -> bytes:
    """A checkpoint as bytes; equal ones give equal bytes."""
    payload = msgspec.json.encode(payload_data(checkpoint))
    return msgspec.json.encode(_Envelope(VERSION, READABLE_FROM, checksum(payload), msgspec.Raw(payload))) + b"\n"


def decode(data: bytes, *, known: int = VERSION) -> Checkpoint | Damaged:
    """The checkpoint in these bytes, or why there's none.

    Args:
        data: the file.
        known: the newest version that the reader knows.
    """
    try:
        envelope = _envelope.decode(data)
    except msgspec.ValidationError as error:
        return Damaged(f"it isn't a checkpoint: {error}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Damaged(f"it isn't JSON: {error}")
    if min(envelope.version, envelope.readable_from) > known:
        return Damaged(f"version {envelope.version} wrote it, and this one reads up to version {known}")
    payload = bytes(envelope.payload)
    if checksum(payload) != envelope.checksum:
        return Damaged("its checksum isn't that of its payload")
    try:
        return checkpoint_of(_payload.decode(payload))
    except (ValueError, RecursionError) as error:
        return Damaged(f"its payload can't be read: {error}")


def checksum(payload: bytes) -> str:
    """Of a payload's raw bytes."""
    return f"{_DIGEST}{sha256(payload).hexdigest()}"
