"""Simulation-based calibration: of parameters drawn from the prior, ranks among the posterior's draws are uniform.

Cook, Gelman and Rubin (2006); Talts, Betancourt, Simpson, Vehtari and Gelman (2018). Parameters alone do not show every
fault: a sampler that returns the prior has uniform ranks. The log-likelihood as a further quantity shows that one
(Modrák and others 2023).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from statsclaw.montecarlo.chains.samplers import RANKED, as_chains, evenly, rank_of
from statsclaw.montecarlo.chains.uniformity import chi_square, ecdf_test
from statsclaw.montecarlo.design import Study, StudyRefused, cell_name
from statsclaw.montecarlo.storage.results import Results, column_names
from statsclaw.montecarlo.streams import DATA, Stream, stream_key
from statsclaw.montecarlo.table import Floats, Table
from statsclaw.montecarlo.verdicts.holm import adjusted

LOG_LIKELIHOOD = "log_likelihood"
#: The log-likelihood is computed at no more draws than this of a replication.
_EVALUATED = 4 * RANKED
Verdict = Literal["PASS", "FAIL", "UNDECIDED"]


@dataclass(frozen=True, slots=True)
class Uniformity:
    """Ranks of one quantity: two p-values, each also adjusted for all that were tested (Holm)."""

    quantity: str
    ranks: Floats
    chi_square: float
    ecdf: float
    adjusted: float
    shape: str


@dataclass(frozen=True, slots=True)
class Calibration:
    """FAIL with a probability of at most `error` where all ranks are uniform. UNDECIDED where some replications gave
    no ranks, which may be just those that matter, or where there are none at all."""

    error: float
    quantities: tuple[Uniformity, ...]
    failures: int = 0

    @property
    def verdict(self) -> Verdict:
        if any(found.adjusted <= self.error for found in self.quantities):
            return "FAIL"
        unknown = any(math.isnan(found.ecdf) for found in self.quantities) or not self.quantities
        return "UNDECIDED" if self.failures or unknown else "PASS"

    def text(self) -> str:
        lines = [f"{self.verdict} at error rate {self.error:g} over {len(self.quantities)} quantities (Holm)."]
        if self.failures:
            lines.append(f"{self.failures} replications gave no ranks.")
        for found in self.quantities:
            lines.append(
                f"{found.quantity}: {len(found.ranks)} ranks, chi-square p = {found.chi_square:.3g}, ECDF p = "
                f"{found.ecdf:.3g}, adjusted p = {found.adjusted:.3g}; {found.shape}"
            )
        return "\n".join(lines)


def check_ranks(
    ranks: Mapping[str, ArrayLike], *, error: float = 0.01, largest: int = RANKED, failures: int = 0
) -> Calibration:
    """Tests of uniformity of whole numbers 0 … largest, by quantity; ranks that are NaN count as failures."""
    found: dict[str, Floats] = {}
    for quantity, given in ranks.items():
        values = np.asarray(given, dtype=np.float64)
        known = values[~np.isnan(values)]
        if np.any((known < 0) | (known > largest) | (known != np.floor(known))):
            raise StudyRefused(f"Ranks of {quantity} are not whole numbers from 0 to {largest}.")
        failures = max(failures, len(values) - len(known))
        found[quantity] = known
    tests = {
        (quantity, name): test(values, largest)
        for quantity, values in found.items()
        for name, test in (("chi_square", chi_square), ("ecdf", ecdf_test))
    }
    tested = [key for key, value in tests.items() if not math.isnan(value)]
    family = dict(zip(tested, adjusted([tests[key] for key in tested]), strict=True))
    return Calibration(
        error,
        tuple(
            Uniformity(
                quantity,
                values,
                tests[quantity, "chi_square"],
                tests[quantity, "ecdf"],
                min((family[key] for key in tested if key[0] == quantity), default=math.nan),
                describe_shape(values, largest),
            )
            for quantity, values in found.items()
        ),
        failures,
    )


def ranks_in(table: Table) -> dict[str, Floats]:
    """The rank columns of a table by quantity, with NaN where the replication failed."""
    return {
        name.removesuffix(".rank"): np.where(table.failed, np.nan, values)
        for name, values in table.columns.items()
        if name.endswith(".rank")
    }


def calibrate(study: Study, results: Results, *, error: float = 0.01) -> Calibration:
    """Of a study whose truths depend on the data: every parameter that a method gives draws of, in every cell.

    One family of tests, so that `error` is of the study.
    """
    ranks: dict[str, Floats] = {}
    for number, cell in enumerate(study.cells()):
        for method in study.method_names:
            if not results.completed(number):
                continue
            known = column_names(results, number, method)
            wanted = [f"{name}.rank" for name in study.truth_of_data(cell) if f"{name}.rank" in known]
            if wanted:
                found = ranks_in(results.table(number, method, wanted))
                ranks |= {f"{name} by {method} in {cell_name(cell)}": values for name, values in found.items()}
    return check_ranks(ranks, error=error)


def sbc(
    prior: Callable[[np.random.Generator], Mapping[str, float]],
    simulate: Callable[[Mapping[str, float], np.random.Generator], Any],
    sample: Callable[[Any, np.random.Generator], Mapping[str, ArrayLike]],
    *,
    replications: int,
    seed: int,
    log_likelihood: Callable[[Mapping[str, float], Any], float] | None = None,
    error: float = 0.01,
) -> Calibration:
    """Simulation-based calibration of `sample`, which gives draws (chains × draws, or one chain) of every parameter.

    A replication in which it raises is a failure: counted, and the verdict can no longer be PASS.
    """
    of_data, of_sampler = Stream(stream_key(seed, {}, DATA)), Stream(stream_key(seed, {}, "sampler"))
    ranks: dict[str, list[float]] = {}
    failures = 0
    for replication in range(replications):
        rng = of_data.at(replication)
        truth = dict(prior(rng))
        data = simulate(truth, rng)
        try:
            found = _ranks(truth, data, sample(data, of_sampler.at(replication)), log_likelihood)
        except StudyRefused:
            raise
        except Exception:  # whatever a sampler raises, the study goes on
            failures += 1
            continue
        for quantity, rank in found.items():
            ranks.setdefault(quantity, []).append(rank)
    return check_ranks(ranks, error=error, failures=failures)


def _ranks(
    truth: Mapping[str, float],
    data: Any,
    draws: Mapping[str, ArrayLike],
    log_likelihood: Callable[[Mapping[str, float], Any], float] | None,
) -> dict[str, float]:
    missing = [name for name in truth if name not in draws]
    if missing:
        raise StudyRefused(f"The sampler gives no draws of {', '.join(missing)}.")
    chains = {name: as_chains(draws[name]) for name in truth}
    ranks = {name: rank_of(values, truth[name]) for name, values in chains.items()}
    if log_likelihood is not None:
        flat = {name: values.reshape(-1) for name, values in chains.items()}
        size = min(len(values) for values in flat.values())
        places = evenly(size, min(size, _EVALUATED))
        at_draws = [log_likelihood({name: float(values[at]) for name, values in flat.items()}, data) for at in places]
        ranks[LOG_LIKELIHOOD] = rank_of(at_draws, log_likelihood(truth, data))
    return ranks


def describe_shape(ranks: Floats, largest: int) -> str:
    """In words what the histogram of the ranks leans to; no test."""
    if len(ranks) < 20:
        return "too few ranks to say more"
    places = (ranks + 0.5) / (largest + 1) - 0.5
    lean = float(np.mean(places)) * math.sqrt(12 * len(ranks))
    spread = (12 * float(np.mean(places**2)) - 1) / math.sqrt(0.8 / len(ranks))
    if abs(lean) > max(3.0, abs(spread)):
        return "draws lie too low" if lean > 0 else "draws lie too high"
    if abs(spread) > 3:
        return "draws are too narrow, or depend on one another" if spread > 0 else "draws are too wide"
    return "no lean"
