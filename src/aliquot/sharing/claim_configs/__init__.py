"""The opaque configurations of claims and classes for `gpu.nvidia.com`: what they say, and which one counts."""
