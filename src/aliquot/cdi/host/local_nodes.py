"""The device nodes of this machine, as an injection asks for them."""

import os
import stat

from aliquot.cdi.host_nodes import HostNode, OtherFile


class LocalNodes:
    """This host's device nodes."""

    def lstat(self, path: str) -> HostNode | str:
        """The node at that path, or why there's none."""
        try:
            found = os.lstat(path)
        except (OSError, ValueError) as error:
            return (error.strerror if isinstance(error, OSError) else str(error)) or "it can't be read"
        mode = stat.S_IMODE(found.st_mode)
        if stat.S_ISFIFO(found.st_mode):
            return HostNode("p", mode=mode, gid=found.st_gid)
        if not stat.S_ISBLK(found.st_mode) and not stat.S_ISCHR(found.st_mode):
            return OtherFile(f"it's {_kind(found.st_mode)}, not a device node")
        return HostNode(
            "b" if stat.S_ISBLK(found.st_mode) else "c",
            os.major(found.st_rdev),
            os.minor(found.st_rdev),
            mode,
            found.st_gid,
        )


def _kind(mode: int) -> str:
    kinds = ((stat.S_ISREG, "a regular file"), (stat.S_ISDIR, "a folder"), (stat.S_ISLNK, "a symbolic link"))
    return next((name for is_it, name in kinds if is_it(mode)), "a socket")
