"""The only door to a cluster: files (`FileCluster`), API servers (`KubeCluster`) and one in memory (`MemoryCluster`).

What this package is: an edge. It opens files and connections, tells JSON from YAML by content, takes lists apart, and
gives every problem a file (or a cluster), a line where it's cheap, a path and a hint; one broken object doesn't spoil
the others. `api` is the door to API servers, the only place that knows lightkube; `dump` writes what it gives into a
file, and `anonymous` takes the names out. Whatever the source, the same readers read the same JSON into nouns and a
Snapshot. `objects` says what can be done with single objects; `memory` does it in memory, by an API server's rules.

What it is not: a judge. It decides nothing about pods, and doesn't check what the API server would have rejected; it
only says what is missing from the input (`gaps`).

May know: everything below it.
"""
