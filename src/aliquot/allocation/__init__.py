"""Which devices satisfy which claims, and why not.

What this package is: two engines behind one question and one answer. `reference` does what kube-scheduler's allocator
does, step for step, with its defects; `exact` finds the same first solution without the defects and without the
exponential search. Around them: the life of a claim (templates, shared claims, extended resources, admin access) and
the story of a refusal.

What it is not: it knows no pod-placing beyond its own filter, and it commits nothing.

May know: `snapshot`, `dra`, `kube`, `cel`, `units`.
"""
