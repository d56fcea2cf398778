"""Packages made from an interface: one of meaningless values, and a door to the real one in another process."""

from statsclaw.verify.standin.door_python import WORKER, door_python
from statsclaw.verify.standin.null_python import null_python
from statsclaw.verify.standin.null_r import null_r
from statsclaw.verify.standin.python_text import Unwritable

__all__ = ["WORKER", "Unwritable", "door_python", "null_python", "null_r"]
