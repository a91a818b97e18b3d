"""Objects as small as an API server takes them, and patience for what it does a little later."""

import time
from collections.abc import Callable
from typing import Any

from aliquot.cluster.objects.status import StatusError

Json = dict[str, Any]
NAMESPACE = "default"


def meta(name: str, **more: Any) -> Json:
    return {"name": name, **more}


def node(name: str, **more: Any) -> Json:
    return {"metadata": meta(name, **more), "spec": {}}


def pod(name: str, **spec: Any) -> Json:
    metadata = meta(name, namespace=NAMESPACE)
    return {"metadata": metadata, "spec": {"containers": [{"name": "main", "image": "pause"}], **spec}}


def slice_of(name: str, node_name: str, driver: str = "gpu.example.com", devices: int = 1, **more: Any) -> Json:
    pool = {"name": node_name, "generation": 1, "resourceSliceCount": 1}
    found = [{"name": f"gpu-{index}"} for index in range(devices)]
    spec = {"driver": driver, "nodeName": node_name, "pool": pool, "devices": found}
    return {"metadata": meta(name, **more), "spec": spec}


def claim(name: str) -> Json:
    request = {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}
    return {"metadata": meta(name, namespace=NAMESPACE), "spec": {"devices": {"requests": [request]}}}


def allocation(*devices: str) -> Json:
    results = [{"request": "gpu", "driver": "gpu.example.com", "pool": "n1", "device": device} for device in devices]
    return {"devices": {"results": results}}


def device_status(device: str, **more: Any) -> Json:
    return {"driver": "gpu.example.com", "pool": "n1", "device": device, **more}


def condition(kind: str, status: str = "True") -> Json:
    return {
        "type": kind,
        "status": status,
        "reason": "Tested",
        "message": "",
        "lastTransitionTime": "2026-12-01T00:00:00Z",
    }


def eventually(holds: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_gone(get: Callable[[], Any]) -> bool:
    try:
        get()
    except StatusError as error:
        return error.missing
    return False
