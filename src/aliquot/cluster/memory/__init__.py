"""A cluster in memory (`MemoryCluster`): the writable `Cluster` protocol, with an API server's rules.

For tests, the sandbox and the demo; `sandbox.rest` serves it over HTTP. The rules are kube-apiserver 1.37's, as its
source has them: versions, conflicts, generations, watches, compaction, finalizers, graceful deletion of pods, owners
(which a real cluster's controller-manager looks after, a little later), and who owns which field.

What it isn't: a validator. Of an object's content only its name and what may not change is checked; unknown fields
stay, nothing is defaulted, namespaces needn't exist, everybody may do everything.
"""
