"""The examples in the docstrings."""

from __future__ import annotations

import doctest
import importlib

import demingreg


def test_examples_run():
    module = importlib.import_module(demingreg.fit.__module__)
    result = doctest.testmod(module)
    assert result.attempted > 10
    assert result.failed == 0


def test_public_names_have_docstrings():
    for name in demingreg.__all__:
        assert ">>>" in getattr(demingreg, name).__doc__
    assert ">>>" in demingreg.DemingFit.bias_at.__doc__
