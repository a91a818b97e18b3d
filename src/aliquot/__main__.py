"""`python -m aliquot`: the same as the command `aliquot`."""

from aliquot.cli.entry import main

if __name__ == "__main__":
    main()
