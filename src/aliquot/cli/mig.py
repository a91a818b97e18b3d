"""`aliquot mig`: which MIG instances a GPU can hold, what fits beside others, and what blocks it."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from aliquot.cli.help import epilogue
from aliquot.cli.output import fail, write_json, write_yaml

if TYPE_CHECKING:
    from aliquot.devices.mig import Geometry, Placement, State
    from aliquot.devices.mig.fitting import Fit
    from aliquot.devices.mig.refusal import NoRoom

UNUSABLE = 2
NO_ROOM = 3
UNASKED = 1

Format = Literal["text", "json", "yaml"]
Output = Annotated[Format, Parameter(name=["--output", "-o"])]

EXAMPLES = epilogue(
    "aliquot mig list",
    "aliquot mig layouts A100-40GB",
    "aliquot mig fits A100-40GB 1g.5gb 1g.5gb --on 3g.20gb@0,2g.10gb@4",
)
GPUS = (
    "GPUs with MIG, each also by its models' names, spelled as a driver, a node\n"
    "label or a person does (nvidia-a100-sxm4-40gb, H100 PCIe), or by a PCI id:\n"
    "A100-40GB, A100-80GB, A30, H100-64GB, H100-80GB, H100-94GB, H100-96GB,\n"
    "H20-96GB, H20-141GB, H200-141GB, GH200-144GB, B200, B300, GB200, GB300,\n"
    "RTX-PRO-4500, RTX-PRO-5000, RTX-PRO-6000"
)
FITS_EXAMPLES = epilogue(
    "aliquot mig fits H100-80GB 3g.40gb 1g.10gb",
    "aliquot mig fits H100-80GB 1g.10gb 1g.10gb 1g.10gb --on 3g.40gb@0",
    "aliquot mig fits H200 17Gi   # the smallest profile that really holds it",
    'aliquot mig fits "A100 40GB" 2g.10gb --on 4g.20gb@0,1g.5gb@6 -o json',
    status="0  they fit, and the answer says where\n"
    "3  they don't; the answer says what blocks them, and the fewest moves that\n"
    "   would make room if any do\n"
    "2  no such GPU or profile, or the layout isn't legal",
    more=GPUS,
)
LAYOUTS_EXAMPLES = epilogue(
    "aliquot mig layouts A100-40GB            # the full layouts, one a line",
    "aliquot mig layouts A100-40GB --placed   # and where each instance starts",
    "aliquot mig layouts A100-40GB --all      # every legal state, also empty",
    more=GPUS,
)
LIST_EXAMPLES = epilogue(
    "aliquot mig list",
    "aliquot mig list --host preset:mixed   # simulated, without a GPU",
    "aliquot mig list --host sim:host.yaml -o json",
    status="0  the GPUs that have MIG are listed, if there are any\n"
    "1  something couldn't be asked, or XIDs tell of a fault; stderr says what\n"
    "2  there is no such host, or its file can't be used",
)

app = App(
    name="mig",
    help="MIG: the instances that a GPU holds or could hold.",
    help_epilogue=EXAMPLES,
    help_format="plaintext",
)


@app.command(name="list", help_epilogue=LIST_EXAMPLES)
def list_(*, host: Annotated[str, Parameter(name="--host")] = "nvml", output: Output = "text") -> int:
    """The MIG instances of this node's GPUs: where they lie, what they hold, and what still fits.

    Args:
        host: nvml (this machine), sim:FILE, or preset:NAME.
        output: text, json or yaml.
    """
    from aliquot.cli.host_input import host_of
    from aliquot.cli.node.look import looked_at
    from aliquot.devices.findings import xid_findings

    found = host_of(host)
    if found is None:
        return UNUSABLE
    try:
        survey, geometries = looked_at(found)
    finally:
        found.release()
    if output == "text":
        from aliquot.cli.node.text import mig_page

        for line in mig_page(survey, geometries):
            print(line)
    else:
        from aliquot.cli.node.plain import mig_json

        _write(output, mig_json(survey, geometries))
    unknown = [gpu for gpu in survey.gpus if gpu.mig_unknown]
    wrong = [*survey.troubles, *(each.trouble for each in survey.unreadable), *xid_findings(survey)]
    for each in wrong:
        fail(str(each), each.hint)
    for gpu in unknown:
        fail(f"gpu {gpu.index} ({gpu.pci}): {'; '.join(gpu.partial)}")
    return UNASKED if wrong or unknown else 0


@app.command(help_epilogue=FITS_EXAMPLES)
def fits(
    model: str,
    /,
    *profiles: str,
    on: str = "empty",
    output: Output = "text",
) -> int:
    """Whether instances fit on a GPU beside others: where, or what blocks them and what would help.

    Args:
        model: The GPU: a product name, a node label, a PCI id, or a name of this project's tables such as A100-40GB.
        profiles: The wanted instances by profile, such as 1g.5gb, or by the memory that they must hold, such as 17Gi;
            one twice is two instances.
        on: The instances that are there and stay, such as 3g.20gb@0,1g.5gb@4.
        output: text, json or yaml.
    """
    from aliquot.cli.mig_input import held_by, holding, layout_of, model_of, profiles_of
    from aliquot.devices.mig.fitting import fits as judge

    geometry = model_of(model)
    if geometry is None:
        return UNUSABLE
    if not profiles:
        fail("no profile is given", f"{geometry.key} has {', '.join(p.name for p in geometry.profiles)}")
        return UNUSABLE
    wanted, state = profiles_of(geometry, profiles), layout_of(geometry, on)
    if wanted is None or state is None:
        return UNUSABLE
    answer = judge(geometry, state, wanted)
    amounts = {name: found for name in profiles if (found := holding(geometry, name))}
    if output == "text":
        for amount, found in amounts.items():
            print(f"{amount} needs {' or '.join(map(held_by, found))} (by the table; a node's own figures count more)")
        _tell_fit(geometry, state, wanted, answer)
    else:
        value = _fit_json(geometry, state, wanted, answer)
        _write(output, {**value, "holding": {name: [each.name for each in found] for name, found in amounts.items()}})
    from aliquot.devices.mig.fitting import Fit

    return 0 if isinstance(answer, Fit) else NO_ROOM


@app.command(help_epilogue=LAYOUTS_EXAMPLES)
def layouts(
    model: str,
    /,
    *,
    placed: Annotated[bool, Parameter(name="--placed", negative=())] = False,
    every: Annotated[bool, Parameter(name="--all", negative=())] = False,
    double_memory: Annotated[bool, Parameter(name="--double-memory", negative=())] = False,
    output: Output = "text",
) -> int:
    """The full layouts of a GPU by profiles, one a line; without the variants that differ in media engines.

    Args:
        model: The GPU, as for `mig fits`.
        placed: The full layouts by place.
        every: Every legal state by place, not only the full ones.
        double_memory: With the profile of one compute slice and double memory, such as 1g.10gb of an A100 40GB.
        output: text, json or yaml.
    """
    from aliquot.cli.mig_bars import layout_text
    from aliquot.cli.mig_input import model_of
    from aliquot.devices.mig import legal_states, maximal_states

    geometry = model_of(model)
    if geometry is None:
        return UNUSABLE
    if not geometry.known:
        fail(f"where MIG instances of {geometry.key} may lie isn't published", "ask the node: aliquot mig list")
        return UNUSABLE
    profiles = geometry.plain_profiles(double_memory=double_memory)
    states = (legal_states if every else maximal_states)(geometry, profiles)
    if placed or every:
        if output == "text":
            for state in states:
                print(layout_text(state))
        else:
            rows = [{"instances": [_place(each) for each in state]} for state in states]
            _write(output, {**_head(geometry), "layouts": rows})
        return 0
    counts = _by_profiles(states)
    if output == "text":
        for each in counts:
            print(_counted(each))
    else:
        _write(output, {**_head(geometry), "layouts": [{"profiles": dict(each)} for each in counts]})
    return 0


def _by_profiles(states: "Sequence[State]") -> list[list[tuple[str, int]]]:
    """The distinct lists of profiles among states, as profile and count, largest first."""
    from aliquot.devices.mig.legal_layouts import multisets

    def largest_first(item: tuple[str, int]) -> tuple[int, str]:
        return (-int(item[0].partition("g")[0]), item[0])

    return [sorted(Counter(names).items(), key=largest_first) for names in multisets(states)]


def _counted(profiles: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{count} x {name}" for name, count in profiles)


# --- for people --------------------------------------------------------------------------------------------------
def _tell_fit(
    geometry: "Geometry", state: "Sequence[Placement]", wanted: Sequence[str], answer: "Fit | NoRoom"
) -> None:
    from aliquot.cli.mig_bars import bars, layout_text
    from aliquot.cli.mig_input import memory_words
    from aliquot.devices.mig.fitting import Fit, still_fit
    from aliquot.devices.mig.legal_layouts import profile_in

    asked = _counted(list(Counter(wanted).items()))
    beside = f" beside {layout_text(state)}" if state else ""
    together = state if not isinstance(answer, Fit) else (*state, *answer.placements)
    if isinstance(answer, Fit):
        print(f"{geometry.key}: {asked} can be created{beside}")
        print(f"where     {layout_text(answer.placements)}")
    else:
        print(f"{geometry.key}: no room for {asked}{beside}")
        if answer.placed:
            print(f"placed    {layout_text(answer.placed)}, then:")
        print(f"why       {answer.reason}")
        print(f"way out   {f'{answer.advice} (idle by then)' if answer.moves else 'no moves make room'}")
    head, row = bars(geometry, together)
    print(f"\nslice     {head}\nmemory    {row}")
    left = [
        f"{name} at {', '.join(map(str, starts))}" for name, starts in still_fit(geometry, together).items() if starts
    ]
    label = "still fit" if isinstance(answer, Fit) else "now fit"
    print(f"{label.ljust(10)}{'; '.join(left) or 'nothing'}")
    print(f"holds     {memory_words([profile_in(geometry, name) for name in dict.fromkeys(wanted)])}")
    if geometry.placement_certainty != "documented":
        print(f"note      the places are {geometry.placement_certainty}: what the node reports counts")


# --- for programs ------------------------------------------------------------------------------------------------
def _write(output: Format, value: dict[str, object]) -> None:
    (write_json if output == "json" else write_yaml)(value)


def _head(geometry: "Geometry") -> dict[str, object]:
    return {"gpu": geometry.key, "placementCertainty": geometry.placement_certainty}


def _place(each: "Placement") -> dict[str, object]:
    return {"profile": each.profile, "start": each.start}


def _fit_json(
    geometry: "Geometry", state: "Sequence[Placement]", wanted: Sequence[str], answer: "Fit | NoRoom"
) -> dict[str, object]:
    from aliquot.cli.mig_input import memory_json
    from aliquot.devices.mig.fitting import Fit, still_fit
    from aliquot.devices.mig.legal_layouts import profile_in

    memory = {name: memory_json(profile_in(geometry, name)) for name in dict.fromkeys(wanted)}
    head = {**_head(geometry), "on": [_place(each) for each in state], "wanted": list(wanted), "memory": memory}
    if isinstance(answer, Fit):
        after = still_fit(geometry, (*state, *answer.placements))
        places = [_place(each) for each in answer.placements]
        return {**head, "fits": True, "create": places, "stillFit": {name: list(at) for name, at in after.items()}}
    return {
        **head,
        "fits": False,
        "profile": answer.profile,
        "shortOf": answer.short_of.value,
        "reason": answer.reason,
        "placed": [_place(each) for each in answer.placed],
        "blocked": [
            {
                "start": each.start,
                "by": [
                    {**_place(holder.instance), "memorySlices": [holder.units[0], holder.units[-1]]}
                    for holder in each.by
                ],
            }
            for each in answer.blocked
        ],
        "memorySlicesFree": list(answer.memory_free),
        "computeSlicesFree": answer.compute_free,
        "computeSlicesNeeded": answer.compute_needed,
        "moves": [{**_place(move.instance), "to": move.to} for move in answer.moves],
        "stillFit": {name: list(at) for name, at in still_fit(geometry, state).items()},
    }
