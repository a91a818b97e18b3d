"""The Container Device Interface (CDI): how a device gets into a container without a driver in the image.

What this package is: the specification's nouns as frozen values; reading, checking, lowering and writing them; folders
of specs with their priorities; the edits of an OCI runtime spec that a device asks for; and making a host's spec.

A tour, in the order a reader needs:

1. The nouns: `spec` and `problems` (what can be wrong, as values); `qualified_names` and `annotations` (how a device is
   asked for); `versions` (which version a spec needs) and `check` (what a spec may say).
2. `documents`, a room: from text to a spec with every problem and its line (`load`, `decoder`, `decode`, `read`), and
   back (`write`). `plain_data` tells its values apart. `diff` and `lower` work on specs.
3. `registry`: who wins when several files define a device.
4. `injection`, a room: a registry's devices into an OCI runtime spec, as a pure function. Begin at `inject`.
5. `generate`, a room: a host's spec from its `inventory`. Begin at `spec`.
6. What is asked of a machine, as protocols: `host_nodes` (device nodes, for an injection), `host_findings`.
   `host_check`: does a spec still fit this host? Its part for device nodes is `node_check`; `node_makers` knows who
   makes which node.
7. `runtime_config`, a room: is CDI on in a container runtime's configuration, by the rules of its release, and how
   does it get on? Begin at `table` and `assess`.
8. The edges, which nothing above may import. `machine`, a room: spec files (`files`, `folders`, and `inotify`, which
   waits for changes), containers' root file systems (`rootfs`, `hooks`), runtimes (`runtimes`). `host`, a room: this
   host's device nodes (`local_nodes`), driver (`tree`, `driver_files`), inventory (`discover`), answers to a check
   (`local_host`).

What it is not: it talks to no GPU and knows no Kubernetes; which GPUs there are is told to it, as an `Inventory`.

May know: `units`.
"""
