"""Coverage of the 95 % interval of ``rocarea.auc_ci`` for one area under the ROC curve.

In each replication n diseased subjects have independent N(1, 1) scores and n healthy subjects independent N(0, 1)
scores. The true area is P(X > Y) = Phi(1 / sqrt(2)) = 0.7602499389065233.
"""

import numpy as np
import statsclaw_ask as ask

MEAN_DISEASED = 1.0
MEAN_HEALTHY = 0.0
SD = 1.0
LEVEL = 0.95


@ask.draw
def draw(rng, cell):
    """Draw scores and labels of one replication, the diseased subjects first.

    Parameters
    ----------
    rng : numpy.random.Generator
        Stream of this replication.
    cell : dict
        ``n``, the number of diseased and also the number of healthy subjects.

    Returns
    -------
    dict
        ``scores``, float64 of shape (2n,), and ``labels``, int64 of shape (2n,).
    """
    n = int(cell["n"])
    diseased = rng.normal(MEAN_DISEASED, SD, size=n)
    healthy = rng.normal(MEAN_HEALTHY, SD, size=n)
    return {
        "scores": np.concatenate([diseased, healthy]),
        "labels": np.repeat(np.array([1, 0], dtype=np.int64), n),
    }


@ask.method("auc_ci")
def auc_ci(data, cell):
    """Ask for the interval at level 0.95 and record the area, its standard error and both limits."""
    fit = ask.call("auc_ci", data["scores"], data["labels"], level=LEVEL)
    return {"area": {"estimate": fit.area, "se": fit.se, "low": fit.lower, "high": fit.upper}}
