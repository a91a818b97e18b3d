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
app.command("aliquot.cli.cdi_registry:list_devices", name="list")
app.command("aliquot.cli.cdi_registry:show", name="show")
app.command("aliquot.cli.cdi_registry:explain", name="explain")
app.command("aliquot.cli.cdi_registry:watch", name="watch")
app.command("aliquot.cli.cdi_files:validate", name="validate")
app.command("aliquot.cli.cdi_files:lower", name="lower")
app.command("aliquot.cli.cdi_files:diff", name="diff")
app.command("aliquot.cli.cdi_inject:inject", name="inject")
