"""The selectors of random requests, by the kind of device that they're meant for."""

from typing import Final

SELECTORS: Final = {
    "gpu": (
        "device.attributes['gpu.nvidia.com'].index >= 1",
        "device.attributes['gpu.nvidia.com'].index in [0, 2]",
        "device.attributes['gpu.nvidia.com'].numa == 0",
        "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('40Gi')) >= 0",
        "device.attributes['gpu.nvidia.com'].?productName.orValue('').lowerAscii().matches('^.*(a100|h100).*$')",
        "device.attributes['gpu.nvidia.com'].cudaComputeCapability.isGreaterThan(semver('8.5.0'))",
        "has(device.attributes['gpu.nvidia.com'].numa) && device.attributes['gpu.nvidia.com'].numa == 1",
        "device.attributes['gpu.nvidia.com'].index == 0",
        "'healthy' in device.attributes['gpu.nvidia.com'] && device.attributes['gpu.nvidia.com'].healthy",
    ),
    "mig": (
        "device.attributes['gpu.nvidia.com'].profile == '1g.5gb'",
        "device.attributes['gpu.nvidia.com'].profile == '2g.10gb'",
        "device.attributes['gpu.nvidia.com'].profile == '3g.20gb'",
        "device.attributes[device.driver].profile.startsWith('1g.') && device.attributes['gpu.nvidia.com'].index == 0",
        "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('10Gi')) >= 0",
    ),
    "nic": (
        "device.attributes['nic.example.com'].rdma",
        "device.capacity['nic.example.com'].bandwidth.isGreaterThan(quantity('100G'))",
        "device.attributes['nic.example.com'].numa == 0",
    ),
    "list": (
        "device.attributes['gpu.nvidia.com'].links.includes('a')",
        "device.attributes['gpu.nvidia.com'].numas.exists(n, n == 1)",
        "size(device.attributes['gpu.nvidia.com'].numas) > 1",
    ),
    "broken": (
        "device.attributes['gpu.nvidia.com'].nope == 1",
        "device.attributes['gpu.nvidia.com'].index / 0 == 1",
        "device.attributes['gpu.nvidia.com'].index ==",
        "device.attributes['gpu.nvidia.com'].productName",
        "device.attributes['gpu.nvidia.com'].index == '1'",
        "device.attributes['gpu.nvidia.com'].nope == 1 || device.attributes['gpu.nvidia.com'].index == 1",
        "device.attributes['gpu.nvidia.com'].healthy",
        "1 == 1.0",
        "device.capacity['gpu.nvidia.com'].memory > quantity('1Gi')",
    ),
}
