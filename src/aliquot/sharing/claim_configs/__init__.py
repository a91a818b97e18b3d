"""The opaque configurations of claims and classes for `gpu.nvidia.com`: what they say, and which one counts.

Aliquot obeys them all. NVIDIA's own driver reads `sharing` only with its alpha feature gates, which are off by default:
TimeSlicingSettings for TimeSlicing, MPSSupport for MPS (which excludes DynamicMIG, so it has no MPS on MIG devices that
it makes on demand), PassthroughSupport for VfioDeviceConfig. A claim that runs there runs here; one that runs here runs
there where the gate is on.
"""
