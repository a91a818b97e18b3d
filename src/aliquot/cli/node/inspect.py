"""`aliquot node inspect`: what a node has and what is wrong with it; `aliquot node presets`: hosts to start from."""

from typing import Annotated, Literal

from cyclopts import Parameter

from aliquot.cli.host_input import HostOption, host_of
from aliquot.cli.node.look import looked_at
from aliquot.cli.output import fail, write_json, write_yaml
from aliquot.devices.findings import findings
from aliquot.devices.hosts.simulated.presets import preset_names, preset_summary, preset_text

WRONG, UNUSABLE = 1, 2

Output = Annotated[Literal["text", "json", "yaml"], Parameter(name=["--output", "-o"])]


def inspect(*, host: HostOption = "nvml", output: Output = "text") -> int:
    """What this node has: driver, GPUs, links, MIG layout, what runs on them, and what is wrong.

    Args:
        host: nvml (this machine), sim:FILE, preset:NAME, or sysfs:DIR.
        output: text, json or yaml.
    """
    found = host_of(host)
    if found is None:
        return UNUSABLE
    try:
        survey, geometries = looked_at(found)
    finally:
        found.release()
    wrong = findings(survey)
    if output == "text":
        from aliquot.cli.node.text import lines

        for line in lines(survey, geometries, wrong):
            print(line)
    else:
        from aliquot.cli.node.plain import survey_json

        (write_json if output == "json" else write_yaml)(survey_json(survey, geometries, wrong))
    return WRONG if wrong else 0


def presets(name: str | None = None, /) -> int:
    """The simulated hosts that come with aliquot; with a name, its file to start from.

    Args:
        name: Of the preset to print.
    """
    if name is None:
        width = max(map(len, preset_names()))
        for each in preset_names():
            print(f"{each.ljust(width)}  {preset_summary(each)}")
        return 0
    text = preset_text(name)
    if text is None:
        fail(f"there is no preset {name!r}", f"there are {', '.join(preset_names())}")
        return UNUSABLE
    print(text, end="")
    return 0
