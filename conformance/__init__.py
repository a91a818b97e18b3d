"""Comparisons of Aliquot with the reference implementations, on shared and generated cases.

``python -m conformance`` (or ``make conformance``) builds the Go programs of ``conformance/go``, asks them and our code
the same questions and prints every difference. Each of ``conformance.cel``, ``conformance.allocation`` and
``conformance.cdi`` is also a filter by itself: cases in, answers out, one JSON object a line.

It is not a test suite (``tests`` needs no Go) and no part of the package. It may import all of ``aliquot`` and
``scenarios``; only ``speed`` and ``tests`` import it.
"""
