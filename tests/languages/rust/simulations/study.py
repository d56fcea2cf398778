import numpy as np
import statsclaw_ask as ask


@ask.draw
def draw(rng, cell):
    x = rng.normal(size=cell["n"])
    return 1 - 2 * x + (0.5 + abs(x)) * rng.normal(size=cell["n"]), np.column_stack([np.ones(cell["n"]), x])


@ask.method("robust")
def robust(data, cell):
    fit = ask.call("fit", *data)
    slope, se = fit.coef[1], fit.se[1]
    return {"slope": {"estimate": slope, "se": se, "low": slope - 1.96 * se, "high": slope + 1.96 * se}}
