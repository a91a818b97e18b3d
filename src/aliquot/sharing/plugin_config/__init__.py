"""The configuration file of NVIDIA's device plugin: what it says, and what the plugin would offer on a host."""
