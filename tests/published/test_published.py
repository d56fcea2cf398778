"""The three published studies: they run, and their page is written from what they found, also of few replications."""

from __future__ import annotations

import argparse
import importlib.util
import math
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "published"


@pytest.fixture(scope="module")
def program() -> ModuleType:
    sys.path.insert(0, str(FOLDER))
    try:
        spec = importlib.util.spec_from_file_location("bench_published", FOLDER / "bench_published.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(FOLDER))
    return module


def test_every_published_figure_stands_on_the_page_beside_ours(program: ModuleType, tmp_path: Path) -> None:
    published = tomllib.loads((FOLDER / "published.toml").read_text(encoding="utf-8"))
    options = argparse.Namespace(results=tmp_path, workers=2, replications=40, as_published=False)
    done = [program.do(name, published[name], options) for name in published]
    page = tmp_path / "page.md"
    program.write_page(done, {each.name: program.said_of(each) for each in done}, page)
    text = page.read_text(encoding="utf-8")
    for each in done:
        assert each.published["title"] in text
        assert len(each.figures) >= 40
        assert all(math.isfinite(one.here) for one in each.figures)
        assert all(f"{one.published:.{one.decimals}f} / " in text for one in each.figures)
        assert all(reading.name in text for reading in each.readings)
    assert "7 of 7" in text  # statistics of the article's worked example
    assert "limit of James' test as\n6.233185" in text  # as the article prints it
