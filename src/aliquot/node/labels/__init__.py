"""What the Node object is told of its GPUs, in the labels of GPU feature discovery and a few of our own.

Source of the names and of what they mean: NVIDIA/k8s-device-plugin at 1b826ac, internal/lm. What isn't known of a node
gets no label; what isn't true any more loses it; labels that somebody else writes are left to them.
"""
