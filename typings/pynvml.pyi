# nvidia-ml-py: it wraps NVML's functions one by one, with ctypes structs; only the errors are told apart by type.
from typing import Any

class NVMLError(Exception):
    value: int
    def __init__(self, value: int) -> None: ...

class NVMLLibraryMismatchError(Exception): ...

def __getattr__(name: str) -> Any: ...
