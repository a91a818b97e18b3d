"""Hosts: one small protocol to the devices of a machine, by NVML, from sysfs, or simulated. An edge: this is I/O.

A simulated host is used where it's asked for; it never stands in for a GPU that isn't there.
"""
