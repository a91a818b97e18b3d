"""How each GPU of the node is: from XIDs, from what the driver says when it's asked, and from silence, over time.

Pure but for `watch` and `asking`: `states.NodeHealth` is a value; `hearing`, `probing`, `telling` are functions on it.
Other than one survey, it knows since when something is wrong, what comes back, and what has been mended meanwhile.
"""
