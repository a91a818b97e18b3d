"""The cases of ../shared and the copies of those that may be copied; and comparing answers with them."""

import json
from pathlib import Path
from typing import Any

from tests.conftest import ROOT, SHARED

COPIES = ROOT / "tests" / "cases" / "cdi"
ORIGINALS = SHARED / "cases" / "cdi"
COPIED = ("probes_inject.json", "probes_names.json", "probes_spec_load.json", "random.jsonl", "issue_cases.json")


def rows(path: Path) -> list[dict[str, Any]]:
    text = path.read_text()
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    found: list[dict[str, Any]] = json.loads(text)
    return found


def present(data: Any) -> Any:
    """Without empty members, as the cases are to be compared."""
    if isinstance(data, dict):
        inner = {key: present(value) for key, value in data.items()}
        return {key: value for key, value in inner.items() if value not in (None, "", [], {})}
    if isinstance(data, list):
        return [present(item) for item in data]
    return data


# Texts are the Go library's own; whether there's an error is compared, what it's called isn't.
_TEXTS = ("error", "loadError")


def differences(expect: dict[str, Any], result: dict[str, Any]) -> list[str]:
    """The members of an expectation that an answer doesn't meet."""
    found: list[str] = []
    for key, wanted in expect.items():
        if key in ("ociAfterError", "invariant", "rule", "panic"):
            continue
        got = result.get(key)
        if key in _TEXTS:
            same = bool(wanted) == bool(got) or "panic" in expect
        elif key == "errors":
            same = set(wanted) == set(got or {})
        elif key == "afterStep":
            steps = list(got or ())
            pairs = zip(wanted, steps, strict=False)
            same = len(wanted) == len(steps) and not any(differences(one, other) for one, other in pairs)
        else:
            same = _bare(present(wanted)) == _bare(present(got))
        if not same:
            found.append(f"{key}: {got!r} instead of {wanted!r}")
    return found


def _bare(data: Any) -> Any:
    return None if data in ("", [], {}) else data
