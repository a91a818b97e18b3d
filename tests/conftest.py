"""Hypothesis profiles, and where the shared cases lie."""

import os
from pathlib import Path

from hypothesis import HealthCheck, settings

for size in ("COLUMNS", "LINES"):  # pytest-xdist gives its workers those of a terminal that nobody has
    os.environ.pop(size, None)

settings.register_profile("dev", max_examples=60, deadline=None)
settings.register_profile(
    "ci",
    max_examples=200,
    deadline=None,
    derandomize=True,  # a red CI run is reproduced by running it again
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("deep", max_examples=5000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"
