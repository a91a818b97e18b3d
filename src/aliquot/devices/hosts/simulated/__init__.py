"""Hosts that are simulated from a file: its shape and its faults, NVML's rules as pure steps, state kept, presets."""
