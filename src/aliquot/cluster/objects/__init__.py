"""Objects of a cluster, read and written one by one: the half of the `Cluster` protocol that changes something.

From the bottom: `status` is the server's no, `resources` the kinds that we write, `protocol` what each implementation
can do, `changing` an object read and written again, `following` a collection kept up to date whatever happens.

Objects are plain JSON (dicts), as the API server has them: who writes an object mustn't lose the fields that it doesn't
know. The contract that `MemoryCluster` and `KubeCluster` both keep is the table in tests/cluster/objects.
"""
