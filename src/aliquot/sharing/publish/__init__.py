"""Devices of a host as DRA devices, under the names that claims for NVIDIA's driver use, so that these run unchanged.

Source of the names: kubernetes-sigs/dra-driver-nvidia-gpu at 9593204. Pure: a survey in, pools out.

Of what is published, NVIDIA's driver has only whole GPUs and standing MIG devices without asking. The rest takes one of
its alpha feature gates there, all off by default and not all of them possible at once: DynamicMIG for MIG places and
their counters, ConsumableShares for shares, NVMLDeviceHealthCheck for taints. Claims that count on it run unchanged
between Aliquot and nodes of NVIDIA's driver that have the gate on. Aliquot's own are the taints for recovery and for
failed memory rows, the counter for media engines where their number isn't known, and network cards.
"""
