"""NVIDIA's GPUs by NVML: the host, and the worker process in which the driver's library is called."""
