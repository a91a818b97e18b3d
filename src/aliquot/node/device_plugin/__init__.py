"""Counted devices: the kubelet's device plugin API (v1beta1), with NVIDIA's resource names and configuration file.

`plugins.DevicePlugins` is the door. Pure below it: `offering` and `giving`. Edges: `at_kubelet`, and `shared_gpus`,
which changes the host. Which GPUs are healthy it's told from outside.
"""
