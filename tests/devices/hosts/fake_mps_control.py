#!/usr/bin/env python3
"""A fake nvidia-cuda-mps-control: a daemon with a socket and a pid file, and the client that sends it commands.

What goes wrong stands in a file `faults` beside the pipe folder, a word a line: `servers-die`, `deaf`, `refuse-limits`.
"""

import os
import signal
import socket
import sys
from pathlib import Path

PIPE = Path(os.environ["CUDA_MPS_PIPE_DIRECTORY"])
LOG = Path(os.environ["CUDA_MPS_LOG_DIRECTORY"])
SOCKET, PID = PIPE / "control", PIPE / "nvidia-cuda-mps-control.pid"


def faults() -> set[str]:
    path = PIPE.parent / "faults"
    return set(path.read_text().split()) if path.exists() else set()


def client() -> int:
    talk = socket.socket(socket.AF_UNIX)
    try:
        talk.connect(str(SOCKET))
    except OSError:
        sys.stdout.write("Cannot find MPS control daemon process\n")
        return 1
    if "deaf" in faults():
        signal.pause()
    talk.sendall(sys.stdin.buffer.read())
    talk.shutdown(socket.SHUT_WR)
    while part := talk.recv(4096):
        sys.stdout.buffer.write(part)
    return 0  # also for a command that failed


def answer(command: str, state: dict[str, str]) -> str:
    name, *rest = command.split()
    if name == "get_default_active_thread_percentage":
        return state.get("percent", "100.0")
    if name.startswith("set_default") and "refuse-limits" in faults():
        return "Failed to set the limit: invalid argument"
    if name == "set_default_active_thread_percentage":
        state["percent"] = f"{float(rest[0])}"
        return state["percent"]
    if name == "set_default_device_pinned_mem_limit":
        state[f"memory {rest[0]}"] = rest[1]
        return ""
    if name == "start_server":
        if "servers-die" in faults():
            (LOG / "control.log").open("a").write("Server encountered a fatal exception. Shutting down\n")
        else:
            state["server"] = "4711"
        return ""
    if name == "get_server_list":
        return state.get("server", "")
    if name == "get_server_status":
        return "ACTIVE"
    if name == "state":
        return "; ".join(f"{key}={value}" for key, value in sorted(state.items()))
    return f"Unknown command {name}"


def daemon() -> int:
    if "dies" in faults():
        (LOG / "control.log").write_text("Failed to create the socket\n")
        return 0
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(SOCKET))
    listener.listen()
    if os.fork():
        os._exit(0)
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    PID.write_text(str(os.getpid()))
    state = {"devices": os.environ["CUDA_VISIBLE_DEVICES"], "flags": " ".join(sys.argv[1:])}
    while True:
        talk, _ = listener.accept()
        with talk:
            command = talk.makefile().read().strip()
            if not command:  # a client that was killed
                continue
            if command.startswith("quit"):
                if "stays" not in faults():
                    PID.unlink()
                    os._exit(0)
                continue
            talk.sendall(f"{answer(command, state)}\n".encode())


sys.exit(daemon() if "-d" in sys.argv else client())
