"""`aliquot cdi …`: the Container Device Interface by itself. One module a group of verbs, imported when called."""

from cyclopts import App, Parameter

from aliquot.cli.help import epilogue

STATUS = "0  yes\n1  no (a bad file, an unresolvable device, a difference)\n2  nothing usable in the input"


def _worth_telling(default: object) -> str | None:
    """A default as the help texts show it; switches that are off and what is absent aren't told."""
    return str(default) if default else None


app = App(
    name="cdi",
    help="The Container Device Interface: what devices there are, whether their files are good, and who gets what.",
    help_epilogue=epilogue(
        "aliquot cdi list",
        "aliquot cdi explain nvidia.com/gpu=0",
        "aliquot cdi validate --strict /etc/cdi/nvidia.yaml",
        "aliquot cdi inject --spec config.json --device nvidia.com/gpu=0 > new.json",
        "aliquot cdi lower /etc/cdi/nvidia.yaml --to 0.5.0 > old.yaml",
        status=STATUS,
    ),
    help_format="plaintext",
    default_parameter=Parameter(show_default=_worth_telling),
)
# What a help text says before its parameters, which are in the function's docstring: known without importing that.
_VERBS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "list": (
        "registry:list_devices",
        "The devices that can be asked for, each with the file that defines it.",
        ("aliquot cdi list", "aliquot cdi list nvidia.com/gpu --dir ./cdi -o json"),
    ),
    "show": (
        "registry:show",
        "A device's edits, or a spec file in canonical form.",
        ("aliquot cdi show nvidia.com/gpu=0", "aliquot cdi show /etc/cdi/nvidia.yaml -o json"),
    ),
    "explain": (
        "registry:explain",
        "Which file defines a device, which definitions it hides, or why it can't be resolved.",
        ("aliquot cdi explain nvidia.com/gpu=0", "aliquot cdi explain nvidia.com/gpu=all --dir ./cdi"),
    ),
    "watch": (
        "registry:watch",
        "Tell each device that comes (+), goes (-) or changes (~), and each error (!), until interrupted.",
        ("aliquot cdi watch", "aliquot cdi watch --dir ./cdi --changes 1"),
    ),
    "validate": (
        "files:validate",
        "Check spec files; every problem at once, with file, line, field and fix.",
        ("aliquot cdi validate /etc/cdi/*.yaml", "aliquot cdi validate --strict - < nvidia.yaml"),
    ),
    "lower": (
        "files:lower",
        """Rewrite a spec for container engines that only read an older version; what is lost is told.

        Podman 4.3 reads up to 0.5.0, 4.9 up to 0.6.0, 5.4 up to 0.8.0; `aliquot cdi runtime check` tells it of each
        runtime here, and which specs are too new for it.
        """,
        (
            "aliquot cdi lower /etc/cdi/nvidia.yaml --to 0.5.0 > old.yaml",
            "aliquot cdi generate | aliquot cdi lower - --to 0.6.0 --strict",
        ),
    ),
    "diff": (
        "files:diff",
        "What differs between two specs, by meaning.",
        ("aliquot cdi diff old.yaml new.yaml", "aliquot cdi diff old.yaml /etc/cdi/nvidia.yaml -o json"),
    ),
    "inject": (
        "inject:inject",
        "Give devices to a container: edit its OCI runtime spec. All or nothing.",
        (
            "aliquot cdi inject --spec config.json --device nvidia.com/gpu=0",
            "aliquot cdi inject --spec config.json --annotations --in-place",
        ),
    ),
    "generate": (
        "generate:generate_spec",
        """Write the spec of this host's GPUs, or of its network cards.

        Container engines read it at /etc/cdi or /var/run/cdi. It fits one version of the driver: generate it again
        after each update (`aliquot cdi check` tells). A GPU that doesn't work is left out with a warning. GPUs and MIG
        devices are those that the driver names; where it can't be asked, those that its files show.
        """,
        (
            "aliquot cdi generate                                # to be looked at",
            "aliquot cdi generate --output /etc/cdi/nvidia.yaml  # writes it, as root",
            "aliquot cdi generate --output /var/run/cdi/nvidia.yaml --remove-stale",
            "aliquot cdi generate --driver-root /run/nvidia/driver",
            "aliquot cdi generate --device-name-strategy uuid --no-all-device",
            "aliquot cdi generate --mode amd | aliquot cdi lower - --to 0.5.0",
        ),
    ),
    "check": (
        "check:check",
        """Hold specs against this host: what no longer fits, and the fix.

        Files that are gone or that only root can read, moved or renumbered devices, another driver, specs that are too
        new for the container runtimes here.
        """,
        (
            "aliquot cdi check",
            "aliquot cdi check /etc/cdi/nvidia.yaml --runtime podman --version 4.9",
        ),
    ),
}
for _name, (_function, _help, _examples) in _VERBS.items():
    app.command(
        f"aliquot.cli.cdi.{_function}", name=_name, help=_help, help_epilogue=epilogue(*_examples, status=STATUS)
    )
app.command(
    "aliquot.cli.cdi.hook:app",
    name="hook",
    help="What container runtimes call while a container starts: its state is standard input.",
)
app.command(
    "aliquot.cli.cdi.runtime:app",
    name="runtime",
    help="Is CDI on in containerd, CRI-O, Docker, Podman? Switch it on.",
)
