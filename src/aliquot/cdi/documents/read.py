"""Reading a spec: text in, a value or every problem at once, each with its line."""

from dataclasses import dataclass, replace

from aliquot.cdi.check import Strength, check
from aliquot.cdi.documents.decode import decode_spec
from aliquot.cdi.documents.decoder import Decoder
from aliquot.cdi.documents.load import NotReadable, has_more_documents, lines, load
from aliquot.cdi.plain_data import is_object
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.spec import Spec

SUFFIXES = (".json", ".yaml")
"""The endings of spec files; their contents are read alike."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text turned out to be: `spec` as far as it could be read (None if not at all), and what's wrong."""

    spec: Spec | None
    problems: tuple[Problem, ...]

    def value(self) -> Spec:
        """The spec.

        Raises:
            SpecError: there are problems.
        """
        if self.problems or self.spec is None:
            raise SpecError(self.problems)
        return self.spec


def read(text: str | bytes, *, file: str = "", strength: Strength = "faithful", older_fields: bool = False) -> Spec:
    """The spec in a YAML or JSON text, read and checked.

    `older_fields` takes intelRdt's enableCMT and enableMBM from files that declare a version which had them; the strict
    strength always does, the Go library never.

    Raises:
        SpecError: with every problem; `file` is named in each.
    """
    return inspect(text, file=file, strength=strength, older_fields=older_fields).value()


def inspect(
    text: str | bytes, *, file: str = "", strength: Strength = "faithful", older_fields: bool = False
) -> Reading:
    """As `read`, but the problems are the answer."""
    strict = strength == "strict"
    decoder = Decoder(exact=strict, older_fields=older_fields or strict)
    try:
        decoded = characters(text)
        data, problems = load(decoded)
    except NotReadable as error:
        return Reading(None, (error.problem.inside(file),))
    if data is None:
        return Reading(None, (Problem("syntax", "there's no spec in the file", file=file),))
    spec = decode_spec(data, decoder)
    if not is_object(data):
        return Reading(None, _placed(decoder.problems, decoded, file))
    problems += decoder.problems
    if strict:
        problems += _second_document(decoded)
    problems += _beside(check(spec, strength), problems)
    return Reading(spec, _placed(problems, decoded, file))


def characters(text: str | bytes) -> str:
    """The characters of a file: UTF-8, or UTF-16 with its mark.

    Raises:
        NotReadable: the bytes aren't text.
    """
    if isinstance(text, str):
        return text
    codec = "utf-16" if text[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8"
    try:
        return text.decode(codec)
    except UnicodeDecodeError as error:
        line = text[: error.start].count(b"\n") + 1
        raise NotReadable(f"the bytes aren't {codec.upper()} text", line) from None


def _second_document(text: str) -> list[Problem]:
    try:
        line = has_more_documents(text)
    except NotReadable as error:
        return [error.problem]
    hint = "move it to a file of its own: readers ignore it"
    return [] if line is None else [Problem("syntax", "the file holds a second document", hint=hint, line=line)]


def _beside(found: tuple[Problem, ...], earlier: list[Problem]) -> list[Problem]:
    """The found problems that don't merely follow from one that is known at the same place."""
    taken = {problem.path for problem in earlier}
    return [problem for problem in found if not taken & set(_ancestors(problem.path))] if taken else list(found)


def _ancestors(path: str) -> list[str]:
    """The path itself and every place that it's in, save the document."""
    ends = [i for i, character in enumerate(path) if character in ".["]
    return [path, *(path[:end] for end in ends if end)]


def _placed(problems: list[Problem], text: str, file: str) -> tuple[Problem, ...]:
    if not problems:
        return ()
    known = lines(text)
    placed: list[Problem] = []
    for problem in problems:
        line = problem.line
        if line is None:
            inwards = sorted(_ancestors(problem.path), key=len, reverse=True)
            line = next((known[path] for path in inwards if path in known), None)
        placed.append(replace(problem, file=file, line=known.get("") if line is None else line))
    return tuple(placed)
