"""Figures in a log that were changed and chained anew do not agree with the answers they came from."""

from __future__ import annotations

from statsclaw.engine.rejudging import judged_again
from statsclaw.runlog.fold import RunView
from statsclaw.runlog.log import read_view
from statsclaw.runlog.store import ContentStore
from statsclaw.workspace.layout import RunFolder
from tests.support.runs import AGENT, Bench, make_target, order_for


def faults(view: RunView, folder: RunFolder) -> list[str]:
    return judged_again(view, ContentStore(folder.store), folder.path).faults


def test_changed_figures_and_verdicts_are_found_from_the_stored_answers(tmp_path):
    bench = Bench(tmp_path)
    done = bench.start(order_for(make_target(tmp_path), backend=f"{AGENT} --good --no-hold"))
    folder = bench.workspace.find(done.head.run_id)
    assert faults(read_view(folder.path), folder) == []

    view = read_view(folder.path)
    key = (view.tree_sha256, "after", "validation", "validation")
    rows = view.evidence[key].observations
    moved = ({"observed": row.expected + 1e-6, "expected": row.expected + 1e-6} if row.expected else {} for row in rows)
    better = tuple(row.model_copy(update=update) for row, update in zip(rows, moved, strict=True))
    view.evidence[key] = view.evidence[key].model_copy(update={"observations": better})
    assert "what the log says was observed is not what the stored answers give" in faults(view, folder)

    view = read_view(folder.path)
    kept = view.judged[view.tree_sha256, "after"]
    turned = tuple(
        row.model_copy(update={"verdict": "FAIL", "literal": "FAIL"}) if row.id in ("C1", "M1") else row
        for row in kept.judgements
    )
    view.judged[view.tree_sha256, "after"] = kept.model_copy(update={"judgements": turned})
    assert [fault.partition(" ")[0] for fault in faults(view, folder)] == ["C1", "M1"]
