"""Every function there is, by name."""

from functools import cache

from aliquot.cel.functions.declarations import Function, Impl, declared
from aliquot.cel.functions.extensions.library import LISTS, ONE_BY_ONE, OPTIONALS, SETS, SINCE_1_37, STRINGS
from aliquot.cel.functions.extensions.library import SHARED as SHARED_SORTS
from aliquot.cel.functions.kubernetes.includes import includes as limited_includes
from aliquot.cel.functions.kubernetes.library import FORMATS, KUBERNETES
from aliquot.cel.functions.standard.library import OPERATORS, SHARED, STANDARD, UNGUARDED, time_parts


@cache
def functions(includes: Impl | None, *, since_1_37: bool) -> dict[str, Function]:
    """All functions by name.

    Args:
        includes: the implementation of `includes`, or None where it doesn't exist.
        since_1_37: whether `duration(int)`, which never worked, is gone, and positions of empty texts are checked.
    """
    rows = [*OPERATORS, *STANDARD, *time_parts(), *KUBERNETES, *FORMATS, *STRINGS, *SETS, *OPTIONALS, *LISTS]
    if includes is not None:
        name = "dra_includes_dyn_dyn" if includes is limited_includes else "list_includes_dyn_dyn"
        rows.append(("includes", name, "dyn.(dyn) bool", includes))
    if since_1_37:
        rows = [(*row[:3], SINCE_1_37.get(row[1], row[3])) for row in rows if row[1] != "int64_to_duration"]
    return declared(rows, SHARED | SHARED_SORTS, UNGUARDED, ONE_BY_ONE)
