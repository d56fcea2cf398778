"""Who is sent back when nothing could be compared: the one whose words have to be mended, told once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.runs import AGENT, Bench, make_target, order_for


def changed_honest(folder: Path, *changes: tuple[str, str, str]) -> str:
    """The scripted roles with an author's files otherwise: (file, old, new)."""
    source = Path(AGENT.split()[-1])
    shutil.copytree(source, folder)
    for file, old, new in changes:
        text = (folder / file).read_text(encoding="utf-8")
        assert old in text, (file, old)
        (folder / file).write_text(text.replace(old, new), encoding="utf-8")
    return f"{AGENT.rpartition(' ')[0]} {folder} --good --no-hold"


@pytest.mark.slow
def test_two_readings_of_an_open_interface_go_to_the_planner_and_not_to_the_builder(tmp_path: Path) -> None:
    backend = changed_honest(
        tmp_path / "honest",
        ("out/interface.md", "returns: {type: number, meaning: the mean}", "returns: {type: any, meaning: the mean}"),
        ("src/tinymean/__init__.py", "return fsum(x) / len(x)", "return [fsum(x) / len(x)] * 2"),
    )
    bench = Bench(tmp_path)
    view = bench.start(order_for(make_target(tmp_path), backend=backend))
    blocks = [signal for signal, _ in view.signals if signal.raised_by == "verification"]
    assert [block.route_to for block in blocks][:1] == ["planner"]
    assert "the package answers an array of the shape (2,) for mean" in blocks[0].message
    assert blocks[0].message.count("\n") <= 1, "said once"
