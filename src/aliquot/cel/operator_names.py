"""The names of operators as functions, as cel-go has them."""

from typing import Final

AND: Final = "_&&_"
OR: Final = "_||_"
NOT: Final = "!_"
NEGATE: Final = "-_"
CONDITIONAL: Final = "_?_:_"
EQUALS: Final = "_==_"
NOT_EQUALS: Final = "_!=_"
IN: Final = "@in"
INDEX: Final = "_[_]"
OPT_INDEX: Final = "_[?_]"
OPT_SELECT: Final = "_?._"
ADD: Final = "_+_"
NOT_STRICTLY_FALSE: Final = "@not_strictly_false"
"""The names of operators as functions, as cel-go has them."""
