"""What Prometheus is told: the node's devices under the names that dashboards query, and the agent's own work.

The names and labels are those of DCGM and its exporter, with the pod, namespace and container that hold a device, also
one that was made for a claim. What can't be measured is absent, never 0.
"""
