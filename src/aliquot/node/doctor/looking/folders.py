"""Is a folder there, and can this process write in it? Nothing is written to find out."""

import os
from pathlib import Path

from aliquot.node.doctor.found import Folder


def look_at_folder(path: Path) -> Folder:
    """A folder, or the nearest one above it where it would be made."""
    if path.is_dir():
        writable = os.access(path, os.W_OK | os.X_OK)
        return Folder(path=str(path), there=True, writable=writable, wrong="" if writable else _why(path))
    above = path
    while not os.path.lexists(above) and above != above.parent:
        above = above.parent
    if above.is_dir():
        writable = os.access(above, os.W_OK | os.X_OK)
        return Folder(path=str(path), there=False, writable=writable, wrong="" if writable else _why(above))
    return Folder(path=str(path), there=False, writable=False, wrong=f"{above} is no folder")


def _why(folder: Path) -> str:
    try:
        read_only = os.statvfs(folder).f_flag & os.ST_RDONLY
    except OSError as error:
        return error.strerror or str(error)
    return f"{folder} is on a file system that is read-only" if read_only else f"this user may not write in {folder}"
