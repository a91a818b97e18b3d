"""Asking the exact allocator: scenarios in, answers out, and what they're compared with."""

from aliquot.allocation.answer import Allocation, Answer
from aliquot.allocation.behaviour import REPAIRED
from aliquot.allocation.exact.allocator import Exact
from aliquot.allocation.reference.allocator import Reference
from aliquot.allocation.rules.cel_selectors import selectors_of
from aliquot.allocation.rules.selectors import Selectors
from aliquot.kube.release import Kubernetes
from scenarios.asking.question import Question, question_of
from scenarios.drivers import Json

PATIENCE = 20_000
"""Devices that the plain search may test."""


def asked(row: Json) -> tuple[Question, Selectors]:
    """A scenario and its selectors, read as of Kubernetes 1.36."""
    question = question_of(row, "1.36")
    return question, selectors_of(Kubernetes(36), question.supply.features)


def engine(row: Json) -> tuple[Exact, Question]:
    """The exact allocator over a scenario."""
    question, selectors = asked(row)
    return Exact(question.supply, selectors), question


def answer(row: Json) -> Answer:
    """The exact allocator's answer on the first node that is asked about."""
    exact, question = engine(row)
    return exact.allocate(question.nodes[0], question.claims)


def plain_answer(row: Json) -> Answer:
    """The plain search in the same order, without defects; it may give up."""
    question, selectors = asked(row)
    plain = Reference(question.supply, selectors, REPAIRED, "experimental", budget=PATIENCE)
    return plain.allocate(question.nodes[0], question.claims)


def told(answer: Answer) -> object:
    """An answer without its steps."""
    return answer.claims if isinstance(answer, Allocation) else (answer.category, answer.error)
