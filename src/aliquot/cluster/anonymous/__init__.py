"""Objects without the names that people gave: each word has another in its place, the same one everywhere.

From the bottom: `vocabulary` is what stays, `words` finds the word for a word, `pseudonyms` does whole texts (names,
labels, images, messages, CEL), `objects` knows which text of an object is what. Unknown text is hidden: what isn't
known to be harmless goes.

An anonymised cluster has the same verdicts: equal names stay equal, names within names too (a pod's in its
ReplicaSet's), near ones near (a slip in a label is still seen), and numbers, resources, hardware and Kubernetes' own
words stay.
"""
