"""Asks its model once, hands in what is wrong (or `--nothing`), asks once more, and ends as if all were well."""

from __future__ import annotations

import os
import sys
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path


def ask(number: int) -> None:
    body = f'{{"role": "{os.environ["STATSCLAW_ROLE"]}", "question": {number}}}'.encode()
    asked = urllib.request.Request(f"{os.environ['ANTHROPIC_BASE_URL']}/v1/messages", body)
    with suppress(urllib.error.HTTPError):
        urllib.request.urlopen(asked, timeout=60).read()


ask(0)
if "--nothing" not in sys.argv:
    for name in ("comprehension.md", "interface.md", "spec.md", "test-spec.md", "sim-spec.md"):
        (Path(os.environ["STATSCLAW_OUT"]) / name).write_text("# wrong\n")
ask(1)
