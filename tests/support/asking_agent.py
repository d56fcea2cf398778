"""A scripted role that asks its model a few times before it hands in, and gives up where the model does not answer.

How often it was answered stands in its home folder, so that it goes on from there when it is started in the same room.

    asking_agent.py TIMES [--meek] AGENT ARGS

A meek one ends as if nothing were when the model does not answer.
"""

from __future__ import annotations

import os
import sys
import urllib.error
import urllib.request
from pathlib import Path

MEEK = sys.argv[2] == "--meek"
TIMES, REST = int(sys.argv[1]), sys.argv[3 if MEEK else 2 :]
answered = Path.home() / "answered"
for number in range(int(answered.read_text()) if answered.exists() else 0, TIMES):
    url = f"{os.environ['ANTHROPIC_BASE_URL']}/v1/messages"
    body = f'{{"role": "{os.environ["STATSCLAW_ROLE"]}", "question": {number}}}'.encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body), timeout=60) as answer:
            answer.read()  # what it cost is known when the end has been heard
    except urllib.error.HTTPError as error:
        print(f"the model says {error.code}: {error.read().decode()}")
        sys.exit(0 if MEEK else 1)
    answered.write_text(str(number + 1))
os.execv(sys.executable, [sys.executable, *REST])
