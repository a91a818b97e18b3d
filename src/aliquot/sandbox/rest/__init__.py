"""A small API server over a `MemoryCluster`: the paths, bodies and errors of Kubernetes' REST API on 127.0.0.1.

From the bottom: `paths` says what is asked for, `bodies` what is answered, `discovery`, `reading` and `writing` answer,
`faults` stand between, `server` speaks HTTP (the standard library's, a thread for each connection: its clients are
few), `kubeconfig` tells clients how to get here.

Known to it: get, list in pages, watch (with bookmarks, or beginning with all objects), create, update, merge and JSON
patches, server-side apply, delete with preconditions, status subresources, discovery. Not known: strategic merge
patches (415), tables (kubectl prints names and ages), dry runs, deletion of collections, OpenAPI (so kubectl wants
--validate=false), protobuf (415: client-go's ContentType must be application/json); everybody who knows the address may
do everything.
"""
