"""`aliquot explain --watch`: prints again when a verdict changes."""

import sys
import time
from collections.abc import Callable, Mapping

from aliquot.advisor.explain import Explanation
from aliquot.cli.cluster_input import misleading, tell
from aliquot.cli.explain.answer import Answer, Mistake
from aliquot.cli.explain.command import NOTHING_USABLE, Format, show_answer, write_line
from aliquot.cli.output import fail, progress, warn
from aliquot.cluster.protocol import Cluster
from aliquot.cluster.reading import Reading
from aliquot.kube.pod import Pod

Ask = Callable[[Reading], Answer | Mistake]


def follow(cluster: Cluster, ask: Ask, output: Format, ways: int) -> int:
    """Print the answer, and after every change the stories whose verdict is another. Ends by KeyboardInterrupt.

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
        told = frozenset(warnings)
        answer = ask(reading)
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
            if output == "json":
                write_line(answer, answer.stories)
            else:
                show_answer(answer, output, ways)
        else:
            _show_changes(answer, known, now, output, ways)
        known = now
        sys.stdout.flush()
    raise AssertionError  # readings have no end


def _show_changes(
    answer: Answer, before: Mapping[str, Explanation], now: Mapping[str, Explanation], output: Format, ways: int
) -> None:
    changed = [key for key, story in now.items() if key not in before or before[key].verdict != story.verdict]
    gone = [key for key in before if key not in now]
    if not changed and not gone:
        return
    stories = tuple(now[key] for key in changed)
    if output == "json":
        write_line(answer, stories, gone=gone)
        return
    at = time.strftime("%H:%M:%S")
    for key in changed:
        print(f"{at}  {key}: {before[key].verdict + ' -> ' if key in before else 'new: '}{now[key].verdict}")
    for key in gone:
        end = answer.reading.snapshot.pods.get(key)
        print(f"{at}  {key}: {before[key].verdict} -> {_since(end)}")
    if stories:
        print()
        show_answer(Answer(answer.reading, stories, answer.release, answer.source), output, ways)


def _since(pod: Pod | None) -> str:
    """What became of a pod that isn't asked for any more: of all pending ones, one that has a node now."""
    if pod is None:
        return "gone"
    return f"on {pod.node_name}" if pod.node_name else pod.phase.lower()
