"""`aliquot cdi generate`: the spec of this host."""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from aliquot.cdi.documents.write import to_json, to_yaml
from aliquot.cdi.generate.device_ids import NameStrategy
from aliquot.cdi.generate.hook_calls import NVIDIA_HOOK, HookCalls, HookTool, nvidia_tool, own_tool
from aliquot.cdi.generate.inventory import Inventory
from aliquot.cdi.generate.inventory_json import inventory_data, inventory_of
from aliquot.cdi.generate.spec import Mode, Options, generate
from aliquot.cdi.machine.files import write_spec
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cli.cdi.host_inventory import inventory_from
from aliquot.cli.cdi.output import NO, UNUSABLE, YES, Dirs, TextFormat, read_text, tell
from aliquot.cli.cdi.stale import others_of
from aliquot.cli.output import fail, warn, write_json

SIMULATED = ("sim:", "preset:")
NO_FILES = (
    "take --inventory with what `aliquot cdi generate --show-inventory` printed on a real host, such as "
    "examples/node/inventory.json in Aliquot's repository"
)
ModeOption = Literal[
    "auto", "nvml", "management", "wsl", "imex", "gds", "gdrcopy", "mofed", "nvswitch", "amd", "intel", "nic"
]


def generate_spec(
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    format_: Annotated[TextFormat | None, Parameter(name="--format")] = None,
    mode: ModeOption = "auto",
    driver_root: str = "/",
    dev_root: str = "",
    host: str = "",
    inventory: Annotated[Path | None, Parameter(allow_leading_hyphen=True)] = None,
    show_inventory: Annotated[bool, Parameter(negative=())] = False,
    device_id: Annotated[tuple[str, ...], Parameter(negative=())] = ("all",),
    device_name_strategy: Annotated[tuple[NameStrategy, ...], Parameter(negative=())] = ("index", "uuid"),
    no_all_device: Annotated[bool, Parameter(negative=())] = False,
    vendor: str = "",
    class_: Annotated[str, Parameter(name="--class")] = "",
    hook_path: str = "",
    ldconfig_path: str = "",
    disable_hook: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    enable_hook: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    no_numbers: Annotated[bool, Parameter(negative=())] = False,
    no_additional_gids: Annotated[bool, Parameter(negative=())] = False,
    no_sockets: Annotated[bool, Parameter(negative=())] = False,
    explicit_libraries: Annotated[bool, Parameter(negative=())] = False,
    remove_stale: Annotated[bool, Parameter(negative=())] = False,
    dirs: Dirs = (),
) -> int:
    """Write the spec of this host's GPUs, or of its network cards.

    Args:
        output: The file to write, ending in .yaml or .json; standard output without it.
        format_: yaml or json; without it, what the file's name says, else yaml.
        mode: What to look for; auto takes WSL, NVIDIA, AMD, Intel, whichever is there first.
        driver_root: Where the NVIDIA driver's files are: / or, where it comes in a container, that one's root.
        dev_root: Where /dev is, if not in the driver root.
        host: nvml (the driver is asked), sysfs:DIR (files alone), sim:FILE or preset:NAME; without it, nvml where there
            is a driver that answers, else files alone.
        inventory: Take what the host has from this JSON file (- for standard input) instead of looking.
        show_inventory: Print what the host has as JSON, and write no spec.
        device_id: Only these: all, an index, GPU:MIG indices, a UUID, an IMEX channel. May be given several times.
        device_name_strategy: index (0), type-index (gpu0) or uuid. May be given several times: each gives a name.
        no_all_device: Leave out the device `all`.
        vendor: Instead of the mode's usual one (nvidia.com, management.nvidia.com, amd.com, intel.com).
        class_: Instead of the mode's usual one (gpu, imex-channel, ...).
        hook_path: The hook program: nvidia-cdi-hook, nvidia-ctk or aliquot; without it, NVIDIA's where it's installed.
        ldconfig_path: The ldconfig that the hook runs, where it isn't the usual one.
        disable_hook: Leave out this hook; all for every one. May be given several times.
        enable_hook: Take this hook, also where it's off by default (chmod). May be given several times.
        no_numbers: Leave out device numbers: they are taken from the host when a container starts.
        no_additional_gids: Leave out the nodes' groups: older engines (before 0.7.0) can't read them.
        no_sockets: Leave out the sockets of the driver's daemons.
        explicit_libraries: Also mount libraries that aren't the driver's alone (libGL, libEGL, libOpenCL, ...).
        remove_stale: Remove other files in the spec folders that define the same devices and nothing else.
        dirs: Those folders, instead of /etc/cdi and /var/run/cdi. May be given several times.
    """
    try:
        form = _format(output, format_)
        if host and inventory is not None:
            fail("--host and --inventory exclude each other", "an inventory is instead of a host")
            return UNUSABLE
        has = (
            _inventory(inventory)
            if inventory is not None
            else inventory_from(host, driver_root, dev_root, ask=show_inventory or mode in {"auto", "nvml"})
        )
        if has is None:
            return UNUSABLE
        if show_inventory:
            write_json(inventory_data(has))
            return YES
        tool = _tool(hook_path)
        made = generate(
            has,
            Options(
                mode=_auto(has) if mode == "auto" else mode,
                vendor=vendor,
                class_=class_,
                strategies=device_name_strategy,
                devices=device_id,
                all_device=not no_all_device,
                hooks=HookCalls(tool, frozenset(disable_hook), frozenset(enable_hook), ldconfig_path),
                numbers=not no_numbers,
                additional_gids=not no_additional_gids,
                sockets=not no_sockets,
                explicit_libraries=explicit_libraries,
            ),
        )
        for warning in made.warnings:
            warn(warning)
        if output is None:
            print(to_json(made.spec) if form == "json" else to_yaml(made.spec), end="")
        else:
            write_spec(output.parent, output.name, made.spec)
            others_of(output, made.spec, dirs, remove=remove_stale)
    except SpecError as error:
        if error.category == "host" and host.startswith(SIMULATED):
            fail(f"--host: {host} is simulated: it has GPUs, but no driver files, which a spec is made of", NO_FILES)
        tell(error.problems)
        return NO if error.category == "host" else UNUSABLE
    return YES


def _format(output: Path | None, given: TextFormat | None) -> TextFormat:
    if output is None:
        return given or "yaml"
    named = output.suffix.removeprefix(".")
    if named not in {"yaml", "json"} or (given is not None and given != named):
        hint = f"name it {output.stem}.{given or 'yaml'}: readers of spec folders go by the ending"
        message = "its name doesn't end in .yaml or .json as its format is"
        raise SpecError([Problem("io", message, hint=hint, file=str(output))])
    return "json" if named == "json" else "yaml"


def _inventory(path: Path) -> Inventory:
    try:
        return inventory_of(json.loads(read_text(path)))
    except (ValueError, RecursionError) as error:
        problems = error.problems if isinstance(error, SpecError) else (Problem("syntax", f"it isn't JSON: {error}"),)
        raise SpecError(problem.inside(str(path)) for problem in problems) from None


def _auto(host: Inventory) -> Mode:
    if host.wsl is not None and host.node("/dev/dxg") is not None:
        return "wsl"
    vendors = {gpu.vendor for gpu in host.drm_gpus}
    if host.driver is None and not host.gpus and vendors:
        return "amd" if "amd" in vendors else "intel"
    return "nvml"


def _tool(path: str) -> HookTool:
    """The hook program: the given one, NVIDIA's where the host has it, else this command."""
    given = path or shutil.which("nvidia-cdi-hook", path=f"{os.path.dirname(NVIDIA_HOOK)}:{os.environ.get('PATH', '')}")  # noqa: PTH120 - no path is touched
    if given:
        return own_tool(given) if Path(given).name == "aliquot" else nvidia_tool(given)
    own = Path(sys.executable).with_name("aliquot")
    found = str(own) if own.exists() else shutil.which("aliquot") or sys.argv[0]
    return own_tool(os.path.abspath(found))  # noqa: PTH100 - links stay: they may be what lasts
