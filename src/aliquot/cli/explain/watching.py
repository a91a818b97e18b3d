"""`aliquot explain --watch`: prints again when a verdict changes."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from aliquot.advisor.explanation.value import Explanation
from aliquot.cli.cluster_input import misleading, tell
from aliquot.cli.explain.answer import Answer, Mistake
from aliquot.cli.output import fail, progress, warn
from aliquot.cli.terminal import visible
from aliquot.cluster.protocol import Cluster
from aliquot.cluster.reading import Reading
from aliquot.kube.pod import Pod

Ask = Callable[[Reading], Answer | Mistake]
Show = Callable[[Answer], None]
"""Prints an answer for people."""
WriteLine = Callable[..., None]
"""Writes (answer, some of its stories, gone=keys of pods) as a line of JSON."""

NOTHING_USABLE = 2


def follow(cluster: Cluster, ask: Ask, show: Show, write_line: WriteLine | None) -> int:
    """Print the answer, and after every change the stories whose verdict is another. Ends by KeyboardInterrupt.

    Args:
        cluster: followed.
        ask: gives the answer that a Reading of it gives.
        show: prints for people.
        write_line: writes for programs; None: it's people who read.

    Returns:
        NOTHING_USABLE, if there's no answer in the beginning.

    Raises:
        UnavailableError: the cluster can't be read in the beginning, or can't be followed.
    """
    known: Mapping[str, Explanation] | None = None
    told: frozenset[object] = frozenset()
    lost = ""
    for reading in cluster.readings():
        warnings = misleading(reading)
        tell([problem for problem in warnings if problem not in told])
        answer = ask(reading)
        if isinstance(answer, Answer):
            tell([problem for problem in answer.reading.warnings if problem not in {*told, *warnings}])
            warnings = (*warnings, *answer.reading.warnings)
        told = frozenset(warnings)
        progress("")
        if isinstance(answer, Mistake):
            if known is None:
                fail(answer.message, answer.hint)
                return NOTHING_USABLE
            if answer.message != lost:
                warn(f"{answer.message}; waiting")
            lost = answer.message
            continue
        lost = ""
        now = {story.pod.key: story for story in answer.stories}
        if known is None:
            if write_line is not None:
                write_line(answer, answer.stories)
            else:
                show(answer)
        else:
            changed = [key for key, story in now.items() if key not in known or known[key].verdict != story.verdict]
            gone = [key for key in known if key not in now]
            if changed or gone:
                part = replace(answer, stories=tuple(now[key] for key in changed))
                if write_line is not None:
                    write_line(part, part.stories, gone=gone)
                else:
                    _show_changes(part, known, gone, show)
        known = now
        sys.stdout.flush()
    raise AssertionError  # readings have no end


def _show_changes(part: Answer, before: Mapping[str, Explanation], gone: Sequence[str], show: Show) -> None:
    at = time.strftime("%H:%M:%S")
    for story in part.stories:
        key = story.pod.key
        change = f"{before[key].verdict} -> " if key in before else "new: "
        print(visible(f"{at}  {key}: {change}{story.verdict}"))
    for key in gone:
        print(visible(f"{at}  {key}: {before[key].verdict} -> {_since(part.reading.snapshot.pods.get(key))}"))
    if part.stories:
        print()
        show(part)


def _since(pod: Pod | None) -> str:
    """What became of a pod that isn't asked for any more: of all pending ones, one that has a node now."""
    if pod is None:
        return "gone"
    return f"on {pod.node_name}" if pod.node_name else pod.phase.lower()
