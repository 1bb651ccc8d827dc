"""`python -m limbik` is the command `limbik`."""

from limbik.cli import app

app(prog_name="limbik")
