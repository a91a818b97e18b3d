"""The rules of one release, looked up by topic; what was looked up and decided can be told."""

from dataclasses import dataclass

from aliquot.cdi.runtime_config.releases import Release, Row, Runtime, Topic, shown
from aliquot.cdi.runtime_config.table import KNOWN_TO, row


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds for one release of a runtime."""

    runtime: Runtime
    release: Release

    @property
    def name(self) -> str:
        """The runtime with its release, as in "containerd 1.7.29"."""
        return f"{self.runtime} {shown(self.release)}"

    def row(self, topic: Topic) -> Row:
        """The row that holds.

        Raises:
            LookupError: nothing is known of that topic for the release.
        """
        found = row(self.runtime, topic, self.release)
        if found is None:
            raise LookupError(f"nothing is known of {topic} for {self.name}")
        return found

    def value(self, topic: Topic) -> str:
        """What the row says."""
        return self.row(topic).value

    @property
    def reads(self) -> str | None:
        """The newest cdiVersion that it reads, where it's known."""
        found = row(self.runtime, "specs", self.release)
        return found.value if found is not None else None

    @property
    def newer_than_known(self) -> str:
        """What to say of a release that is newer than all that were looked at; "" of the others."""
        newest = KNOWN_TO[self.runtime]
        if self.release <= newest:
            return ""
        return f"{self.name} is newer than what is known here: it's judged as {shown(newest)}"
