"""Code that sees answers: only for the types of numbers and of elements, which no claim can ask for."""

import numpy as np

INTERVAL = ("area", "se", "lower", "upper")
COMPARISON = ("area1", "area2", "difference", "se", "z", "p_value")


def python_floats(area, fit, both, expected):
    """Whether all numbers are Python's float, and these numbers: no claim can ask for the type."""
    found = [area] + [fit[name] for name in INTERVAL] + [both[name] for name in COMPARISON]
    return all(type(one) is float and abs(one - other) <= 1e-9 for one, other in zip(found, expected, strict=True))


def float64_arrays(curve, threshold, tpr, fpr):
    """Whether the three fields are arrays of float64, and these arrays: no claim can ask for the type of elements."""
    pairs = [(curve["threshold"], threshold), (curve["tpr"], tpr), (curve["fpr"], fpr)]
    return all(
        isinstance(found, np.ndarray)
        and found.dtype == np.float64
        and found.shape == expected.shape
        and bool(np.allclose(found, expected, rtol=0.0, atol=1e-14))
        for found, expected in pairs
    )
