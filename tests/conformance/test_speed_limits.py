"""A benchmark's ratio over its limit ends the run with a non-zero status; everything else is printed only."""

import re

import pytest

from speed import __main__ as speed
from speed import startup
from speed.limits import Ratio, missed, ratio


def test_the_median_of_the_rounds_decides() -> None:
    assert ratio("x", [(1, 1), (9, 1), (2, 1), (3, 1), (100, 1)], 3).value == 3
    assert ratio("x", [(1, 1), (9, 1), (2, 1), (3, 1), (100, 1)], 3).held
    assert not ratio("x", [(4, 1), (9, 1), (2, 1), (4, 1), (1, 1)], 3).held


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (Ratio("x", 0.534, 0.6), "ratio 0.53 (limit 0.60) ok"),
        (Ratio("x", 2, 1.5), "ratio 2.00 (limit 1.50) OVER"),
        (Ratio("x", 0.1, 1.5, "DIFFERENT ANSWERS"), "ratio 0.10 (limit 1.50) DIFFERENT ANSWERS"),
    ],
)
def test_a_ratio_is_printed_so_that_it_can_be_read(found: Ratio, line: str) -> None:
    assert str(found) == line
    assert re.search(r"ratio (\d+\.\d+)", line)
    assert bool(missed([found])) == ("ok" not in line)


@pytest.mark.parametrize(("limit", "status"), [(1e9, 0), (0.0, 1)])
def test_the_status_tells(
    limit: float, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(startup, "LIMIT", limit)
    monkeypatch.setattr(startup, "ROUNDS", 1)
    assert speed.main(["startup"]) == status
    assert ("over its limit: startup" in capsys.readouterr().out) == bool(status)


def test_an_unknown_benchmark_is_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert speed.main(["starup"]) == 2
    assert "no such benchmark: starup; there are allocation, cdi" in capsys.readouterr().err
