"""Dynamic Resource Allocation's nouns as frozen values: devices and slices, classes and claims, and what was allocated.

What this package is: resource.k8s.io/v1 as values. Older versions (v1beta2, v1beta1, v1alpha3) are read into the same
shape by `dra.read`.

What it is not: an allocator, and no judge of what the API server would have rejected.

May know: `kube`, `units`.
"""
