"""Devices of a host as DRA devices, under the names that claims for NVIDIA's driver use, so that these run unchanged.

Source of the names: kubernetes-sigs/dra-driver-nvidia-gpu at 9593204. Pure: a survey in, pools out.
"""
