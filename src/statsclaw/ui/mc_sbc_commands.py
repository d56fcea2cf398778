"""`statsclaw mc sbc`: simulation-based calibration of the samplers of a study."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING, Annotated

import typer

from statsclaw.errors import InputRefused
from statsclaw.sandbox.printable import printable_lines
from statsclaw.ui.exit_codes import NOT_PASSED
from statsclaw.ui.mc_commands import OutOption, StudyArgument, loaded_from, results_of, tell_notes
from statsclaw.ui.options import JsonOption

if TYPE_CHECKING:
    from statsclaw.montecarlo.chains.sbc import Calibration


def sbc(
    study: StudyArgument,
    out: OutOption = None,
    error: Annotated[
        float, typer.Option("--error", min=1e-6, max=0.5, help="How often a right sampler may be called wrong.")
    ] = 0.01,
    json: JsonOption = False,
) -> None:
    """Are the ranks of the true parameters among the draws uniform? For truths that are drawn from the prior."""
    from statsclaw.montecarlo.chains.sbc import calibrate

    loaded = loaded_from(study)
    store = results_of(loaded, out)
    found = calibrate(loaded, store, error=error)
    if not found.quantities:
        raise InputRefused(
            "no method of the study gives draws of a parameter whose truth depends on the data",
            todo='return Estimate(draws=…) and write truth={"mu": lambda data, cell: data["mu"]}',
        )
    tell_notes(store)
    if json:
        print(jsonlib.dumps(_plain(found)))
    else:
        for line in printable_lines(found.text()):
            print(line)
    if found.verdict != "PASS":
        raise typer.Exit(NOT_PASSED)


def _plain(found: Calibration) -> dict[str, object]:
    rows = [
        {
            "quantity": row.quantity,
            "ranks": len(row.ranks),
            "chi_square": row.chi_square,
            "ecdf": row.ecdf,
            "adjusted": row.adjusted,
            "shape": row.shape,
        }
        for row in found.quantities
    ]
    return {"verdict": found.verdict, "error": found.error, "failures": found.failures, "quantities": rows}
