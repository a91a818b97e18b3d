"""`aliquot cdi …`: the Container Device Interface by itself. One module a group of verbs, imported when called."""

from cyclopts import App, Parameter


def _worth_telling(default: object) -> str | None:
    """A default as the help texts show it; switches that are off and what is absent aren't told."""
    return str(default) if default else None


app = App(
    name="cdi",
    help="""The Container Device Interface: what devices there are, whether their files are good, and who gets what.

    For example:

        aliquot cdi list

        aliquot cdi explain nvidia.com/gpu=0

        aliquot cdi validate --strict /etc/cdi/nvidia.yaml

        aliquot cdi inject --spec config.json --device nvidia.com/gpu=0 --in-place

        aliquot cdi lower /etc/cdi/nvidia.yaml --to 0.5.0 > old.yaml
    """,
    help_epilogue="Exit status: 0 yes; 1 no (a bad file, an unresolvable device, a difference); "
    "2 nothing usable in the input.",
    help_format="plaintext",
    default_parameter=Parameter(show_default=_worth_telling),
)
# What a help text says before its parameters, which are in the function's docstring: known without importing that.
_VERBS = {
    "list": ("registry:list_devices", "The devices that can be asked for, each with the file that defines it."),
    "show": ("registry:show", "A device's edits, or a spec file in canonical form."),
    "explain": (
        "registry:explain",
        "Which file defines a device, which definitions it hides, or why it can't be resolved.",
    ),
    "watch": (
        "registry:watch",
        "Tell each device that comes (+), goes (-) or changes (~), and each error (!), until interrupted.",
    ),
    "validate": ("files:validate", "Check spec files; every problem at once, with file, line, field and fix."),
    "lower": (
        "files:lower",
        """Rewrite a spec for container engines that only read an older version; what is lost is told.

        Podman 4.3 reads up to 0.5.0, 4.9 up to 0.6.0, 5.4 up to 0.8.0; `aliquot cdi runtime check` tells it of each
        runtime here, and which specs are too new for it.
        """,
    ),
    "diff": ("files:diff", "What differs between two specs, by meaning."),
    "inject": ("inject:inject", "Give devices to a container: edit its OCI runtime spec. All or nothing."),
    "generate": (
        "generate:generate_spec",
        """Write the spec of this host's GPUs, or of its network cards.

        Container engines read it at /etc/cdi or /var/run/cdi. It fits one version of the driver: generate it again
        after each update (`aliquot cdi check` tells). A GPU that doesn't work is left out with a warning. GPUs and MIG
        devices are those that the driver names; where it can't be asked, those that its files show.

        For example:

            aliquot cdi generate --output /etc/cdi/nvidia.yaml

            aliquot cdi generate --output /var/run/cdi/nvidia.yaml --remove-stale

            aliquot cdi generate --driver-root /run/nvidia/driver --device-name-strategy uuid

            aliquot cdi generate --mode amd | aliquot cdi lower - --to 0.5.0
        """,
    ),
    "check": (
        "check:check",
        """Hold specs against this host: what no longer fits, and the fix.

        Files that are gone or that only root can read, moved or renumbered devices, another driver, specs that are too
        new for the container runtimes here.
        """,
    ),
    "hook": ("hook:app", "What container runtimes call while a container starts: its state is standard input."),
    "runtime": ("runtime:app", "Is CDI on in containerd, CRI-O, Docker, Podman? Switch it on."),
}
for _name, (_function, _help) in _VERBS.items():
    app.command(f"aliquot.cli.cdi.{_function}", name=_name, help=_help)
