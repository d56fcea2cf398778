"""Seven tests of equal means in three groups: Dag, Dolgun & Konar (2018), The R Journal 10(1), Table 2 (type I errors).

Three samples with mean 0 and standard deviations 1, 1, 1 or 1, √2, 2, from a normal or a skew normal distribution of
skewness ±0.5, level 5 %. Skewness is read as the third standardised moment. The tests are those of the formulas printed
there. How much the trimmed Welch test trims in the study is not said: `welch_trim_10` trims 10 % in each tail, the rate
of the paper's worked example, and `welch_trim_5` trims 5 %; ‖εn‖ is read as rounding to the nearest number.

The limit of James' test is printed without brackets that the authors' package has, and the package of those years lost
its last three terms at the end of a line. `james` is as printed, `james_brackets` as in the package today, `james_cut`
as in the package then.
"""

from collections.abc import Callable, Mapping, Sequence
from math import copysign, log, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, chdtri, fdtrc

from statsclaw.montecarlo import Estimate, Study

Floats = NDArray[np.float64]
Groups = Sequence[Floats]
#: The test statistic, and whether it rejects at 5 %.
Tested = tuple[float, bool]
LEVEL = 0.05
DEVIATIONS = {"equal": (1.0, 1.0, 1.0), "unequal": (1.0, sqrt(2.0), 2.0)}


def dgp(cell: Mapping[str, Any], rng: np.random.Generator) -> Groups:
    sizes = [int(size) for size in cell["n"].split("/")]
    return [
        deviation * standardised(cell["skewness"], size, rng)
        for size, deviation in zip(sizes, DEVIATIONS[cell["sd"]], strict=True)
    ]


def standardised(skewness: float, size: int, rng: np.random.Generator) -> Floats:
    """Skew normal, mean 0 and variance 1; normal without skewness."""
    if skewness == 0:
        return rng.normal(size=size)
    power = abs(skewness) ** (2 / 3)
    delta = copysign(sqrt(pi / 2 * power / (power + ((4 - pi) / 2) ** (2 / 3))), skewness)
    drawn = delta * np.abs(rng.normal(size=size)) + sqrt(1 - delta**2) * rng.normal(size=size)
    mean: float = delta * sqrt(2 / pi)
    return (drawn - mean) / sqrt(1 - mean**2)


def moments(groups: Groups) -> tuple[Floats, Floats, Floats]:
    """Sizes, means and variances."""
    sizes = np.array([float(len(group)) for group in groups])
    means = np.array([group.sum() for group in groups]) / sizes
    squares = np.array([((group - mean) ** 2).sum() for group, mean in zip(groups, means, strict=True)])
    return sizes, means, squares / (sizes - 1)


def by_f(statistic: float, df1: float, df2: float) -> Tested:
    return float(statistic), bool(fdtrc(df1, df2, statistic) < LEVEL)


def between(sizes: Floats, means: Floats) -> float:
    grand = (sizes * means).sum() / sizes.sum()
    return float((sizes * (means - grand) ** 2).sum())


def anova(groups: Groups) -> Tested:
    sizes, means, variances = moments(groups)
    k, total = len(sizes), sizes.sum()
    within = ((sizes - 1) * variances).sum() / (total - k)
    return by_f(between(sizes, means) / (k - 1) / within, k - 1, total - k)


def welch_of(sizes: Floats, means: Floats, weights: Floats) -> Tested:
    k, total = len(sizes), weights.sum()
    centre = (weights * means).sum() / total
    spread = ((1 - weights / total) ** 2 / (sizes - 1)).sum() / (k**2 - 1)
    statistic = (weights * (means - centre) ** 2).sum() / (k - 1) / (1 + 2 * (k - 2) * spread)
    return by_f(statistic, k - 1, 1 / (3 * spread))


def welch(groups: Groups) -> Tested:
    sizes, means, variances = moments(groups)
    return welch_of(sizes, means, sizes / variances)


def welch_trim(rate: float) -> Callable[[Groups], Tested]:
    """With trimmed means and Winsorized variances."""

    def test(groups: Groups) -> Tested:
        sizes, means, weights = np.empty(len(groups)), np.empty(len(groups)), np.empty(len(groups))
        for place, group in enumerate(groups):
            n, cut = len(group), round(rate * len(group))
            ordered = np.sort(group)
            kept = n - 2 * cut
            means[place] = ordered[cut : n - cut].sum() / kept
            ordered[:cut], ordered[n - cut :] = ordered[cut], ordered[n - cut - 1]
            squares = ((ordered - ordered.sum() / n) ** 2).sum()
            sizes[place], weights[place] = kept, kept * (kept - 1) / squares
        return welch_of(sizes, means, weights)

    return test


def brown_forsythe(groups: Groups) -> Tested:
    sizes, means, variances = moments(groups)
    parts = (1 - sizes / sizes.sum()) * variances
    shares = parts / parts.sum()
    return by_f(between(sizes, means) / parts.sum(), len(sizes) - 1, 1 / (shares**2 / (sizes - 1)).sum())


def weighted_t(groups: Groups) -> tuple[list[float], list[float], list[float]]:
    """Degrees of freedom, t statistics from the weighted mean, and weights that add up to one, of every group."""
    sizes, means, variances = moments(groups)
    inverse = sizes / variances
    weights = inverse / inverse.sum()
    t = (means - (weights * means).sum()) * np.sqrt(inverse)
    return list((sizes - 1).tolist()), list(t.tolist()), list(weights.tolist())


def alexander_govern(groups: Groups) -> Tested:
    statistic = 0.0
    for v, t, _ in zip(*weighted_t(groups), strict=True):
        a = v - 0.5
        b, c = 48 * a**2, sqrt(a * log(1 + t**2 / v))
        first, second = c**3 + 3 * c, 4 * c**7 + 33 * c**5 + 240 * c**3 + 855 * c
        statistic += (c + first / b - second / (10 * b**2 + 8 * b * c**4 + 1000 * b)) ** 2
    return statistic, bool(chdtrc(len(groups) - 1, statistic) < LEVEL)


def james(reading: str) -> Callable[[Groups], Tested]:
    def test(groups: Groups) -> Tested:
        v, t, w = weighted_t(groups)
        statistic = sum(one**2 for one in t)
        return statistic, statistic > james_limits(v, w)[reading]

    return test


def chi(twice: int, k: int, r: float) -> float:
    """χ₂ₛ of the limit, for `twice` = 2s: r^s / ((k − 1)(k + 1) … (k + 2s − 3))."""
    product = 1.0
    for odd in range(k - 1, k + twice - 2, 2):
        product *= r / odd
    return product


def james_limits(v: Sequence[float], w: Sequence[float]) -> dict[str, float]:
    """h(α) of the second order test by its three readings, from degrees of freedom and weights of the groups."""
    k = len(v)
    r = float(chdtri(k - 1, LEVEL))

    def total(s: int, power: int) -> float:
        return sum(one**power / df**s for one, df in zip(w, v, strict=True))

    c2, c4, c6, c8 = (chi(twice, k, r) for twice in (2, 4, 6, 8))
    r10, r11, r12 = total(1, 0), total(1, 1), total(1, 2)
    r20, r21, r22, r23 = total(2, 0), total(2, 1), total(2, 2), total(2, 3)
    spread = sum((1 - one) ** 2 / df for one, df in zip(w, v, strict=True))
    half = (3 * c4 + c2) / 2
    bracket = (2 * r23 - 4 * r22 + 2 * r21 - 2 * r12**2 + 4 * r12 * r11 - 2 * r11**2) * (c2 - 1) + (
        -(r12**2) + 4 * r12 * r11 - 2 * r12 * r10 - 4 * r11**2 + 4 * r11 * r10 - r10**2
    ) * (3 * c4 - 2 * c2 - 1) / 4
    rest = (
        r
        + half * spread
        + half**2 * (1 - (k - 3) / r) * spread**2 / 4
        + half * (8 * r23 - 10 * r22 + 4 * r21 - 6 * r12**2 + 8 * r12 * r11 - 4 * r11**2)
        + (r23 - 3 * r22 + 3 * r21 - r20) * (5 * c6 + 2 * c4 + c2)
        + 3 * (r12**2 - 4 * r23 + 6 * r22 - 4 * r21 + r20) * (35 * c8 + 15 * c6 + 9 * c4 + 5 * c2) / 16
    )
    last = (
        (-2 * r22 + 4 * r21 - r20 + 2 * r12 * r10 - 4 * r11 * r10 + r10**2) * (9 * c8 - 3 * c6 - 5 * c4 - c2) / 16
        + (-r22 + r11**2) * (27 * c8 + 3 * c6 + c4 + c2) / 4
        + (r23 - r12 * r11) * (45 * c8 + 9 * c6 + 7 * c4 + 3 * c2) / 4
    )
    cut = rest + half * bracket
    return {"printed": rest + bracket + last, "brackets": cut + last, "cut": cut}


def mean_ranks(values: Floats) -> Floats:
    """Ties share their mean."""
    ordered = np.sort(values)
    below, up_to = np.searchsorted(ordered, values, "left"), np.searchsorted(ordered, values, "right")
    return (below + up_to + 1) / 2


def kruskal_wallis(groups: Groups) -> Tested:
    sizes = [len(group) for group in groups]
    ranks, total = mean_ranks(np.concatenate(groups)), sum(sizes)
    centre = total * (total + 1) ** 2 / 4
    sums = [part.sum() for part in np.split(ranks, np.cumsum(sizes)[:-1])]
    spread = ((ranks**2).sum() - centre) / (total - 1)
    statistic = (sum(one**2 / size for one, size in zip(sums, sizes, strict=True)) - centre) / spread
    return float(statistic), bool(chdtrc(len(sizes) - 1, statistic) < LEVEL)


TESTS: dict[str, Callable[[Groups], Tested]] = {
    "anova": anova,
    "welch": welch,
    "welch_trim_10": welch_trim(0.10),
    "brown_forsythe": brown_forsythe,
    "alexander_govern": alexander_govern,
    "james": james("printed"),
    "kruskal_wallis": kruskal_wallis,
    "welch_trim_5": welch_trim(0.05),
    "james_brackets": james("brackets"),
    "james_cut": james("cut"),
}


def method(test: Callable[[Groups], Tested]) -> Callable[[Groups, Mapping[str, Any]], dict[str, Any]]:
    def run(data: Groups, cell: Mapping[str, Any]) -> dict[str, Any]:
        statistic, rejects = test(data)
        return {"statistic": Estimate(statistic, reject=rejects)}

    return run


study = Study(
    name="Dag, Dolgun & Konar 2018, Table 2",
    dgp=dgp,
    grid={
        "skewness": [0.0, 0.5, -0.5],
        "sd": ["equal", "unequal"],
        "n": ["6/9/15", "10/10/10", "18/27/45", "30/30/30", "60/90/150", "100/100/100"],
    },
    methods={name: method(test) for name, test in TESTS.items()},
    truth={},
    replications=40_000,
    seed=1018,
)
