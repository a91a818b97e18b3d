"""Small spec files in a folder."""

from pathlib import Path

TEXT = "cdiVersion: 0.5.0\nkind: acme.test/gpu\ndevices:\n- name: '{}'\n  containerEdits: {{env: ['A={}']}}\n"


def put(folder: Path, name: str, device: str, value: str = "1") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(TEXT.format(device, value))
    return path
