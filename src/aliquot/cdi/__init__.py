"""The Container Device Interface (CDI): how a device gets into a container without a driver in the image.

What this package is: the specification's nouns as frozen values; reading, checking, lowering and writing them; folders
of specs with their priorities; and the edits of an OCI runtime spec that a device asks for.

A tour, in the order a reader needs: `spec` (the nouns), `names` and `annotations` (how a device is asked for),
`versions` (which version a spec needs), `read`, `check` and `write`, `registry` (who wins among several files),
`inject` (the edits, as a pure function), `lower` and `diff`; then the edges: `folders` and `inotify` touch files.

What it is not: it knows no GPU and no Kubernetes; what a device consists of is told to it.

May know: `units`.
"""
