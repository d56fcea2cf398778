"""Reads the environment it was started with."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[0].rpartition("/")[0])
from kit import got, read, run  # type: ignore[import-not-found]

got("\n".join(f"{name}={value}" for name, value in os.environ.items()))
run("env")
read("/proc/self/environ")
