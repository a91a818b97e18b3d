"""The Container Device Interface (CDI): how a device gets into a container without a driver in the image.

What this package is: the specification's nouns as frozen values; reading, checking, lowering and writing them; folders
of specs with their priorities; the edits of an OCI runtime spec that a device asks for; and making a host's spec.

A tour, in the order a reader needs: `spec` (the nouns), `names` and `annotations` (how a device is asked for),
`versions` (which version a spec needs), `read`, `check` and `write`, `registry` (who wins among several files),
`inject` (the edits, as a pure function), `lower` and `diff`; then the edges: `folders` and `inotify` touch files.
Making a spec: `inventory` (what a host has), `generate` with `naming`, `hook_calls` and `simplify`; `host_check` (does
a spec still fit?) and `runtime_config` (is CDI on?). Their edges: `discover` (with `tree` and `driver_files`) looks at
a host, `host_files` answers checks, `hooks` and `rootfs` work in containers, `runtimes` edits configuration.

What it is not: it talks to no GPU and knows no Kubernetes; which GPUs there are is told to it, as an `Inventory`.

May know: `units`.
"""
