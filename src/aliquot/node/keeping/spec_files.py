"""The CDI specs of claims, a file each: `k8s.gpu.nvidia.com-claim_<uid>.json`.

They are no record: what one says follows from the checkpoint and the host, and it's written anew at every prepare.
"""

from pathlib import Path
from typing import Final

import msgspec

from aliquot.cdi.check import check
from aliquot.cdi.documents.write import to_data
from aliquot.cdi.documents.yaml_text import printable
from aliquot.cdi.qualified_names import spec_file_name
from aliquot.cdi.spec import Spec
from aliquot.node.claims.names import kind_of
from aliquot.node.claims.refusal import Refusal, later
from aliquot.node.keeping.disk import DRAFT, Disk, reason

SUFFIX: Final = ".json"
OTHERS: Final = (".yaml",)
"""NVIDIA's driver names its files of the same claims so."""


class SpecFiles:
    """The specs of one driver's claims in a CDI folder."""

    def __init__(self, folder: Path, driver: str, disk: Disk | None = None) -> None:
        """Nothing is read or made yet."""
        self._folder = folder
        self._disk = disk or Disk()
        self._stem = spec_file_name(kind_of(driver))

    def path(self, uid: str) -> Path:
        """Where a claim's spec lies. Its UID was checked when the claim was read; what could leave the folder can't."""
        return self._folder / f"{spec_file_name(self._stem, uid)}{SUFFIX}"

    def write(self, uid: str, spec: Spec) -> Refusal | None:
        """Write a claim's spec; one that stands there with the same content is left alone. Everybody may read it."""
        wrong = check(spec)
        if wrong:
            return Refusal(f"no CDI spec for the claim {uid}: {'; '.join(map(str, wrong))}")
        path, data = self.path(uid), _bytes(spec)
        try:
            if self._disk.read(path) != data:
                self._disk.replace(path, data, mode=0o644, durable=False)
        except OSError as error:
            return later(f"the CDI spec {path} can't be written: {reason(error)}")
        return None

    def remove(self, uid: str) -> Refusal | None:
        """Remove a claim's spec, if there is one."""
        path = self.path(uid)
        try:
            self._disk.remove(path)
        except OSError as error:
            return later(f"the CDI spec {path} can't be removed: {reason(error)}")
        return None

    def foreign(self, uid: str) -> Path | None:
        """A spec of the same claim by another driver of the same name; two would make its devices ambiguous."""
        names = self._disk.names(self._folder)
        found = (f"{spec_file_name(self._stem, uid)}{suffix}" for suffix in OTHERS)
        return next((self._folder / name for name in found if name in names), None)

    def uids(self) -> tuple[str, ...]:
        """The claims that have a spec here."""
        start = spec_file_name(self._stem, "x").removesuffix("x")
        names = self._disk.names(self._folder)
        return tuple(
            name.removeprefix(start).removesuffix(SUFFIX)
            for name in names
            if name.startswith(start) and name.endswith(SUFFIX)
        )

    def sweep_drafts(self) -> None:
        """Remove drafts of ours that a crash left."""
        for name in self._disk.names(self._folder):
            if name.startswith(f"{DRAFT}{self._stem}"):
                self._disk.remove(self._folder / name)


def _bytes(spec: Spec) -> bytes:
    """As `cdi.documents.write.to_json`, by the faster encoder: a spec is most of what preparing a claim computes."""
    text = msgspec.json.format(msgspec.json.encode(to_data(spec)), indent=2).decode()
    return f"{printable(text)}\n".encode()
