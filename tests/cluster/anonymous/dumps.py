"""Every dump of the cases that tests anonymise."""

from tests.conftest import ROOT

CASES = ROOT / "tests" / "cases"
DUMPS = sorted([*CASES.glob("dumps/*/dump.yaml"), *CASES.glob("reports/*/dump.*")])
