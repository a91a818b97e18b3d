"""Real containerd beside `aliquot.cdi.runtime_config`: what starts it, whether CDI is on, whether a device resolves."""
