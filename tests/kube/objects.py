"""One object of a kind from JSON, for tests."""

import json
from typing import Any, TypeVar

from aliquot.kube.reading.kinds import KINDS
from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.shape import Fault

T = TypeVar("T")
Json = dict[str, Any]
_KINDS = {(kind.group, kind.name): kind for kind in KINDS}


def read(want: type[T], group: str, kind: str, thing: Json, name: str = "x", **meta: Any) -> T:
    """The noun, which must have no fault."""
    whole = {"metadata": {"name": name, **meta}, **thing}
    noun, faults = _KINDS[group, kind].read(json.dumps(whole).encode(), Memo())
    assert faults == ()
    assert isinstance(noun, want)
    return noun


def faults(group: str, kind: str, thing: Json) -> tuple[Fault, ...]:
    """What is wrong with an object."""
    return _KINDS[group, kind].read(json.dumps({"metadata": {"name": "x"}, **thing}).encode(), Memo())[1]
