import numpy as np
import statsclaw_ask as ask


@ask.scenario("S1")
def a_line(rng):
    x = rng.normal(size=10)
    y = 1 + 2 * x + rng.normal(size=10)
    slope, cut = np.polyfit(x, y, 1)
    fit = ask.call("fit", x, y)
    ask.returns("C11", fit)
    ask.close("C1", fit.coef, [cut, slope])
    contrast = ask.call(fit, "contrast", [1.0, 3.0])
    ask.close("C2", contrast.estimate, cut + 3 * slope)
    ask.returns("C11", contrast)
    ask.same("C3", fit.nobs, 10)
    rest = y - cut - slope * x
    ask.close("C4", fit.spread.sigma, np.sqrt(rest @ rest / 8))
    drawn = ask.call(fit, "draw")
    ask.close("C5", [drawn.layer1.x, drawn.layer1.y], [[0, 1], [cut, cut + slope]])
    table = ask.call(fit, "table")
    ask.close("C6", table.estimate, [cut, slope])
    ask.returns("C11", table)
    ask.close("C7", ask.call("level_of", [1.0, 2.0, 3.0, 4.0]))
    both = ask.call("level_of", x, "both")
    ask.close("C8", both, [np.mean(x), np.median(x)])
    ask.returns("C11", both)


@ask.scenario("S2")
def refusals():
    ask.raises("C9", ask.call("fit", [1.0], [1.0]))
    fit = ask.call("fit", [1.0, 2.0, 4.0], [1.0, 2.0, 5.0])
    ask.raises("C10", ask.call(fit, "contrast", [1.0]))
