"""The examples of the documentation run."""

from __future__ import annotations

import doctest
import sys

import pytest

import rocarea


@pytest.mark.parametrize("name", rocarea.__all__)
def test_examples(name):
    documented = getattr(rocarea, name)
    module = sys.modules[documented.__module__]
    finder = doctest.DocTestFinder(recurse=False)
    examples = finder.find(documented, name, module=module)
    assert sum(len(found.examples) for found in examples) > 0
    runner = doctest.DocTestRunner()
    for found in examples:
        assert runner.run(found).failed == 0
