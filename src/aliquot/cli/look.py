"""How a terminal shows an answer: options that several commands share."""

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from aliquot.cli.terminal import Colour


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Look:
    """Colours and pager."""

    color: Colour = "auto"
    """auto: in colours on a terminal, as NO_COLOR, CLICOLOR_FORCE and TERM have it; always; or never."""
    no_pager: Annotated[bool, Parameter(negative=(), show_default=False)] = False
    """Don't page on a terminal; else by $ALIQUOT_PAGER, $PAGER or less -FRX."""


PLAIN = Look()
