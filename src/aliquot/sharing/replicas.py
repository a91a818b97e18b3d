"""What NVIDIA's device plugin accepts as `replicas` of a device (NVIDIA/k8s-device-plugin at 1b826ac)."""

from aliquot.devices.catalogue import GpuModel
from aliquot.sharing.mps import device_plugin_mps_limit
from aliquot.sharing.strategies import Strategy


def replica_problems(strategy: Strategy, replicas: int, model: GpuModel, *, on_mig: bool = False) -> tuple[str, ...]:
    """Why a GPU can't be offered as so many replicas by NVIDIA's device plugin; empty if it can.

    Args:
        strategy: time-slicing or MPS.
        replicas: wanted per GPU.
        model: of the GPU.
        on_mig: whether the devices are MIG instances.
    """
    problems: list[str] = []
    if strategy not in {Strategy.TIME_SLICING, Strategy.MPS}:
        problems.append(f"{strategy.value} makes no replicas; use time-slicing or MPS")
    if replicas < 2:
        problems.append(f"replicas is {replicas}, at least 2 make a shared GPU")
    if strategy is Strategy.MPS:
        problems.extend(_mps_problems(replicas, model, on_mig=on_mig))
    return tuple(problems)


def _mps_problems(replicas: int, model: GpuModel, *, on_mig: bool) -> list[str]:
    if not model.mps or model.compute_capability is None:
        return [f"{model.key} has no MPS"]
    problems: list[str] = []
    if on_mig:
        problems.append("the device plugin offers MPS on whole GPUs only, not on MIG instances")
    limit = device_plugin_mps_limit(model.compute_capability)
    if replicas > limit:
        problems.append(f"replicas is {replicas}, the device plugin allows at most {limit} MPS clients on {model.key}")
    return problems
