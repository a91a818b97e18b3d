#!/usr/bin/env python3
"""A fake nvidia-smi over the state of the fake library: time-slices and resets, in nvidia-smi's words."""

import os
import sys
from pathlib import Path

STATE = Path(os.environ["FAKE_NVML_STATE"])


def main(words: list[str]) -> str:
    lines = dict(line.split(" ", 1) for line in STATE.read_text(encoding="ascii").splitlines())
    gpu = next((key[:-5] for key, value in lines.items() if key.endswith(".uuid") and value == words[-1]), None)
    if "compute-policy" in words:
        return f"Successfully set timeslice for GPU {words[words.index('-i') + 1]}"
    if gpu is None:
        return "No devices were found"
    holds = any(key.startswith(f"{gpu}.proc.") for key in lines) or lines["clients"] != "0"
    if holds or any(key.startswith("session.") for key in lines):
        return f"GPU {words[-1]} is currently in use by one or more other processes"
    gone = (f"{gpu}.gi.", f"{gpu}.ci.", f"{gpu}.ciuuid.", f"{gpu}.lost")
    kept = {key: value for key, value in lines.items() if not key.startswith(gone)}
    if f"{gpu}.mig_pending" in kept:
        kept[f"{gpu}.mig"] = kept[f"{gpu}.mig_pending"]
    STATE.write_text("".join(f"{key} {value}\n" for key, value in kept.items()), encoding="ascii")
    return f"GPU {words[-1]} was successfully reset."


sys.stdout.write(main(sys.argv[1:]) + "\n")
