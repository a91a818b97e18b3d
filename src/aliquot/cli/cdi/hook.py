"""`aliquot cdi hook …`: what container runtimes call at createContainer. Generated specs name these commands."""

import sys
from typing import Annotated

from cyclopts import App, Parameter

from aliquot.cdi.machine.hooks import chmod, container_root, create_symlinks, update_ldcache
from aliquot.cdi.problems import SpecError
from aliquot.cli.help import epilogue
from aliquot.cli.output import fail

app = App(
    name="hook",
    help="What container runtimes call while a container starts: its state is standard input.",
    help_epilogue=epilogue(
        "aliquot cdi hook update-ldcache --folder /usr/lib64 < state.json",
    ),
    help_format="plaintext",
)

YES, NO = 0, 1
Several = Parameter(negative=(), allow_leading_hyphen=True)


@app.command(
    name="create-symlinks",
    help_epilogue=epilogue(
        "aliquot cdi hook create-symlinks --link libx.so.1::/lib/libx.so < state.json",
    ),
)
def create_symlinks_hook(*, link: Annotated[tuple[str, ...], Several] = ()) -> int:
    """Make symbolic links in the container, in place of what is there.

    Args:
        link: target::link. May be given several times.
    """
    try:
        create_symlinks(_root(), link)
    except SpecError as error:
        return _told(error)
    return YES


@app.command(
    name="update-ldcache",
    help_epilogue=epilogue("aliquot cdi hook update-ldcache --folder /usr/lib64 < state.json"),
)
def update_ldcache_hook(*, folder: Annotated[tuple[str, ...], Several] = (), ldconfig_path: str = "") -> int:
    """Let the container's loader find the libraries in these folders.

    Args:
        folder: A folder of the container. May be given several times.
        ldconfig_path: The host's ldconfig, where it isn't in its usual place.
    """
    try:
        update_ldcache(_root(), folder, ldconfig_path)
    except SpecError as error:
        return _told(error)
    return YES


@app.command(
    name="chmod",
    help_epilogue=epilogue("aliquot cdi hook chmod --mode 755 --path /dev/dri < state.json"),
)
def chmod_hook(*, mode: str, path: Annotated[tuple[str, ...], Several] = ()) -> int:
    """Set the mode of paths of the container that exist.

    Args:
        mode: Permission bits in octal, as in 755.
        path: A path of the container. May be given several times.
    """
    try:
        chmod(_root(), mode, path)
    except SpecError as error:
        return _told(error)
    return YES


def _told(error: SpecError) -> int:
    """Not by `output`, which loads much: a container waits for this process."""
    for problem in error.problems:
        fail(str(problem))
    return NO


def _root() -> str:
    return container_root(sys.stdin.read())
