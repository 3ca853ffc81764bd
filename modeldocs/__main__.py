"""`python -m modeldocs` is `modeldocs`."""

from modeldocs.cli import main

main(prog_name="modeldocs")
