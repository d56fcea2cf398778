import json
import os
import random
import sys

import tinymean

SEED = int(os.environ.get("STATSCLAW_SEED", "20260101"))
FIRST = int(os.environ.get("STATSCLAW_FIRST", "0"))
COUNT = int(os.environ.get("STATSCLAW_REPLICATIONS", "1000"))

columns = {"mu.estimate": [], "mu.se": [], "mu.low": [], "mu.high": []}
failed = []
for replication in range(FIRST, FIRST + COUNT):
    rng = random.Random(f"{SEED} 40 {replication}")
    x = [rng.gauss(1, 2) for _ in range(40)]
    try:
        found = tinymean.interval(x)
        row = [found.mean, found.se, found.low, found.high]
    except Exception:
        row = [None] * 4
    failed.append(row[0] is None)
    for column, value in zip(columns.values(), row, strict=True):
        column.append(value)

cell = {
    "cell": "n=40",
    "method": "interval",
    "replication": list(range(FIRST, FIRST + COUNT)),
    "failed": failed,
    "columns": columns,
}
with open(sys.argv[1], "w") as file:
    json.dump({"seed": SEED, "cells": [cell]}, file)
