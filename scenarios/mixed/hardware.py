"""GPUs as their labels and devices name them."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Model:
    """A model of GPU."""

    short: str
    label: str
    """As GPU feature discovery labels nodes (`nvidia.com/gpu.product`)."""
    product: str
    """As the DRA driver names it (the attribute `productName`)."""
    memory: int
    """Gi."""
    slices: str = ""
    """The name of its whole MIG slice; empty: it can't be cut."""

    @property
    def parts(self) -> tuple[str, ...]:
        """MIG profiles from small to large, without the whole."""
        count, _, _ = self.slices.partition("g.")
        if count == "4":
            return ("1g.6gb", "2g.12gb")
        eighth = self.memory // 8
        return (f"1g.{eighth}gb", f"2g.{2 * eighth}gb", f"3g.{4 * eighth}gb")


CUT: Final = (
    Model("a100", "NVIDIA-A100-SXM4-80GB", "NVIDIA A100-SXM4-80GB", 80, "7g.80gb"),
    Model("a100p", "NVIDIA-A100-PCIE-40GB", "NVIDIA A100-PCIE-40GB", 40, "7g.40gb"),
    Model("h100", "NVIDIA-H100-80GB-HBM3", "NVIDIA H100 80GB HBM3", 80, "7g.80gb"),
    Model("h100p", "NVIDIA-H100-PCIe", "NVIDIA H100 PCIe", 80, "7g.80gb"),
    Model("a30", "NVIDIA-A30", "NVIDIA A30", 24, "4g.24gb"),
)
"""Models that MIG can cut."""
WHOLE: Final = (
    Model("h200", "NVIDIA-H200", "NVIDIA H200", 141),
    Model("l4", "NVIDIA-L4", "NVIDIA L4", 24),
    Model("l40s", "NVIDIA-L40S", "NVIDIA L40S", 48),
    Model("t4", "Tesla-T4", "Tesla T4", 16),
    Model("v100", "Tesla-V100-SXM2-16GB", "Tesla V100-SXM2-16GB", 16),
    Model("v100b", "Tesla-V100-SXM2-32GB", "Tesla V100-SXM2-32GB", 32),
    Model("a10", "NVIDIA-A10", "NVIDIA A10", 24),
    Model("a10g", "NVIDIA-A10G", "NVIDIA A10G", 24),
    Model("a40", "NVIDIA-A40", "NVIDIA A40", 48),
    Model("a16", "NVIDIA-A16", "NVIDIA A16", 16),
    Model("a6000", "NVIDIA-RTX-A6000", "NVIDIA RTX A6000", 48),
    Model("a5000", "NVIDIA-RTX-A5000", "NVIDIA RTX A5000", 24),
    Model("gh200", "NVIDIA-GH200-480GB", "NVIDIA GH200 480GB", 96),
    Model("b200", "NVIDIA-B200", "NVIDIA B200", 180),
    Model("p100", "Tesla-P100-PCIE-16GB", "Tesla P100-PCIE-16GB", 16),
    Model("ada", "NVIDIA-RTX-6000-Ada-Generation", "NVIDIA RTX 6000 Ada Generation", 48),
)
"""The others."""
