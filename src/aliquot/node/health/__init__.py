"""How each GPU of the node is: from XIDs, from what the driver says when it's asked, and from silence, over time.

`states.NodeHealth` is a value; `hearing`, `probing` and `telling` are functions on it. `watch` and `listening` are its
threads, `asking` is their patience. Other than one survey, it knows since when something is wrong, what comes back, and
what has been mended meanwhile.
"""
