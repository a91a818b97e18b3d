"""Is this machine fit for the agent? Each check says what was found, why that matters, and what to do.

`looking` reads the machine (edges: it opens files, knocks at sockets and asks for versions, and changes
nothing); `checks` judge what was found. What can't be seen is unknown, never fine.
"""
