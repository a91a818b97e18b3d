"""The door to an API server, through lightkube's connection; the objects go raw into the readers that files use too.

From the bottom: `kubeconfig` finds which server and who we are, `credentials` runs plugins, `connection` sends requests
and waits where the server says so, `faults` turns what goes wrong into sentences, `kinds` knows what is asked for,
`listing` takes whole collections in pages, `watching` follows them, `kube_objects` reads and writes single objects,
`kube_cluster` puts it together.
"""
