"""The slope of a regression after imputation of half the data: van Buuren (2018), Flexible Imputation of Missing Data.

Tables 3.1 and 3.2 of the second edition: y = 5.49 - 0.29 x + e, e normal with standard deviation 0.86; half of y, or of
x, is missing completely at random; m = 5. That there are 50 observations, that x ~ N(5, 3²), that both are rounded to
one decimal and that every value is missing independently is not in the text but in the author's program for the first
edition. Imputation by the algorithms printed there, without a ridge; completed data sets are pooled by Rubin's rules
with the degrees of freedom of Barnard & Rubin.

Read as printed, `norm.nob` draws noise with the least squares estimate of the residual variance, RSS / (n1 - 2), and
`norm.boot` divides by n1 - q - 1, where q counts the columns of X, which is n1 - 3. The package mice divides by n1 - 3
in both: that is `norm.nob_mice`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from statsclaw.montecarlo import Estimate, Study

Floats = NDArray[np.float64]
N, M = 50, 5
INTERCEPT, SLOPE, SIGMA = 5.49, -0.29, 0.86


@dataclass(frozen=True)
class Sample:
    x: Floats
    y: Floats
    seen: NDArray[np.bool_]


def dgp(cell: Mapping[str, Any], rng: np.random.Generator) -> Sample:
    x = np.round(rng.normal(5.0, 3.0, size=N), 1)
    y = np.round(INTERCEPT + SLOPE * x + rng.normal(scale=SIGMA, size=N), 1)
    return Sample(x, y, rng.random(N) < 0.5)


@dataclass(frozen=True)
class Line:
    """A least squares line; with several rows of data, one each."""

    centre: Floats
    height: Floats
    slope: Floats
    rss: Floats
    sxx: Floats

    def at(self, x: Floats) -> Floats:
        found: Floats = self.height[..., None] + self.slope[..., None] * (x - self.centre[..., None])
        return found


def line(x: Floats, y: Floats) -> Line:
    centre, height = x.mean(axis=-1), y.mean(axis=-1)
    dx, dy = x - centre[..., None], y - height[..., None]
    sxx = (dx**2).sum(axis=-1)
    slope = (dx * dy).sum(axis=-1) / sxx
    return Line(centre, height, slope, ((dy - slope[..., None] * dx) ** 2).sum(axis=-1), sxx)


def imputed(data: Sample, cell: Mapping[str, Any], how: str, rng: np.random.Generator | None) -> tuple[Floats, Floats]:
    """x and y of the M completed data sets, one in a row."""
    target, other = (data.y, data.x) if cell["missing"] == "y" else (data.x, data.y)
    seen = data.seen
    drawn = draws(other[seen], target[seen], other[~seen], how, rng)
    filled, complete = np.tile(target, (M, 1)), np.tile(other, (M, 1))
    filled[:, ~seen] = drawn
    return (complete, filled) if cell["missing"] == "y" else (filled, complete)


def draws(x: Floats, y: Floats, wanted: Floats, how: str, rng: np.random.Generator | None) -> Floats:
    """M × missing values, from the regression of y on x among those that were seen."""
    fit, n1 = line(x, y), len(x)
    if rng is None:
        return np.tile(fit.at(wanted), (M, 1))
    noise = rng.normal(size=(M, len(wanted)))
    if how == "norm":
        sigma = np.sqrt(fit.rss / rng.chisquare(n1 - 2, size=M))
        z = rng.normal(size=(2, M))
        height, slope = fit.height + sigma * z[0] / np.sqrt(n1), fit.slope + sigma * z[1] / np.sqrt(fit.sxx)
        drawn: Floats = height[:, None] + slope[:, None] * (wanted - fit.centre) + sigma[:, None] * noise
        return drawn
    if how == "norm.boot":
        again = rng.integers(n1, size=(M, n1))
        fit = line(x[again], y[again])
        return fit.at(wanted) + np.sqrt(fit.rss / (n1 - 3))[:, None] * noise
    left = {"norm.nob": n1 - 2, "norm.nob_mice": n1 - 3}[how]
    return fit.at(wanted) + np.sqrt(fit.rss / left) * noise


def pooled(x: Floats, y: Floats) -> dict[str, Any]:
    fits = line(x, y)
    variances = fits.rss / (N - 2) / fits.sxx
    added = (1 + 1 / M) * float(fits.slope.var(ddof=1))
    total = float(variances.mean()) + added
    share = added / total
    observed = (N - 1) / (N + 1) * (N - 2) * (1 - share)
    df = 1 / (share**2 / (M - 1) + 1 / observed)
    return interval(float(fits.slope.mean()), float(np.sqrt(total)), df)


def interval(slope: float, se: float, df: float) -> dict[str, Any]:
    half = float(stdtrit(df, 0.975)) * se
    return {"slope": Estimate(slope, se, slope - half, slope + half)}


def listwise(data: Sample, cell: Mapping[str, Any]) -> dict[str, Any]:
    fit, left = line(data.x[data.seen], data.y[data.seen]), int(data.seen.sum()) - 2
    return interval(float(fit.slope), float(np.sqrt(fit.rss / left / fit.sxx)), left)


def predict(data: Sample, cell: Mapping[str, Any]) -> dict[str, Any]:
    return pooled(*imputed(data, cell, "norm.predict", None))


def nob(data: Sample, cell: Mapping[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    return pooled(*imputed(data, cell, "norm.nob", rng))


def nob_mice(data: Sample, cell: Mapping[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    return pooled(*imputed(data, cell, "norm.nob_mice", rng))


def bayes(data: Sample, cell: Mapping[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    return pooled(*imputed(data, cell, "norm", rng))


def boot(data: Sample, cell: Mapping[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    return pooled(*imputed(data, cell, "norm.boot", rng))


study = Study(
    name="van Buuren 2018, Tables 3.1 and 3.2",
    dgp=dgp,
    grid={"missing": ["y", "x"]},
    methods={
        "norm.predict": predict,
        "norm.nob": nob,
        "norm": bayes,
        "norm.boot": boot,
        "listwise": listwise,
        "norm.nob_mice": nob_mice,
    },
    truth={"slope": SLOPE},
    replications=40_000,
    seed=3182,
)
