"""Bad input: every check, one at a time, and two at a time for the order."""

import numpy as np
import statsclaw_ask as ask

X = np.column_stack([np.ones(8), [-1.5, -1.0, -0.4, 0.1, 0.3, 0.8, 1.2, 2.0]])
Y = np.array([0.0, 1, 0, 1, 0, 1, 0, 1])
NAN, INF = float("nan"), float("inf")

SHAPE_X = "X must be a two-dimensional numeric array"
SHAPE_Y = "y must be a one-dimensional numeric array"
COLUMNS, ROWS, NO_ROWS = "at least one column", "same number of rows", "no rows"
MISSING, BINARY = "X contains missing or non-finite values", "y must contain only 0 and 1"


def changed(array, at, value):
    found = array.copy()
    found[at] = value
    return found


#: What is wrong with X and y: message, X, y. All estimators refuse these alike.
DATA = [
    (SHAPE_X, X[:, 1], Y),
    (SHAPE_X, X[None], Y),
    (SHAPE_X, [["a", "b"]] * 8, Y),
    (SHAPE_X, X.astype(complex), Y),
    (SHAPE_X, 3.0, Y),
    (SHAPE_X, None, Y),
    (SHAPE_Y, X, Y[:, None]),
    (SHAPE_Y, X, ["0", "yes"] * 4),
    (SHAPE_Y, X, Y.astype(complex)),
    (SHAPE_Y, X, 1.0),
    (COLUMNS, np.empty((8, 0)), Y),
    (ROWS, X, Y[:-1]),
    (ROWS, X[:-1], Y),
    (ROWS, X, np.empty(0)),
    (MISSING, changed(X, (2, 1), NAN), Y),
    (MISSING, changed(X, (0, 0), INF), Y),
    (MISSING, changed(X, (7, 1), -INF), Y),
    (BINARY, X, changed(Y, 3, 2.0)),
    (BINARY, X, changed(Y, 0, -1.0)),
    (BINARY, X, changed(Y, 7, 0.5)),
    (BINARY, X, changed(Y, 5, NAN)),
    (BINARY, X, changed(Y, 5, INF)),
    # the order, two at a time
    (SHAPE_X, X[:, 1], Y[:, None]),
    (SHAPE_X, X[:, 1], Y[:-1]),
    (SHAPE_X, X[:, 1], changed(Y, 3, 2.0)),
    (SHAPE_X, changed(X, (2, 1), NAN)[:, 1], Y),
    (SHAPE_Y, np.empty((8, 0)), Y[:, None]),
    (SHAPE_Y, X, Y[:-1, None]),
    (SHAPE_Y, changed(X, (2, 1), NAN), Y[:, None]),
    (SHAPE_Y, X, changed(Y, 3, 2.0)[:, None]),
    (COLUMNS, np.empty((8, 0)), Y[:-1]),
    (COLUMNS, np.empty((8, 0)), changed(Y, 3, 2.0)),
    (COLUMNS, np.empty((0, 0)), np.empty(0)),
    (ROWS, changed(X, (2, 1), NAN), Y[:-1]),
    (ROWS, X[:-1], changed(Y, 3, 2.0)),
    (ROWS, np.empty((0, 2)), Y),
    (MISSING, changed(X, (2, 1), NAN), changed(Y, 3, 2.0)),
]

#: A failing case of each kind, to be paired with a bad option.
FIRST = [DATA[0], DATA[6], DATA[10], DATA[11], DATA[14], DATA[17]]


@ask.scenario("S11")
def probit_mle_input_errors_and_their_order():
    def refused(message, X, y, **options):
        ask.raises("T29", ask.call("probit_mle", X, y, **options), message=message)

    for message, A, b in DATA:
        refused(message, A, b)
    refused(NO_ROWS, np.empty((0, 2)), np.empty(0))
    refused(NO_ROWS, np.empty((0, 2)), np.empty(0), max_iter=0)
    for bad in (0, -3, True, 2.5, "many", NAN):
        refused("max_iter", X, Y, max_iter=bad)
    for bad in (0.0, -1e-8, NAN, INF, "small"):
        refused("tol", X, Y, tol=bad)
    for message, A, b in FIRST:
        refused(message, A, b, max_iter=0)
        refused(message, A, b, tol=-1.0)
    refused("max_iter", X, Y, max_iter=0, tol=-1.0)
    dependent, up = np.column_stack([X, 2 * X[:, 1]]), (X[:, 1] > 0).astype(float)
    refused("rank", dependent, Y)
    refused("separation", X, up)
    refused("max_iter", dependent, Y, max_iter=0)
    refused("tol", dependent, Y, tol=NAN)
    refused("max_iter", X, up, max_iter=0)
    refused("tol", X, up, tol=NAN)
    refused("rank", dependent, up)
    refused(MISSING, changed(dependent, (0, 0), NAN), Y)
    refused(BINARY, dependent, changed(Y, 3, 2.0))


def refused_by(criterion, sampler):
    def refused(message, X, y, error=None, rng=1, **options):
        ask.raises(criterion, ask.call(sampler, X, y, **options, rng=rng), message=message, error=error)

    return refused


def sampler_options(mh):
    """What is wrong with the options, in the order of the checks: message, options."""
    bad = [
        *[("n_iter", {"n_iter": v}) for v in (1, 0, -5, 20.5, True, "many", NAN)],
        *[("burn_in", {"n_iter": 40, "burn_in": v}) for v in (-1, 2.5, True, "few", NAN)],
        *[("at least two draws", {"n_iter": 40, "burn_in": v}) for v in (39, 40, 100)],
    ]
    if mh:
        bad += [("scale", {"scale": v}) for v in (0.0, -1.0, NAN, INF, "wide")]
    bad += [("beta0", {"beta0": v}) for v in ([0.0], [0.0, 0.0, 0.0], [0.0, NAN], [INF, 0.0], ["a", "b"])]
    matrices = [[[1.0, 0.5], [0.0, 1.0]], [[1.0, 2.0], [2.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]],
                np.eye(3), [1.0, 1.0], 4.0, [[1.0, NAN], [NAN, 1.0]], [[INF, 0.0], [0.0, 1.0]], -np.eye(2)]  # fmt: skip
    bad += [("Sigma0", {"Sigma0": v}) for v in matrices]
    # differs by more than 1e-8 of the root of the product of its diagonal entries, although by less than 1e-8
    bad.append(("Sigma0", {"Sigma0": [[1e-4, 0.0], [1e-10, 1e-4]]}))
    if mh:
        bad += [("init", {"init": v}) for v in ([0.0], [0.0, 0.0, 0.0], [0.0, NAN], [INF, 0.0], ["a", "b"])]
    return bad


def sampler_errors(criterion, sampler, mh):
    refused = refused_by(criterion, sampler)
    for message, A, b in DATA:
        refused(message, A, b)
    options = sampler_options(mh)
    for message, given in options:
        refused(message, X, Y, **given)
    for bad in ("seed", 1.5, -1, [1, 2]):
        refused("rng", X, Y, error="TypeError", rng=bad)
    # the order: data before options before rng, and among the options
    for message, A, b in FIRST:
        refused(message, A, b, n_iter=1)
        refused(message, A, b, Sigma0=-np.eye(2))
        refused(message, A, b, rng="seed")
    one = {}
    for message, given in options:
        one.setdefault(message, given)
    kinds = list(one)
    for number, message in enumerate(kinds):
        refused(message, X, Y, **one[message], rng="seed")
        for later in kinds[number + 1 :]:
            if message == "n_iter" and later in ("burn_in", "at least two draws"):
                refused(message, X, Y, **(one[later] | one[message]))
            elif later != "at least two draws":
                refused(message, X, Y, **(one[later] | one[message]))
    refused("burn_in", X, Y, n_iter=2, burn_in=-1)


@ask.scenario("S11")
def probit_gibbs_input_errors_and_their_order():
    sampler_errors("T30", "probit_gibbs", False)


@ask.scenario("S11")
def probit_mh_input_errors_and_their_order():
    sampler_errors("T31", "probit_mh", True)


@ask.scenario("S11")
def rtruncnorm_input_errors_and_their_order():
    def refused(message, mu, lo, hi, error=None, rng=1):
        ask.raises("T32", ask.call("rtruncnorm", mu, lo, hi, rng=rng), message=message, error=error)

    mu = np.array([0.0, 1.0, -2.0])
    length, missing, below = "same length", "missing or non-finite", "lo must be below hi"
    for row in ((mu[:, None], 0.0, 1.0), (["a", "b"], 0.0, 1.0), (mu, [0.0, 0.0], 1.0), (mu, 0.0, [1.0, 1.0])):
        refused(length, *row)
    for row in ((changed(mu, 1, NAN), 0.0, 1.0), (changed(mu, 1, INF), 0.0, 1.0), (mu, NAN, 1.0), (mu, 0.0, NAN),
                (mu, [0.0, NAN, 0.0], INF), (-INF, 0.0, 1.0)):  # fmt: skip
        refused(missing, *row)
    for row in ((mu, 1.0, 1.0), (mu, 2.0, 1.0), (mu, [0.0, 0.0, 3.0], 1.0), (mu, INF, INF), (mu, 0.0, -INF)):
        refused(below, *row)
    for bad in ("seed", 1.5, -1):
        refused("rng", mu, 0.0, 1.0, error="TypeError", rng=bad)
    refused(length, changed(mu, 1, NAN), [0.0, 0.0], 1.0)
    refused(length, mu, [2.0, 2.0], 1.0)
    refused(length, mu, [0.0, 0.0], 1.0, rng="seed")
    refused(missing, changed(mu, 1, NAN), 2.0, 1.0)
    refused(missing, changed(mu, 1, NAN), 0.0, 1.0, rng="seed")
    refused(below, mu, 2.0, 1.0, rng="seed")
