"""The process that talks to the driver: one JSON question a line on stdin, one JSON answer a line on stdout.

It's a process of its own so that a driver call that never returns can be abandoned: neither a thread nor a signal ends
one that is stuck in the kernel.
"""

import contextlib
import ctypes
import os
import sys
from typing import Any, BinaryIO

import msgspec
import pynvml

from aliquot.devices.hosts.nvml import ask, mig
from aliquot.devices.hosts.nvml.activity import Counters

NO_GPUS_IS_FINE = 1
"""Flag of Init: a machine whose GPUs are all lent to virtual machines isn't an error."""
XID = 8
NONE_32 = 0xFFFFFFFF
TIMEOUT = 10
LIBRARY_NOT_FOUND = 12


class Worker:
    """The questions by name. A GPU is named by its PCI address: a look-up by UUID can fail for another one's sake."""

    def __init__(self, library: str | None = None) -> None:
        self._library = library
        self._open = False
        self._handles: dict[str, Any] = {}
        self._counters = Counters()
        self._set: Any = None
        self._watched: dict[int, str] = {}

    def answer(self, question: str, arguments: list[Any]) -> dict[str, Any]:
        """An answer, or NVML's code and words; after a code that ends handles they are looked up again."""
        try:
            if not self._open:
                self._load()
                pynvml.nvmlInitWithFlags(NO_GPUS_IS_FINE)
                self._open = True
            return {"answer": getattr(self, f"on_{question}")(*arguments)}
        except pynvml.NVMLError as error:
            if error.value in ask.GONE:
                self._handles.clear()
            return {"code": error.value, "text": str(error), "left": None}
        except mig.LeftBehindError as error:
            return {"code": error.code, "text": str(error), "left": error.left}

    def _load(self) -> None:
        """Load the library of a path: pynvml opens it by its name and gets this one; never another instead."""
        if self._library is not None:
            try:
                ctypes.CDLL(self._library, mode=ctypes.RTLD_GLOBAL)
            except OSError:
                raise pynvml.NVMLError(LIBRARY_NOT_FOUND) from None

    def shut(self) -> None:
        """End the session with the driver."""
        if self._open:
            with contextlib.suppress(pynvml.NVMLError):
                pynvml.nvmlShutdown()

    def on_driver(self) -> dict[str, Any]:
        """Versions, and how many GPUs are counted."""
        cuda = None
        with contextlib.suppress(pynvml.NVMLError):  # no reason to know nothing else
            cuda = pynvml.nvmlSystemGetCudaDriverVersion()
        return {
            "version": pynvml.nvmlSystemGetDriverVersion(),
            "cuda": None if cuda is None else f"{cuda // 1000}.{cuda % 1000 // 10}",
            "count": pynvml.nvmlDeviceGetCount(),
        }

    def on_identity(self, index: int) -> dict[str, Any]:
        """Who the GPU of an index is."""
        return ask.identity(pynvml.nvmlDeviceGetHandleByIndex(index), index)

    def on_standing(self, pci: str) -> dict[str, Any]:
        """How a GPU stands, its instances with it."""
        handle = self._handle(pci)
        found = ask.standing(handle)
        mode = found["mig"]
        return {**found, "instances": mig.instances(handle) if mode is not None and mode["current"] else []}

    def on_profiles(self, pci: str) -> list[dict[str, Any]]:
        """Its MIG profiles."""
        return mig.profiles(self._handle(pci))

    def on_create(self, pci: str, profile: dict[str, Any], start: int) -> dict[str, Any]:
        """Create an instance."""
        return mig.create(self._handle(pci), profile, start)

    def on_destroy(self, pci: str, number: int) -> None:
        """Destroy an instance."""
        mig.destroy(self._handle(pci), number)

    def on_mig_mode(self, pci: str) -> list[int]:
        """MIG mode: current and pending."""
        return list(pynvml.nvmlDeviceGetMigMode(self._handle(pci)))

    def on_set_mig_mode(self, pci: str, enabled: bool) -> dict[str, Any]:
        """Switch MIG. The call succeeds whatever came of it: its second answer and the mode read again tell."""
        status = pynvml.nvmlDeviceSetMigMode(self._handle(pci), int(enabled))
        self._handles.clear()  # handle, minor and index may be others now
        current, pending = pynvml.nvmlDeviceGetMigMode(self._handle(pci))
        return {"status": status, "current": bool(current), "pending": bool(pending)}

    def on_set_compute_mode(self, pci: str, mode: int) -> None:
        """Set the compute mode."""
        pynvml.nvmlDeviceSetComputeMode(self._handle(pci), mode)

    def on_activity(self, pci: str, instances: list[int]) -> list[dict[str, Any]]:
        """How busy it is."""
        return self._counters.activity(self._handle(pci), pci, instances)

    def on_wait(self, gpus: dict[str, str], ms: int) -> list[list[Any]]:
        """XIDs since the last call, waiting for the first: [UUID or None, number, GPU instance, compute instance].

        Args:
            gpus: PCI addresses by UUID; who can't be watched is left out.
            ms: how long to wait.
        """
        if self._set is None:
            self._set = pynvml.nvmlEventSetCreate()
            for uuid, pci in gpus.items():
                self._watch(uuid, pci)
        found: list[list[Any]] = []
        while True:
            try:
                event = pynvml.nvmlEventSetWait(self._set, 0 if found else ms)
            except pynvml.NVMLError as error:
                if error.value == TIMEOUT:  # no event; not a fault
                    return found
                raise
            if event.eventType == XID:
                parts = [None if each == NONE_32 else each for each in (event.gpuInstanceId, event.computeInstanceId)]
                found.append([self._watched.get(_address(event.device)), event.eventData, *parts])

    def _watch(self, uuid: str, pci: str) -> None:
        try:
            handle = self._handle(pci)
            wanted = XID & pynvml.nvmlDeviceGetSupportedEventTypes(handle)
            if wanted:
                pynvml.nvmlDeviceRegisterEvents(handle, wanted, self._set)
                self._watched[_address(handle)] = uuid
        except pynvml.NVMLError as error:
            if error.value not in {*ask.GONE, ask.NOT_SUPPORTED}:
                raise

    def _handle(self, pci: str) -> Any:
        if pci not in self._handles:
            self._handles[pci] = pynvml.nvmlDeviceGetHandleByPciBusId(pci.encode())
        return self._handles[pci]


def _address(handle: Any) -> int:
    """What tells handles apart: they are pointers, and Python compares those by identity."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


def serve(questions: BinaryIO, answers: BinaryIO, library: str | None = None) -> None:
    """Say `ready`, then answer until there are no more questions, by the library of a path or by the system's."""
    worker = Worker(library)
    answers.write(b"ready\n")
    answers.flush()
    for line in questions:
        question, *arguments = msgspec.json.decode(line)
        answers.write(msgspec.json.encode(worker.answer(question, arguments)) + b"\n")
        answers.flush()
    worker.shut()


def main() -> None:
    """Serve on stdin and stdout; what the library prints goes to stderr. An argument is the library's own path."""
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        serve(sys.stdin.buffer, answers, sys.argv[1] if len(sys.argv) > 1 else None)


if __name__ == "__main__":
    main()
