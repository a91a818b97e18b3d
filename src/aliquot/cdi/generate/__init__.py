"""Making a spec for a host from its inventory, as NVIDIA's `nvidia-ctk cdi generate` does. Pure."""
