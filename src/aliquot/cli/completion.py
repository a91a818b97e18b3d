"""`aliquot completion`: what a shell must know to complete `aliquot` and `kubectl aliquot`."""

import sys
from typing import Literal

PROGRAM = "aliquot"
KUBECTL = """#!/usr/bin/env bash
# kubectl calls this with the words that follow `kubectl aliquot`, and reads one candidate a line.
{script}
COMP_WORDS=({program} "$@")
COMP_CWORD=$#
_{program} 2>/dev/null
((${{#COMPREPLY[@]}})) && printf '%s\\n' "${{COMPREPLY[@]}}"
echo :0
"""
"""The last line is cobra's: no directive, so that the shell may complete files where nothing else fits."""


def completion(shell: Literal["bash", "zsh", "fish", "kubectl"], /) -> int:
    """Print a shell's completion script.

    Args:
        shell: Whose. kubectl: a program for `kubectl aliquot`, which kubectl looks for on the PATH under the name
            kubectl_complete-aliquot.
    """
    from aliquot.cli.app import app

    script = app.generate_completion(prog_name=PROGRAM, shell="bash" if shell == "kubectl" else shell)
    if shell == "kubectl":
        script = KUBECTL.format(script=script, program=PROGRAM)
    sys.stdout.write(script if script.endswith("\n") else script + "\n")
    return 0
