"""The SONAME of libraries, of this machine and made ones; other bytes are None, never an error."""

import struct
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.cdi.host.elf import soname
from tests.cdi.host.elf_file import shared_library


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("name", ["libcuda.so.1", "", "libä.so"])
def test_made_libraries(name: str, machine: str, order: str) -> None:
    assert soname(shared_library(name, machine=machine, order=order)) == name


def test_a_library_without_a_soname() -> None:
    assert soname(shared_library(None)) == ""


def test_a_32_bit_library() -> None:
    texts = b"\0libold.so.1\0"
    start = 52 + 2 * 32
    table = b"".join(struct.pack("<II", *entry) for entry in ((5, start), (14, 1), (0, 0)))
    head = b"\x7fELF" + bytes([1, 1, 1]) + bytes(9)
    head += struct.pack("<HHIIIIIHHHHHH", 3, 3, 1, 0, 52, 0, 0, 52, 32, 2, 40, 0, 0)
    end = start + len(texts) + len(table)
    load = struct.pack("<IIIIIIII", 1, 0, 0, 0, end, end, 5, 4096)
    dynamic = struct.pack("<IIIIIIII", 2, start + len(texts), 0, 0, len(table), len(table), 4, 4)
    assert soname(head + load + dynamic + texts + table) == "libold.so.1"


@pytest.mark.skipif(sys.platform != "linux", reason="no ELF here")
def test_a_library_of_this_machine() -> None:
    found = next((path for folder in ("/lib", "/usr/lib") for path in Path(folder).glob("*/libc.so.6")), None)
    if found is None:
        pytest.skip("this machine has no libc.so.6 in the usual place")
    assert soname(found.read_bytes()) == "libc.so.6"


@pytest.mark.parametrize(
    "content", [b"", b"\x7fELF", b"\x7fELF\x09\x01" + bytes(60), b"\x7fELF\x02\x09" + bytes(60), b"#!/bin/sh\n"]
)
def test_other_files(content: bytes) -> None:
    assert soname(content) is None


def test_a_text_table_outside_of_all_segments() -> None:
    content = bytearray(shared_library("libx.so.1"))
    at = content.index(struct.pack("<QQ", 5, 64 + 2 * 56))
    content[at : at + 16] = struct.pack("<QQ", 5, 1 << 40)
    assert soname(bytes(content)) is None


@pytest.mark.law
@given(st.data())
def test_spoilt_libraries_never_raise(data: st.DataObject) -> None:
    content = bytearray(shared_library("libcuda.so.1"))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    found = soname(bytes(content[: data.draw(st.integers(0, len(content)))]))
    assert found is None or isinstance(found, str)
