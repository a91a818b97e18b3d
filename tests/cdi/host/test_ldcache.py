"""Paths in the loader's cache: made ones, with the older table before, and what ldconfig writes."""

import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from aliquot.cdi.host.ldcache import cached_paths
from tests.cdi.host.elf_file import shared_library
from tests.cdi.host.loader_cache import I386, X86_64, cache


def test_paths_in_order_without_repeats_and_without_32_bit_libraries() -> None:
    content = cache((X86_64, "/b/liba.so"), (I386, "/i386/liba.so"), (X86_64, "/a/libb.so"), (X86_64, "/b/liba.so"))
    assert cached_paths(content) == ("/b/liba.so", "/a/libb.so")


@pytest.mark.parametrize("count", [0, 1, 2])
def test_behind_the_older_table(count: int) -> None:
    old = b"ld.so-1.7.0\0" + struct.pack("=I", count) + bytes(12 * count)
    assert cached_paths(old + bytes(-len(old) % 8) + cache((X86_64, "/a/libb.so"))) == ("/a/libb.so",)


@pytest.mark.parametrize(
    "content", [b"", b"something", cache((X86_64, "/a/libb.so"))[:60], cache((X86_64, "/a"))[:-1], b"ld.so-1.7.0\0"]
)
def test_other_bytes(content: bytes) -> None:
    assert cached_paths(content) == ()


@pytest.mark.skipif(shutil.which("ldconfig", path="/sbin:/usr/sbin") is None, reason="no ldconfig here")
def test_what_ldconfig_writes(tmp_path: Path) -> None:
    (tmp_path / "libs").mkdir()
    (tmp_path / "libs/libcuda.so.1").write_bytes(shared_library("libcuda.so.1"))
    program = shutil.which("ldconfig", path="/sbin:/usr/sbin") or ""
    subprocess.run([program, "-C", tmp_path / "cache", "-f", "/dev/null", "-n", tmp_path / "libs"], check=True)
    subprocess.run(
        [program, "-X", "-C", tmp_path / "cache", "-f", "/dev/null", tmp_path / "libs"], check=True, capture_output=True
    )
    assert str(tmp_path / "libs/libcuda.so.1") in cached_paths((tmp_path / "cache").read_bytes())
