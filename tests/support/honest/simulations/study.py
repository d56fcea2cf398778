import statsclaw_ask as ask


@ask.draw
def draw(rng, cell):
    return rng.normal(1, 2, size=cell["n"])


@ask.method("interval")
def interval(x, cell):
    found = ask.call("interval", x)
    return {"mu": {"estimate": found.mean, "se": found.se, "low": found.low, "high": found.high}}
