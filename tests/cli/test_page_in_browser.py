"""The page of `explain -o html` in Chromium: accessible, on phones and paper, without JavaScript; filters, copying."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from tests.browser.accessibility import violations, why_not
from tests.browser.chromium import Chromium, Page, binary, chromium
from tests.browser.clusters import hostile, many

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())

CASES = Path(__file__).parent.parent / "cases"
CHOSEN = {
    "mixed": CASES / "reports" / "mixed-cluster-40" / "dump.json.gz",
    "mig": CASES / "dumps" / "dra-mig-partitions",
    "links": CASES / "dumps" / "dra-gpu-nic-pcieroot",
    "unhealthy": CASES / "reports" / "unhealthy-device-dra",
    "shared": CASES / "reports" / "renamed-shared-resource",
    "gated": CASES / "reports" / "gang-too-big",
}
CAUSES, NODES = "article.cause", ".node"
OPEN_ALL = "for (const one of document.querySelectorAll('details')) one.open = true"


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    program = binary()
    assert program is not None
    with chromium(program) as started:
        yield started


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The chosen cases as files."""
    folder = tmp_path_factory.mktemp("pages")
    return {name: written(folder / f"{name}.html", case) for name, case in CHOSEN.items()}


def written(path: Path, case: Path) -> Path:
    with pytest.MonkeyPatch.context() as patch, path.open("w", encoding="utf-8") as out:
        patch.setattr("sys.stdout", out)
        run(["explain", "--all-pending", "-f", str(case), "-o", "html"])
    return path


@pytest.fixture
def page(browser: Chromium) -> Iterator[Page]:
    opened = browser.page()
    yield opened
    opened.close()


@pytest.fixture
def mixed(page: Page, pages: dict[str, Path]) -> Page:
    page.open(pages["mixed"])
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", CHOSEN)
def test_axe_finds_nothing(name: str, scheme: str, page: Page, pages: dict[str, Path]) -> None:
    page.scheme(scheme)
    page.open(pages[name], width=1280 if scheme == "light" else 360)
    page.evaluate(OPEN_ALL)
    assert violations(page) == []


@pytest.mark.parametrize("width", [320, 360, 400, 768, 1280])
def test_nothing_is_wider_than_the_screen(width: int, page: Page, pages: dict[str, Path]) -> None:
    for name in CHOSEN:
        page.open(pages[name], width=width, phone=width < 500)
        page.evaluate(OPEN_ALL)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        within = "one.closest('.unseen, thead') || one.getBoundingClientRect().right <= innerWidth + 1"
        assert page.seen("main *, .top *", unless=within) == [], name


def test_the_page_asks_for_nothing_and_breaks_no_rule_of_its_own(page: Page, pages: dict[str, Path]) -> None:
    page.call("Network.enable")
    page.call("Log.enable")
    page.open(pages["mixed"])
    asked = [one["params"]["request"]["url"] for one in page.events("Network.requestWillBeSent")]
    assert asked == [pages["mixed"].as_uri()]
    assert page.events("Log.entryAdded") == []
    assert page.events("Runtime.exceptionThrown") == []


def test_words_filter_from_the_keyboard(mixed: Page) -> None:
    assert len(mixed.seen(CAUSES)) == 15
    assert len(mixed.seen(NODES)) == 26
    mixed.type("/l40s-4")
    assert mixed.evaluate("document.querySelector('#find').value") == "l40s-4"
    assert mixed.seen(CAUSES) == ["cause-train-ft-nightly", "cause-vision-seg"]
    assert len(mixed.seen(".summary tbody tr")) == 2
    assert mixed.seen(NODES) == ["node-l40s-4"]
    said = "2 of 15 causes and 1 of 26 nodes on the map match."
    assert mixed.evaluate("document.querySelector('#found').textContent") == said
    mixed.press("Escape")
    assert len(mixed.seen(CAUSES)) == 15
    mixed.type("zzz")
    assert mixed.seen(".none") == [""]


def test_verdicts_and_namespaces_filter(mixed: Page) -> None:
    mixed.evaluate("document.querySelector('[value=pending]').focus()")
    mixed.press("Space")
    assert mixed.seen(CAUSES) == [
        "cause-prod-broken",
        "cause-train-gang",
        "cause-vision-tracker",
        "cause-train-queued",
        "cause-prod-chat",
    ]
    mixed.evaluate("document.querySelector('#namespace').focus()")
    mixed.type("prod")
    assert mixed.evaluate("document.querySelector('#namespace').value") == "prod"
    assert mixed.seen(CAUSES) == ["cause-prod-broken", "cause-prod-chat"]
    assert mixed.seen(NODES) == ["node-t4-8"]


def test_the_map_shows_what_is_free_and_what_is_asked_for(mixed: Page) -> None:
    mixed.evaluate("document.querySelector('#onlyfree').click()")
    free = mixed.seen(NODES)
    assert {"node-a100-1", "node-h100-6"} <= set(free)
    assert not {"node-l40s-1", "node-l40s-4", "node-t4-8"} & set(free)
    mixed.evaluate("document.querySelector('#cause-ml-embed-v2 .onmap').click()")
    assert set(mixed.seen(NODES)) == {f"node-a100-{number}" for number in range(1, 9)}
    mixed.evaluate("document.querySelector('#onlyasked').click()")
    assert mixed.seen(NODES) == free


def test_a_link_opens_what_it_leads_to(mixed: Page) -> None:
    mixed.type("/whisper")
    assert mixed.seen(NODES) == []
    mixed.evaluate("location.hash = '#node-l40s-4'")
    mixed.settle()
    assert mixed.evaluate("document.querySelector('#node-l40s-4').open")
    assert mixed.seen("#node-l40s-4 .detail") == [""]
    top = mixed.evaluate("document.querySelector('#node-l40s-4').getBoundingClientRect().top")
    assert 0 < top < 900


def test_a_button_copies_the_command(browser: Chromium, mixed: Page, capsys: pytest.CaptureFixture[str]) -> None:
    run(["explain", "--all-pending", "-f", str(CHOSEN["mixed"]), "-o", "json"])
    told: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["pods"]
    way = next(pod for pod in told if pod["pod"].startswith("train/ft-nightly"))["waysOut"][0]
    browser.call("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    mixed.evaluate("document.querySelector('#cause-train-ft-nightly .copy').focus()")
    mixed.press("Enter")
    mixed.settle()
    assert mixed.evaluate("navigator.clipboard.readText()") == way["changes"][0]["command"]
    assert mixed.evaluate("document.querySelector('#said').textContent") == "The command is copied."


def test_pointing_at_a_piece_tells_who_holds_it(mixed: Page) -> None:
    mixed.evaluate("document.querySelector('#node-a100-1 .bar i').scrollIntoView({block: 'center'})")
    mixed.settle()
    mixed.point("#node-a100-1 .bar i")
    assert mixed.seen("#tip") == ["tip"]
    told = mixed.evaluate("document.querySelector('#tip').textContent")
    assert told.startswith("ml/llm-serve-")
    assert "· 2 nvidia.com/gpu · since 2026-11-29 08:00" in told


def test_the_theme_can_be_chosen(mixed: Page) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    mixed.scheme("light")
    assert mixed.evaluate(ground) == "rgb(246, 247, 249)"
    mixed.scheme("dark")
    assert mixed.evaluate(ground) == "rgb(15, 19, 24)"
    mixed.evaluate("document.querySelector('#theme').click()")
    assert mixed.evaluate("document.querySelector('#theme').textContent") == "Theme: light"
    assert mixed.evaluate(ground) == "rgb(246, 247, 249)"
    mixed.scheme("light")
    mixed.evaluate("document.querySelector('#theme').click()")
    assert mixed.evaluate(ground) == "rgb(15, 19, 24)"


def test_room_that_isnt_sure_looks_like_waiting(mixed: Page) -> None:
    mixed.scheme("light")
    colour = "getComputedStyle(document.querySelector('{}')).color"
    waiting, sure = (mixed.evaluate(colour.format(f".verdicts .{verdict} .mark")) for verdict in ("gated", "placeable"))
    row, legend = (mixed.evaluate(colour.format(f"#summary {where} .mark.unsure")) for where in ("td", "p"))
    assert row == legend == waiting != sure


def test_paper_has_all(mixed: Page) -> None:
    closed = "main details:not([open]) > :not(summary)"
    assert mixed.seen(closed) == []
    mixed.call("Emulation.setEmulatedMedia", media="print")
    assert len(mixed.seen(closed)) > 40
    assert mixed.evaluate(f"document.querySelectorAll('{closed}').length") == len(mixed.seen(closed))
    assert mixed.seen(".top, .index, .copy, #mapfilter, #find") == []
    assert mixed.seen(".summary .clamp", unless="one.scrollHeight <= one.clientHeight + 1") == []
    assert mixed.pdf().startswith(b"%PDF")
    assert not mixed.evaluate("document.querySelector('.node').open")  # closed again after printing


def test_it_reads_without_javascript(page: Page, pages: dict[str, Path]) -> None:
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    page.open(pages["mixed"])
    assert len(page.seen(CAUSES)) == 15
    assert len(page.seen(NODES)) == 26
    assert page.seen("input, select, button") == []
    assert page.evaluate("document.querySelector('.verdicts').innerText").split()[1:4] == ["12", "\u2718", "pending"]
    page.evaluate("document.querySelector('#node-a100-1 > summary').focus()")
    page.press("Enter")
    assert page.evaluate("document.querySelector('#node-a100-1').open")


def test_names_run_nothing(page: Page, tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text(json.dumps(hostile()), "utf-8")
    page.call("Log.enable")
    page.open(written(tmp_path / "hostile.html", tmp_path / "d.json"), width=360, phone=True)
    page.evaluate(OPEN_ALL)
    page.point(".node .bar i")
    assert page.evaluate("window.broken === undefined")
    assert page.events("Log.entryAdded") == []  # nothing was there for the page's own policy to forbid
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert violations(page) == []


def test_a_thousand_nodes_open_and_are_found(page: Page, tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text(json.dumps(many(1500)), "utf-8")
    path = written(tmp_path / "many.html", tmp_path / "d.json")
    assert path.stat().st_size < 2_500_000
    page.open(path)
    assert len(page.seen(NODES)) == 1500
    first = page.evaluate("document.querySelector('.node').id")
    assert first == "node-node-1499"  # what has something free comes first
    assert page.evaluate("document.documentElement.scrollHeight") < 4000
    page.type("/holder-1234-0")
    assert page.seen(NODES) == ["node-node-1234"]
