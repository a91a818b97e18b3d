"""A page as a tree of elements, read without a browser."""

import html.parser
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Final

VOID: Final = frozenset({"meta", "input", "br", "rect", "path"})


class _Reader(html.parser.HTMLParser):
    """Strict: what is opened is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.builder = ET.TreeBuilder()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.builder.start(tag, {name: value or "" for name, value in attrs})
        if tag in VOID:
            self.builder.end(tag)
        else:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.open.pop() == tag, f"</{tag}> closes nothing, line {self.getpos()[0]}"
        self.builder.end(tag)

    def handle_data(self, data: str) -> None:
        if self.open:
            self.builder.data(data)


class Tree:
    """The elements, and questions to them."""

    def __init__(self, text: str) -> None:
        reader = _Reader()
        reader.feed(text)
        reader.close()
        assert not reader.open, f"never closed: {reader.open}"
        self.root = reader.builder.close()

    def by_id(self, name: str) -> ET.Element:
        """The one with this id."""
        (found,) = self.root.findall(f".//*[@id='{name}']")
        return found

    def all(self, tag: str, style: str = "", within: ET.Element | None = None) -> list[ET.Element]:
        """Elements by tag and class."""
        there = self.root if within is None else within
        return [one for one in there.iter(tag) if not style or style in one.get("class", "").split()]

    def values(self, attribute: str) -> Iterator[str]:
        """Of all elements that have it."""
        return (one.attrib[attribute] for one in self.root.iter() if attribute in one.attrib)


def words(element: ET.Element) -> str:
    """Its text, blanks made one."""
    return " ".join("".join(element.itertext()).split())
