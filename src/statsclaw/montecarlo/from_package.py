"""A study of a function of an installed R package: the call, data to call it with, and what it returns."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from statsclaw.errors import MachineRefused
from statsclaw.montecarlo.design import StudyRefused

SCRIPT = Path(__file__).with_suffix(".R")
_PATIENCE_S = 120.0
_NAMED = 12


@dataclass(frozen=True, slots=True)
class Offer:
    """`fill`: what stands in the skeleton. `trouble`: why the call could not be tried, empty where it could."""

    fill: Mapping[str, str]
    trouble: str


def offer_of(package: str, function: str | None) -> Offer:
    """Refuses in one sentence where the package is not there, or it is not clear which function is meant."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9.]*", package):
        raise StudyRefused(f"{package!r} is no name of an R package")
    found = _asked(package, function)
    for key, said in (("missing", "is not installed in this R"), ("broken", "cannot be loaded")):
        if key in found:
            todo = f"Rscript -e 'install.packages(\"{package}\")'" if key == "missing" else ""
            raise StudyRefused(f"the R package {package} {said}: {found[key][0]}", todo=todo)
    names = found.get("function", [])
    if "call" not in found:
        shown = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
        problem = f"{package} exports no function {function}" if function else f"{package} exports several functions"
        raise StudyRefused(f"{problem}; there are {shown or 'none'}", todo="name one with --function")
    chosen = function or names[0]
    fields = [f"{name} = {found[name][0]}" for name in ("estimate", "se", "low", "high") if name in found]
    call = found["call"][0]
    return Offer(
        {
            "package": package,
            "function": chosen,
            "version": found["version"][0],
            "call": call,
            "draw": "\n".join(f"  {line}" for line in found["draw"]),
            "options": found["options"][0] or "none",
            "fields": ", ".join(fields) if "estimate" in found else "estimate = as.numeric(unlist(fit))[1]",
            "truth": "2.0" if "formula = " in call else "1.0",
        },
        found.get("trouble", [""])[0],
    )


def _asked(package: str, function: str | None) -> dict[str, list[str]]:
    if shutil.which("Rscript") is None:
        raise MachineRefused("Rscript is not on the PATH", todo="install R, or add its folder to the PATH")
    with tempfile.TemporaryDirectory(prefix="statsclaw-mc-") as folder:
        output = Path(folder, "offer")
        command = ["Rscript", "--vanilla", str(SCRIPT), str(output), package, *([function] if function else [])]
        try:
            ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise MachineRefused(f"R did not answer about {package} within {_PATIENCE_S:.0f} s") from None
        if ran.returncode or not output.is_file():
            said = " ".join(ran.stderr.split())[-300:]
            raise MachineRefused(f"R ended while it looked at {package}: {said}")
        found: dict[str, list[str]] = {}
        for line in output.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition("\t")
            found.setdefault(key, []).append(value)
        return found
