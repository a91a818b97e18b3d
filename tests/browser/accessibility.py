"""axe-core's verdict on a page."""

import json
from pathlib import Path
from typing import Final

from tests.browser.chromium import Page, binary

AXE: Final = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
"""Put there by tools/install-consumers, from the lock beside it."""


def why_not() -> str:
    """Why no page can be looked at here; "" if it can."""
    missing = [name for name, there in (("chromium", binary()), ("axe-core", AXE.exists())) if not there]
    return f"not installed (tools/install-consumers does it): {', '.join(missing)}" if missing else ""


def violations(page: Page) -> list[str]:
    """Each rule that is broken, with where; best practices count."""
    page.evaluate(AXE.read_text("utf-8") + ";0")
    found = json.loads(page.evaluate("axe.run().then((one) => JSON.stringify([one.violations, one.passes.length]))"))
    assert found[1] > 20, "axe looked at nothing"
    return [
        f"{one['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for one in found[0]
        for node in one["nodes"][:4]
    ]
