import statsclaw_ask as ask


@ask.scenario("S1")
def a_line(rng):
    x = rng.normal(size=10)
    fit = ask.call("fit", x, 2 * x)
    ask.unchanged("B1", fit)
    ask.unchanged("B1", ask.call("fit", [1.0], [1.0]))
