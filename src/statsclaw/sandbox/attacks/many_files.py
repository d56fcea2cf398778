"""Makes many empty files, which take no room but a place each."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import OWN, claim, trying, wait_until  # type: ignore[import-not-found]

made = 0
for folder in range(5):
    with trying():
        os.mkdir(f"{OWN['tmp']}/{folder}")
        for name in range(1000):
            os.close(os.open(f"{OWN['tmp']}/{folder}/{name}", os.O_CREAT | os.O_WRONLY))
            made += 1
wait_until(lambda: False, 3)
if made >= 5000:
    claim(f"{made} files were made, and nobody minded")
