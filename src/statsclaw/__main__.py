"""`python -m statsclaw`."""

from statsclaw.ui.cli import main

main()
