"""The page on paper: an installed Chromium prints it. It reads the page as a file and is given no network."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from statsclaw.errors import MachineRefused
from statsclaw.runlog.store import write_durably

#: Programs that print a page the same way, in the order in which they are looked for.
BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge",
)  # fmt: skip
_QUIET = (
    "--headless", "--disable-gpu", "--no-first-run", "--disable-extensions", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-default-apps", "--metrics-recording-only",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--no-pdf-header-footer",
)  # fmt: skip
_LONGEST_S = 180
_INSTEAD = "install chromium (Debian: apt install chromium), or write --format html and print that from any browser"


def browser() -> str | None:
    """The first program there is that can print a page."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def printed(page: str, place: Path) -> Path:
    """`page` as a PDF under `place`."""
    program = browser()
    if program is None:
        raise MachineRefused("a PDF needs Chromium, and none is installed", kept="Nothing was written", todo=_INSTEAD)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "report.html").write_text(page, encoding="utf-8")
        said = _run(program, folder)
        made = folder / "report.pdf"
        if not made.is_file():
            raise MachineRefused(
                f"{Path(program).name} printed no PDF: {said}", kept="Nothing was written", todo=_INSTEAD
            )
        write_durably(place, made.read_bytes())
    return place


def _run(program: str, folder: Path) -> str:
    """What it said at the end; it says much that is no trouble, so only the file tells whether it worked."""
    argv = [program, *_QUIET, *(["--no-sandbox"] if os.geteuid() == 0 else []), f"--user-data-dir={folder / 'profile'}",
            f"--print-to-pdf={folder / 'report.pdf'}", (folder / "report.html").as_uri()]  # fmt: skip
    try:
        done = subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=_LONGEST_S, check=False)
    except subprocess.TimeoutExpired:
        return f"it did not end within {_LONGEST_S} seconds"
    except OSError as error:
        return str(error)
    lines = done.stderr.strip().splitlines()
    return f"exit status {done.returncode}" + (f", {lines[-1][:200]}" if lines else "")
