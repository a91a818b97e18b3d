"""`aliquot cdi …`: the Container Device Interface by itself. One module a group of verbs, imported when called."""

from cyclopts import App

app = App(
    name="cdi",
    help="""The Container Device Interface: what devices there are, whether their files are good, and who gets what.

    Examples:

        aliquot cdi list

        aliquot cdi explain nvidia.com/gpu=0

        aliquot cdi validate --strict /etc/cdi/nvidia.yaml

        aliquot cdi inject --spec config.json --device nvidia.com/gpu=0 --in-place

        aliquot cdi lower /etc/cdi/nvidia.yaml --to 0.5.0 > old.yaml

    Exit status: 0 yes; 1 no (a bad file, an unresolvable device, a difference); 2 nothing usable in the input.
    """,
    help_format="plaintext",
)
_VERBS = {
    "list": ("cdi_registry:list_devices", "The devices that can be asked for."),
    "show": ("cdi_registry:show", "A device's edits, or a spec file in canonical form."),
    "explain": ("cdi_registry:explain", "Which file wins for a device, or why it can't be resolved."),
    "watch": ("cdi_registry:watch", "Tell what changes in the spec folders."),
    "validate": ("cdi_files:validate", "Check spec files; every problem at once."),
    "lower": ("cdi_files:lower", "Rewrite a spec for container engines that read an older version."),
    "diff": ("cdi_files:diff", "What differs between two specs."),
    "inject": ("cdi_inject:inject", "Give devices to a container: edit its OCI runtime spec."),
}
for _name, (_function, _help) in _VERBS.items():
    app.command(f"aliquot.cli.{_function}", name=_name, help=_help)
