"""Bad input of the three estimators, and which of two faults is told."""

import numpy as np
import statsclaw_ask as ask
from reference import with_intercept
from rvalues import NA, factor, table, with_na

x = np.array([-2.0, -1, 0, 1, 2, 3, 0.5, -0.5])
X = with_intercept(x)
Y = np.array([0.0, 1, 0, 1, 0, 1, 1, 0])
ESTIMATORS = ("probit_mle", "probit_gibbs", "probit_mh")
SAMPLERS = ("probit_gibbs", "probit_mh")

MATRIX, COLUMN, FINITE = "X must be a numeric matrix", "at least one column", "X must be finite"
KIND, LENGTH, BINARY = "y must be numeric or logical", "length of y", "y must contain only 0 and 1"

FRAME = table(a=np.ones(8), b=x)
NO_COLUMNS = np.zeros((8, 0))
FACTOR = factor([1, 2, 1, 2, 1, 2, 2, 1], ["0", "1"])
TWO = np.array([0.0, 1, 2, 1, 0, 1, 1, 0])
BAD_SIGMA = {
    "asymmetric": np.array([[1.0, 0.5], [0.1, 1.0]]),
    "indefinite": np.array([[1.0, 2.0], [2.0, 1.0]]),
    "size": np.eye(3),
}


def refused(functions, message, *arguments, **named):
    for name in functions:
        ask.raises("T16", ask.call(name, *arguments, **named), message=message)


@ask.scenario("S8")
def X_that_is_no_numeric_matrix_has_no_columns_or_is_not_finite():
    for bad in (FRAME, x, np.array([["a", "b"]] * 8), X > 0):
        refused(ESTIMATORS, MATRIX, bad, Y)
    refused(ESTIMATORS, COLUMN, NO_COLUMNS, Y)
    for bad in (with_na(X, 3), np.where(X == 3, np.nan, X), np.where(X == 3, np.inf, X), np.where(X == 3, -np.inf, X)):
        refused(ESTIMATORS, FINITE, bad, Y)


@ask.scenario("S8")
def y_of_the_wrong_kind_length_or_with_other_entries_or_missing():
    refused(ESTIMATORS, KIND, X, FACTOR)
    refused(ESTIMATORS, KIND, X, np.array(["0", "1"] * 4))
    refused(ESTIMATORS, LENGTH, X, Y[:7])
    refused(ESTIMATORS, BINARY, X, TWO)
    refused(ESTIMATORS, BINARY, X, with_na(Y, 2))


@ask.scenario("S8")
def max_iter_and_tol_of_probit_mle_that_are_refused():
    for bad in (0, 1.5):
        refused(["probit_mle"], "max_iter", X, Y, max_iter=bad)
    for bad in (0.0, NA):
        refused(["probit_mle"], "tol", X, Y, tol=bad)


@ask.scenario("S8")
def n_iter_burn_in_scale_beta0_Sigma0_and_init_that_are_refused():
    refused(SAMPLERS, "n_iter", X, Y, n_iter=0, burn_in=0)
    refused(SAMPLERS, "burn_in", X, Y, n_iter=50, burn_in=50)
    refused(SAMPLERS, "burn_in", X, Y, n_iter=50, burn_in=-1)
    for bad in (0.0, float("inf")):
        refused(["probit_mh"], "scale", X, Y, n_iter=50, burn_in=10, scale=bad)
    refused(SAMPLERS, "beta0", X, Y, n_iter=50, burn_in=10, beta0=np.zeros(3))
    for bad in BAD_SIGMA.values():
        refused(SAMPLERS, "Sigma0", X, Y, n_iter=50, burn_in=10, Sigma0=bad)
    refused(["probit_mh"], "init", X, Y, n_iter=50, burn_in=10, init=np.zeros(3))


@ask.scenario("S8")
def two_faults_at_once_give_the_message_of_the_earlier_check():
    refused(ESTIMATORS, MATRIX, FRAME, FACTOR)
    refused(ESTIMATORS, COLUMN, NO_COLUMNS, FACTOR)
    refused(ESTIMATORS, FINITE, with_na(X, 3), FACTOR)
    refused(ESTIMATORS, KIND, X, factor([1, 2, 1], ["0", "1"]))
    refused(ESTIMATORS, LENGTH, X, TWO[:7])
    refused(["probit_mle"], BINARY, X, TWO, max_iter=0)
    refused(SAMPLERS, BINARY, X, TWO, n_iter=0)
    refused(["probit_mle"], "max_iter", X, Y, max_iter=0, tol=0.0)
    refused(["probit_mle"], "tol", with_intercept(x, 2 * x), Y, tol=0.0)
    refused(["probit_mle"], "full column rank", with_intercept(x, 2 * x), np.ones(8))
    refused(SAMPLERS, "n_iter", X, Y, n_iter=0, burn_in=-1)
    refused(["probit_gibbs"], "burn_in", X, Y, n_iter=50, burn_in=-1, beta0=np.zeros(3))
    refused(["probit_mh"], "burn_in", X, Y, n_iter=50, burn_in=-1, scale=0.0)
    refused(["probit_mh"], "scale", X, Y, n_iter=50, burn_in=10, scale=0.0, beta0=np.zeros(3))
    refused(SAMPLERS, "beta0", X, Y, n_iter=50, burn_in=10, beta0=np.zeros(3), Sigma0=np.eye(3))
    refused(["probit_mh"], "Sigma0", X, Y, n_iter=50, burn_in=10, Sigma0=np.eye(3), init=np.zeros(3))
