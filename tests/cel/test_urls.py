"""URLs as values: equal by their text."""

from aliquot.cel.values.network.url_parser import parse_url


def test_urls_of_one_text_are_one_element_of_a_set() -> None:
    plain, written = parse_url("http://a/b"), parse_url("HTTP://a/b")
    assert plain == written
    assert {plain, written, parse_url("http://a/c")} == {plain, parse_url("http://a/c")}
