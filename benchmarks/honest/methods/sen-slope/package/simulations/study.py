"""Study `cover`: coverage of the intervals of sens_slope_ci and seasonal_sens_slope_ci.

x_t = 2 + 0.1 t + e_t for t = 0, ..., n - 1, with e_t independent standard normal. The series of the method `seasonal`
is the same one plus the pattern 4, 0, -4 of period 3. Where a share is missing, the same places of both are NaN.
"""

import numpy as np
import statsclaw_ask as ask

INTERCEPT = 2.0
BETA = 0.1  # per time step; the truth of the parameter beta
PATTERN = (4.0, 0.0, -4.0)
PERIOD = len(PATTERN)
ALPHA = 0.05
APART = 1e-9  # far above rounding, far below the distance of a limit from the extreme slopes


@ask.draw
def draw(rng, cell):
    """The errors first, then the places of the missing values."""
    n = int(cell["n"])
    t = np.arange(n)
    x = INTERCEPT + BETA * t + rng.standard_normal(n)
    with_pattern = x + np.resize(PATTERN, n)
    gone = rng.choice(n, size=round(n * cell["missing"]), replace=False)
    x[gone] = np.nan
    with_pattern[gone] = np.nan
    return {"x": x, "with_pattern": with_pattern}


@ask.method("plain")
def plain(data, cell):
    fit = ask.call("sens_slope_ci", data["x"], alpha=ALPHA)
    return {
        "beta": {"estimate": fit.slope, "low": fit.lower, "high": fit.upper},
        "converged": ranks_inside(fit, slopes(data["x"])),
    }


@ask.method("seasonal")
def seasonal(data, cell):
    """The unit of time of the answer is one cycle; a third of it is one time step."""
    x = data["with_pattern"]
    fit = ask.call("seasonal_sens_slope_ci", x, period=PERIOD, alpha=ALPHA)
    per_cycle = np.concatenate([slopes(x[season::PERIOD]) for season in range(PERIOD)])
    return {
        "beta": {"estimate": fit.slope / PERIOD, "low": fit.lower / PERIOD, "high": fit.upper / PERIOD},
        "converged": ranks_inside(fit, per_cycle),
    }


def slopes(x):
    """The slopes of all pairs of observed values, per step of x."""
    time = np.flatnonzero(~np.isnan(x))
    first, second = np.triu_indices(time.size, 1)
    return (x[time[second]] - x[time[first]]) / (time[second] - time[first])


def ranks_inside(fit, of_pairs):
    """False where the limits are the smallest and the largest slope.

    A replication with a warning has failed, but a study cannot ask for warnings. Of the two that the interface names,
    one comes with NaN, which is a failure already, and the other with these limits.
    """
    above_smallest = fit.lower > float(of_pairs.min()) + APART
    below_largest = fit.upper < float(of_pairs.max()) - APART
    return above_smallest + below_largest > 0
