"""`aliquot` as a process that Ctrl-C ends, also where the tests themselves run with SIGINT ignored."""

import sys

PROGRAM = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from aliquot.cli.entry import main; main()"
)
COMMAND = [sys.executable, "-c", PROGRAM]
