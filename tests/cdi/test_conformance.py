"""The filter itself: lines in, lines out."""

import io
import json
import sys
from types import SimpleNamespace

import pytest

from conformance.cdi import answer, main


def test_a_line_in_is_a_line_out(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [
        {"file": "annotations_key.json", "name": "good", "input": {"plugin": "p", "deviceID": "d"}},
        {"file": "annotations_key.json", "name": "bad", "input": {"plugin": "", "deviceID": "d"}},
    ]
    out = io.BytesIO()
    lines = b"".join(json.dumps(case).encode() + b"\n\n" for case in cases)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(lines)))
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=out))
    main()
    good, bad = (json.loads(line) for line in out.getvalue().splitlines())
    assert good == {
        "file": "annotations_key.json",
        "name": "good",
        "ok": True,
        "error_category": None,
        "result": {"key": "cdi.k8s.io/p_d"},
    }
    assert (bad["ok"], bad["error_category"]) == (False, "name")


def test_an_unknown_file_is_said() -> None:
    assert answer({"file": "cases/cdi/other.json", "name": "x", "input": {}})["result"]["error"]
