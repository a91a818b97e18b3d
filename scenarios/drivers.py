"""The two drivers whose devices scenarios are made of."""

from typing import Any, Final

Json = dict[str, Any]
"""An object of the API, or a part of one."""

GPU: Final = "gpu.nvidia.com"
NIC: Final = "nic.example.com"
ROOT: Final = "resource.kubernetes.io/pcieRoot"
"""The attribute by which a GPU and a network card are told to be close."""
