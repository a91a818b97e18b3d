"""`aliquot explain`: the command, its text and its page."""
